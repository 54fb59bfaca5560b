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
  static MatrixSlot sparse(SpMat pattern);  // every stored entry counts, even zeros; values start at 0

  bool is_sparse() const { return is_sparse_; }
  Index rows() const { return is_sparse_ ? sparse_.rows() : dense_.rows(); }
  Index cols() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }
  Index stored() const { return is_sparse_ ? sparse_.nonZeros() : dense_.size(); }
  const Mat& as_dense() const { return dense_; }
  const SpMat& as_sparse() const { return sparse_; }

  // Address of an entry. It stays valid as long as the slot, so assembly loops need to look it up only once. An entry
  // outside the pattern throws std::logic_error, in release builds too.
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
  // Copies of a sparse slot have the same id, dense slots have 0. A SlotMap built for one copy is valid for the others.
  std::uint64_t pattern_id() const { return pattern_id_; }
  void assign_values(const MatrixSlot& a);  // same pattern only
  // this += alpha a; this pattern must contain the pattern of a.
  void scale_add(double alpha, const MatrixSlot& a);
  void scale_add(double alpha, const MatrixSlot& a, const SlotMap& places);  // the same with a SlotMap made beforehand

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

// Where each stored value of a source slot lies in a target slot when the upper left corner of the source is placed at
// (row, col). It is built once; afterwards adding the source to the target costs one pass over the source.
class SlotMap {
 public:
  SlotMap() = default;
  SlotMap(const MatrixSlot& target, const MatrixSlot& source, Index row = 0, Index col = 0);
  // The same for the transpose of the source.
  static SlotMap transposed(const MatrixSlot& target, const MatrixSlot& source, Index row, Index col);
  Index size() const { return static_cast<Index>(place_.size()); }
  Index operator[](Index k) const { return place_[static_cast<std::size_t>(k)]; }

 private:
  template <class Place>
  void find(const MatrixSlot& target, const MatrixSlot& source, Place place);
  std::vector<Index> place_;
};

// A slot of zeros that can hold the sum of both; dense if one of them is dense.
MatrixSlot union_pattern(const MatrixSlot& a, const MatrixSlot& b);
}  // namespace trill
