// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/selected_inverse.hpp"

#include "linalg/stored_entries.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>

namespace trill {
namespace {
std::size_t spot(Index i) { return static_cast<std::size_t>(i); }
}  // namespace

SelectedInverse::SelectedInverse(const MatrixSlot& pattern) : n_(pattern.rows()) {
  find_order(pattern);
  find_columns(pattern);
  find_pairs();
  find_places(pattern);
  values_.resize(spot(n_) + rows_.size());
  inverse_.resize(values_.size());
  Index longest = 0;
  for (Index k = 0; k < n_; ++k) longest = std::max(longest, begin_[spot(k + 1)] - begin_[spot(k)]);
  column_.resize(spot(longest));
}

void SelectedInverse::find_order(const MatrixSlot& pattern) {
  order_.resize(spot(n_));
  for (Index i = 0; i < n_; ++i) order_[spot(i)] = i;
  if (!pattern.is_sparse()) return;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, SpMat::StorageIndex> found;
  Eigen::AMDOrdering<SpMat::StorageIndex>()(pattern.as_sparse(), found);
  for (Index i = 0; i < n_; ++i) order_[spot(found.indices()[i])] = i;
}

// Column k of L has the rows of A below the diagonal and those of its children, whose first row is k.
void SelectedInverse::find_columns(const MatrixSlot& pattern) {
  std::vector<std::vector<Index>> columns(spot(n_));
  each_stored(pattern, [&](Index i, Index j, Index) {
    const Index row = order_[spot(i)], col = order_[spot(j)];
    if (row > col) columns[spot(col)].push_back(row);
  });
  begin_.assign(1, 0);
  for (auto& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    rows_.insert(rows_.end(), column.begin(), column.end());
    begin_.push_back(static_cast<Index>(rows_.size()));
    if (!column.empty()) {
      auto& parent = columns[spot(column.front())];
      parent.insert(parent.end(), column.begin() + 1, column.end());
    }
  }
}

Index SelectedInverse::place_of(Index i, Index j) const {
  if (i == j) return i;
  const auto first = rows_.begin() + begin_[spot(j)], last = rows_.begin() + begin_[spot(j + 1)];
  return n_ + (std::lower_bound(first, last, i) - rows_.begin());
}

void SelectedInverse::find_pairs() {
  pair_begin_.assign(1, 0);
  for (Index k = 0; k < n_; ++k) {
    for (Index a = begin_[spot(k)]; a < begin_[spot(k + 1)]; ++a)
      for (Index b = begin_[spot(k)]; b <= a; ++b) pairs_.push_back(place_of(rows_[spot(a)], rows_[spot(b)]));
    pair_begin_.push_back(static_cast<Index>(pairs_.size()));
  }
}

void SelectedInverse::find_places(const MatrixSlot& pattern) {
  each_stored(pattern, [&](Index i, Index j, Index) {
    const Index row = order_[spot(i)], col = order_[spot(j)];
    stored_.push_back(place_of(std::max(row, col), std::min(row, col)));
  });
}

bool SelectedInverse::factorise(const MatrixSlot& a) {
  std::fill(values_.begin(), values_.end(), 0.0);
  // Both triangles hold the same value, so that it does not matter which of them is written last.
  for (std::size_t k = 0; k < stored_.size(); ++k) values_[spot(stored_[k])] = a.values()[k];
  for (Index k = 0; k < n_; ++k) {
    const double pivot = values_[spot(k)];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    double* below = values_.data() + n_ + begin_[spot(k)];
    const Index count = begin_[spot(k + 1)] - begin_[spot(k)];
    const Index* pair = pairs_.data() + pair_begin_[spot(k)];
    for (Index i = 0; i < count; ++i) {
      const double factor = below[i] / pivot;
      for (Index j = 0; j < i; ++j) values_[spot(*pair++)] -= factor * column_[spot(j)];
      values_[spot(*pair++)] -= factor * below[i];
      column_[spot(i)] = below[i];
    }
    for (Index i = 0; i < count; ++i) below[i] /= pivot;
  }
  return true;
}

double SelectedInverse::log_determinant() const {
  double sum = 0;
  for (Index k = 0; k < n_; ++k) sum += std::log(values_[spot(k)]);
  return sum;
}

// With l the column of L below the diagonal and Z the part of the inverse that is already known: z = -Z l for the
// entries of the inverse below the diagonal, and 1/d - l^T z on it.
void SelectedInverse::fill(MatrixSlot& inverse) {
  for (Index k = n_; k-- > 0;) {
    const double* l = values_.data() + n_ + begin_[spot(k)];
    const Index count = begin_[spot(k + 1)] - begin_[spot(k)];
    const Index* pair = pairs_.data() + pair_begin_[spot(k)];
    std::fill_n(column_.begin(), count, 0.0);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < i; ++j) {
        const double z = inverse_[spot(*pair++)];
        column_[spot(i)] -= z * l[j];
        column_[spot(j)] -= z * l[i];
      }
      column_[spot(i)] -= inverse_[spot(*pair++)] * l[i];
    }
    double diagonal = 1 / values_[spot(k)];
    for (Index i = 0; i < count; ++i) {
      inverse_[spot(n_ + begin_[spot(k)] + i)] = column_[spot(i)];
      diagonal -= l[i] * column_[spot(i)];
    }
    inverse_[spot(k)] = diagonal;
  }
  for (std::size_t k = 0; k < stored_.size(); ++k) inverse.values()[k] = inverse_[spot(stored_[k])];
}
}  // namespace trill
