// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/structure_checks.hpp"

#include "linalg/structure_space.hpp"
#include "model/file/matrix_share.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double asymmetry_allowed = 1e-10;

struct UnequalEntry {
  Index row = 0, column = 0;
};
std::optional<UnequalEntry> unequal_entry(const SpMat& k) {
  const double most = k.nonZeros() == 0 ? 0 : Eigen::Map<const Vec>(k.valuePtr(), k.nonZeros()).cwiseAbs().maxCoeff();
  const SpMat transposed = k.transpose(), difference = k - transposed;
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SpMat::InnerIterator it(difference, j); it; ++it)
      if (std::abs(it.value()) > asymmetry_allowed * most) return UnequalEntry{it.row(), j};
  return std::nullopt;
}
}  // namespace

bool is_symmetric_stiffness(const LinearStructure& structure) {
  return !unequal_entry(structure.stiffness_matrix()).has_value();
}

void require_symmetric_stiffness(const LinearStructure& structure, const std::string& asker) {
  const SpMat& k = structure.stiffness_matrix();
  const auto found = unequal_entry(k);
  if (!found) return;
  const auto [row, column] = *found;
  throw structure.stiffness_error(fmt::format(
      "{} needs a symmetric stiffness matrix, but that of '{}' has {:.6g} in row {} and column {}, and {:.6g} "
      "across the diagonal; --method soar, --method radau and --method dop853 do not need symmetry",
      asker, structure.name(), k.coeff(row, column), row + 1, column + 1, k.coeff(column, row)));
}

std::string buckling_of(const LinearStructure& structure) {
  if (matrix_share().is_shared() || !is_symmetric_stiffness(structure)) return "";
  const SpMat& k = structure.stiffness_matrix();
  const StructureSpace::Signs signs = WholeSpace(k, structure.mass_matrix()).signs_at(0);
  if (!signs.succeeded || signs.negative == 0 || signs.has_rounded_pivot) return "";
  return fmt::format(
      "the stiffness matrix is indefinite: {} of its {} eigenvalues {} negative, so that the structure buckles and its "
      "motion grows without an end",
      signs.negative, k.rows(), signs.negative == 1 ? "is" : "are");
}

std::string drive_of(const LinearStructure& structure) {
  const Vec diagonal = structure.damping_matrix().diagonal();
  for (Index i = 0; i < diagonal.size(); ++i)
    if (diagonal[i] < 0)
      return fmt::format(
          "the damping matrix adds energy: its diagonal entry {} is {:.6g}, and a negative one makes motions grow",
          i + 1, diagonal[i]);
  return "";
}

void require_forwards(double t_begin, double t_end, const std::string& asker) {
  if (!(t_end > t_begin))
    throw UsageError(asker + " computes motions forwards in time only; --method dop853 can run backwards");
}
}  // namespace trill
