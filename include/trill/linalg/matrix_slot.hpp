// SPDX-License-Identifier: BSD-3-Clause
// For authors of models and methods: a matrix that is dense, diagonal or sparse, filled entry by entry.
#pragma once

#include "trill/base/types.hpp"

#include <cstdint>
#include <vector>

namespace trill {
class SlotMap;

// Where a model writes the entries of a Jacobian, a mass matrix or a constraint Jacobian. It is dense for
// small systems and sparse with a frozen pattern for large ones; the model does not know which. Values are
// stored column by column in one block; after construction nothing here allocates.
class MatrixSlot {
 public:
  MatrixSlot() = default;  // dense, 0 x 0
  static MatrixSlot dense(Index rows, Index cols);
  static MatrixSlot sparse(SpMat pattern);  // every stored entry belongs to the pattern, zeros too; values start at 0

  bool is_sparse() const { return is_sparse_; }
  Index rows() const { return is_sparse_ ? sparse_.rows() : dense_.rows(); }
  Index cols() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }
  Index stored() const { return is_sparse_ ? sparse_.nonZeros() : dense_.size(); }
  const Mat& as_dense() const { return dense_; }
  const SpMat& as_sparse() const { return sparse_; }

  // Address of an entry, valid as long as the slot: assembly loops look it up once. Outside the pattern it throws
  // std::logic_error in every build.
  double* entry(Index i, Index j) {
    if (!is_sparse_ && i >= 0 && j >= 0 && i < dense_.rows() && j < dense_.cols())
      return dense_.data() + j * dense_.rows() + i;
    return find_or_throw(i, j);
  }
  void add(Index i, Index j, double value) { *entry(i, j) += value; }
  double value(Index i, Index j) const;  // 0 outside the pattern
  double* values() { return is_sparse_ ? sparse_.valuePtr() : dense_.data(); }
  const double* values() const { return is_sparse_ ? sparse_.valuePtr() : dense_.data(); }

  void set_zero();  // keeps storage and pattern
  void scale(double alpha);
  bool same_pattern(const MatrixSlot& a) const;
  // Equal for copies of one slot, 0 for every dense one: places found in one are good for the other.
  std::uint64_t pattern_id() const { return pattern_id_; }
  void assign_values(const MatrixSlot& a);                                   // same pattern only
  void scale_add(double alpha, const MatrixSlot& a);                         // this += alpha a, pattern of a contained
  void scale_add(double alpha, const MatrixSlot& a, const SlotMap& places);  // the same, places known beforehand

  void multiply(In x, Out y) const;             // y = A x; x and y distinct
  void multiply_transposed(In x, Out y) const;  // y = A^T x

 private:
  Index find(Index i, Index j) const;  // position in sparse_.valuePtr(), or -1
  double* find_or_throw(Index i, Index j);

  bool is_sparse_ = false;
  std::uint64_t pattern_id_ = 0;
  Mat dense_;
  SpMat sparse_;
};

// Where each stored value of a source slot lies in a target slot, the source placed with its upper left corner at
// (row, col). Built once; then a sum of patterns costs one pass over the source.
class SlotMap {
 public:
  SlotMap() = default;
  SlotMap(const MatrixSlot& target, const MatrixSlot& source, Index row = 0, Index col = 0);
  // Of the transpose of the source, with its upper left corner there.
  static SlotMap transposed(const MatrixSlot& target, const MatrixSlot& source, Index row, Index col);
  Index size() const { return static_cast<Index>(place_.size()); }
  Index operator[](Index k) const { return place_[static_cast<std::size_t>(k)]; }

 private:
  template <class Place>
  void find(const MatrixSlot& target, const MatrixSlot& source, Place place);
  std::vector<Index> place_;
};

// A zero slot that can hold the sum of both; dense as soon as one of them is.
MatrixSlot union_pattern(const MatrixSlot& a, const MatrixSlot& b);
}  // namespace trill
