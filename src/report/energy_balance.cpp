// SPDX-License-Identifier: BSD-3-Clause
#include "report/energy_balance.hpp"

#include "problem/reactive.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trill {
namespace {
constexpr Index most_rows_balanced = 300'000;
constexpr double share_of_step = 1e-4;  // the step of differences in time, as a share of the distance of rows
constexpr double least_share = 1e-9;    // of the energy: less work is rounding

struct Power {
  double given = 0, lost = 0;
};

// With E(t, q, v) the energy, M a = f - G^T lambda and G v = -g_t: dE/dt = v f + lambda g_t + (d/dt of E with v held).
// The part of the force that is odd in v is friction, since forces that result from the mass are even. A magnetic force
// is odd and has no power.
class Powers {
 public:
  Powers(const Problem& problem, const MechanicalProblem& mechanics, std::size_t energy)
      : given_(problem),
        session_(problem, Formulas::of_each_state),
        problem_(mechanics),
        reactions_(reaction_forces(mechanics)),
        energy_(static_cast<Index>(energy)),
        at_(problem.initial_state()),
        forth_(at_.layout.nv),
        back_(forth_),
        reaction_(forth_),
        measured_(static_cast<Index>(problem.quantities().size())) {
    if (const ConstraintMap* constraints = mechanics.constraints()) moves_.resize(constraints->count());
    session_.enter(at_);
  }

  // What the model changes in itself at this event, from this state on.
  void pass_event(int event, double t, const double* y) {
    State before = at_;
    before.t = t;
    before.y = Eigen::Map<const Vec>(y, at_.layout.size());
    given_.on_event(event, before);
    at_.mode = before.mode;
    session_.enter(before);
  }

  Power at(double t, const double* y, double step) {
    at_.t = t;
    at_.y = Eigen::Map<const Vec>(y, at_.layout.size());
    const Vec v = at_.v();
    forces(t, v, forth_);
    forces(t, -v, back_);
    Power power{0.5 * v.dot(forth_ + back_) + change_with_velocity_held(v, step), -0.5 * v.dot(forth_ - back_)};
    if (moves_.size() > 0 && moves_.size() == at_.layout.nl) {
      problem_.constraints()->time_derivative(t, at_.q(), moves_);
      power.given += at_.lambda().dot(moves_);
    }
    return power;
  }

 private:
  void forces(double t, const Vec& v, Vec& sum) {
    problem_.force(all_groups, t, at_.q(), v, sum);
    if (!reactions_) return;
    reactions_->reaction_force(t, at_.q(), v, at_.lambda(), reaction_);
    sum += reaction_;
  }

  double change_with_velocity_held(const Vec& v, double step) {
    const double t = at_.t;
    const Vec q = at_.q();
    const auto energy = [&](double shift) {
      at_.t = t + shift;
      at_.q() = q + shift * v;
      given_.measure(at_, measured_);
      return measured_[energy_];
    };
    const double change = energy(step) - energy(-step);
    at_.t = t;
    at_.q() = q;
    return change / (2 * step);
  }

  const Problem& given_;
  ProblemSession session_;
  const MechanicalProblem& problem_;
  const ReactionForces* reactions_;
  Index energy_;
  State at_;
  Vec forth_, back_, reaction_, measured_, moves_;
};

// The events of a run that change the model or its state, in their order. At each of them there are two rows, one from
// before and one from after it, but for one with which the motion comes to rest at the end.
class EventsPassed {
 public:
  EventsPassed(const Problem& problem, const std::vector<EventHit>& hits) {
    const std::vector<EventInfo> events = problem.events();
    for (const EventHit& hit : hits)
      for (std::size_t k = 0; k < events.size(); ++k) {
        if (events[k].name != hit.name || events[k].restarts || events[k].stops) continue;
        is_known_ = is_known_ && (hits_.empty() || hits_.back().t != hit.t);
        hits_.push_back({static_cast<int>(k), hit.t});
      }
  }
  // Whether the row at t is the first one after an event; the row before it was at `before`.
  std::optional<int> between(double before, double t) {
    last_ = t;
    if (next_ == hits_.size() || before != hits_[next_].t) return std::nullopt;
    if (t != before) is_known_ = false;  // rows that are missing
    return hits_[next_++].event;
  }
  bool all_found() const {
    return is_known_ && (next_ == hits_.size() || (next_ + 1 == hits_.size() && hits_[next_].t == last_));
  }

 private:
  struct Hit {
    int event;
    double t;
  };
  std::vector<Hit> hits_;
  std::size_t next_ = 0;
  double last_ = 0;  // time of the last row
  bool is_known_ = true;
};

// What is known at one row.
struct PowerRow {
  double t = 0;
  Power power;
  double jump = 0;  // of the energy since the row before, at an event
};

// The integral from x[from] to x[from + 1] of the cubic through four points.
double integral_of_cubic(const std::array<double, 4>& x, const std::array<double, 4>& y, std::size_t from) {
  const auto value = [&](double at) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      double factor = y[i];
      for (std::size_t j = 0; j < 4; ++j)
        if (j != i) factor *= (at - x[j]) / (x[i] - x[j]);
      sum += factor;
    }
    return sum;
  };
  const double middle = 0.5 * (x[from] + x[from + 1]), half = 0.5 * (x[from + 1] - x[from]);
  const double node = half / std::sqrt(3.0);  // Gauss with two points is exact for cubics
  return half * (value(middle - node) + value(middle + node));
}

// The integral over time of a power up to each row. Rows at equal times are the two sides of a jump: the polynomials of
// one side do not use rows of the other.
std::vector<double> running_integral(const std::vector<PowerRow>& rows, double Power::*part) {
  std::vector<double> sum(rows.size(), 0);
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end].t != rows[end - 1].t;) ++end;
    if (begin > 0) sum[begin] = sum[begin - 1];
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double straight = 0.5 * (rows[i].t - rows[i - 1].t) * (rows[i].power.*part + rows[i - 1].power.*part);
      if (end - begin < 4) {
        sum[i] = sum[i - 1] + straight;
        continue;
      }
      const std::size_t first = std::min(std::max(begin + 2, i) - 2, end - 4);
      std::array<double, 4> t, power;
      for (std::size_t k = 0; k < 4; ++k) {
        t[k] = rows[first + k].t;
        power[k] = rows[first + k].power.*part;
      }
      sum[i] = sum[i - 1] + integral_of_cubic(t, power, i - 1 - first);
    }
  }
  return sum;
}

// Energy that comes or goes at once, as in an impact.
void add_jumps(const std::vector<PowerRow>& rows, std::vector<double>& given, std::vector<double>& lost) {
  double more = 0, less = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (rows[i].jump > 0 ? more : less) += std::abs(rows[i].jump);
    given[i] += more;
    lost[i] += less;
  }
}

// Measured quantities of the run, followed by the three of the balance.
class BalancedRows final : public RowSource {
 public:
  BalancedRows(const RowSource& rows, std::size_t quantities, std::size_t energy, std::vector<double> given,
               std::vector<double> lost)
      : rows_(rows), quantities_(quantities), energy_(energy), given_(std::move(given)), lost_(std::move(lost)) {}
  Index rows() const override { return rows_.rows(); }
  void visit(const Visitor& visitor) const override {
    std::vector<double> more(quantities_ + 3);
    std::size_t i = 0;
    double start = 0;
    rows_.visit([&](double t, const double* y, const double* measured) {
      std::copy_n(measured, quantities_, more.begin());
      if (i == 0) start = measured[energy_];
      more[quantities_] = given_[i];
      more[quantities_ + 1] = lost_[i];
      more[quantities_ + 2] = measured[energy_] - start - given_[i] + lost_[i];
      ++i;
      visitor(t, y, more.data());
    });
  }

 private:
  const RowSource& rows_;
  std::size_t quantities_, energy_;
  std::vector<double> given_, lost_;
};

std::optional<std::size_t> energy_among(const std::vector<Quantity>& quantities) {
  const auto found = std::find_if(quantities.begin(), quantities.end(),
                                  [](const Quantity& q) { return q.kind == QuantityKind::energy; });
  if (found == quantities.end()) return std::nullopt;
  return static_cast<std::size_t>(found - quantities.begin());
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}
}  // namespace

namespace {
// Formulations that give the whole motion leave the equations of its energy as they are.
bool gives_whole_motion(const RunInfo& info) {
  return info.formulation.empty() || info.delivers.empty() || info.delivers == to_text(Delivers::full);
}

std::vector<PowerRow> power_rows(const RunInfo& info, const RowSource& rows, std::size_t energy, Powers& powers,
                                 EventsPassed& events) {
  struct Row {
    double t, energy;
    std::vector<double> y;
  };
  std::vector<PowerRow> found;
  std::optional<Row> before;
  const auto size = static_cast<std::size_t>(info.layout.size());
  rows.visit([&](double t, const double* y, const double* measured) {
    double step = 1e-6, jump = 0;
    if (before) {
      if (const auto event = events.between(before->t, t)) {
        jump = measured[energy] - before->energy;
        powers.pass_event(*event, t, before->y.data());
      }
      if (t != before->t) step = t - before->t;
      if (found.empty()) found.push_back({before->t, powers.at(before->t, before->y.data(), share_of_step * step)});
      found.push_back({t, powers.at(t, y, share_of_step * step), jump});
    }
    before = Row{t, measured[energy], {y, y + size}};
  });
  return found;
}
}  // namespace

std::optional<EnergyBalance> energy_balance(const Problem& problem, const RunInfo& info, const RunOutcome& outcome,
                                            const RowSource& rows) {
  const auto* reactive = dynamic_cast<const ReactiveProblem*>(&problem);
  const auto* mechanics = reactive ? &reactive->mechanics() : dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanics || dynamic_cast<const LangevinProblem*>(&problem)) return std::nullopt;
  const auto measured = energy_among(problem.quantities()), recorded = energy_among(info.quantities);
  if (!measured || !recorded || info.layout != problem.layout() || !gives_whole_motion(info)) return std::nullopt;
  if (rows.rows() < 4 || rows.rows() > most_rows_balanced) return std::nullopt;
  Powers powers(problem, *mechanics, *measured);
  EventsPassed events(problem, outcome.events);
  const std::vector<PowerRow> found = power_rows(info, rows, *recorded, powers, events);
  if (!events.all_found()) return std::nullopt;
  std::vector<double> given = running_integral(found, &Power::given), lost = running_integral(found, &Power::lost);
  add_jumps(found, given, lost);
  double scale = 0;
  rows.visit([&](double, const double*, const double* q) { scale = std::max(scale, std::abs(q[*recorded])); });
  const double work = std::max(largest(given), largest(lost));
  if (!std::isfinite(work) || work <= least_share * scale) return std::nullopt;
  EnergyBalance balance{info, nullptr};
  const std::string& unit = info.quantities[*recorded].unit;
  for (const char* name : {work_name, lost_name, balance_name})
    balance.info.quantities.push_back({name, unit, QuantityKind::energy_part});
  balance.rows =
      std::make_unique<BalancedRows>(rows, info.quantities.size(), *recorded, std::move(given), std::move(lost));
  return balance;
}
}  // namespace trill
