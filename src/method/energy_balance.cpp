// SPDX-License-Identifier: BSD-3-Clause
#include "method/energy_balance.hpp"

#include "base/tolerances.hpp"
#include "problem/quantity_kind.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double increment = 1e-4;     // for differences in time, as a fraction of the step
constexpr double much_damping = 0.05;  // share of the kinetic energy that the method has removed
}  // namespace

EnergyBalance::EnergyBalance(const MechanicalProblem& problem)
    : problem_(problem), reactions_(reaction_forces(problem)), mass_(problem.mass_pattern()) {
  const auto quantities = measures_of(problem);
  known_ = !quantities.empty() && quantities.front().kind == QuantityKind::energy;
  measured_ = Vec::Zero(static_cast<Index>(quantities.size()));
  const Index n = problem.layout().nq;
  force_ = product_ = Vec::Zero(n);
  moving_ = problem.constraints() && problem.constraints()->moving();
  gt_ = Vec::Zero(problem.constraints() ? problem.constraints()->count() : 0);
}

double EnergyBalance::energy(const State& s) {
  problem_.measure(s, measured_);
  return measured_[0];
}

double EnergyBalance::power(const State& s, double h) {
  problem_.force(all_groups, s.t, s.q(), s.v(), force_);
  if (reactions_) {
    reactions_->reaction_force(s.t, s.q(), s.v(), s.lambda(), product_);
    force_ += product_;
  }
  double sum = force_.dot(s.v());
  const double ds = increment * h;
  beside_.t = s.t + ds;
  beside_.q() += ds * s.v();
  sum += energy(beside_) / (2 * ds);
  beside_.t = s.t - ds;
  beside_.q() -= 2 * ds * s.v();
  sum -= energy(beside_) / (2 * ds);
  if (moving_) {
    problem_.constraints()->time_derivative(s.t, s.q(), gt_);
    sum += gt_.dot(s.lambda());
  }
  return sum;
}

void EnergyBalance::start(const State& s) {
  sums_ = earlier_ = {};
  stand_at(s);
}

void EnergyBalance::restart(const State& s) {
  if (s.t != t_) sums_ = earlier_;
  stand_at(s);
}

void EnergyBalance::stand_at(const State& s) {
  if (!known_) return;
  t_ = s.t;
  beside_ = before_ = s;
  energy_ = energy(s);
  has_power_ = has_change_ = false;
}

// Integrates the work with the trapezoidal rule, which is as accurate as the steps themselves.
void EnergyBalance::advance(const State& s, double h) {
  if (!known_) return;
  if (!has_power_) {
    before_ = beside_;
    power_ = power(before_, h);
  }
  beside_ = s;
  earlier_ = sums_;
  t_ = s.t;
  const double power1 = power(s, h), energy1 = energy(s);
  const double taken = sums_.taken + 0.5 * h * (power_ + power1) - (energy1 - energy_);
  // Error of the trapezoidal rule: h^3/12 P'' by differences, doubled because steps vary.
  if (has_change_) sums_.unsure += std::abs(h * (power1 - power_ - power_change_)) / 6;
  sums_.unsure += tolerance::position * (std::abs(energy1) + force_.lpNorm<1>() * (1 + max_abs(s.q())));
  power_change_ = power1 - power_;
  has_change_ = true;
  if (std::isfinite(taken)) sums_.taken = taken;
  problem_.mass(s.q(), mass_);
  mass_.multiply(s.v(), product_);
  sums_.kinetic = std::max(sums_.kinetic, 0.5 * product_.dot(s.v()));
  power_ = power1;
  energy_ = energy1;
  beside_ = s;
  has_power_ = true;
}

std::vector<Quantity> EnergyBalance::diagnostics() const {
  if (!known_) return {};
  return {{"damped energy", "", QuantityKind::energy_part}};
}

void EnergyBalance::diagnose(Out values) const {
  if (known_) values[0] = sums_.taken;
}

std::string EnergyBalance::summary() const {
  if (!known_ || sums_.kinetic == 0) return "";
  const std::string error =
      sums_.unsure > 0.1 * std::abs(sums_.taken) ? fmt::format(" (with an uncertainty of {:.1g})", sums_.unsure) : "";
  return fmt::format("the damping of the method removed the energy {:.3g}{}; the largest kinetic energy was {:.3g}",
                     sums_.taken, error, sums_.kinetic);
}

void EnergyBalance::conclude(double t, Notes& notes) const {
  const double much = much_damping * sums_.kinetic;
  if (!known_ || std::abs(sums_.taken) - sums_.unsure <= much) return;
  if (sums_.taken > 0)
    notes.raise(t, "damping",
                "The damping of the method has removed more than 5 % of the largest kinetic energy. The slow motion is "
                "right only if that energy belonged to fast oscillations.",
                Severity::doubt, sums_.taken, much);
  else
    notes.raise(t, "energy_added",
                "The method has added more than 5 % of the largest kinetic energy, because steps are too large for "
                "this motion. Use a smaller h or rtol.",
                Severity::doubt, -sums_.taken, much);
}

void EnergyBalance::memory(Archive& archive) {
  archive(energy_, power_, power_change_, t_);
  for (Sums* sums : {&sums_, &earlier_}) archive(sums->taken, sums->unsure, sums->kinetic);
  archive(has_power_, has_change_);
}
}  // namespace trill
