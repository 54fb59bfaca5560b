// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/complex_solver.hpp"

#include "linalg/complex_klu.hpp"
#include "linalg/solver_parts.hpp"
#include "linalg/unrolled.hpp"
#include "trill/linalg/kernels.hpp"

#include <array>

namespace trill {
namespace {
bool is_finite(const Complex* values, Index count) {
  Complex sum = 0;
  for (Index i = 0; i < count; ++i) sum += 0.0 * values[i];
  return sum == 0.0;
}

double size_of(Complex z) { return std::abs(z.real()) + std::abs(z.imag()); }

Complex inverse(Complex z) {
  const double square = std::norm(z);
  return {z.real() / square, -z.imag() / square};
}

// Elimination with row pivoting, column by column and in place; whole rows are exchanged.
class ComplexSmallLu final : public ComplexSolver {
 public:
  explicit ComplexSmallLu(const MatrixSlot& pattern) : n_(static_cast<int>(pattern.rows())) {
    if (!pattern.is_sparse()) return;
    const SpMat& a = pattern.as_sparse();
    for (int j = 0; j < n_; ++j)
      for (SpMat::InnerIterator it(a, j); it; ++it) places_.push_back(j * n_ + static_cast<int>(it.row()));
  }

  bool factorise(const Complex* values) override {
    if (places_.empty()) {
      std::copy(values, values + n_ * n_, lu_.begin());
    } else {
      std::fill(lu_.begin(), lu_.begin() + n_ * n_, Complex{});
      for (std::size_t k = 0; k < places_.size(); ++k) lu_[static_cast<std::size_t>(places_[k])] = values[k];
    }
    if (!is_finite(lu_.data(), n_ * n_)) return false;
    for (int i = 0; i < n_; ++i) row_max_[at(i)] = 0;
    for (int j = 0; j < n_; ++j) {
      column_max_[at(j)] = 0;
      for (int i = 0; i < n_; ++i) {
        const double size = size_of(entry(i, j));
        column_max_[at(j)] = std::max(column_max_[at(j)], size);
        row_max_[at(i)] = std::max(row_max_[at(i)], size);
      }
    }
    for (int k = 0; k < n_; ++k)
      if (!eliminate(k)) return false;
    return true;
  }

  void solve(Complex* x) override {
    for (int k = 0; k < n_; ++k) std::swap(x[k], x[pivot_[at(k)]]);
    with_small(n_, [&](auto n) {
      const Complex* lu = lu_.data();
      const auto subtract = [&](Index k, Index i) { x[i] -= plain_product(lu[k * n + i], x[k]); };
      each_index(n, [&](Index k) { each_index(n, k + 1, n, [&](Index i) { subtract(k, i); }); });
      each_index(n, [&](Index from_end) {
        const Index k = n - 1 - from_end;
        x[k] = plain_product(x[k], lu[k * n + k]);
        each_index(n, 0, k, [&](Index i) { subtract(k, i); });
      });
    });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Complex& entry(int i, int j) { return lu_[at(j * n_ + i)]; }

  bool eliminate(int k) {
    int winner = k;
    for (int i = k + 1; i < n_; ++i)
      if (size_of(entry(i, k)) > size_of(entry(winner, k))) winner = i;
    pivot_[at(k)] = winner;
    if (winner != k) {
      for (int j = 0; j < n_; ++j) std::swap(entry(k, j), entry(winner, j));
      std::swap(row_max_[at(k)], row_max_[at(winner)]);
    }
    if (pivot_is_lost(size_of(entry(k, k)), row_max_[at(k)], column_max_[at(k)], n_)) return false;
    const Complex scale = inverse(entry(k, k));
    entry(k, k) = scale;
    for (int i = k + 1; i < n_; ++i) entry(i, k) = plain_product(entry(i, k), scale);
    for (int j = k + 1; j < n_; ++j) {
      const Complex upper = entry(k, j);
      for (int i = k + 1; i < n_; ++i) entry(i, j) -= plain_product(entry(i, k), upper);
    }
    return true;
  }

  int n_;
  std::vector<int> places_;  // where the entries of a sparse pattern go in lu_
  std::array<Complex, small_lu_limit * small_lu_limit> lu_;
  std::array<double, small_lu_limit> row_max_{}, column_max_{};
  std::array<int, small_lu_limit> pivot_{};
};

class ComplexDenseLu final : public ComplexSolver {
 public:
  explicit ComplexDenseLu(const MatrixSlot& pattern)
      : a_(Eigen::MatrixXcd::Zero(pattern.rows(), pattern.cols())), lu_(pattern.rows()), x_(pattern.rows()) {}
  bool factorise(const Complex* values) override {
    a_ = Eigen::Map<const Eigen::MatrixXcd>(values, a_.rows(), a_.cols());
    if (!is_finite(a_.data(), a_.size())) return false;
    lu_.compute(a_);
    for (Index k = 0; k < a_.rows(); ++k)
      if (pivot_is_lost(size_of(lu_.matrixLU()(k, k)), largest_of(a_.row(lu_.permutationP().indices()[k])),
                        largest_of(a_.col(k)), a_.rows()))
        return false;
    return true;
  }
  void solve(Complex* x) override {
    Eigen::Map<Eigen::VectorXcd> given(x, a_.rows());
    x_ = given;
    given.noalias() = lu_.permutationP() * x_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(given);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(given);
  }

 private:
  // Without the square roots of the modulus.
  template <class Line>
  static double largest_of(const Line& line) {
    return (line.real().cwiseAbs() + line.imag().cwiseAbs()).maxCoeff();
  }

  Eigen::MatrixXcd a_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu_;
  Eigen::VectorXcd x_;
};
}  // namespace

std::unique_ptr<ComplexSolver> make_complex_solver(const MatrixSlot& pattern) {
  require_square(pattern, "make_complex_solver");
  if (pattern.rows() <= small_lu_limit) return std::make_unique<ComplexSmallLu>(pattern);
  if (pattern.is_sparse()) return make_complex_sparse(pattern);
  return std::make_unique<ComplexDenseLu>(pattern);
}
}  // namespace trill
