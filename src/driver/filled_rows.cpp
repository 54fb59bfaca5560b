// SPDX-License-Identifier: BSD-3-Clause
#include "driver/filled_rows.hpp"

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

// Goes from row to row with the run's own method.
class Repetition {
 public:
  Repetition(const PreparedRun& run, const RunInfo& info)
      : problem_(run.problem->clone()),
        stepper_(run.stepper->clone(*problem_)),
        start_(problem_->initial_state()),
        quantities_(info.quantities.size()) {
    options_.control = run.options.control;
    options_.newton_retries = run.options.newton_retries;
    options_.max_steps = most_steps;
  }

  // Null if it does not arrive.
  std::optional<Solution> between(const StoredRow& from, const StoredRow& to, Index count, const Vec& ranges) {
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
    const Vec end = found.y().col(found.rows() - 1), wanted = Eigen::Map<const Vec>(to.y.data(), end.size());
    const Index moved = start_.layout.size() - start_.layout.nl;  // multipliers may jump
    if (((end - wanted).cwiseAbs().array() > apart * ranges.array()).head(moved).any()) return std::nullopt;
    return found;
  }

 private:
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Stepper> stepper_;
  State start_;
  std::size_t quantities_;
  DriverOptions options_;
};

bool can_be_filled(const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome, const RowSource& rows) {
  if (!run.stepper || !run.problem || run.reformulation || run.steady) return false;
  const auto output = info.settings.find("output");  // a stored run knows it in words only
  if (output == info.settings.end() || !output->second.starts_with("every")) return false;
  if (dynamic_cast<const LangevinProblem*>(run.problem.get()) || info.layout != run.problem->layout()) return false;
  const MethodInfo& method = run.stepper->info();
  if (method.dense != Dense::full || method.delivers != Delivers::full) return false;
  const Index count = rows.rows();
  return count > 1 && count < enough_rows && outcome.counters.steps <= most_steps &&
         static_cast<double>(info.layout.size()) * static_cast<double>(wanted_points) < most_numbers;
}

// What hardly changes from row to row is kept by the motion, and so is a constraint. The interpolant keeps them less
// accurately than the steps do, and its error would be taken for one of the run: a straight line is nearer to the
// truth.
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

std::unique_ptr<RowSource> filled_rows(const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome,
                                       const RowSource& rows) {
  if (!can_be_filled(run, info, outcome, rows)) return nullptr;
  const auto size = static_cast<std::size_t>(info.layout.size());
  const std::size_t quantities = info.quantities.size();
  FilledRows given;
  rows.visit([&](double t, const double* y, const double* measured) { given.add(t, y, size, measured, quantities); });
  const Index count = std::clamp<Index>(wanted_points / given.rows(), 1, most_between);
  const Vec ranges = ranges_of(given.all());
  const std::vector<bool> kept = kept_quantities(info.quantities, given.all());
  std::vector<double> measures(quantities);
  Repetition repetition(run, info);
  auto filled = std::make_unique<FilledRows>();
  const std::vector<StoredRow>& all = given.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    filled->add(all[i].t, all[i].y.data(), size, all[i].measured.data(), quantities);
    if (i + 1 == all.size() || all[i + 1].t == all[i].t) continue;
    const auto found = repetition.between(all[i], all[i + 1], count, ranges);
    if (!found) continue;
    const auto y = found->y(), measured = found->measured();
    for (Index k = 0; k + 1 < found->rows(); ++k) {
      const double t = found->t[static_cast<std::size_t>(k)];
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
