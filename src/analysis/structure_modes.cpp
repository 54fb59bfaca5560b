// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_modes.hpp"

#include "linalg/differences.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double asymmetry_of_rounding = 1e-10;
constexpr double asymmetry_of_differences = 1e-6;

SpMat sparse_of(const MatrixSlot& slot) {
  return slot.is_sparse() ? slot.as_sparse() : SpMat(slot.as_dense().sparseView());
}

struct Stiffness {
  SpMat matrix;
  bool exact = true;
};

Stiffness stiffness_at(const MechanicalProblem& problem, const State& at) {
  MatrixSlot dq = problem.stiffness_pattern(), dv = problem.damping_pattern();
  if (problem.force_jacobian(all_groups, at.t, at.q(), at.v(), dq, dv)) return {SpMat(-1.0 * sparse_of(dq)), true};
  DifferenceJacobian(dq, {.central = true})
      .evaluate([&](In q, Out f) { problem.force(all_groups, at.t, q, at.v(), f); }, Vec(at.q()), dq);
  return {SpMat(-1.0 * sparse_of(dq)), false};
}

void require_symmetric(const SpMat& k, double tolerance, const std::vector<Quantity>& names) {
  const SpMat transposed = k.transpose();
  const SpMat difference = k - transposed;
  const double most = Eigen::Map<const Vec>(k.valuePtr(), k.nonZeros()).cwiseAbs().maxCoeff();
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SpMat::InnerIterator it(difference, j); it; ++it)
      if (std::abs(it.value()) > tolerance * most)
        throw UsageError(fmt::format(
            "modes need a symmetric stiffness, but the force on {} changes with {} by {:.6g}, and the force on {} with "
            "{} by {:.6g}",
            names[static_cast<std::size_t>(it.row())].name, names[static_cast<std::size_t>(j)].name,
            -k.coeff(it.row(), j), names[static_cast<std::size_t>(j)].name,
            names[static_cast<std::size_t>(it.row())].name, -k.coeff(j, it.row())));
}
}  // namespace

OscillationMatrices oscillation_matrices(const Problem& problem, const State& at) {
  const auto* mechanics = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanics)
    throw UsageError(fmt::format("'{}' has no modes, because it is not a mechanical system", problem.name()));
  if (mechanics->constraints())
    throw UsageError(
        fmt::format("modes of '{}' cannot be computed, because it has constraints; 'trill inspect' shows "
                    "the frequencies of small constrained systems",
                    problem.name()));
  MatrixSlot mass = mechanics->mass_pattern();
  mechanics->mass(at.q(), mass);
  Stiffness k = stiffness_at(*mechanics, at);
  if (k.matrix.nonZeros() == 0)
    throw UsageError(fmt::format("'{}' has no modes, because no force depends on its positions", problem.name()));
  require_symmetric(k.matrix, k.exact ? asymmetry_of_rounding : asymmetry_of_differences, problem.components());
  const SpMat transposed = k.matrix.transpose();
  return {sparse_of(mass), SpMat(0.5 * (k.matrix + transposed)), mechanics->velocity_dependent(all_groups)};
}
}  // namespace trill
