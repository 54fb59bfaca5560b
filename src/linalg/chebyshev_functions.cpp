// SPDX-License-Identifier: BSD-3-Clause
#include "base/tolerances.hpp"
#include "linalg/chebyshev_series.hpp"
#include "linalg/pencil_parts.hpp"
#include "trill/base/errors.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace trill {
namespace {
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

RowMatrix by_rows(const MatrixSlot& a) {
  return a.is_sparse() ? RowMatrix(a.as_sparse()) : RowMatrix(a.as_dense().sparseView());
}

double largest_row_sum(const RowMatrix& a) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (RowMatrix::InnerIterator it(a, i); it; ++it) sum += std::abs(it.value());
    largest = std::max(largest, sum);
  }
  return largest;
}

// Bound of |M^-1| in the row-sum norm for a diagonally dominant M: 1 / min_i (m_ii - sum of |m_ij| over j != i).
double inverse_row_sum(const RowMatrix& m) {
  double least = HUGE_VAL;
  for (Index i = 0; i < m.rows(); ++i) {
    double excess = 0;
    for (RowMatrix::InnerIterator it(m, i); it; ++it) excess += it.col() == i ? it.value() : -std::abs(it.value());
    least = std::min(least, excess);
  }
  return least > 0 ? 1 / least : HUGE_VAL;
}

Index bandwidth(const RowMatrix& a) {
  Index width = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (RowMatrix::InnerIterator it(a, i); it; ++it) width = std::max(width, std::abs(it.col() - i));
  return width;
}

struct Diagonal {
  Index offset;  // column minus row
  Vec values;    // by rows; 0 where the diagonal is outside the matrix
};

// The nonzero diagonals of a matrix that has only few of them, as for lattices: products with diagonals need no
// indices. Empty: there are too many.
std::vector<Diagonal> few_diagonals(const RowMatrix& a) {
  std::map<Index, Vec> found;
  for (Index i = 0; i < a.rows(); ++i)
    for (RowMatrix::InnerIterator it(a, i); it; ++it) {
      Vec& values = found[it.col() - i];
      if (static_cast<Index>(found.size()) * a.rows() > 2 * a.nonZeros()) return {};
      if (values.size() == 0) values = Vec::Zero(a.rows());
      values[i] = it.value();
    }
  std::vector<Diagonal> diagonals;
  for (auto& [offset, values] : found) diagonals.push_back({offset, std::move(values)});
  return diagonals;
}

// The loops of a sweep, written entry by entry and without aliasing so that compilers vectorise them.
#define TRILL_ALONE __restrict__
[[gnu::noinline]] void multiply_less(Index n, const double* TRILL_ALONE a, const double* TRILL_ALONE x,
                                     const double* TRILL_ALONE z, double* TRILL_ALONE y) {
  for (Index i = 0; i < n; ++i) y[i] = a[i] * x[i] - z[i];
}
[[gnu::noinline]] void add_product(Index n, const double* TRILL_ALONE a, const double* TRILL_ALONE x,
                                   double* TRILL_ALONE y) {
  for (Index i = 0; i < n; ++i) y[i] += a[i] * x[i];
}
[[gnu::noinline]] void add_products(Index n, const double* TRILL_ALONE a, const double* x, const double* TRILL_ALONE b,
                                    const double* z, double* TRILL_ALONE y) {
  for (Index i = 0; i < n; ++i) y[i] += a[i] * x[i] + b[i] * z[i];
}
[[gnu::noinline]] void add_four(Index n, const double* TRILL_ALONE w, const double* TRILL_ALONE a,
                                const double* TRILL_ALONE b, const double* TRILL_ALONE c, const double* TRILL_ALONE d,
                                double* TRILL_ALONE y) {
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  for (Index i = 0; i < n; ++i) y[i] += (w0 * a[i] + w1 * b[i]) + (w2 * c[i] + w3 * d[i]);
}
#undef TRILL_ALONE

// T_{k+1} = a T_k - T_{k-1} with a = 2 (2 K/bound - I), stored by rows. Several T_k are computed in one sweep over the
// rows, each one chunk of rows behind the previous one. If the matrix is banded, its rows and the vectors thus stay in
// the cache.
class ChebyshevFunctions final : public MatrixFunctions {
 public:
  ChebyshevFunctions(const Pencil& pencil, FunctionFamilies families, double tolerance)
      : families_(std::move(families)), tolerance_(tolerance), series_(families_.size()) {
    const Index n = pencil.mass.rows();
    set_matrix(pencil);
    chunk_ = mass_ ? n : std::min(n, std::max(usual_chunk, bandwidth(a_)));
    for (const Diagonal& d : diagonals_) margin_ = std::max(margin_, std::abs(d.offset));
    t_ = Mat::Zero(n + 2 * margin_, levels + 2);
    nothing_ = Vec::Zero(n);
    for (const FunctionFamily& family : families_) results_.emplace_back(n, static_cast<Index>(family.size()));
    find_ends(pencil);
  }
  std::string name() const override { return "Chebyshev"; }
  double fastest() const override { return fastest_; }
  const Vec& fastest_mode() const override { return mode_; }

  void prepare(double h) override {
    for (std::size_t i = 0; i < families_.size(); ++i)
      series_[i] = chebyshev_series(families_[i], h * std::sqrt(bound_), tolerance_);
  }

  const Mat* apply(std::size_t family, In x) override {
    const Mat& c = series_[family].c;
    Mat& y = results_[family];
    t_.col(0).segment(margin_, x.size()) = x;
    for (Index f = 0; f < c.cols(); ++f) y.col(f) = c(0, f) * x;
    for (Index k = 0; k + 1 < c.rows(); k += levels) sweep(k, std::min(levels, c.rows() - 1 - k), c, y);
    products_ += c.rows() - 1;
    return &y;
  }
  long products() const override { return products_; }

 private:
  static constexpr Index levels = 4, usual_chunk = 512;
  static constexpr int trial_products = 100;

  // a = 2 (2 K/bound - I), or just S if the mass is not diagonal and needs a linear solver.
  void set_matrix(const Pencil& pencil) {
    const auto mass = diagonal_of(pencil.mass);
    a_ = by_rows(pencil.stiffness).pruned(0.0, 0.0);
    if (mass) a_ = mass->cwiseInverse().asDiagonal() * a_;
    bound_ = largest_row_sum(a_) * (mass ? 1 : inverse_row_sum(by_rows(pencil.mass)));
    if (!std::isfinite(bound_))
      throw UsageError("no bound of the fast frequencies is known: the mass matrix is not diagonally dominant");
    if (bound_ == 0) bound_ = 1;
    if (mass) {
      RowMatrix identity(a_.rows(), a_.cols());
      identity.setIdentity();
      a_ = RowMatrix((4 / bound_) * a_) - RowMatrix(2 * identity);
      a_.makeCompressed();
      diagonals_ = few_diagonals(a_);
      return;
    }
    mass_ = make_linear_solver(pencil.mass);
    mass_->analyse(pencil.mass);
    if (!mass_->factorise(pencil.mass)) throw UsageError("the mass matrix of the fast motion is singular");
    product_ = Vec::Zero(a_.rows());
  }

  // Power iteration with 2 K/bound - I + shift from a vector without symmetries: with shift 1 the slow modes decay,
  // with -1 the fast ones. Returns the eigenvalue of K that belongs to the remaining mode_, as a Rayleigh quotient in
  // the inner product of the mass.
  double iterate(double shift, const Vec& mass) {
    const Index n = a_.rows();
    double value = 0;
    for (Index i = 0; i < n; ++i) mode_[i] = 1 + std::sin(static_cast<double>(i * i % 1009));
    for (int i = 0; i < trial_products; ++i) {
      mode_.normalize();
      const Vec weighted = mass.cwiseProduct(mode_);
      t_.col(0).segment(margin_, n) = mode_;
      for (Index from = 0; from < n; from += chunk_) advance(0, from, std::min(from + chunk_, n));
      const auto image = t_.col(1).segment(margin_, n);
      value = bound_ / 2 * (1 + image.dot(weighted) / mode_.dot(weighted));
      mode_ = image + shift * mode_;
    }
    mode_.normalize();
    return value;
  }

  void find_ends(const Pencil& pencil) {
    const auto diagonal = diagonal_of(pencil.mass);
    const Vec mass = diagonal ? *diagonal : Vec(Vec::Ones(a_.rows()));
    mode_.resize(a_.rows());
    if (diagonal && is_symmetric(pencil.stiffness))
      require_not_negative(iterate(-1, mass), tolerance::eigenvalue * bound_);
    fastest_ = std::sqrt(std::max(0.0, iterate(1, mass)));
  }

  double* level(Index k) { return t_.col(k % t_.cols()).data() + margin_; }

  void sweep(Index k, Index count, const Mat& c, Mat& y) {
    const Index n = a_.rows();
    for (Index first = 0; first < n + (count - 1) * chunk_; first += chunk_) {
      for (Index l = 0; l < count; ++l) {
        const Index from = first - l * chunk_;
        if (from >= 0 && from < n) advance(k + l, from, std::min(from + chunk_, n));
      }
      const Index from = first - (count - 1) * chunk_;
      if (from >= 0) add(k, count, from, std::min(from + chunk_, n), c, y);
    }
  }

  // Computes rows of T_{k+1} from T_k and T_{k-1}; T_1 = a T_0/2.
  void advance(Index k, Index from, Index to) {
    const double *now = level(k), *before = k == 0 ? nothing_.data() : level(k - 1);
    double* next = level(k + 1);
    if (mass_)
      multiply_all(now, before, next);
    else if (diagonals_.empty())
      multiply_rows(from, to, now, before, next);
    else
      multiply_diagonals(from, to - from, now, before + from, next + from);
    if (k == 0) Eigen::Map<Vec>(next + from, to - from) /= 2;
  }

  // Two diagonals at a time. The stored T_k have zeros before and after them, for diagonals that go beyond the matrix.
  void multiply_diagonals(Index from, Index rows, const double* x, const double* z, double* y) const {
    const auto values = [&](std::size_t d) { return diagonals_[d].values.data() + from; };
    const auto shifted = [&](std::size_t d) { return x + from + diagonals_[d].offset; };
    const std::size_t count = diagonals_.size();
    multiply_less(rows, values(0), shifted(0), z, y);
    std::size_t d = 1;
    for (; d + 1 < count; d += 2) add_products(rows, values(d), shifted(d), values(d + 1), shifted(d + 1), y);
    if (d < count) add_product(rows, values(d), shifted(d), y);
  }

  void multiply_rows(Index from, Index to, const double* x, const double* z, double* y) const {
    const auto* start = a_.outerIndexPtr();
    const auto* column = a_.innerIndexPtr();
    const double* value = a_.valuePtr();
    for (Index i = from; i < to; ++i) {
      double sum = 0;
      for (auto e = start[i]; e < start[i + 1]; ++e) sum += value[e] * x[column[e]];
      y[i] = sum - z[i];
    }
  }

  void multiply_all(const double* x, const double* z, double* y) {
    const Index n = a_.rows();
    const Eigen::Map<const Vec> now(x, n);
    product_.noalias() = a_ * now;
    mass_->solve(product_, product_);
    Eigen::Map<Vec>(y, n) = (4 / bound_) * product_ - 2 * now - Eigen::Map<const Vec>(z, n);
  }

  void add(Index k, Index count, Index from, Index to, const Mat& c, Mat& y) {
    for (Index f = 0; f < c.cols(); ++f) {
      double* sum = y.col(f).data() + from;
      const double* weight = c.col(f).data() + k + 1;
      if (count == levels)
        add_four(to - from, weight, level(k + 1) + from, level(k + 2) + from, level(k + 3) + from, level(k + 4) + from,
                 sum);
      else
        for (Index l = 0; l < count; ++l) add_scaled(sum, weight[l], level(k + 1 + l) + from, to - from);
    }
  }

  FunctionFamilies families_;
  double tolerance_, bound_ = 0, fastest_ = 0;
  Vec mode_;
  std::vector<ChebyshevSeries> series_;
  RowMatrix a_;
  std::vector<Diagonal> diagonals_;     // of a, if they are few
  std::unique_ptr<LinearSolver> mass_;  // only for a mass that is not diagonal
  Index chunk_ = 1, margin_ = 0;
  Mat t_;  // ring buffer with the last T_k x
  Vec nothing_, product_;
  std::vector<Mat> results_;
  long products_ = 0;
};
}  // namespace

std::unique_ptr<MatrixFunctions> chebyshev_functions(const Pencil& pencil, FunctionFamilies families,
                                                     double tolerance) {
  return std::make_unique<ChebyshevFunctions>(pencil, std::move(families), tolerance);
}
}  // namespace trill
