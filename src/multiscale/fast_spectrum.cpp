// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/fast_spectrum.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double fast_share = 1e-3;  // relative to the largest squared frequency
constexpr Index lanczos_steps = 80;
constexpr double ritz_tolerance = 0.05;  // max relative residual of a squared frequency to be accepted

void copy_dense(const MatrixSlot& slot, Mat& out) {
  if (!slot.is_sparse()) {
    out = slot.as_dense();
    return;
  }
  out.setZero();
  const SpMat& sparse = slot.as_sparse();
  for (Index j = 0; j < sparse.outerSize(); ++j)
    for (SpMat::InnerIterator it(sparse, j); it; ++it) out(it.row(), it.col()) = it.value();
}
}  // namespace

FastSpectrum::FastSpectrum(const MechanicalProblem& stiff)
    : stiff_(stiff),
      n_(stiff.layout().nq),
      mass_(stiff.mass_pattern()),
      slope_(stiff.stiffness_pattern()),
      damping_(stiff.damping_pattern()),
      differences_(slope_, {.central = true}),
      accelerate_(stiff) {}

void FastSpectrum::start(In q) {
  stiff_.mass(q, mass_);
  accelerate_.start(q);
  moved_ = f0_ = f1_ = w_ = Vec::Zero(n_);
  if (has_modes()) {
    stiffness_ = modes_ = transposed_ = Mat::Zero(n_, n_);
    frequencies_ = Vec::Zero(n_);
    copy_dense(mass_, stiffness_);
    mass_factor_.compute(stiffness_);
    solver_ = SymmetricEigen(n_);
  } else {
    basis_.resize(n_, std::min(lanczos_steps, n_) + 1);
  }
}

bool FastSpectrum::find(double t, In q, In v) { return has_modes() ? find_densely(t, q, v) : find_by_lanczos(t, q, v); }

void FastSpectrum::times_mass(In x, Out y) const { mass_.multiply(x, y); }

bool FastSpectrum::find_densely(double t, In q, In v) {
  ++jacobians_;
  if (!stiff_.force_jacobian(all_groups, t, q, v, slope_, damping_))
    differences_.evaluate([&](In x, Out f) { stiff_.force(all_groups, t, x, v, f); }, q, slope_);
  copy_dense(slope_, stiffness_);
  transposed_ = stiffness_.transpose();
  stiffness_ = -0.5 * (stiffness_ + transposed_);  // forces without a potential are assumed to be slow
  if (!stiffness_.allFinite()) return false;
  scale_by_mass();
  if (!solver_.compute(stiffness_)) return false;
  divide(solver_.values());
  frequencies_ = solver_.values().cwiseAbs().cwiseSqrt();
  modes_ = solver_.vectors();
  mass_factor_.solve_transposed(modes_);
  return count_ > 0;
}

// L^-1 K L^-T with M = L L^T
void FastSpectrum::scale_by_mass() {
  mass_factor_.solve_lower(stiffness_);
  transposed_ = stiffness_.transpose();
  mass_factor_.solve_lower(transposed_);
  stiffness_ = transposed_;
}

double FastSpectrum::nearest() const {
  if (count_ < 2) return 0;
  return (frequencies().tail(count_ - 1) - frequencies().head(count_ - 1)).minCoeff();
}

// squares: in increasing order.
void FastSpectrum::divide(const Vec& squares) {
  const Index n = squares.size();
  const double largest = squares[n - 1];
  slowest_ = fastest_ = rest_ = 0;
  count_ = has_modes() ? expected_ : 0;
  if (count_ == 0)
    while (count_ < n && squares[n - 1 - count_] > fast_share * largest) ++count_;
  if (!(largest > 0) || count_ > n || !(squares[n - count_] > 0)) {
    count_ = 0;
    return;
  }
  fastest_ = std::sqrt(largest);
  slowest_ = std::sqrt(squares[n - count_]);
  if (count_ < n) rest_ = std::sqrt(std::max(std::abs(squares[0]), std::abs(squares[n - count_ - 1])));
}

void FastSpectrum::product(double t, In q, In v, In x, Out y) {
  ++products_;
  if (!stiff_.force_product(all_groups, t, q, v, x, y)) {
    const double step = 1e-6 * std::max(1.0, q.norm()) / x.norm();
    moved_ = q + step * x;
    stiff_.force(all_groups, t, moved_, v, f1_);
    moved_ = q - step * x;
    stiff_.force(all_groups, t, moved_, v, f0_);
    y = (f1_ - f0_) / (2 * step);
  }
  accelerate_.divide_by_mass(q, y);
  y *= -1;
}

// Lanczos iteration in the inner product of the mass, every vector orthogonalised against all previous ones: both edges
// of a band that is separated from the rest of the spectrum are found with a few dozen products.
bool FastSpectrum::find_by_lanczos(double t, In q, In v) {
  const Index most = basis_.cols() - 1;
  Mat tridiagonal = Mat::Zero(most, most);
  Vec x = (Vec::LinSpaced(n_, 1, static_cast<double>(n_)) * 1.618).array().sin() + 0.3;
  times_mass(x, w_);
  basis_.col(0) = x / std::sqrt(x.dot(w_));
  Index steps = 0;
  double beta = 0;
  for (; steps < most;) {
    product(t, q, v, basis_.col(steps), x);
    if (!x.allFinite()) return false;
    times_mass(x, w_);
    tridiagonal(steps, steps) = basis_.col(steps).dot(w_);
    for (int pass = 0; pass < 2; ++pass) {
      x -= basis_.leftCols(steps + 1) * (basis_.leftCols(steps + 1).transpose() * w_);
      times_mass(x, w_);
    }
    beta = std::sqrt(std::max(0.0, x.dot(w_)));
    ++steps;
    if (steps == most || beta <= 1e-10 * tridiagonal.diagonal().cwiseAbs().maxCoeff()) break;
    tridiagonal(steps, steps - 1) = tridiagonal(steps - 1, steps) = beta;
    basis_.col(steps) = x / beta;
  }
  SymmetricEigen ritz;
  ritz.compute(tridiagonal.topLeftCorner(steps, steps));
  const Vec& squares = ritz.values();
  const double least = fast_share * squares.maxCoeff();
  std::vector<double> seen;
  for (Index i = 0; i < steps; ++i)
    if (beta * std::abs(ritz.vectors()(steps - 1, i)) <= ritz_tolerance * std::max(std::abs(squares[i]), least))
      seen.push_back(squares[i]);
  if (seen.empty()) return false;
  divide(Eigen::Map<const Vec>(seen.data(), static_cast<Index>(seen.size())));
  return count_ > 0;
}
}  // namespace trill
