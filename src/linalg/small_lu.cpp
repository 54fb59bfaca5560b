// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solver_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace trill {
namespace {
// Rows are padded to whole chunks of four, so that the inner loops have a fixed length and no remainder.
constexpr int chunk = 4;
using Chunk = Eigen::Map<Eigen::Array4d, Eigen::Aligned16>;
using ConstChunk = Eigen::Map<const Eigen::Array4d, Eigen::Aligned16>;
using UnalignedChunk = Eigen::Map<const Eigen::Array4d>;
alignas(32) constexpr double right_of[chunk][chunk] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};

// Calls f(begin), ..., f(end - 1) with the number as a constant, so that arrays indexed by it may live in registers.
template <int begin, int end, class F>
inline void unroll(F&& f) {
  [&]<int... c>(std::integer_sequence<int, c...>) { (f(std::integral_constant<int, begin + c>()), ...); }
  (std::make_integer_sequence<int, end - begin>());
}

// LU of B = A^T by rows with partial pivoting: P B = L U, U with unit diagonal. A column-major A is B row by row, so
// nothing is transposed, and A x = b becomes U^T y = b, L^T z = y, x = P^T z, all of it with whole rows of U and L.
// L and U are stored separately, so that chunks may cross the diagonal: a chunk of U has zeros there, and a chunk of L
// only changes unknowns that are already computed.
class SmallLu final : public LinearSolver {
 public:
  std::string name() const override { return "small_lu"; }
  Index size() const override { return n_; }
  std::unique_ptr<LinearSolver> clone() const override { return std::make_unique<SmallLu>(*this); }

  void analyse(const MatrixSlot& pattern) override {
    require_square(pattern, "small_lu");
    if (pattern.rows() > small_lu_limit)
      throw std::invalid_argument("small_lu: " + std::to_string(pattern.rows()) +
                                  " unknowns are too many; it takes up to " + std::to_string(small_lu_limit) +
                                  ", use dense_lu for more");
    n_ = static_cast<int>(pattern.rows());
    stride_ = (n_ + chunk - 1) / chunk * chunk;
  }

  bool factorise(const MatrixSlot& a) override {
    require_analysed(a, n_, "small_lu");
    switch (stride_ / chunk) {
      case 0:
        return true;
      case 1:
        return eliminate<1>(a);
      case 2:
        return eliminate<2>(a);
      case 3:
        return eliminate<3>(a);
      case 4:
        return eliminate<4>(a);
      case 5:
        return eliminate<5>(a);
      default:
        return eliminate<6>(a);
    }
  }

  void solve(In b, Out x) override {
    switch (stride_ / chunk) {
      case 0:
        return;
      case 1:
        return n_ == chunk ? substitute<1>(b.data(), x.data()) : substitute_few(b.data(), x.data());
      case 2:
        return substitute<2>(b.data(), x.data());
      case 3:
        return substitute<3>(b.data(), x.data());
      case 4:
        return substitute<4>(b.data(), x.data());
      case 5:
        return substitute<5>(b.data(), x.data());
      default:
        return substitute<6>(b.data(), x.data());
    }
  }

 private:
  template <int chunks>
  bool eliminate(const MatrixSlot& a) {
    constexpr int stride = chunks * chunk;
    const double* values = a.values();
    if (a.is_sparse()) {
      scattered_.fill(0.0);
      for (int j = 0; j < n_; ++j)
        for (SpMat::InnerIterator it(a.as_sparse(), j); it; ++it) scattered_[j * n_ + it.row()] = it.value();
      values = scattered_.data();
    }
    // The last chunk of a column also reads the beginning of the next column. These numbers end up in the padding of B
    // and never get into a real column. Only the last column has no next one and is treated separately.
    Eigen::Array4d largest = Eigen::Array4d::Zero();
    for (int j = 0; j + 1 < n_; ++j) {
      double* row = &work_[j * stride];
      for (int c = 0; c < stride; c += chunk) {
        const Eigen::Array4d four = UnalignedChunk(values + j * n_ + c);
        Chunk(row + c) = four;
        largest = largest.max(four.abs());
      }
    }
    const double* last = values + (n_ - 1) * n_;
    double* last_row = &work_[(n_ - 1) * stride];
    for (int c = 0; c + chunk < stride; c += chunk) {
      Chunk(last_row + c) = UnalignedChunk(last + c);
      largest = largest.max(ConstChunk(last_row + c).abs());
    }
    const Eigen::Array4d tail = load_tail(last, stride);
    Chunk(last_row + stride - chunk) = tail;
    const double doubtful = n_ * std::numeric_limits<double>::epsilon() * largest.max(tail.abs()).maxCoeff();

    for (int i = 0; i < n_; ++i) row_at_[i] = i;
    bool regular = true;
    unroll<0, chunks>([&](auto first) { regular = regular && eliminate_chunk<chunks, first>(a, doubtful); });
    return regular;
  }

  // The four steps whose pivots are in chunk `first`: since this is a constant, the pivot row stays in registers.
  template <int chunks, int first>
  bool eliminate_chunk(const MatrixSlot& a, double doubtful) {
    constexpr int stride = chunks * chunk, start = first * chunk, width = chunks - first;
    const int end = std::min(start + chunk, n_);
    for (int k = start; k < end; ++k) {
      int winner = k;
      double best = std::abs(work_[row_at_[k] * stride + k]);
      for (int i = k + 1; i < n_; ++i) {
        const double candidate = std::abs(work_[row_at_[i] * stride + k]);
        if (candidate > best) {
          best = candidate;
          winner = i;
        }
      }
      if (winner != k) std::swap(row_at_[k], row_at_[winner]);  // rows are not moved in memory
      const double* pivot_row = &work_[row_at_[k] * stride];
      const double pivot = pivot_row[k];
      // The comparison with the largest entry of A is cheap and nearly always sufficient; otherwise is_lost() decides.
      if (!(best > doubtful && best <= std::numeric_limits<double>::max()) && is_lost(pivot, a, k, row_at_[k]))
        return false;
      const double inverse = 1.0 / pivot;
      inverse_pivot_[k] = inverse;

      Eigen::Array4d u[width];
      u[0] = ConstChunk(pivot_row + start) * ConstChunk(right_of[k - start]) * inverse;
      unroll<1, width>([&](auto c) { u[c] = ConstChunk(pivot_row + start + c * chunk) * inverse; });
      double* upper_row = &upper_[k * stride + start];
      unroll<0, width>([&](auto c) { Chunk(upper_row + c * chunk) = u[c]; });
      for (int i = k + 1; i < n_; ++i) {
        double* row = &work_[row_at_[i] * stride + start];
        const double l = row[k - start];
        lower_[row_at_[i] * stride + k] = l;
        unroll<0, width>([&](auto c) { Chunk(row + c * chunk) -= l * u[c]; });
      }
    }
    return true;
  }

  template <int chunks>
  void substitute(const double* b, double* x) const {
    constexpr int stride = chunks * chunk;
    alignas(32) double y[stride];
    for (int c = 0; c + chunk < stride; c += chunk) Chunk(y + c) = UnalignedChunk(b + c);
    Chunk(y + stride - chunk) = load_tail(b, stride);
    for (int k = 0; k < n_; ++k) {  // U^T y = b
      const double yk = y[k];
      const double* u = &upper_[k * stride];
      for (int c = k / chunk * chunk; c < stride; c += chunk) Chunk(y + c) -= yk * ConstChunk(u + c);
    }
    for (int k = n_ - 1; k >= 0; --k) {  // L^T z = y, and the permutation
      const double zk = y[k] * inverse_pivot_[k];
      const double* l = &lower_[row_at_[k] * stride];
      for (int c = 0; c < k; c += chunk) Chunk(y + c) -= zk * ConstChunk(l + c);
      x[row_at_[k]] = zk;
    }
  }

  void substitute_few(const double* b, double* x) const {  // fewer unknowns than a chunk: scalar code is faster
    double y[chunk];
    for (int i = 0; i < n_; ++i) y[i] = b[i];
    for (int k = 0; k < n_; ++k)
      for (int i = k + 1; i < n_; ++i) y[i] -= y[k] * upper_[k * chunk + i];
    for (int k = n_ - 1; k >= 0; --k) {
      y[k] *= inverse_pivot_[k];
      for (int i = 0; i < k; ++i) y[i] -= y[k] * lower_[row_at_[k] * chunk + i];
      x[row_at_[k]] = y[k];
    }
  }

  // The last chunk of a vector of length n_, filled up with zeros. It is put together in registers because a wide load
  // directly after narrow stores would have to wait for them.
  Eigen::Array4d load_tail(const double* from, int stride) const {
    from += stride - chunk;
    switch (n_ - stride) {
      case 0:
        return UnalignedChunk(from);
      case -1:
        return {from[0], from[1], from[2], 0.0};
      case -2:
        return {from[0], from[1], 0.0, 0.0};
      default:
        return {from[0], 0.0, 0.0, 0.0};
    }
  }

  bool is_lost(double pivot, const MatrixSlot& a, int row, int column) const {
    double row_max = 0, column_max = 0;
    for (int i = 0; i < n_; ++i) {
      row_max = std::max(row_max, std::abs(a.value(row, i)));
      column_max = std::max(column_max, std::abs(a.value(i, column)));
    }
    return pivot_is_lost(pivot, row_max, column_max, n_);
  }

  static constexpr std::size_t capacity = small_lu_limit * small_lu_limit;
  int n_ = 0, stride_ = 0;
  std::array<int, small_lu_limit> row_at_{};  // row k of P B is row row_at_[k] of B, i.e. that column of A
  std::array<double, small_lu_limit> inverse_pivot_{};
  alignas(32) std::array<double, capacity> work_{};
  alignas(32) std::array<double, capacity> lower_{};
  alignas(32) std::array<double, capacity> upper_{};
  std::array<double, capacity> scattered_{};  // a sparse A as a dense matrix
};
}  // namespace

std::unique_ptr<LinearSolver> make_small_lu() { return std::make_unique<SmallLu>(); }
}  // namespace trill
