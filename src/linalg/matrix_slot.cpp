// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/matrix_slot.hpp"

#include "linalg/stored_entries.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

namespace trill {
namespace {
constexpr Index few_entries = 16;  // up to this, Eigen's setup of a product costs more than the product

[[noreturn]] void throw_outside(Index i, Index j, const MatrixSlot& slot) {
  throw std::logic_error("matrix slot: entry (" + std::to_string(i) + ", " + std::to_string(j) +
                         ") is outside the pattern of the " + std::to_string(slot.rows()) + " x " +
                         std::to_string(slot.cols()) + " slot; add it to the pattern");
}

[[noreturn]] void throw_mismatch(const char* operation) {
  throw std::logic_error(std::string("matrix slot: ") + operation + " needs slots with the same sparsity pattern");
}
}  // namespace

MatrixSlot MatrixSlot::dense(Index rows, Index cols) {
  MatrixSlot slot;
  slot.dense_ = Mat::Zero(rows, cols);
  return slot;
}

MatrixSlot MatrixSlot::sparse(SpMat pattern) {
  static std::atomic<std::uint64_t> patterns = 0;
  MatrixSlot slot;
  slot.is_sparse_ = true;
  slot.pattern_id_ = ++patterns;
  pattern.makeCompressed();
  bool sorted = true;
  for (Index j = 0; j < pattern.cols(); ++j)
    sorted = sorted && std::is_sorted(pattern.innerIndexPtr() + pattern.outerIndexPtr()[j],
                                      pattern.innerIndexPtr() + pattern.outerIndexPtr()[j + 1]);
  if (sorted) {
    slot.sparse_ = std::move(pattern);
  } else {  // transposing sorts; the lookup relies on sorted columns
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = pattern;
    slot.sparse_ = by_rows;
  }
  slot.set_zero();
  return slot;
}

Index MatrixSlot::find(Index i, Index j) const {
  if (i < 0 || j < 0 || i >= rows() || j >= cols()) return -1;
  const auto* inner = sparse_.innerIndexPtr();
  const auto* first = inner + sparse_.outerIndexPtr()[j];
  const auto* last = inner + sparse_.outerIndexPtr()[j + 1];
  const auto* place = std::lower_bound(first, last, i);
  return place != last && *place == i ? place - inner : -1;
}

double* MatrixSlot::find_or_throw(Index i, Index j) {
  const Index place = is_sparse_ ? find(i, j) : -1;
  if (place < 0) throw_outside(i, j, *this);
  return sparse_.valuePtr() + place;
}

double MatrixSlot::value(Index i, Index j) const {
  if (!is_sparse_) return i >= 0 && j >= 0 && i < dense_.rows() && j < dense_.cols() ? dense_(i, j) : 0.0;
  const Index place = find(i, j);
  return place < 0 ? 0.0 : sparse_.valuePtr()[place];
}

void MatrixSlot::set_zero() { std::fill_n(values(), stored(), 0.0); }

void MatrixSlot::scale(double alpha) {
  double* a = values();
  for (Index k = 0; k < stored(); ++k) a[k] *= alpha;
}

bool MatrixSlot::same_pattern(const MatrixSlot& a) const {
  if (is_sparse_ != a.is_sparse_ || rows() != a.rows() || cols() != a.cols() || stored() != a.stored()) return false;
  if (!is_sparse_) return true;
  return std::equal(sparse_.outerIndexPtr(), sparse_.outerIndexPtr() + cols() + 1, a.sparse_.outerIndexPtr()) &&
         std::equal(sparse_.innerIndexPtr(), sparse_.innerIndexPtr() + stored(), a.sparse_.innerIndexPtr());
}

void MatrixSlot::assign_values(const MatrixSlot& a) {
  if (!same_pattern(a)) throw_mismatch("assign_values");
  std::copy_n(a.values(), a.stored(), values());
}

void MatrixSlot::scale_add(double alpha, const MatrixSlot& a) {
  if (rows() != a.rows() || cols() != a.cols()) throw_mismatch("scale_add");
  if (same_pattern(a)) {
    double* to = values();
    const double* from = a.values();
    for (Index k = 0; k < stored(); ++k) to[k] += alpha * from[k];
    return;
  }
  if (!a.is_sparse_) {
    for (Index j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) add(i, j, alpha * a.dense_(i, j));
    return;
  }
  for (Index j = 0; j < a.cols(); ++j)
    for (SpMat::InnerIterator it(a.sparse_, j); it; ++it) add(it.row(), j, alpha * it.value());
}

void MatrixSlot::scale_add(double alpha, const MatrixSlot& a, const SlotMap& places) {
  if (places.size() != a.stored()) throw_mismatch("scale_add");
  double* to = values();
  const double* from = a.values();
  for (Index k = 0; k < a.stored(); ++k) to[places[k]] += alpha * from[k];
}

void MatrixSlot::multiply(In x, Out y) const {
  if (is_sparse_)
    y.noalias() = sparse_ * x;
  else if (dense_.size() <= few_entries)
    y.noalias() = dense_.lazyProduct(x);
  else
    y.noalias() = dense_ * x;
}

void MatrixSlot::multiply_transposed(In x, Out y) const {
  if (is_sparse_)
    y.noalias() = sparse_.transpose() * x;
  else if (dense_.size() <= few_entries)
    y.noalias() = dense_.transpose().lazyProduct(x);
  else
    y.noalias() = dense_.transpose() * x;
}

template <class Place>
void SlotMap::find(const MatrixSlot& target, const MatrixSlot& source, Place place) {
  MatrixSlot finder = target;  // entry() needs a non-const slot, so search in a copy
  place_.reserve(static_cast<std::size_t>(source.stored()));
  const double* start = finder.values();
  each_stored(source, [&](Index i, Index j, Index) { place_.push_back(place(finder, i, j) - start); });
}

SlotMap::SlotMap(const MatrixSlot& target, const MatrixSlot& source, Index row, Index col) {
  find(target, source, [=](MatrixSlot& slot, Index i, Index j) { return slot.entry(row + i, col + j); });
}

SlotMap SlotMap::transposed(const MatrixSlot& target, const MatrixSlot& source, Index row, Index col) {
  SlotMap map;
  map.find(target, source, [=](MatrixSlot& slot, Index i, Index j) { return slot.entry(row + j, col + i); });
  return map;
}

MatrixSlot union_pattern(const MatrixSlot& a, const MatrixSlot& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) throw_mismatch("union_pattern");
  if (!a.is_sparse() || !b.is_sparse()) return MatrixSlot::dense(a.rows(), a.cols());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(a.stored() + b.stored()));
  for (const MatrixSlot* slot : {&a, &b})
    each_stored(*slot, [&](Index i, Index j, Index) { entries.emplace_back(i, j, 0.0); });
  SpMat pattern(a.rows(), a.cols());
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace trill
