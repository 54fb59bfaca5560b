// SPDX-License-Identifier: BSD-3-Clause
#include "driver/measures.hpp"

#include "problem/quantity_kind.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr Index most_inside = 8;  // inner steps that are measured for a row
}

Measures::Measures(const Problem& problem, const Reformulation* formulation, Stepper& stepper,
                   bool averages_inner_steps)
    : problem_(problem),
      formulation_(formulation),
      stepper_(stepper),
      has_error_(stepper.info().error_order > 0),
      has_newton_(stepper.info().implicit_step && !stepper.info().owns_step) {
  quantities_ = measures_of(problem);
  own_ = static_cast<Index>(quantities_.size());
  if (const MechanicalProblem* mechanical = mechanics_of(formulation ? formulation->inner() : problem))
    constraints_ = mechanical->constraints();
  if (constraints_) {
    G_ = constraints_->pattern();
    g_.resize(constraints_->count());
    gv_ = gt_ = g_;
    quantities_.push_back({"constraint", "", QuantityKind::constraint});
    quantities_.push_back({"constraint_velocity", "", QuantityKind::constraint});
  }
  const auto diagnostics = stepper.diagnostics();
  diagnostics_ = static_cast<Index>(diagnostics.size());
  quantities_.insert(quantities_.end(), diagnostics.begin(), diagnostics.end());
  if (formulation) {
    const auto more = formulation->diagnostics();
    of_formulation_ = static_cast<Index>(more.size());
    quantities_.insert(quantities_.end(), more.begin(), more.end());
  }
  quantities_.push_back({"h", problem.time_unit(), QuantityKind::step_size});
  if (has_error_) quantities_.push_back({"error", "", QuantityKind::step_error});
  if (has_newton_) {
    quantities_.push_back({"newton_iterations", "", QuantityKind::newton_iterations});
    quantities_.push_back({"newton_rate", "", QuantityKind::newton_rate});
  }
  values_ = Vec::Zero(static_cast<Index>(quantities_.size()));
  sum_ = Vec::Zero(own_);
  if (averages_inner_steps && !formulation) inner_ = dynamic_cast<InnerStates*>(&stepper);
}

// The ends of steps are special places for the fast motion. So are fixed places inside long steps, where the fast
// motion comes to the same phases again and again; therefore they move from step to step, by the golden ratio.
void Measures::average_inner_steps(const State& s, double h) {
  const Index known = inner_->inner_states(), used = std::min(known, most_inside);
  const double turns = std::numbers::phi * std::round(h != 0 ? s.t / h : 0), shift = turns - std::floor(turns);
  inside_ = s;
  sum_.setZero();
  for (Index k = 0; k < used; ++k) {
    const double place = (static_cast<double>(k) + shift) / static_cast<double>(used);
    inner_->inner_state(std::min(known - 1, static_cast<Index>(place * static_cast<double>(known))), inside_.q(),
                        inside_.v());
    problem_.measure(inside_, values_.head(own_));
    sum_ += values_.head(own_) / static_cast<double>(used);
  }
  values_.head(own_) = sum_;
}

const Vec& Measures::at(const State& s, const StepResult& step) {
  Index k = own_;
  if (inner_ && own_ > 0 && inner_->inner_states() > 1)
    average_inner_steps(s, step.h_taken);
  else
    problem_.measure(s, values_.head(own_));
  if (constraints_) {
    constraints_->value(s.t, s.q(), g_);
    constraints_->jacobian(s.t, s.q(), G_);
    constraints_->time_derivative(s.t, s.q(), gt_);
    G_.multiply(s.v(), gv_);
    gv_ += gt_;
    values_[k++] = g_.cwiseAbs().maxCoeff();
    values_[k++] = gv_.cwiseAbs().maxCoeff();
  }
  stepper_.diagnose(values_.segment(k, diagnostics_));
  k += diagnostics_;
  if (formulation_) formulation_->diagnose(values_.segment(k, of_formulation_));
  k += of_formulation_;
  values_[k++] = std::abs(step.h_taken);
  if (has_error_) values_[k++] = std::isnan(step.error) ? 0 : step.error;
  if (has_newton_) {
    values_[k++] = step.newton.iterations;
    values_[k++] = step.newton.rate;
  }
  return values_;
}
}  // namespace trill
