// SPDX-License-Identifier: BSD-3-Clause
// Newton's iteration by diagonalisation: Butcher 1976, Bickart 1977; on the lifted mechanical system JP95 eq. 19.
#include "method/stage_block.hpp"

#include "linalg/extended_lu.hpp"

#include <cmath>
#include <map>
#include <mutex>

namespace trill {
namespace {
// Computed in extended precision and rounded, like the tableaux.
using Real = Extended;
using RealMat = ExtendedMat;
using RealVec = ExtendedVec;

bool is_zero(const auto& x) { return x.size() == 0 || x.cwiseAbs().maxCoeff() == 0; }

Vec rounded(const RealVec& x) { return x.cast<double>(); }
RealMat inverse(const RealMat& a) { return ExtendedLu<Real>(a).inverse(); }

// Real and imaginary parts of a factor times entries of a complex matrix.
struct Parts {
  Vec real, imag;
};
Parts rounded_parts(Real factor, Index size, auto entry) {
  Parts parts{Vec(size), Vec(size)};
  for (Index i = 0; i < size; ++i) {
    const ExtendedComplex value = factor * entry(i);
    parts.real[i] = static_cast<double>(value.real());
    parts.imag[i] = static_cast<double>(value.imag());
  }
  return parts;
}

// Modes of S, which has distinct eigenvalues for every family. `root`: the matrix is P, and the modes are the
// square roots of its eigenvalues.
void diagonalise(const RealMat& matrix, bool root, StageBlock& block) {
  const auto [values, T] = extended_modes(matrix);
  const ExtendedComplexMat T_inverse = ExtendedLu<ExtendedComplex>(T).inverse();
  const Index n = matrix.rows();
  for (Index k = 0; k < n; ++k) {
    ExtendedComplex value = values[static_cast<std::size_t>(k)];
    const bool real = std::abs(value.imag()) < 1e-12L * std::abs(value) && !(root && value.real() < 0);
    if (!real && value.imag() < 0) continue;
    if (root) value = std::sqrt(value);
    block.amplification = std::max(block.amplification, static_cast<double>(std::abs(value)));
    const Complex rounded_value(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    const Parts left = rounded_parts(1, n, [&](Index i) { return T_inverse(k, i); });
    const Parts right = rounded_parts(real ? 1 : 2, n, [&](Index i) { return T(i, k); });
    if (real)
      block.reals.push_back({rounded_value.real(), left.real, right.real});
    else
      block.pairs.push_back({rounded_value, left.real, left.imag, right.real, right.imag});
  }
}

void find_implicit_stages(const Mat& A, const Mat& velocity_A, StageBlock& block) {
  block.stages = A.rows();
  block.explicit_first = is_zero(A.row(0));
  block.explicit_last = block.stages > 1 && is_zero(velocity_A.col(block.stages - 1));
  block.first = block.explicit_first ? 1 : 0;
  block.count = block.stages - block.first - (block.explicit_last ? 1 : 0);
}

void round_maps(const RealMat& S, const RealMat& P, const RealVec& s_k, const RealVec& p_v, const RealVec& p_k,
                StageBlock& block) {
  const RealMat R = inverse(P);
  block.S = S.cast<double>();
  block.P = P.cast<double>();
  block.R = R.cast<double>();
  block.r_v = -rounded(extended_product(R, p_v));
  block.r_k = -rounded(extended_product(R, p_k));
  block.far = rounded(extended_product(P, RealVec::Ones(p_k.size()) - p_k));
  block.s_k = rounded(s_k);
  block.p_v = rounded(p_v);
  block.p_k = rounded(p_k);
}

template <class Tableau>
const StageBlock& kept_block(Tableau (*tableau)(int), int stages) {
  static std::mutex mutex;
  static std::map<std::pair<Tableau (*)(int), int>, StageBlock> kept;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = kept.try_emplace({tableau, stages});
  if (is_new) place->second = make_stage_block(tableau(stages));
  return place->second;
}
}  // namespace

// sum_i e_i c_i^(k-1) = -gamma for k = 1 and 0 for k = 2..s.
EmbeddedFormula embedded_formula(const StageBlock& block) {
  const double gamma = 1 / block.reals.front().inverse_gamma;
  const Index s = block.stages;
  RealMat powers = RealMat::Ones(s, s);
  for (Index i = 0; i < s; ++i)
    for (Index k = 1; k < s; ++k) powers(k, i) = powers(k - 1, i) * block.position.c[i];
  RealVec right = RealVec::Zero(s);
  right[0] = -static_cast<Real>(gamma);
  return {gamma, rounded(ExtendedLu<Real>(powers).solve(right))};
}

StageBlock make_stage_block(const ImplicitTableau& tableau) {
  StageBlock block;
  block.position = block.velocity = tableau;
  find_implicit_stages(tableau.A, tableau.A, block);
  const Index s = block.stages, n = block.count;
  block.stiffly_accurate = tableau.A.row(s - 1).isApprox(tableau.b.transpose());
  block.collocation = tableau.stage_order >= s;
  const RealMat A = tableau.A.cast<Real>();
  const RealMat S = inverse(A.block(block.first, block.first, n, n));
  const RealVec ones = RealVec::Ones(n), nothing = RealVec::Zero(n);
  const RealVec from_first = block.explicit_first ? RealVec(extended_product(S, A.block(1, 0, n, 1))) : nothing;
  const RealVec inverse_times = extended_product(S, ones + from_first);
  round_maps(S, extended_product(S, S), nothing, -inverse_times, -from_first, block);
  diagonalise(S, false, block);
  if (n == s) block.end = rounded(extended_product(S.transpose(), tableau.b.cast<Real>()));
  return block;
}

StageBlock make_stage_block(const PartitionedTableau& pair) {
  StageBlock block;
  block.position = pair.position;
  block.velocity = pair.velocity;
  find_implicit_stages(pair.position.A, pair.velocity.A, block);
  block.partitioned = true;
  const Index n = block.count;
  const RealMat A = pair.position.A.cast<Real>(), B = pair.velocity.A.cast<Real>();
  const RealMat nystrom = extended_product(A, B);
  if (n > 0) {
    const RealMat P = inverse(nystrom.block(1, 1, n, n));
    const RealMat inner = extended_product(B.block(1, 1, n, n), P);
    const RealVec c = pair.position.c.segment(1, n).cast<Real>();
    const RealVec first = nystrom.block(1, 0, n, 1), velocity_first = B.block(1, 0, n, 1);
    round_maps(inner, P, velocity_first - extended_product(inner, first), -extended_product(P, c),
               -extended_product(P, first), block);
    diagonalise(P, true, block);
  }
  return block;
}

const StageBlock& stage_block(ImplicitTableau (*tableau)(int), int stages) { return kept_block(tableau, stages); }
const StageBlock& stage_block(PartitionedTableau (*pair)(int), int stages) { return kept_block(pair, stages); }
}  // namespace trill
