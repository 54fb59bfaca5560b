// SPDX-License-Identifier: BSD-3-Clause
#include "method/heat_bath_stepper.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
HeatBathStepper::HeatBathStepper(MethodInfo info, const Problem& problem)
    : info_(std::move(info)), bath_(problem.as<LangevinProblem>(info_.name)), p_(bath_.mechanics()), accelerate_(p_) {
  if (p_.constraints() && p_.constraints()->moving())
    throw UsageError(info_.name + " needs constraints that do not depend on time; those of '" + p_.name() + "' do");
  if (p_.mass_kind() != MassKind::identity && p_.mass_kind() != MassKind::diagonal)
    throw UsageError(info_.name + " needs a diagonal mass matrix that does not depend on positions");
  if (p_.velocity_dependent(all_groups)) throw UsageError(info_.name + " needs forces that do not depend on velocity");
  info_.implicit_step = info_.implicit_step || p_.constraints() != nullptr;
  // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
  info_.saves_memory = !p_.constraints() || !p_.constraints()->pattern().is_sparse();
}

void HeatBathStepper::start(State& s, const ErrorScale&) {
  const Index n = s.layout.nq;
  a_ = a0_ = free_ = free_a_ = Vec::Zero(n);
  accelerate_.start(s.q());
  if (p_.constraints()) {
    projection_.emplace(p_, accelerate_);
    multiplier_ = multiplier_weights_ = Vec::Zero(s.layout.nl);
  }
  if (!stand_at(s.t, s.q()))
    throw UsageError("the constraints of '" + p_.name() + "' depend on each other at the start");
  evaluate(s.t, s.q(), s.v(), nullptr);
  find_multipliers(s);
  y0_ = y1_ = s.y;
  // sqrt(kT / m_i)
  thermal_ = Vec::Constant(n, bath_.kT());
  accelerate_.divide_by_mass(s.q(), thermal_);
  thermal_ = thermal_.cwiseSqrt();
}

StepResult HeatBathStepper::step(State& s, const StepRequest& request) {
  if ((request.jumped || request.restart) && projection_ && projection_->has_sparse_factors()) projection_->forget();
  const bool lost = request.jumped || stands_elsewhere_ || (request.restart && projection_);
  if (lost && !stand_at(s.t, s.q())) return {.status = StepStatus::singular_matrix};
  stands_elsewhere_ = false;
  if (request.jumped) evaluate(s.t, s.q(), s.v(), &request);
  y0_ = s.y;
  a0_ = a_;
  StepResult result{.h_taken = request.h};
  result.status = take_step(s, request, result.newton);
  if (result.status == StepStatus::ok && !all_finite(s.y)) result.status = StepStatus::non_finite;
  if (result.status != StepStatus::ok) {
    s.y = y0_;
    a_ = a0_;
    stands_elsewhere_ = projection_.has_value();
    return result;
  }
  s.t += request.h;
  y1_ = s.y;
  t1_ = s.t;
  return result;
}

StepStatus HeatBathStepper::take_step(State& s, const StepRequest& request, NewtonStats& newton) {
  Moving now{s.t, s.q(), s.v(), request, newton};
  forces_are_here_ = true;
  if (projection_) {
    projection_->take_directions(s.t, now.q);
    projection_->weigh(request.weights.head(s.layout.nq).minCoeff(), now.q, multiplier_weights_);
    directions_are_here_ = true;
  }
  if (const StepStatus status = advance(now); status != StepStatus::ok) return status;
  if (projection_) {
    renew_forces(now);
    find_multipliers(s);
  }
  return StepStatus::ok;
}

void HeatBathStepper::interpolate(double theta, Out y) {
  y = (1 - theta) * y0_ + theta * y1_;
  if (!projection_) return;
  const Index n = a_.size();
  auto q = y.head(n);
  projection_->take_directions(t1_, q);
  free_ = q;
  multiplier_.setZero();
  projection_->project_position(t1_, free_, multiplier_weights_, multiplier_, q);
  stands_elsewhere_ = true;
  if (stand_at(t1_, q)) projection_->project_velocity(y.segment(n, n));
}

void HeatBathStepper::find_acceleration(double t, In q, In v, const StepRequest* request, Out a) {
  accelerate_(t, q, v, a);
  if (request) request->work.count_forces(accelerate_.counted_groups());
}

// M^-1 f at the current point, without the part that the constraints balance.
void HeatBathStepper::evaluate(double t, In q, In v, const StepRequest* request) {
  find_acceleration(t, q, v, request, a_);
  if (!projection_) return;
  free_a_ = a_;
  projection_->project_velocity(a_);
}

// Multipliers of the constraint forces without noise; call evaluate() first.
void HeatBathStepper::find_multipliers(State& s) {
  if (projection_) projection_->close_acceleration(s.v(), free_a_, s.lambda());
}

void HeatBathStepper::renew_forces(Moving& now) {
  if (forces_are_here_) return;
  evaluate(now.t, now.q, now.v, &now.request);
  forces_are_here_ = true;
}

void HeatBathStepper::kick(Moving& now, double tau) {
  renew_forces(now);
  add_scaled(now.v.data(), tau, a_.data(), now.v.size());
}

StepStatus HeatBathStepper::drift(Moving& now, double tau) {
  now.t += tau;
  forces_are_here_ = false;
  if (!projection_) {
    add_scaled(now.q.data(), tau, now.v.data(), now.q.size());
    return StepStatus::ok;
  }
  if (!directions_are_here_) projection_->take_directions(now.t - tau, now.q);
  directions_are_here_ = false;
  free_ = now.q + tau * now.v;
  multiplier_.setZero();
  const NewtonStats stats = projection_->project_position(now.t, free_, multiplier_weights_, multiplier_, now.q);
  now.newton.iterations += stats.iterations;
  now.newton.factorisations += stats.factorisations;
  now.newton.rate = std::max(now.newton.rate, stats.rate);
  now.newton.converged = stats.converged;
  if (!stats.converged) return status_of(stats);
  now.v += (now.q - free_) / tau;
  if (!stand_at(now.t, now.q)) return StepStatus::singular_matrix;
  projection_->project_velocity(now.v);
  return StepStatus::ok;
}

void HeatBathStepper::exchange_heat(Moving& now, double tau, std::uint32_t draw) {
  const double decay = std::exp(-gamma() * tau);
  now.v *= decay;
  add_noise(now, std::sqrt(std::max(0.0, 1 - decay * decay)), now.request.random, draw);
}

// A later drift would also remove the normal part of the noise, but Newton's method would then start farther away.
void HeatBathStepper::add_noise(Moving& now, double size, const RandomKey& key, std::uint32_t draw) {
  const auto n = static_cast<std::uint32_t>(now.v.size());
  for (std::uint32_t i = 0; i < n; ++i) now.v[i] += size * thermal_[i] * random_normal(key, draw * n + i);
  if (projection_) projection_->project_velocity(now.v);
}
}  // namespace trill
