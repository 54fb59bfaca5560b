// SPDX-License-Identifier: BSD-3-Clause
#include "method/stage_system.hpp"

#include "method/shifted_matrix.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
MatrixSlot identity_slot(Index n) {
  SpMat identity(n, n);
  identity.setIdentity();
  MatrixSlot slot = MatrixSlot::sparse(identity);
  for (Index i = 0; i < n; ++i) *slot.entry(i, i) = 1;
  return slot;
}

void add_entries(const MatrixSlot& slot, Index row, Index col, bool transposed,
                 std::vector<Eigen::Triplet<double>>& all) {
  for (Index j = 0; j < slot.cols(); ++j)
    for (SpMat::InnerIterator it(slot.as_sparse(), j); it; ++it)
      all.emplace_back(row + (transposed ? j : it.row()), col + (transposed ? it.row() : j), 1.0);
}

// [M, slope, damping: G^T; G: -C], sparse as long as all parts are.
MatrixSlot saddle_pattern(const LiftedForm& form) {
  const Index n = form.unknowns(), m = form.rows();
  const bool sparse = form.slope().is_sparse() && (m == 0 || form.jacobian().is_sparse()) && form.mass().is_sparse() &&
                      (form.damping().stored() == 0 || form.damping().is_sparse());
  if (!sparse) return MatrixSlot::dense(n + m, n + m);
  std::vector<Eigen::Triplet<double>> entries;
  add_entries(form.mass(), 0, 0, false, entries);
  add_entries(form.slope(), 0, 0, false, entries);
  if (form.damping().stored() > 0) add_entries(form.damping(), 0, 0, false, entries);
  if (m > 0) {
    add_entries(form.jacobian(), n, 0, false, entries);
    add_entries(form.jacobian(), 0, n, true, entries);
    for (Index i = 0; i < m; ++i) entries.emplace_back(n + i, n + i, 1.0);
  }
  SpMat pattern(n + m, n + m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

StageSystem::StageSystem(const StageBlock& block, Index unknowns, Index multipliers)
    : block_(block), n_(unknowns), m_(multipliers), width_(unknowns + multipliers), k1_(Vec::Zero(unknowns)) {
  V = K = Mat::Zero(n_, block.stages);
  L = Mat::Zero(m_, block.stages);
  point.v = point.k = Vec::Zero(n_);
  point.l = Vec::Zero(m_);
}

StageSystem::~StageSystem() = default;

void StageSystem::begin(double t, double h, In y0, In k1) {
  t_ = t;
  h_ = h;
  y0_ = y0;
  k1_ = k1;
}

void StageSystem::unpack(In x) {
  find_derivatives(x);
  for (Index i = 0; i < block_.count; ++i) L.col(block_.first + i) = x.segment(i * width_ + n_, m_);
}

void StageSystem::residual(In x, Out r) {
  find_derivatives(x);
  for (Index i = 0; i < block_.count; ++i) {
    const Index stage = block_.first + i;
    stage_residual(stage, t_ + block_.position.c[stage] * h_, x.segment(i * width_ + n_, m_),
                   r.segment(i * width_, width_));
  }
  evaluations += static_cast<int>(block_.count);
}

bool StageSystem::prepare(In) {
  ++preparations;
  linearise();
  return matrix_->factorise(h_);
}

void StageSystem::correct(In r, Out dx) { matrix_->solve(r.data(), dx.data()); }
bool StageSystem::has_sparse_factors() const { return matrix_->is_sparse(); }
void StageSystem::forget() { matrix_->forget(); }
void StageSystem::solve_real(Vec& b) { matrix_->solve_real(b); }
double StageSystem::real_shift() const { return block_.reals.front().inverse_gamma / h_; }

FirstOrderStages::FirstOrderStages(const StageBlock& block, const FirstOrderProblem& problem)
    : StageSystem(block, problem.layout().size(), 0),
      problem_(problem),
      identity_(identity_slot(n_)),
      jacobian_(problem.jacobian_pattern()),
      differences_(jacobian_) {
  matrix_ = std::make_unique<ShiftedMatrix>(union_pattern(jacobian_, identity_), block, 0);
  matrix_->add(identity_, 0, 0, false, 1, 1);
  matrix_->add(jacobian_, 0, 0, false, 0, -1);
}

// K = S (Z/h - a1 k1): the map from displacements to velocities, one order lower.
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

void FirstOrderStages::stage_residual(Index stage, double t, In, Out r) {
  problem_.rhs(t, V.col(stage), r);
  const double* k = K.col(stage).data();
  for (Index c = 0; c < n_; ++c) r[c] = k[c] - r[c];
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

MechanicalStages::MechanicalStages(const StageBlock& block, LiftedForm& form)
    : StageSystem(block, form.unknowns(), form.rows()), form_(form), compliance_(identity_slot(m_)) {
  Q = Mat::Zero(n_, block.stages);
  point.q = Vec::Zero(n_);
  matrix_ = std::make_unique<ShiftedMatrix>(saddle_pattern(form), block, n_);
  matrix_->add(form.mass(), 0, 0, false, 0, 1);
  matrix_->add(form.slope(), 0, 0, false, -2, 1);
  if (form.damping().stored() > 0 && !block.partitioned) matrix_->add(form.damping(), 0, 0, false, -1, -1);
  if (m_ == 0) return;
  for (Index i = 0; i < m_; ++i) *compliance_.entry(i, i) = form.compliance()[i];
  matrix_->add(form.jacobian(), n_, 0, false, 0, 1);
  matrix_->add(form.jacobian(), 0, n_, true, 0, 1);
  matrix_->add(compliance_, n_, n_, false, 2, -1);
}

void MechanicalStages::find_derivatives(In x) {
  with_small(n_, [&](auto n) {
    const double* q0 = y0_.data();
    const double* v0 = q0 + n;
    const double* k1 = k1_.data();
    const double* w = x.data();
    const double by_h = 1 / h_;
    for (Index i = 0; i < block_.count; ++i) {
      const Index stage = block_.first + i;
      double* q = Q.col(stage).data();
      double* v = V.col(stage).data();
      double* k = K.col(stage).data();
      const double flight = h_ * block_.r_v[i], sk = h_ * block_.s_k[i], pk = block_.p_k[i];
      const double* s = block_.S.data() + i;
      const double* p = block_.P.data() + i;
      for (Index c = 0; c < n; ++c) {
        double by_s = 0, by_p = 0;
        for (Index j = 0; j < block_.count; ++j) {
          by_s += s[j * block_.count] * w[j * width_ + c];
          by_p += p[j * block_.count] * w[j * width_ + c];
        }
        q[c] = q0[c] + (flight * v0[c] + w[i * width_ + c]);
        v[c] = v0[c] + (by_h * by_s + sk * k1[c]);
        k[c] = by_h * (by_h * by_p) + pk * k1[c];
      }
    }
  });
}

void MechanicalStages::stage_residual(Index stage, double t, In l, Out r) {
  form_.residual(t, Q.col(stage), V.col(stage), K.col(stage), l, r.head(n_), r.tail(m_));
}

void MechanicalStages::linearise() { form_.linearise(point.t, point.q, point.v, point.k, point.l); }

void MechanicalStages::guess(const Mat& k, const Mat& l, Out x) const {
  for (Index i = 0; i < block_.count; ++i) {
    double* w = x.data() + i * width_;
    const double rk = h_ * h_ * block_.r_k[i];
    for (Index c = 0; c < n_; ++c) w[c] = rk * k1_[c];
    for (Index j = 0; j < block_.count; ++j)
      add_scaled(w, h_ * h_ * block_.R(i, j), k.col(block_.first + j).data(), n_);
    for (Index c = 0; c < m_; ++c) w[n_ + c] = l(c, block_.first + i);
  }
}

// max(|dQ|, h |dV|) in the norm of positions; multipliers, which may be large, are not tested.
void MechanicalStages::newton_weights(In w, Out x_weights) const {
  const double factor = block_.amplification * std::sqrt(static_cast<double>(width_) / static_cast<double>(n_));
  for (Index i = 0; i < block_.count; ++i) {
    x_weights.segment(i * width_, n_) = factor * w.head(n_);
    x_weights.segment(i * width_ + n_, m_).setZero();
  }
}
}  // namespace trill
