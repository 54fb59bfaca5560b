// SPDX-License-Identifier: BSD-3-Clause
#include "method/stage_system.hpp"

#include "method/shifted_matrix.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
void copy_column(const Mat& from, Index column, Vec& to) {
  std::copy_n(from.data() + column * from.rows(), from.rows(), to.data());
}
}  // namespace

StageSystem::StageSystem(const StageBlock& block, Index unknowns, Index positions, Index multipliers, Groups counted)
    : block_(block),
      n_(unknowns),
      m_(multipliers),
      width_(unknowns + multipliers),
      counted_(counted),
      k1_(Vec::Zero(unknowns)),
      filtered_(Vec::Zero(width_)) {
  Q = Mat::Zero(positions, block.stages);
  V = K = Mat::Zero(n_, block.stages);
  L = Mat::Zero(m_, block.stages);
  point.q = Vec::Zero(positions);
  point.v = point.k = Vec::Zero(n_);
  point.l = Vec::Zero(m_);
}

StageSystem::~StageSystem() = default;

MatrixSlot StageSystem::diagonal_slot(In values) {
  SpMat pattern(values.size(), values.size());
  pattern.setIdentity();
  MatrixSlot slot = MatrixSlot::sparse(pattern);
  for (Index i = 0; i < values.size(); ++i) *slot.entry(i, i) = values[i];
  return slot;
}

void StageSystem::begin(double t, double h, In y0, In k1) {
  t_ = t;
  h_ = h;
  y0_ = y0;
  k1_ = k1;
}

void StageSystem::unpack(In x) {
  find_derivatives(x);
  double* l = L.data() + block_.first * m_;
  const double* given = x.data() + n_;
  for (Index i = 0; i < block_.count; ++i, given += width_, l += m_)
    for (Index c = 0; c < m_; ++c) l[c] = given[c];
}

void StageSystem::residual(In x, Out r) {
  find_derivatives(x);
  evaluations += static_cast<int>(block_.count);
  if (all_residuals(x.data(), r.data())) return;
  for (Index i = 0; i < block_.count; ++i) {
    const Index stage = block_.first + i;
    stage_residual(stage, t_ + block_.position.c[stage] * h_, x.data() + i * width_ + n_, r.data() + i * width_);
  }
}

bool StageSystem::prepare(In x) {
  ++preparations;
  if (point_stage >= 0) {
    copy_column(Q, point_stage, point.q);
    copy_column(V, point_stage, point.v);
    copy_column(K, point_stage, point.k);
    std::copy_n(x.data() + (point_stage - block_.first) * width_ + n_, m_, point.l.data());
    point_stage = -1;
  }
  linearise();
  return matrix_->factorise(h_);
}

void StageSystem::correct(In r, Out dx) { matrix_->solve(r.data(), dx.data()); }
bool StageSystem::has_sparse_factors() const { return matrix_->is_sparse(); }
void StageSystem::forget() { matrix_->forget(); }

void StageSystem::fill_first(In l) {
  Q.col(0) = y0_.head(positions());
  V.col(0) = y0_.segment(positions(), n_);
  K.col(0) = k1_;
  L.col(0) = l;
}

void StageSystem::find_end(In x, Out y1) const {
  const Index last = block_.stages - 1, p = positions();
  if (block_.stiffly_accurate) {
    y1.head(p) = Q.col(last);
    y1.segment(p, n_) = V.col(last);
    return;
  }
  double* q1 = y1.data();
  double* v1 = q1 + p;
  y1 = y0_;
  if (block_.explicit_last) {
    for (Index i = 0; i <= last; ++i) {
      add_scaled(q1, h_ * block_.position.b[i], V.col(i).data(), p);
      add_scaled(v1, h_ * block_.velocity.b[i], K.col(i).data(), n_);
    }
    return;
  }
  const double *v0 = y0_.data() + p, *v = V.data(), *w = x.data();
  add_scaled(q1, h_, v0, p);
  for (Index i = 0; i <= last; ++i, v += n_, w += width_) {
    const double share = block_.end[i];
    for (Index c = 0; c < n_; ++c) v1[c] += share * (v[c] - v0[c]);
    add_scaled(q1, share, w, p);
  }
}

void StageSystem::add_slope(double weight, In v, In k, Out y) const {
  add_scaled(y.data(), weight, v.data(), positions());
  add_scaled(y.data() + positions(), weight, k.data(), n_);
}

bool StageSystem::slope(const State& s, In k, double, Out slope) {
  slope.setZero();
  add_slope(1, s.y.segment(positions(), k.size()), k, slope);
  return true;
}

FirstOrderStages::FirstOrderStages(const StageBlock& block, const FirstOrderProblem& problem)
    : StageSystem(block, problem.layout().size(), 0, 0, 1),
      problem_(problem),
      identity_(diagonal_slot(Vec::Ones(n_))),
      jacobian_(problem.jacobian_pattern()),
      differences_(jacobian_) {
  matrix_ = std::make_unique<ShiftedMatrix>(union_pattern(jacobian_, identity_), block, 0);
  matrix_->add(identity_, 0, 0, false, 1, 1);
  matrix_->add(jacobian_, 0, 0, false, 0, -1);
}

// K = S (Z/h - a1 k1): the same map as from displacements to velocities, one order lower.
void FirstOrderStages::find_derivatives(In x) {
  for (Index i = 0; i < block_.count; ++i) {
    double* k = K.col(block_.first + i).data();
    double* y = V.col(block_.first + i).data();
    for (Index c = 0; c < n_; ++c) {
      y[c] = y0_[c] + x[i * n_ + c];
      k[c] = block_.p_k[i] * k1_[c];
    }
    for (Index j = 0; j < block_.count; ++j) add_scaled(k, block_.S(i, j) / h_, x.data() + j * n_, n_);
  }
}

void FirstOrderStages::stage_residual(Index stage, double t, const double*, double* r) {
  problem_.rhs(t, V.col(stage), Eigen::Map<Vec>(r, n_));
  const double* k = K.col(stage).data();
  for (Index c = 0; c < n_; ++c) r[c] = k[c] - r[c];
}

bool FirstOrderStages::derivative(const State& s, Out k, Out) {
  problem_.rhs(s.t, s.y, k);
  return all_finite(k);
}

double FirstOrderStages::size_in_tolerances(In weights) const { return weighted_rms(y0_, weights); }

// (sigma - J) x = sigma e.
void FirstOrderStages::filter(Vec& error) {
  filtered_ = real_shift() * error;
  matrix_->solve_real(filtered_);
  error = filtered_;
}

void FirstOrderStages::linearise() {
  if (problem_.jacobian(point.t, point.v, jacobian_)) return;
  const auto rhs = [this](In y, Out f) { problem_.rhs(point.t, y, f); };
  differences_.evaluate(std::cref(rhs), point.v, jacobian_);
}

void FirstOrderStages::guess(const Mat& k, const Mat&, Out x) const {
  const Mat& A = block_.velocity.A;
  for (Index i = 0; i < block_.count; ++i) {
    double* z = x.data() + i * n_;
    const double first = block_.explicit_first ? h_ * A(block_.first + i, 0) : 0;
    for (Index c = 0; c < n_; ++c) z[c] = first * k1_[c];
    for (Index j = 0; j < block_.count; ++j)
      add_scaled(z, h_ * A(block_.first + i, block_.first + j), k.col(block_.first + j).data(), n_);
  }
}
}  // namespace trill
