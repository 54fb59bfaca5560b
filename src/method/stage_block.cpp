// SPDX-License-Identifier: BSD-3-Clause
// Newton's iteration by diagonalisation: Butcher 1976, Bickart 1977; on the lifted mechanical system JP95 eq. 19.
#include "method/stage_block.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include <Eigen/Eigenvalues>

namespace trill {
namespace {
// Found in long double and rounded, like the tableaux.
using Real = long double;
using RealMat = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVec = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using ComplexMat = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

bool is_zero(const auto& x) { return x.size() == 0 || x.cwiseAbs().maxCoeff() == 0; }

Vec rounded(const RealVec& x) { return x.cast<double>(); }

// Modes of S, which has distinct eigenvalues for every family. `root`: of P instead, whose roots they are.
void diagonalise(const RealMat& matrix, bool root, StageBlock& block) {
  const Eigen::EigenSolver<RealMat> solver(matrix);
  const ComplexMat T = solver.eigenvectors();
  const ComplexMat inverse = T.inverse();
  const Eigen::JacobiSVD<ComplexMat> svd(T);
  block.transform_condition =
      static_cast<double>(svd.singularValues()[0] / svd.singularValues()[svd.singularValues().size() - 1]);
  for (Index k = 0; k < matrix.rows(); ++k) {
    std::complex<Real> value = solver.eigenvalues()[k];
    const bool real = std::abs(value.imag()) < 1e-12L * std::abs(value) && !(root && value.real() < 0);
    if (!real && value.imag() < 0) continue;
    if (root) value = std::sqrt(value);
    block.amplification = std::max(block.amplification, static_cast<double>(std::abs(value)));
    const Complex rounded_value(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    if (real)
      block.reals.push_back(
          {rounded_value.real(), rounded(inverse.row(k).transpose().real()), rounded(T.col(k).real())});
    else
      block.pairs.push_back({rounded_value, rounded(inverse.row(k).transpose().real()),
                             rounded(inverse.row(k).transpose().imag()), rounded(2 * T.col(k).real()),
                             rounded(2 * T.col(k).imag())});
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
  const RealMat R = P.inverse();
  block.S = S.cast<double>();
  block.P = P.cast<double>();
  block.R = R.cast<double>();
  block.r_v = rounded(-R * p_v);
  block.r_k = rounded(-R * p_k);
  block.far = rounded(P * (RealVec::Ones(p_k.size()) - p_k));
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
  return {gamma, rounded(powers.fullPivLu().solve(right))};
}

StageBlock make_stage_block(const ImplicitTableau& tableau) {
  StageBlock block;
  block.position = block.velocity = tableau;
  find_implicit_stages(tableau.A, tableau.A, block);
  const Index s = block.stages, n = block.count;
  block.stiffly_accurate = tableau.A.row(s - 1).isApprox(tableau.b.transpose());
  block.collocation = tableau.stage_order >= s;
  const RealMat A = tableau.A.cast<Real>();
  const RealMat S = A.block(block.first, block.first, n, n).inverse();
  const RealVec ones = RealVec::Ones(n), nothing = RealVec::Zero(n);
  const RealVec from_first = block.explicit_first ? RealVec(S * A.block(1, 0, n, 1)) : nothing;
  const RealVec inverse_times = S * (ones + from_first);
  round_maps(S, S * S, nothing, -inverse_times, -from_first, block);
  diagonalise(S, false, block);
  if (n == s) block.end = rounded((tableau.b.cast<Real>().transpose() * S).transpose());
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
  const RealMat nystrom = A * B;
  if (n > 0) {
    const RealMat P = nystrom.block(1, 1, n, n).inverse();
    const RealMat inner = B.block(1, 1, n, n);
    const RealVec c = pair.position.c.segment(1, n).cast<Real>();
    const RealVec first = nystrom.block(1, 0, n, 1), velocity_first = B.block(1, 0, n, 1);
    round_maps(inner * P, P, velocity_first - inner * P * first, -P * c, -P * first, block);
    diagonalise(P, true, block);
  }
  return block;
}

const StageBlock& stage_block(ImplicitTableau (*tableau)(int), int stages) { return kept_block(tableau, stages); }
const StageBlock& stage_block(PartitionedTableau (*pair)(int), int stages) { return kept_block(pair, stages); }
}  // namespace trill
