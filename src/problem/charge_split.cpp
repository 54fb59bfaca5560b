// SPDX-License-Identifier: BSD-3-Clause
#include "problem/charge_split.hpp"

#include "linalg/row_rank.hpp"
#include "linalg/stored_entries.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace trill {
namespace {
// What elimination leaves of a row of capacitances is rounding below this share of the row.
constexpr double charge_rounding = 1e-12;
constexpr Index largest_eliminated_at_once = 64;
constexpr double charge_dependence = 1e-6;  // the best that can be told for large sparse matrices

// Equations that share unknowns through their charges are in one block, directly or through others.
class ChargeBlocks {
 public:
  explicit ChargeBlocks(const MatrixSlot& dcharge) : next_(static_cast<std::size_t>(dcharge.rows())) {
    std::iota(next_.begin(), next_.end(), Index{0});
    std::vector<Index> first(static_cast<std::size_t>(dcharge.cols()), -1);
    each_stored(dcharge, [&](Index i, Index j, Index place) {
      if (dcharge.values()[place] == 0) return;
      Index& other = first[static_cast<std::size_t>(j)];
      if (other < 0) other = i;
      next_[static_cast<std::size_t>(head(i))] = head(other);
    });
  }
  std::map<Index, std::vector<Index>> blocks() {
    std::map<Index, std::vector<Index>> found;
    for (Index i = 0; i < static_cast<Index>(next_.size()); ++i) found[head(i)].push_back(i);
    return found;
  }

 private:
  Index head(Index i) {
    while (next(i) != i) {
      next(i) = next(next(i));
      i = next(i);
    }
    return i;
  }
  Index& next(Index i) { return next_[static_cast<std::size_t>(i)]; }
  std::vector<Index> next_;
};

// Gaussian elimination with full pivoting of rows scaled to their largest entry. The rows that never have a pivot are
// combinations of the others; their weights say of which.
class RowElimination {
 public:
  explicit RowElimination(Mat rows)
      : left_(std::move(rows)),
        weights_(Mat::Identity(left_.rows(), left_.rows())),
        size_(Vec::Zero(left_.rows())),
        done_(static_cast<std::size_t>(left_.rows()), false) {
    if (left_.cols() > 0) size_ = left_.cwiseAbs().rowwise().maxCoeff();
  }
  bool has_pivot(Index row) const { return done_[static_cast<std::size_t>(row)]; }
  double weight(Index row, Index of) const { return weights_(row, of); }

  // false: what is left is rounding.
  bool take_pivot() {
    Index row = -1, col = -1;
    double largest = charge_rounding;
    for (Index i = 0; i < left_.rows(); ++i) {
      if (has_pivot(i) || size_[i] == 0) continue;
      Index j = 0;
      const double share = left_.row(i).cwiseAbs().maxCoeff(&j) / size_[i];
      if (share <= largest) continue;
      largest = share;
      row = i;
      col = j;
    }
    if (row >= 0) clear_below(row, col);
    return row >= 0;
  }

 private:
  void clear_below(Index row, Index col) {
    done_[static_cast<std::size_t>(row)] = true;
    for (Index i = 0; i < left_.rows(); ++i) {
      if (has_pivot(i) || left_(i, col) == 0) continue;
      const double factor = left_(i, col) / left_(row, col);
      left_.row(i) -= factor * left_.row(row);
      weights_.row(i) -= factor * weights_.row(row);
      left_(i, col) = 0;
    }
  }
  Mat left_, weights_;
  Vec size_;
  std::vector<bool> done_;
};
}  // namespace

std::vector<bool> charged_unknowns(const MatrixSlot& dcharge) {
  std::vector<bool> charged(static_cast<std::size_t>(dcharge.cols()), false);
  each_stored(dcharge, [&](Index, Index j, Index place) {
    if (dcharge.values()[place] != 0) charged[static_cast<std::size_t>(j)] = true;
  });
  return charged;
}

// Some equations with their charges by the unknowns that occur in them.
struct ChargeSplit::Block {
  std::vector<Index> equations;
  Index unknowns = 0;
  std::vector<Eigen::Triplet<double>> charges;
  Index size() const { return static_cast<Index>(equations.size()); }
};

ChargeSplit::ChargeSplit(const MatrixSlot& dcharge) : combinations_(static_cast<std::size_t>(dcharge.rows())) {
  std::vector<std::vector<std::pair<Index, double>>> rows(combinations_.size());
  each_stored(dcharge, [&](Index i, Index j, Index place) {
    if (const double value = dcharge.values()[place]; value != 0)
      rows[static_cast<std::size_t>(i)].emplace_back(j, value);
  });
  for (const auto& [head, equations] : ChargeBlocks(dcharge).blocks()) {
    Block block{equations, 0, {}};
    std::map<Index, Index> places;
    for (Index k = 0; k < block.size(); ++k)
      for (const auto& [j, value] : rows[static_cast<std::size_t>(equations[static_cast<std::size_t>(k)])])
        block.charges.emplace_back(k, places.emplace(j, static_cast<Index>(places.size())).first->second, value);
    block.unknowns = static_cast<Index>(places.size());
    take(block);
  }
}

// Large blocks are those of discretised fields, whose charges are independent; elimination would take too long there.
void ChargeSplit::take(const Block& block) {
  if (block.size() <= largest_eliminated_at_once) return eliminate(block);
  SpMat charges(block.size(), block.unknowns);
  charges.setFromTriplets(block.charges.begin(), block.charges.end());
  MatrixSlot slot = MatrixSlot::sparse(charges);
  std::copy_n(charges.valuePtr(), charges.nonZeros(), slot.values());
  if (!dependent_rows(slot, charge_dependence, 1).empty()) eliminate(block);
}

void ChargeSplit::eliminate(const Block& block) {
  Mat charges = Mat::Zero(block.size(), block.unknowns);
  for (const auto& entry : block.charges) charges(entry.row(), entry.col()) = entry.value();
  RowElimination rows(std::move(charges));
  while (rows.take_pivot()) {
  }
  for (Index i = 0; i < block.size(); ++i) {
    if (rows.has_pivot(i)) continue;
    ++algebraic_;
    const Index k = block.equations[static_cast<std::size_t>(i)];
    auto& combination = combinations_[static_cast<std::size_t>(k)];
    combination.push_back({k, 1});
    for (Index j = 0; j < block.size(); ++j)
      if (j != i && rows.weight(i, j) != 0)
        combination.push_back({block.equations[static_cast<std::size_t>(j)], rows.weight(i, j)});
  }
}
}  // namespace trill
