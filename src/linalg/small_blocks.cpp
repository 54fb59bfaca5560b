// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/small_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trill {
namespace {
// Relative to the diagonal: an entry this small changes eigenvalues as little as rounding does.
constexpr double uncoupled = 2 * std::numeric_limits<double>::epsilon();

// Sets that grow by merging, each with its first unknown as its name.
class UnknownSets {
 public:
  explicit UnknownSets(Index n) : parent_(static_cast<std::size_t>(n)), size_(static_cast<std::size_t>(n), 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  Index find(Index i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  Index merge(Index i, Index j) {
    const Index one = find(i), other = find(j), first = std::min(one, other), second = std::max(one, other);
    if (first == second) return size_[static_cast<std::size_t>(first)];
    parent(second) = first;
    return size_[static_cast<std::size_t>(first)] += size_[static_cast<std::size_t>(second)];
  }

 private:
  Index& parent(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<Index> parent_, size_;
};

Vec sizes_of(const MatrixSlot& a) {
  Vec sizes(a.rows());
  for (Index i = 0; i < sizes.size(); ++i) sizes[i] = std::sqrt(std::abs(a.value(i, i)));
  return sizes;
}

bool merge_coupled(const MatrixSlot& a, UnknownSets& sets) {
  const Vec sizes = sizes_of(a);
  const auto fits = [&](Index i, Index j, double value) {
    return i == j || std::abs(value) <= uncoupled * sizes[i] * sizes[j] || sets.merge(i, j) <= most_in_block;
  };
  for (Index j = 0; j < a.cols(); ++j) {
    if (a.is_sparse()) {
      for (SpMat::InnerIterator it(a.as_sparse(), j); it; ++it)
        if (!fits(it.row(), j, it.value())) return false;
    } else {
      for (Index i = 0; i < a.rows(); ++i)
        if (!fits(i, j, a.as_dense()(i, j))) return false;
    }
  }
  return true;
}
}  // namespace

std::optional<std::vector<UnknownBlock>> small_blocks(const MatrixSlot& a, const MatrixSlot& b) {
  const Index n = a.rows();
  UnknownSets sets(n);
  if (!merge_coupled(a, sets) || !merge_coupled(b, sets)) return std::nullopt;
  std::vector<UnknownBlock> blocks;
  std::vector<std::size_t> place(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const Index name = sets.find(i);
    if (name == i) {
      place[static_cast<std::size_t>(i)] = blocks.size();
      blocks.emplace_back();
    }
    blocks[place[static_cast<std::size_t>(name)]].push_back(i);
  }
  return blocks;
}

Mat block_of(const MatrixSlot& a, const UnknownBlock& unknowns) {
  const auto n = static_cast<Index>(unknowns.size());
  Mat block(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      block(i, j) = a.value(unknowns[static_cast<std::size_t>(i)], unknowns[static_cast<std::size_t>(j)]);
  return block;
}
}  // namespace trill
