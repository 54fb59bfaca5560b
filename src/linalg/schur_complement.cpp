// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/schur_complement.hpp"

#include "linalg/unrolled.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trill {
namespace {
constexpr double lost_pivot = 1e-13;  // pivots of S, relative to its diagonal, up to this count as zero

// Few rows: sums over all coordinates that stay in registers, in the order in which a plain loop adds them up.
template <class Count>
constexpr bool is_small = !std::is_same_v<Count, Index>;

template <class Count>
using Few = Eigen::Matrix<double, Count::value, 1>;
template <class Count>
[[gnu::always_inline]] inline auto column(Count, const double* of) {
  return Eigen::Map<const Few<Count>>(of);
}

// A copy, since for all that the compiler knows results might be written over the original.
template <class Count>
[[gnu::always_inline]] inline auto in_registers(Count m, const double* mu) {
  if constexpr (is_small<Count>)
    return Few<Count>(column(m, mu));
  else
    return Eigen::Map<const Vec>(mu, m);
}

// S = G B, where B has the size of G^T and is stored transposed, like G.
template <class Count>
[[gnu::always_inline]] inline void multiply(Index n, Count m, const double* g, const double* b, double* S) {
  if constexpr (is_small<Count>) {
    Eigen::Matrix<double, Count::value, Count::value> sums = decltype(sums)::Zero();
    for (Index j = 0; j < n; ++j, g += m, b += m) each_index(m, [&](Index k) { sums.col(k) += b[k] * column(m, g); });
    each_index(m, [&](Index k) { each_index(m, k, m, [&](Index i) { S[k * m + i] = S[i * m + k] = sums(i, k); }); });
  } else {
    for (Index k = 0; k < m; ++k)
      for (Index i = k; i < m; ++i) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += g[j * m + i] * b[j * m + k];
        S[k * m + i] = S[i * m + k] = sum;
      }
  }
}

[[gnu::always_inline]] inline bool factorise_small(auto m, const double* S, double* L) {
  for (Index k = 0; k < m; ++k)
    for (Index i = k; i < m; ++i) {
      double sum = S[k * m + i];
      for (Index j = 0; j < k; ++j) sum -= L[i * m + j] * L[j * m + k];
      if (i == k) {
        if (!(sum > lost_pivot * S[k * m + k])) return false;
        L[k * m + k] = 1 / sum;
      } else {
        L[i * m + k] = sum;
        L[k * m + i] = sum * L[k * m + k];
      }
    }
  return true;
}

[[gnu::always_inline]] inline void divide_small(auto m, const double* L, double* mu) {
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j) mu[i] -= L[j * m + i] * mu[j];
  for (Index i = m - 1; i >= 0; --i) {
    mu[i] *= L[i * m + i];
    for (Index j = i + 1; j < m; ++j) mu[i] -= L[i * m + j] * mu[j];
  }
}

template <class Count>
[[gnu::always_inline]] inline void find_multipliers(Index n, Count m, const double* B, const double* L, const double* r,
                                                    const double* c, double* mu) {
  if constexpr (is_small<Count>) {
    Few<Count> sums = column(m, c);
    for (Index j = 0; j < n; ++j, B += m) sums += r[j] * column(m, B);
    each_index(m, [&](Index i) { mu[i] = sums[i]; });
  } else {
    for (Index i = 0; i < m; ++i) {
      double sum = c[i];
      for (Index j = 0; j < n; ++j) sum += B[j * m + i] * r[j];
      mu[i] = sum;
    }
  }
  divide_small(m, L, mu);
}

[[gnu::always_inline]] inline double product(auto m, const double* b, const double* mu) {
  double sum = b[0] * mu[0];
  for (Index i = 1; i < m; ++i) sum += b[i] * mu[i];
  return sum;
}

}  // namespace

SchurComplement::SchurComplement(MassShape shape, const MatrixSlot& mass, const MatrixSlot& G)
    : mass_(mass),
      G_(G),
      n_(G.cols()),
      m_(G.rows()),
      identity_(shape == MassShape::identity),
      diagonal_(shape != MassShape::full),
      dense_(!diagonal_ || !G.is_sparse()),
      inverse_mass_(Vec::Ones(n_)),
      work_(n_) {
  if (!diagonal_) {
    mass_solver_ = make_linear_solver(mass_);
    mass_solver_->analyse(mass_);
  }
  if (dense_) {
    lifted_ = Mat::Zero(m_, n_);
    S_ = L_ = Mat::Zero(m_, m_);
  } else {
    products_ = RowProducts(G_);
    sparse_S_ = products_.pattern();
    solver_ = make_linear_solver(sparse_S_);
    solver_->analyse(sparse_S_);
  }
  find_blocks();
}

// With a full mass matrix all rows are in one block; with a diagonal one, rows that share a coordinate are.
void SchurComplement::find_blocks() {
  std::vector<Index> parent(static_cast<std::size_t>(m_));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  const auto join = [&](Index i, Index k) {
    const Index a = root(i), b = root(k);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  };
  if (dense_)
    for (Index i = 1; i < m_; ++i) join(0, i);
  else
    for (Index j = 0; j < m_; ++j)
      for (SpMat::InnerIterator it(sparse_S_.as_sparse(), j); it; ++it) join(it.row(), j);
  blocks_.assign(static_cast<std::size_t>(m_), 0);
  Index count = 0;
  for (Index i = 0; i < m_; ++i) {
    const Index r = root(i);
    blocks_[static_cast<std::size_t>(i)] = r == i ? count++ : blocks_[static_cast<std::size_t>(r)];
  }
}

bool SchurComplement::take_mass() {
  if (identity_) return true;
  if (!diagonal_) return mass_solver_->factorise(mass_);
  for (Index i = 0; i < n_; ++i) inverse_mass_[i] = 1 / mass_.value(i, i);
  return inverse_mass_.allFinite();
}

// B^T = G M^-1.
void SchurComplement::lift_rows() {
  if (diagonal_) {
    const double* g = G_.values();
    double* b = lifted_.data();
    for (Index j = 0; j < n_; ++j)
      for (Index i = 0; i < m_; ++i) b[j * m_ + i] = g[j * m_ + i] * inverse_mass_[j];
    return;
  }
  for (Index i = 0; i < m_; ++i) {
    for (Index j = 0; j < n_; ++j) work_[j] = G_.value(i, j);
    mass_solver_->solve(work_, work_);
    lifted_.row(i) = work_.transpose();
  }
}

bool SchurComplement::take_rows() {
  if (!dense_) {
    products_.form(G_, inverse_mass_, G_, sparse_S_);
    return solver_->factorise(sparse_S_);
  }
  if (!identity_) lift_rows();
  for (Index k = 0; G_.is_sparse() && k < m_; ++k) {
    work_ = lifted_.row(k).transpose();
    G_.multiply(work_, S_.col(k));
  }
  return with_small(m_, [&](auto m) {
    if (!G_.is_sparse()) multiply(n_, m, G_.values(), lifted(), S_.data());
    return factorise_small(m, S_.data(), L_.data());
  });
}

void SchurComplement::forget() {
  if (mass_solver_) mass_solver_->analyse(mass_);
  if (!dense_) solver_->analyse(sparse_S_);
}

// Compares the largest contributions of the coordinates to S, for a full M computed with its diagonal. Coordinates that
// the rows hardly depend on at this point are ignored.
bool SchurComplement::is_accurate() const {
  constexpr double far_apart = 1e8, hardly = 1e-6;
  const double ignored = hardly * max_abs(Eigen::Map<const Vec>(G_.values(), G_.stored()));
  double smallest = HUGE_VAL, greatest = 0;
  for (Index j = 0; j < n_; ++j) {
    double largest = 0;
    if (G_.is_sparse())
      for (SpMat::InnerIterator it(G_.as_sparse(), j); it; ++it) largest = std::max(largest, std::abs(it.value()));
    else
      largest = m_ > 0 ? G_.as_dense().col(j).cwiseAbs().maxCoeff() : 0;
    if (largest <= ignored) continue;
    smallest = std::min(smallest, largest * largest * inverse_mass(j));
    greatest = std::max(greatest, largest * largest * inverse_mass(j));
  }
  return greatest <= far_apart * smallest;
}

double SchurComplement::reciprocal_condition() const {
  double least = 1;
  for (Index k = 0; dense_ && k < m_; ++k) least = std::min(least, 1 / (L_(k, k) * S_(k, k)));
  return least;
}

void SchurComplement::divide_by_schur(Out mu) {
  if (!dense_) return solver_->solve(mu, mu);
  with_small(m_, [&](auto m) { divide_small(m, L_.data(), mu.data()); });
}

void SchurComplement::divide_by_mass(In r, Out x) {
  if (!diagonal_) return mass_solver_->solve(r, x);
  for (Index j = 0; j < n_; ++j) x[j] = inverse_mass_[j] * r[j];
}

void SchurComplement::lift(In mu, Out x) {
  if (!dense_) {
    G_.multiply_transposed(mu, x);
    for (Index j = 0; j < n_; ++j) x[j] *= inverse_mass_[j];
    return;
  }
  with_small(m_, [&](auto m) {
    const double* b = lifted();
    const auto l = in_registers(m, mu.data());
    double* to = x.data();
    for (Index j = 0; j < n_; ++j, b += m) to[j] = product(m, b, l.data());
  });
}

void SchurComplement::multipliers(In r, In c, Out mu) {
  if (dense_) {
    with_small(m_, [&](auto m) { find_multipliers(n_, m, lifted(), L_.data(), r.data(), c.data(), mu.data()); });
    return;
  }
  divide_by_mass(r, work_);
  G_.multiply(work_, mu);
  mu += c;
  divide_by_schur(mu);
}

void SchurComplement::solve(In r, In c, Out x, Out mu) {
  if (dense_ && diagonal_) {
    with_small(m_, [&](auto m) {
      const double *b = lifted(), *right = r.data();
      double *to = x.data(), *multiplier = mu.data();
      find_multipliers(n_, m, b, L_.data(), right, c.data(), multiplier);
      const auto l = in_registers(m, multiplier);
      if (identity_)
        for (Index j = 0; j < n_; ++j, b += m) to[j] = right[j] - product(m, b, l.data());
      else
        for (Index j = 0; j < n_; ++j, b += m) to[j] = inverse_mass_[j] * right[j] - product(m, b, l.data());
    });
    return;
  }
  multipliers(r, c, mu);
  lift(mu, x);
  divide_by_mass(r, work_);
  for (Index j = 0; j < n_; ++j) x[j] = work_[j] - x[j];
}
}  // namespace trill
