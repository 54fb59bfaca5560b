// SPDX-License-Identifier: BSD-3-Clause
#include "base/tolerances.hpp"
#include "linalg/chebyshev_series.hpp"
#include "linalg/dense_decompositions.hpp"
#include "linalg/pencil_parts.hpp"
#include "trill/base/errors.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index trial_products = 40;
constexpr double trial_margin = 1.05;  // factor on the largest frequency found in the trial

// f(h sqrt(K)) x = |x| V f(h sqrt(T)) e_1, where the columns of V are orthonormal in the inner product of M and T is
// tridiagonal.
class LanczosFunctions final : public MatrixFunctions {
 public:
  LanczosFunctions(const Pencil& pencil, FunctionFamilies families, double tolerance)
      : families_(std::move(families)), tolerance_(tolerance), stiffness_(pencil.stiffness), mass_(pencil.mass) {
    if (!is_symmetric(stiffness_)) throw UsageError("Lanczos' iteration needs a symmetric stiffness");
    solver_ = make_linear_solver(mass_);
    solver_->analyse(mass_);
    if (!solver_->factorise(mass_)) throw UsageError("the mass matrix of the fast motion is singular");
    const Index n = mass_.rows();
    mv_ = mv_before_ = r_ = z_ = Vec::Zero(n);
    for (const FunctionFamily& family : families_) results_.emplace_back(n, static_cast<Index>(family.size()));
    find_fastest();
  }
  std::string name() const override { return "Lanczos"; }
  double fastest() const override { return fastest_; }
  const Vec& fastest_mode() const override { return mode_; }

  void prepare(double h) override {
    h_ = h;
    Index most = 0;
    for (const FunctionFamily& family : families_)
      most = std::max(most, chebyshev_series(family, h * trial_margin * fastest_, tolerance_).degree());
    take_memory(most + spare);
  }

  const Mat* apply(std::size_t family, In x) override {
    Mat& y = results_[family];
    y.setZero();
    const double length = begin(x);
    if (!std::isfinite(length)) return nullptr;
    if (length == 0) return &y;
    Index count = 0;
    bool done = false;
    for (Index next = 2; !done;) {
      if (count == basis_.cols()) return nullptr;
      const bool ended = !extend(count++);
      if (!ended && count < next && count < basis_.cols()) continue;
      done = solve_projected(family, count, ended);
      if (ended && !done) return nullptr;
      next = count + 1 + count / 32;
    }
    coefficients_ *= length;
    combine(count, y);
    return &y;
  }
  long products() const override { return products_; }

 private:
  static constexpr Index spare = 12;

  void take_memory(Index columns) {
    if (columns <= basis_.cols()) return;
    basis_.resize(mass_.rows(), columns);
    alpha_ = Vec::Zero(columns);
    beta_ = Vec::Zero(columns);
    subdiagonal_ = Vec::Zero(columns - 1);
    coefficients_ = Mat::Zero(columns, most_functions());
    projected_ = SymmetricEigen(columns);
  }
  Index most_functions() const {
    std::size_t most = 1;
    for (const FunctionFamily& family : families_) most = std::max(most, family.size());
    return static_cast<Index>(most);
  }

  // A trial with a start vector without symmetries. The result only decides how much memory is allocated.
  void find_fastest() {
    const Index n = mass_.rows();
    take_memory(std::min(n, trial_products));
    Vec x(n);
    for (Index i = 0; i < n; ++i) x[i] = 1 + std::sin(static_cast<double>(i * i % 1009));
    begin(x);
    Index count = 0;
    while (count < basis_.cols() && extend(count++)) {
    }
    decompose(count);
    const Vec& values = projected_.values();
    const double largest = values.cwiseAbs().maxCoeff();
    require_not_negative(values.minCoeff(), tolerance::eigenvalue * largest);
    fastest_ = std::sqrt(largest);
    mode_ = (basis_ * projected_.vectors().rightCols(1)).normalized();
  }

  double begin(In x) {
    mass_.multiply(x, mv_);
    const double length = std::sqrt(x.dot(mv_));
    if (length > 0) {
      basis_.col(0) = x / length;
      mv_ /= length;
    }
    return length;
  }

  // Computes row j of T and column j + 1 of V; false: there is no such column, the space is invariant.
  bool extend(Index j) {
    stiffness_.multiply(basis_.col(j), r_);
    ++products_;
    alpha_[j] = basis_.col(j).dot(r_);
    r_ -= alpha_[j] * mv_;
    if (j > 0) r_ -= beta_[j - 1] * mv_before_;
    solver_->solve(r_, z_);
    const double square = z_.dot(r_);
    beta_[j] = square > 0 ? std::sqrt(square) : 0;
    const double scale = std::abs(alpha_[j]) + (j > 0 ? beta_[j - 1] : 0);
    if (!(beta_[j] > 1e-14 * scale)) return false;
    if (j + 1 == basis_.cols()) return true;
    mv_.swap(mv_before_);
    mv_ = r_ / beta_[j];
    basis_.col(j + 1) = z_ / beta_[j];
    return true;
  }

  // T is padded with zeros to the full size, because a change of size would allocate. The padding is decoupled from T.
  bool decompose(Index count) {
    const Index rest = alpha_.size() - count;
    alpha_.tail(rest).setZero();
    subdiagonal_.setZero();
    subdiagonal_.head(count - 1) = beta_.head(count - 1);
    return projected_.compute_tridiagonal(alpha_, subdiagonal_);
  }

  // Beyond the last significant coefficient they decay faster than any power, so two small ones in a row end the sum.
  bool solve_projected(std::size_t family, Index count, bool ended) {
    if (!decompose(count)) return false;
    const Mat& u = projected_.vectors();
    bool small = true;
    for (std::size_t f = 0; f < families_[family].size(); ++f) {
      auto c = coefficients_.col(static_cast<Index>(f));
      c.setZero();
      double largest = 0;
      for (Index i = 0; i < u.cols(); ++i) {
        const double value = families_[family][f](h_ * std::sqrt(std::max(projected_.values()[i], 0.0)));
        largest = std::max(largest, std::abs(value));
        c += (value * u(0, i)) * u.col(i);
      }
      const double least = tolerance_ * largest;
      small = small && std::abs(c[count - 1]) <= least && (count < 2 || std::abs(c[count - 2]) <= 100 * least);
    }
    return ended || small;
  }

  // In blocks of rows, so that the basis stays in the cache for all functions.
  void combine(Index count, Mat& y) const {
    constexpr Index piece = 512;
    for (Index from = 0; from < y.rows(); from += piece) {
      const Index rows = std::min(piece, y.rows() - from);
      for (Index f = 0; f < y.cols(); ++f)
        y.col(f).segment(from, rows).noalias() = basis_.block(from, 0, rows, count) * coefficients_.col(f).head(count);
    }
  }

  FunctionFamilies families_;
  double tolerance_, h_ = 0, fastest_ = 0;
  MatrixSlot stiffness_, mass_;
  std::unique_ptr<LinearSolver> solver_;
  Mat basis_, coefficients_;
  Vec mode_, alpha_, beta_, subdiagonal_, mv_, mv_before_, r_, z_;
  SymmetricEigen projected_;
  std::vector<Mat> results_;
  long products_ = 0;
};
}  // namespace

std::unique_ptr<MatrixFunctions> lanczos_functions(const Pencil& pencil, FunctionFamilies families, double tolerance) {
  return std::make_unique<LanczosFunctions>(pencil, std::move(families), tolerance);
}
}  // namespace trill
