// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_digest.hpp"

#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// Numbers about steps and equations rather than about the motion.
bool is_about_the_computation(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::cycles:
    case QuantityKind::constraint:
    case QuantityKind::step_size:
    case QuantityKind::step_error:
    case QuantityKind::model_error:
    case QuantityKind::newton_iterations:
    case QuantityKind::newton_rate:
      return true;
    default:
      return false;
  }
}

class DigestSum {
 public:
  explicit DigestSum(const RunInfo& info) : info_(info) {
    for (std::size_t i = 0; i < info.quantities.size(); ++i) {
      const Quantity& q = info.quantities[i];
      if (q.kind == QuantityKind::energy || q.kind == QuantityKind::constraint)
        watched_.push_back({i, {q.name, q.unit, 0, {}}});
      if (q.kind == QuantityKind::step_size) step_ = i;
    }
  }

  void look(double t, const double* y, const double* measured) {
    for (auto& [place, drift] : watched_) {
      const double value = measured[place];
      if (!seen_ && info_.quantities[place].kind == QuantityKind::energy) drift.start = value;
      drift.largest = std::max(drift.largest, std::abs(value - drift.start.value_or(0)));
    }
    if (const double h = step_ ? measured[*step_] : 0; h > 0) {
      low_ = low_ > 0 ? std::min(low_, h) : h;
      high_ = std::max(high_, h);
    }
    t_ = t;
    y_.assign(y, y + info_.components.size());
    measured_.assign(measured, measured + info_.quantities.size());
    seen_ = true;
  }

  std::optional<RunDigest> finish() const {
    if (!seen_) return std::nullopt;
    RunDigest found;
    found.t_end = t_;
    for (std::size_t i = 0; i < measured_.size(); ++i)
      if (const Quantity& q = info_.quantities[i]; !is_about_the_computation(q.kind))
        found.measures.push_back({q.name, q.unit, q.kind, measured_[i]});
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const Quantity& q = info_.components[i];
      found.components.push_back({q.name, q.unit, q.kind, y_[i]});
    }
    for (const auto& [place, drift] : watched_) found.drifts.push_back(drift);
    found.h_min = low_;
    found.h_max = high_;
    return found;
  }

 private:
  const RunInfo& info_;
  std::vector<std::pair<std::size_t, Drift>> watched_;
  std::optional<std::size_t> step_;
  bool seen_ = false;
  double t_ = 0, low_ = 0, high_ = 0;
  std::vector<double> y_, measured_;  // of the last row
};
}  // namespace

std::optional<RunDigest> digest(const RunInfo& info, const RowSource& rows) {
  DigestSum sum(info);
  rows.visit([&](double t, const double* y, const double* measured) { sum.look(t, y, measured); });
  return sum.finish();
}

bool conserves_energy(const Problem& problem, const State& start, double t_end) {
  const auto* mechanics = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanics || dynamic_cast<const LangevinProblem*>(&problem)) return false;
  const auto at = [&](double t) { return mechanics->potential(all_groups, t, start.q()); };
  const auto pushed = [&](double t) {
    Vec force(start.v().size());
    mechanics->force(all_groups, t, start.q(), start.v(), force);
    return force;
  };
  const std::optional<double> first = at(start.t);
  if (!first) return false;
  const Vec first_push = pushed(start.t);
  // A potential or a constraint that moves does work. At the origin the potential of a load is zero at all times, but
  // its force is not. The two times are no simple fractions of the run, so that a periodic load is hardly the same at
  // both.
  for (const double share : {0.381966, 0.911}) {
    const double t = start.t + share * (t_end - start.t);
    if (const auto later = at(t); !later || *later != *first || pushed(t) != first_push) return false;
  }
  const ConstraintMap* constraints = mechanics->constraints();
  if (!constraints) return true;
  Vec moves(constraints->count());
  constraints->time_derivative(start.t, start.q(), moves);
  return moves.isZero(0);
}
}  // namespace trill
