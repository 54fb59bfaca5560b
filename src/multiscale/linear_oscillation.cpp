// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/linear_oscillation.hpp"

#include "base/tolerances.hpp"
#include "linalg/eigenpairs.hpp"
#include "linalg/small_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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
}

void check_size(const MechanicalProblem& p, std::string_view asker) {
  if (p.layout().nq <= most_unknowns) return;
  throw UsageError(
      fmt::format("{} can compute the modes of at most {} unknowns, or of more if the fast forces couple at most {} of "
                  "them to each other; '{}' has {}",
                  asker, most_unknowns, most_in_block, p.name(), p.layout().nq));
}

Mat dense_of(const MatrixSlot& slot) { return slot.is_sparse() ? Mat(slot.as_sparse()) : slot.as_dense(); }
SpMat sparse_of(const MatrixSlot& slot) {
  return slot.is_sparse() ? slot.as_sparse() : SpMat(slot.as_dense().sparseView());
}
double norm_of(const MatrixSlot& slot) { return slot.is_sparse() ? slot.as_sparse().norm() : slot.as_dense().norm(); }
Vec product(const MatrixSlot& slot, const Vec& x) {
  return slot.is_sparse() ? Vec(slot.as_sparse() * x) : Vec(slot.as_dense() * x);
}

bool has_potential(const MatrixSlot& stiffness) {
  const SpMat s = sparse_of(stiffness);
  return SpMat(s - SpMat(s.transpose())).norm() <= symmetric_to * s.norm();
}

// Differences of linear forces have no error except rounding.
MatrixSlot stiffness_of(const MechanicalProblem& p, std::string_view asker, double t, In q) {
  const Index n = q.size();
  const Groups fast = fast_groups(p);
  const Vec zero = Vec::Zero(n);
  MatrixSlot dq = p.stiffness_pattern(), dv = p.damping_pattern();
  if (p.force_jacobian(fast, t, q, zero, dq, dv)) {
    dq.scale(-1);
    return dq;
  }
  check_size(p, asker);
  MatrixSlot stiffness = MatrixSlot::dense(n, n);
  Vec moved = q, here(n), there(n);
  p.force(fast, t, q, zero, here);
  for (Index i = 0; i < n; ++i) {
    moved[i] += 1;
    p.force(fast, t, moved, zero, there);
    Eigen::Map<Vec>(stiffness.entry(0, i), n) = here - there;
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

void check_law(const MechanicalProblem& p, std::string_view asker, const MatrixSlot& stiffness, const Vec& constant,
               double t, const Vec& q) {
  Vec force(q.size());
  p.force(fast_groups(p), t, q, Vec::Zero(q.size()), force);
  const double off = (force - constant + product(stiffness, q)).norm(),
               size = norm_of(stiffness) * q.norm() + constant.norm();
  if (off <= linear_to * size) return;
  throw UsageError(
      fmt::format("{} needs fast forces, in a group called fast, that are linear and do not change in time; those of "
                  "'{}' deviate from a linear law by {:.2g} of their size",
                  asker, p.name(), off / size));
}

SpMat without_zeros(const Mat& a) { return a.sparseView(a.cwiseAbs().maxCoeff(), 1e-15); }

// S x = value M x, values ascending and x^T M x = 1; `weighted` is M x.
struct FastModes {
  Vec values;
  SpMat vectors, weighted;
};

FastModes whole_modes(const Mat& stiffness, const Mat& mass, const std::function<void(const EigenPairs&)>& check) {
  const EigenPairs found = symmetric_eigenpairs(stiffness, mass);
  check(found);
  return {found.values, without_zeros(found.vectors), without_zeros(found.vectors.transpose() * mass).transpose()};
}

FastModes modes_of_blocks(const MatrixSlot& stiffness, const MatrixSlot& mass, const std::vector<UnknownBlock>& blocks,
                          const std::function<void(const EigenPairs&)>& check) {
  struct Mode {
    double value;
    const UnknownBlock* block;
    Vec vector, weighted;
  };
  const Index n = mass.rows();
  std::vector<Mode> all;
  for (const UnknownBlock& block : blocks) {
    const Mat m = block_of(mass, block);
    const EigenPairs found = symmetric_eigenpairs(block_of(stiffness, block), m);
    check(found);
    for (Index k = 0; k < found.values.size(); ++k)
      all.push_back({found.values[k], &block, found.vectors.col(k), m * found.vectors.col(k)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Mode& a, const Mode& b) { return a.value < b.value; });
  FastModes modes{Vec(n), SpMat(n, n), SpMat(n, n)};
  std::vector<Eigen::Triplet<double>> vectors, weighted;
  for (Index k = 0; k < n; ++k) {
    const Mode& mode = all[static_cast<std::size_t>(k)];
    modes.values[k] = mode.value;
    for (Index i = 0; i < mode.vector.size(); ++i) {
      const Index row = (*mode.block)[static_cast<std::size_t>(i)];
      vectors.emplace_back(row, k, mode.vector[i]);
      weighted.emplace_back(row, k, mode.weighted[i]);
    }
  }
  modes.vectors.setFromTriplets(vectors.begin(), vectors.end());
  modes.weighted.setFromTriplets(weighted.begin(), weighted.end());
  return modes;
}
}  // namespace

LinearOscillation::LinearOscillation(const MechanicalProblem& problem, std::string_view asker, double t_begin,
                                     double t_end, In q) {
  check_kind(problem, asker);
  const Index n = problem.layout().nq;
  const Vec zero = Vec::Zero(n);
  const Groups fast = fast_groups(problem);
  const MatrixSlot stiffness = stiffness_of(problem, asker, t_begin, q);
  if (!has_potential(stiffness))
    throw UsageError(
        fmt::format("{} needs fast forces that have a potential; those of '{}' have none", asker, problem.name()));
  Vec constant(n);
  problem.force(fast, t_begin, q, zero, constant);
  constant += product(stiffness, q);
  if (constant.norm() <= tolerance::force * norm_of(stiffness) * q.norm()) constant.setZero();
  for (const double share : {0.0, 0.37, 1.0})
    check_law(problem, asker, stiffness, constant, t_begin + share * (t_end - t_begin), moved_by(share, q));
  find_modes(problem, asker, stiffness, constant);
}

void LinearOscillation::find_modes(const MechanicalProblem& problem, std::string_view asker,
                                   const MatrixSlot& stiffness, const Vec& force) {
  const Index n = force.size();
  MatrixSlot mass = problem.mass_pattern();
  problem.mass(Vec::Zero(n), mass);
  const auto check = [&](const EigenPairs& found) {
    if (!found.converged)
      throw UsageError(
          fmt::format("{}: the fast modes of '{}' could not be computed: {}", asker, problem.name(), found.message));
  };
  const auto blocks = n > most_in_block ? small_blocks(stiffness, mass) : std::nullopt;
  if (!blocks) check_size(problem, asker);
  const FastModes found = blocks ? modes_of_blocks(stiffness, mass, *blocks, check)
                                 : whole_modes(dense_of(stiffness), dense_of(mass), check);
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
    steady_ -= pull * found.weighted.col(k);
  }
  if (steady_.norm() <= linear_to * force.norm()) steady_.setZero();
  modes_ = found.vectors;
  to_modes_ = found.weighted.transpose();
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
