// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/component_modes.hpp"

#include "linalg/dense_decompositions.hpp"
#include "linalg/modes.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_rigid_modes = 6;
constexpr double spanned_already = 1e-8;  // what remains of a vector that others span already, relative to it

Modes modes_of(const SpMat& k, const SpMat& m, Index count) {
  Modes modes = lowest_modes(k, m, {.count = count});
  if (!modes.pairs.converged) throw UsageError("the modes of the part were not found: " + modes.pairs.message);
  return modes;
}

Mat rows_of(const Mat& a, const std::vector<Index>& rows) { return a(rows, Eigen::all); }

// K^+ F with the motions R without strain (M-orthonormal): loads are balanced by inertia forces, the part is held at as
// many coordinates as there are such motions, and what the answer contains of them is taken out.
Mat balanced_response(const SpMat& k, const SpMat& m, const Mat& r, const Mat& loads) {
  const Mat mr = m * r;
  const Mat balanced = loads - mr * (r.transpose() * loads);
  const PivotedQr pivots = pivoted_qr(r.transpose());
  std::vector<Index> fixed;
  for (Index i = 0; i < r.cols(); ++i) fixed.push_back(pivots.order[i]);
  const std::vector<Index> free = all_but(k.rows(), fixed);
  const SparseCholesky factors(picked(k, free, free));
  if (!factors.is_positive_definite())
    throw UsageError(
        "the stiffness of the part is not positive where it must be: it has a mechanism or an unstable part");
  Mat u = Mat::Zero(k.rows(), loads.cols());
  u(free, Eigen::all) = factors.solve(rows_of(balanced, free));
  return u - r * (mr.transpose() * u);
}
}  // namespace

std::vector<Index> all_but(Index n, const std::vector<Index>& some) {
  std::vector<bool> taken(static_cast<std::size_t>(n));
  for (const Index i : some) taken[static_cast<std::size_t>(i)] = true;
  std::vector<Index> others;
  for (Index i = 0; i < n; ++i)
    if (!taken[static_cast<std::size_t>(i)]) others.push_back(i);
  return others;
}

SpMat picked(const SpMat& a, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  std::vector<Index> place(static_cast<std::size_t>(a.rows()), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) place[static_cast<std::size_t>(rows[i])] = static_cast<Index>(i);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (SpMat::InnerIterator it(a, columns[j]); it; ++it)
      if (const Index i = place[static_cast<std::size_t>(it.row())]; i >= 0)
        entries.emplace_back(static_cast<int>(i), static_cast<int>(j), it.value());
  SpMat part(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

ComponentBasis craig_bampton(const SpMat& k, const SpMat& m, const std::vector<Index>& boundary, Index modes) {
  const std::vector<Index> inner = all_but(k.rows(), boundary);
  const SpMat k_ii = picked(k, inner, inner);
  const SparseCholesky factors(k_ii);
  if (!inner.empty() && !factors.is_positive_definite())
    throw UsageError("the part can still move freely while its interfaces are held; hold it at more places");
  const Index nb = static_cast<Index>(boundary.size());
  modes = std::min(modes, static_cast<Index>(inner.size()));
  ComponentBasis basis{Mat::Zero(k.rows(), nb + modes), nb};
  for (Index j = 0; j < nb; ++j) basis.vectors(boundary[static_cast<std::size_t>(j)], j) = 1;
  if (inner.empty()) return basis;
  basis.vectors(inner, Eigen::seqN(0, nb)) = -factors.solve(Mat(picked(k, inner, boundary)));
  if (modes > 0)
    basis.vectors(inner, Eigen::seqN(nb, modes)) = modes_of(k_ii, picked(m, inner, inner), modes).pairs.vectors;
  return basis;
}

ComponentBasis rubin(const SpMat& k, const SpMat& m, const std::vector<Index>& boundary, Index modes) {
  const Index n = k.rows(), nb = static_cast<Index>(boundary.size());
  const Modes found = modes_of(k, m, std::min(n, modes + most_rigid_modes));
  Index rigid = 0;
  while (rigid < found.pairs.values.size() && found.is_rigid(rigid)) ++rigid;
  if (rigid > most_rigid_modes)
    throw UsageError("the part has more than six motions without strain: it is a mechanism");
  modes = std::min(modes, found.pairs.values.size() - rigid);
  Mat loads = Mat::Zero(n, nb);
  for (Index j = 0; j < nb; ++j) loads(boundary[static_cast<std::size_t>(j)], j) = 1;
  const Mat r = found.pairs.vectors.leftCols(rigid), phi = found.pairs.vectors.middleCols(rigid, modes);
  const Vec flexibility = found.pairs.values.segment(rigid, modes).cwiseInverse();
  Mat psi = balanced_response(k, m, r, loads);
  psi -= phi * (flexibility.asDiagonal() * (phi.transpose() * loads));
  const DenseInverse at_boundary = inverse_of(rows_of(psi, boundary));
  if (!(at_boundary.reciprocal_condition > 1e-13))
    throw UsageError(
        "the modes already span all motions of the interfaces; ask for fewer modes, or take the method craig_bampton");
  ComponentBasis basis{Mat(n, nb + rigid + modes), nb, rigid};
  basis.vectors.leftCols(nb) = psi * at_boundary.matrix;
  Mat others(n, rigid + modes);
  others << r, phi;
  basis.vectors.rightCols(rigid + modes) = others - basis.vectors.leftCols(nb) * rows_of(others, boundary);
  return basis;
}

DenseModes modes_in(const Mat& basis, const SpMat& k, const SpMat& m) {
  Mat q(basis.rows(), basis.cols()), mq(basis.rows(), basis.cols()), weights = Mat::Zero(basis.cols(), basis.cols());
  Index count = 0;
  for (Index j = 0; j < basis.cols(); ++j) {
    Vec x = basis.col(j), combination = Vec::Unit(basis.cols(), j);
    const double before = std::sqrt(x.dot(m * x));
    for (int round = 0; round < 2 && count > 0; ++round) {
      const Vec along = mq.leftCols(count).transpose() * x;
      x -= q.leftCols(count) * along;
      combination -= weights.leftCols(count) * along;
    }
    const double norm = std::sqrt(std::max(0.0, x.dot(m * x)));
    if (!(norm > spanned_already * before)) continue;
    q.col(count) = x / norm;
    mq.col(count) = m * q.col(count);
    weights.col(count++) = combination / norm;
  }
  q.conservativeResize(Eigen::NoChange, count);
  const Mat kq = q.transpose() * (k * q);
  Cholesky factors(count);
  if (!factors.compute(Mat(0.5 * (kq + kq.transpose()))))
    throw UsageError("the reduced stiffness is not positive: the body can still move without strain, or K is wrong");
  Mat half = q.transpose() * mq.leftCols(count);
  factors.solve_lower(half);
  half.transposeInPlace();
  factors.solve_lower(half);
  SymmetricEigen eigen(count);
  if (!eigen.compute(Mat(0.5 * (half + half.transpose())))) throw UsageError("the reduced modes were not found");
  DenseModes modes{Vec(count), Mat(count, count)};
  Mat y = eigen.vectors().rowwise().reverse();
  factors.solve_transposed(y);
  for (Index i = 0; i < count; ++i) {
    const double mu = eigen.values()[count - 1 - i];
    if (!(mu > 0)) throw UsageError("the reduced mass is not positive");
    modes.values[i] = 1 / mu;
    modes.vectors.col(i) = y.col(i) / std::sqrt(mu);
  }
  modes.vectors = weights.leftCols(count) * modes.vectors;
  return modes;
}
}  // namespace trill
