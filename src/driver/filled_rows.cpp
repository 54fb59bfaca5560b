// SPDX-License-Identifier: BSD-3-Clause
#include "driver/filled_rows.hpp"

#include "base/curve_piece.hpp"
#include "driver/build.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index enough_rows = 2000;  // for the width of a screen
constexpr Index wanted_points = 6000;
constexpr Index most_between = 24;           // rows between two rows
constexpr std::int64_t most_steps = 50'000;  // of a run that is repeated
constexpr double most_numbers = 4e6;         // rows times unknowns
constexpr double apart = 1e-3;               // relative to the range of a component: the width of a line

struct StoredRow {
  double t = 0;
  std::vector<double> y, measured;
};

class FilledRows final : public RowSource {
 public:
  void add(double t, const double* y, std::size_t size, const double* measured, std::size_t quantities) {
    rows_.push_back({t, {y, y + size}, {measured, measured + quantities}});
  }
  Index rows() const override { return static_cast<Index>(rows_.size()); }
  void visit(const Visitor& visitor) const override {
    for (const StoredRow& row : rows_) visitor(row.t, row.y.data(), row.measured.data());
  }
  const std::vector<StoredRow>& all() const { return rows_; }

 private:
  std::vector<StoredRow> rows_;
};

// Whether a repetition arrived at this row of the run, so that the curve before it belongs to the run.
bool arrived(const Vec& end, const StoredRow& wanted, const Layout& layout, const Vec& ranges) {
  const Index moved = layout.size() - layout.nl;  // multipliers may jump
  const Eigen::Map<const Vec> y(wanted.y.data(), end.size());
  return !((end - y).cwiseAbs().array() > apart * ranges.array()).head(moved).any();
}

// What is between two neighbouring rows of a run.
struct Between {
  Solution rows;
  Index count = 0;  // of the first of `rows` that are between them
};

class Repetition {
 public:
  virtual ~Repetition() = default;
  // Nothing if a repetition does not arrive at the second row.
  virtual std::optional<Between> between(const StoredRow& from, const StoredRow& to, Index count) = 0;
};

// Goes from row to row with the run's own method.
class RowByRow final : public Repetition {
 public:
  RowByRow(const PreparedRun& run, const RunInfo& info, const Vec& ranges)
      : problem_(run.problem->clone()),
        stepper_(run.stepper->clone(*problem_)),
        start_(problem_->initial_state()),
        quantities_(info.quantities.size()),
        ranges_(ranges) {
    options_.control = run.options.control;
    options_.newton_retries = run.options.newton_retries;
    options_.max_steps = most_steps;
  }

  std::optional<Between> between(const StoredRow& from, const StoredRow& to, Index count) override {
    start_.t = from.t;
    start_.y = Eigen::Map<const Vec>(from.y.data(), start_.y.size());
    const double step = (to.t - from.t) / static_cast<double>(count + 1);
    Times times;
    for (Index k = 1; k <= count; ++k) times.t.push_back(from.t + static_cast<double>(k) * step);
    times.t.push_back(to.t);
    options_.output = times;
    if (auto* adaptive = std::get_if<AdaptiveStep>(&options_.control)) adaptive->h0 = std::abs(to.t - from.t);
    Solution found;
    try {
      found = integrate(*problem_, *stepper_, start_, to.t, options_);
    } catch (const UsageError&) {
      return std::nullopt;
    }
    if (!found.ok() || found.rows() == 0 || found.info.quantities.size() != quantities_) return std::nullopt;
    const Index last = found.rows() - 1;
    if (!arrived(found.y().col(last), to, start_.layout, ranges_)) return std::nullopt;
    return Between{std::move(found), last};
  }

 private:
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Stepper> stepper_;
  State start_;
  std::size_t quantities_;
  const Vec& ranges_;
  DriverOptions options_;
};

// A formulation has a memory, so that it cannot begin anew at a row: the whole run is made again, with more rows.
class WholeRun final : public Repetition {
 public:
  WholeRun(const PreparedRun& run, const RunInfo& info, const std::vector<StoredRow>& rows, Index count,
           const Vec& ranges)
      : layout_(info.layout), ranges_(ranges) {
    RunPlan plan = run.plan;
    if (info.code != "compiled") plan.native = Native::never;
    Times times;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      if (rows[i + 1].t == rows[i].t) continue;
      const double step = (rows[i + 1].t - rows[i].t) / static_cast<double>(count + 1);
      for (Index k = 1; k <= count; ++k) times.t.push_back(rows[i].t + static_cast<double>(k) * step);
      times.t.push_back(rows[i + 1].t);
    }
    plan.to = rows.back().t;
    plan.output = std::move(times);
    try {
      PreparedRun again = build_again(run, plan);
      again.options.newton_retries = run.options.newton_retries;
      again.options.max_steps = most_steps;
      found_ = again.run();
    } catch (const UsageError&) {
    }
    if (!found_.ok() || found_.info.quantities.size() != info.quantities.size()) found_ = Solution();
  }

  std::optional<Between> between(const StoredRow& from, const StoredRow& to, Index) override {
    const auto place = [&](double t) {
      return std::lower_bound(found_.t.begin() + next_, found_.t.end(), t) - found_.t.begin();
    };
    const std::ptrdiff_t first = std::upper_bound(found_.t.begin() + next_, found_.t.end(), from.t) - found_.t.begin();
    const std::ptrdiff_t end = place(to.t);
    if (end == static_cast<std::ptrdiff_t>(found_.t.size()) || found_.t[static_cast<std::size_t>(end)] != to.t)
      return std::nullopt;
    next_ = end;
    if (!arrived(found_.y().col(end), to, layout_, ranges_)) return std::nullopt;
    Between between;
    between.rows.info = found_.info;
    for (std::ptrdiff_t k = first; k < end; ++k) {
      const Vec y = found_.y().col(k), measured = found_.measured().col(k);
      between.rows.append(found_.t[static_cast<std::size_t>(k)], y, measured);
    }
    between.count = end - first;
    return between;
  }

 private:
  Layout layout_;
  const Vec& ranges_;
  Solution found_;
  std::ptrdiff_t next_ = 0;
};

std::unique_ptr<Repetition> repetition_of(const PreparedRun& run, const RunInfo& info,
                                          const std::vector<StoredRow>& rows, Index count, const Vec& ranges) {
  if (run.reformulation) return std::make_unique<WholeRun>(run, info, rows, count, ranges);
  return std::make_unique<RowByRow>(run, info, ranges);
}

bool fits(const RunInfo& info) {
  return static_cast<double>(info.layout.size()) * static_cast<double>(wanted_points) < most_numbers;
}

bool can_be_filled(const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome, const RowSource& rows) {
  if (!run.stepper || !run.problem) return false;
  // Cycles that are computed at once have no interpolant, and going backwards is not worth the trouble.
  if (run.reformulation && (run.reformulation->keeps_time() || *run.plan.to < *run.plan.from)) return false;
  const auto output = info.settings.find("output");  // a stored run knows it in words only
  if (output == info.settings.end() || !output->second.starts_with("every")) return false;
  if (dynamic_cast<const LangevinProblem*>(run.problem.get()) || info.layout != run.problem->layout()) return false;
  const MethodInfo& method = run.stepper->info();
  if (method.dense != Dense::full || method.delivers != Delivers::full) return false;
  const Index count = rows.rows();
  return count > 1 && count < enough_rows && outcome.counters.steps <= most_steps && fits(info);
}

// Values that hardly change from row to row are conserved by the motion, and so are constraints. The interpolant
// conserves them less accurately than the steps do, and its error would be taken for one of the run: a straight line is
// nearer to the truth.
std::vector<bool> kept_quantities(const std::vector<Quantity>& quantities, const std::vector<StoredRow>& rows) {
  constexpr double hardly = 1e-3;
  std::vector<bool> kept(quantities.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    double low = rows[0].measured[k], high = low;
    for (const StoredRow& row : rows) {
      low = std::min(low, row.measured[k]);
      high = std::max(high, row.measured[k]);
    }
    kept[k] = quantities[k].kind == QuantityKind::constraint ||
              high - low <= hardly * std::max(std::abs(low), std::abs(high));
  }
  return kept;
}

Vec ranges_of(const std::vector<StoredRow>& rows) {
  const Index size = static_cast<Index>(rows[0].y.size());
  Vec low = Eigen::Map<const Vec>(rows[0].y.data(), size), high = low;
  for (const StoredRow& row : rows) {
    const Eigen::Map<const Vec> y(row.y.data(), size);
    low = low.cwiseMin(y);
    high = high.cwiseMax(y);
  }
  return high - low;
}
}  // namespace

namespace {
// How a component goes from row i to the next one, of a period that is closed.
struct PeriodPieces {
  const std::vector<StoredRow>& rows;
  std::size_t pieces() const { return rows.size() - 1; }
  CurvePiece piece(std::size_t i, std::size_t component) const {
    const StoredRow &from = rows[i], &to = rows[i + 1];
    return {to.t - from.t, to.y[component] - from.y[component]};
  }
  double bend(std::size_t i, std::size_t component) const {
    const std::size_t n = pieces();
    return bend_between(piece((i + n - 1) % n, component), piece(i, component), piece((i + 1) % n, component));
  }
};
}  // namespace

std::unique_ptr<RowSource> filled_period(const RunInfo& info, const RowSource& rows) {
  const auto size = static_cast<std::size_t>(info.layout.size());
  const std::size_t quantities = info.quantities.size();
  if (rows.rows() < 4 || rows.rows() >= enough_rows || !fits(info)) return nullptr;
  FilledRows given;
  rows.visit([&](double t, const double* y, const double* measured) { given.add(t, y, size, measured, quantities); });
  const std::vector<StoredRow>& all = given.all();
  const Index count = std::clamp<Index>(wanted_points / given.rows(), 1, most_between);
  const PeriodPieces period{all};
  auto filled = std::make_unique<FilledRows>();
  std::vector<double> y(size), measured(quantities);
  for (std::size_t i = 0; i < all.size(); ++i) {
    filled->add(all[i].t, all[i].y.data(), size, all[i].measured.data(), quantities);
    if (i + 1 == all.size() || all[i + 1].t == all[i].t) continue;
    for (Index k = 1; k <= count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count + 1);
      for (std::size_t c = 0; c < size; ++c)
        y[c] = all[i].y[c] + share * period.piece(i, c).rise + share * (1 - share) * period.bend(i, c);
      for (std::size_t m = 0; m < quantities; ++m)
        measured[m] = (1 - share) * all[i].measured[m] + share * all[i + 1].measured[m];
      filled->add(all[i].t + share * (all[i + 1].t - all[i].t), y.data(), size, measured.data(), quantities);
    }
  }
  return filled;
}

std::unique_ptr<RowSource> filled_rows(const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome,
                                       const RowSource& rows) {
  if (run.steady) return outcome.ok() ? filled_period(info, rows) : nullptr;
  if (!can_be_filled(run, info, outcome, rows)) return nullptr;
  const auto size = static_cast<std::size_t>(info.layout.size());
  const std::size_t quantities = info.quantities.size();
  FilledRows given;
  rows.visit([&](double t, const double* y, const double* measured) { given.add(t, y, size, measured, quantities); });
  const Index count = std::clamp<Index>(wanted_points / given.rows(), 1, most_between);
  const Vec ranges = ranges_of(given.all());
  const std::vector<bool> kept = kept_quantities(info.quantities, given.all());
  std::vector<double> measures(quantities);
  const auto repetition = repetition_of(run, info, given.all(), count, ranges);
  auto filled = std::make_unique<FilledRows>();
  const std::vector<StoredRow>& all = given.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    filled->add(all[i].t, all[i].y.data(), size, all[i].measured.data(), quantities);
    if (i + 1 == all.size() || all[i + 1].t == all[i].t) continue;
    const auto found = repetition->between(all[i], all[i + 1], count);
    if (!found) continue;
    const auto y = found->rows.y(), measured = found->rows.measured();
    for (Index k = 0; k < found->count; ++k) {
      const double t = found->rows.t[static_cast<std::size_t>(k)];
      const double share = (t - all[i].t) / (all[i + 1].t - all[i].t);
      if (!(share > 0 && share < 1)) continue;
      for (std::size_t m = 0; m < quantities; ++m)
        measures[m] = kept[m] ? (1 - share) * all[i].measured[m] + share * all[i + 1].measured[m]
                              : measured(static_cast<Index>(m), k);
      filled->add(t, y.col(k).data(), size, measures.data(), quantities);
    }
  }
  return filled;
}
}  // namespace trill
