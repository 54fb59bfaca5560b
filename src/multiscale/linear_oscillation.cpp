// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/linear_oscillation.hpp"

#include "base/tolerances.hpp"
#include "linalg/eigenpairs.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trill {
namespace {
constexpr Index most_unknowns = 1000;  // limit of the dense eigenproblem for the modes
constexpr double linear_to = 1e-8, symmetric_to = 1e-10;
// Relative to the largest eigenvalue: less is rounding, the mode does not oscillate.
constexpr double resting_share = 1e-12;
constexpr int most_turns = 8;
constexpr double turn = 2 * std::numbers::pi;

void check_kind(const MechanicalProblem& p, std::string_view asker) {
  const Groups fast = fast_groups(p);
  if (p.constraints())
    throw UsageError(fmt::format("{} cannot satisfy the hard constraints of '{}'; use rattle", asker, p.name()));
  if (p.mass_kind() == MassKind::of_q)
    throw UsageError(
        fmt::format("{} needs a constant mass matrix; '{}' has a position-dependent mass", asker, p.name()));
  if (fast == 0)
    throw UsageError(
        fmt::format("{} needs fast forces; '{}' has none; put them into a force group called fast", asker, p.name()));
  if (p.velocity_dependent(fast))
    throw UsageError(fmt::format(
        "{} needs fast forces that depend on positions only; those of '{}' depend on velocities", asker, p.name()));
  if (p.layout().nq > most_unknowns)
    throw UsageError(fmt::format("{} can compute the modes of at most {} unknowns; '{}' has {}", asker, most_unknowns,
                                 p.name(), p.layout().nq));
}

Mat dense_of(const MatrixSlot& slot) { return slot.is_sparse() ? Mat(slot.as_sparse()) : slot.as_dense(); }

Mat mass_of(const MechanicalProblem& p, In q) {
  MatrixSlot slot = p.mass_pattern();
  p.mass(q, slot);
  return dense_of(slot);
}

// Differences of linear forces have no error except rounding.
Mat stiffness_of(const MechanicalProblem& p, double t, In q) {
  const Index n = q.size();
  const Groups fast = fast_groups(p);
  const Vec zero = Vec::Zero(n);
  MatrixSlot dq = p.stiffness_pattern(), dv = p.damping_pattern();
  if (p.force_jacobian(fast, t, q, zero, dq, dv)) return -dense_of(dq);
  Mat stiffness(n, n);
  Vec moved = q, here(n), there(n);
  p.force(fast, t, q, zero, here);
  for (Index i = 0; i < n; ++i) {
    moved[i] += 1;
    p.force(fast, t, moved, zero, there);
    stiffness.col(i) = here - there;
    moved[i] = q[i];
  }
  return stiffness;
}

Vec moved_by(double share, In q) {
  const double reach = std::max(1.0, q.cwiseAbs().maxCoeff());
  Vec moved = q;
  for (Index i = 0; i < q.size(); ++i) moved[i] += share * reach * std::cos(1.0 + 2.3 * static_cast<double>(i));
  return moved;
}

void check_law(const MechanicalProblem& p, std::string_view asker, const Mat& stiffness, const Vec& constant, double t,
               const Vec& q) {
  Vec force(q.size());
  p.force(fast_groups(p), t, q, Vec::Zero(q.size()), force);
  const double off = (force - constant + stiffness * q).norm(), size = stiffness.norm() * q.norm() + constant.norm();
  if (off <= linear_to * size) return;
  throw UsageError(
      fmt::format("{} needs fast forces, in a group called fast, that are linear and do not change in time; those of "
                  "'{}' deviate from a linear law by {:.2g} of their size",
                  asker, p.name(), off / size));
}

SpMat without_zeros(const Mat& a) { return a.sparseView(a.cwiseAbs().maxCoeff(), 1e-15); }
}  // namespace

LinearOscillation::LinearOscillation(const MechanicalProblem& problem, std::string_view asker, double t_begin,
                                     double t_end, In q) {
  check_kind(problem, asker);
  const Index n = problem.layout().nq;
  const Vec zero = Vec::Zero(n);
  const Groups fast = fast_groups(problem);
  const Mat stiffness = stiffness_of(problem, t_begin, q);
  if (!((stiffness - stiffness.transpose()).norm() <= symmetric_to * stiffness.norm()))
    throw UsageError(
        fmt::format("{} needs fast forces that have a potential; those of '{}' have none", asker, problem.name()));
  Vec constant(n);
  problem.force(fast, t_begin, q, zero, constant);
  constant += stiffness * q;
  if (constant.norm() <= tolerance::force * stiffness.norm() * q.norm()) constant.setZero();
  for (const double share : {0.0, 0.37, 1.0})
    check_law(problem, asker, stiffness, constant, t_begin + share * (t_end - t_begin), moved_by(share, q));
  find_modes(problem, asker, stiffness, constant);
}

void LinearOscillation::find_modes(const MechanicalProblem& problem, std::string_view asker, const Mat& stiffness,
                                   const Vec& force) {
  const Index n = force.size();
  const Mat mass = mass_of(problem, Vec::Zero(n));
  const EigenPairs found = symmetric_eigenpairs(stiffness, mass);
  if (!found.converged)
    throw UsageError(
        fmt::format("{}: the fast modes of '{}' could not be computed: {}", asker, problem.name(), found.message));
  const double largest = found.values.maxCoeff(), resting = resting_share * largest;
  if (!(largest > 0))
    throw UsageError(fmt::format("{}: the fast forces of '{}' do not oscillate", asker, problem.name()));
  if (found.values.minCoeff() < -resting)
    throw UsageError(fmt::format("{}: the fast forces of '{}' are unstable: their motion grows at the rate {:.4g}",
                                 asker, problem.name(), std::sqrt(-found.values.minCoeff())));
  omega_ = Vec::Zero(n);
  rest_ = Vec::Zero(n);
  steady_ = force;
  for (Index k = 0; k < n; ++k) {
    if (found.values[k] <= resting) continue;
    omega_[k] = std::sqrt(found.values[k]);
    const double pull = found.vectors.col(k).dot(force);
    rest_ += pull / found.values[k] * found.vectors.col(k);
    steady_ -= pull * (mass * found.vectors.col(k));
  }
  if (steady_.norm() <= linear_to * force.norm()) steady_.setZero();
  modes_ = without_zeros(found.vectors);
  to_modes_ = without_zeros(found.vectors.transpose() * mass);
  position_ = speed_ = turned_ = Vec::Zero(n);
}

void LinearOscillation::find_turn(double time, Turn& turn) const {
  turn.cosine = (omega_ * time).array().cos();
  turn.omega_sine = (omega_ * time).array().sin();
  turn.sine_over_omega = Vec::Constant(omega_.size(), time);
  for (Index k = 0; k < omega_.size(); ++k)
    if (omega_[k] > 0) turn.sine_over_omega[k] = turn.omega_sine[k] / omega_[k];
  turn.omega_sine.array() *= omega_.array();
}

void LinearOscillation::apply(const Turn& turn, Out q, Out v) {
  q -= rest_;
  position_.noalias() = to_modes_ * q;
  speed_.noalias() = to_modes_ * v;
  turned_ = turn.cosine.cwiseProduct(position_) + turn.sine_over_omega.cwiseProduct(speed_);
  q.noalias() = modes_ * turned_;
  q += rest_;
  turned_ = turn.cosine.cwiseProduct(speed_) - turn.omega_sine.cwiseProduct(position_);
  v.noalias() = modes_ * turned_;
}

double LinearOscillation::mismatch(double period) const {
  double most = 0;
  for (const double omega : omega_) most = std::max(most, std::abs(std::remainder(omega * period, turn)));
  return most;
}

double LinearOscillation::common_period(std::string_view asker) const {
  for (int turns = 1; turns <= most_turns; ++turns) {
    const double period = turns * turn / largest_frequency();
    if (mismatch(period) <= most_mismatch) return period;
  }
  std::set<std::string> different;
  for (const double omega : omega_)
    if (omega > 0) different.insert(fmt::format("{:.6g}", omega));
  throw UsageError(
      fmt::format("{} can average one fast frequency, or several with a common period; {} have none within {} turns",
                  asker, fmt::join(different, ", "), most_turns));
}
}  // namespace trill
