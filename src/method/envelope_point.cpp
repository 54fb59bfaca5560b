// SPDX-License-Identifier: BSD-3-Clause
#include "method/envelope_point.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr int most_newton_steps = 50;
constexpr double small_residual = 0.1;  // on the weighted root mean square of the residual
constexpr double rounding = 1e-14;      // relative to the positions: below this the residual is only rounding
constexpr double of_move = 1e-12;       // the residual relative to X - x, from which accelerations follow
constexpr double least_descent = 1e-4;  // of Armijo's rule
constexpr int most_halvings = 30;
}  // namespace

EnvelopePoint::EnvelopePoint(const MechanicalProblem& problem)
    : p_(problem), mass_(problem), M_(problem.mass_pattern()) {}

void EnvelopePoint::start(In q) {
  mass_.start(q);
  p_.mass(q, M_);
  zero_ = gradient_ = scaled_ = force_ = product_ = d_ = r_ = z_ = p_dir_ = trial_ = shifted_ = Vec::Zero(q.size());
}

// The gradient M (X - x) - tau F(X) and what it is divided by the mass.
EnvelopePoint::Merit EnvelopePoint::look(double t, In x, double tau, In X, Counters& work) {
  p_.force(all_groups, t, X, zero_, force_);
  work.count_forces(mass_.counted_groups());
  shifted_ = X - x;
  M_.multiply(shifted_, gradient_);
  Merit merit;
  const std::optional<double> potential = p_.potential(all_groups, t, X);
  merit.value = potential ? 0.5 * shifted_.dot(gradient_) + tau * *potential : std::nan("");
  gradient_ -= tau * force_;
  scaled_ = gradient_;
  mass_.divide_by_mass(X, scaled_);
  merit.slope = gradient_.dot(scaled_);
  return merit;
}

// (M - tau F'(X)) p
void EnvelopePoint::multiply(double t, double tau, In X, In p, Out Hp, Counters& work) {
  if (!p_.force_product(all_groups, t, X, zero_, p, product_)) {
    const double size = p.cwiseAbs().maxCoeff();
    const double step = 1e-6 * std::max(1.0, X.cwiseAbs().maxCoeff()) / (size > 0 ? size : 1);
    shifted_ = X + step * p;
    p_.force(all_groups, t, shifted_, zero_, product_);
    shifted_ = X - step * p;
    p_.force(all_groups, t, shifted_, zero_, force_);
    product_ = (product_ - force_) / (2 * step);
    work.count_forces(mass_.counted_groups());
    work.count_forces(mass_.counted_groups());
  }
  M_.multiply(p, Hp);
  Hp -= tau * product_;
}

bool EnvelopePoint::solve_linear(double t, double tau, In X, double factor, bool descend, Counters& work) {
  d_.setZero();
  z_ = r_;
  mass_.divide_by_mass(X, z_);
  p_dir_ = z_;
  double rz = r_.dot(z_);
  const double enough = factor * factor * rz;
  const Index most = 2 * X.size() + 20;
  for (Index k = 0; k < most && rz > enough; ++k) {
    multiply(t, tau, X, p_dir_, trial_, work);
    const double curvature = p_dir_.dot(trial_);
    if (!(descend ? curvature > 0 : curvature != 0)) {
      if (k == 0) d_ = p_dir_;
      return false;
    }
    const double alpha = rz / curvature;
    d_ += alpha * p_dir_;
    r_ -= alpha * trial_;
    z_ = r_;
    mass_.divide_by_mass(X, z_);
    const double next = r_.dot(z_);
    p_dir_ = z_ + next / rz * p_dir_;
    rz = next;
  }
  return true;
}

void EnvelopePoint::multiply_by(double t, double tau, In X, In w, Out u, Counters& work) {
  multiply(t, tau, X, w, trial_, work);
  u = trial_;
  mass_.divide_by_mass(X, u);
}

bool EnvelopePoint::divide(double t, double tau, In X, In u, Out w, Counters& work) {
  constexpr double to_rounding = 1e-14;
  M_.multiply(u, r_);
  if (!solve_linear(t, tau, X, to_rounding, false, work)) return false;
  w = d_;
  return true;
}

// A step is good if it lowers what is minimised, or the gradient, which still shows progress where the values of the
// former differ by rounding only.
bool EnvelopePoint::search(double t, In x, double tau, Merit& merit, Out X, Counters& work) {
  const double descent = gradient_.dot(d_);
  trial_ = X;
  double length = 1;
  for (int k = 0; k < most_halvings; ++k, length *= 0.5) {
    X = trial_ + length * d_;
    const Merit next = look(t, x, tau, X, work);
    const bool lower = next.value <= merit.value + least_descent * length * descent;
    if (std::isfinite(next.slope) && (lower || next.slope < (1 - least_descent * length) * merit.slope)) {
      merit = next;
      return true;
    }
  }
  X = trial_;
  return false;
}

NewtonStats EnvelopePoint::solve(double t, In x, double tau, In weights, Out X, Counters& work) {
  NewtonStats stats;
  Merit merit = look(t, x, tau, X, work);
  const double first = merit.slope;
  // Where the motion passes through zero, the guess shows how large positions are elsewhere.
  const double size = std::max(X.cwiseAbs().maxCoeff(), (X - x).cwiseAbs().maxCoeff());
  while (stats.iterations < most_newton_steps) {
    if (!std::isfinite(merit.slope)) {
      stats.non_finite = true;
      return stats;
    }
    stats.residual = scaled_.cwiseAbs().maxCoeff();
    const bool at_rounding = stats.residual <= rounding * std::max(size, X.cwiseAbs().maxCoeff());
    const double moved = (X - x).cwiseAbs().maxCoeff();
    stats.converged =
        (weighted_rms(scaled_, weights) <= small_residual && stats.residual <= of_move * moved) || at_rounding;
    if (stats.converged) return stats;
    ++stats.iterations;
    r_ = -gradient_;
    solve_linear(t, tau, X, std::min(0.1, std::sqrt(std::sqrt(merit.slope / first))), true, work);
    if (!search(t, x, tau, merit, X, work)) {
      look(t, x, tau, X, work);
      break;
    }
  }
  // Stiff forces round more coarsely than positions; a residual that no longer shrinks, or only by chance, is as small
  // as it can be.
  stats.converged = scaled_.cwiseAbs().maxCoeff() <= 1e-9 * (1 + X.cwiseAbs().maxCoeff());
  return stats;
}
}  // namespace trill
