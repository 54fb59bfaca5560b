// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "linalg/dense_decompositions.hpp"

namespace trill {
// The fast modes of stiff gaps: K^1/2 S K^1/2 w = Omega^2 w, y = K^1/2 w, b = M^-1 G^T y, u = b/Omega. The first rows
// are the gaps; the hard rows after them enter through the Schur complement, and y has entries for them too. Gaps that
// are not coupled have separate modes, which are found block by block. The k-th modes of all blocks are stored together
// as one layer, so that an evaluation for all modes of a layer costs no more than for a single mode.
class GapModes {
 public:
  GapModes(const ConstraintManifold& manifold, const Vec& stiffness);
  Index count() const { return stiffness_.size(); }
  Index layers() const { return layers_; }
  bool find(SchurComplement& S);  // false: an eigenproblem could not be solved
  const Vec& frequencies() const { return frequencies_; }

  auto y(Index layer) const { return y_.col(layer); }  // has the size of the multipliers of all rows
  auto b(Index layer) const { return b_.col(layer); }  // has the size of q
  Index blocks() const { return static_cast<Index>(block_.size()); }
  Index first(Index block) const { return block_[static_cast<std::size_t>(block)].first; }  // index of its first mode
  Index size(Index block) const { return block_[static_cast<std::size_t>(block)].stiff; }
  Index largest() const { return layers_; }
  Index block_of_row(Index row) const { return block_of_row_[static_cast<std::size_t>(row)]; }
  Index block_of_coordinate(Index i) const { return block_of_coordinate_[static_cast<std::size_t>(i)]; }  // -1: none
  Index mode(Index block, Index layer) const { return layer < size(block) ? first(block) + layer : -1; }

  // The y of a layer, each multiplied by the weight of its mode.
  void weighted(Index layer, In weights, Out s) const;
  // x += factor b_k, and x^T b_k, for one mode.
  void add_mode(Index mode, double factor, Out x) const;
  double along(Index mode, In x) const;
  // With actions J: the largest displacement by the oscillation in every coordinate, and the oscillation at given
  // phases.
  void find_reach(In J, Out reach) const;
  void add_oscillation(In J, In phases, Out q, Out v) const;
  // For every mode of a layer: y_k^T c, where c has a value for each row; hard rows are left out.
  void pick(Index layer, In c, Out values) const;
  // For every mode of a layer: the product of b_k and a vector of the size of q.
  void along(Index layer, In x, Out values) const;
  // Eigenvectors are defined up to their sign only: new ones get the sign of those kept here.
  void keep_signs() { kept_ = y_; }
  Mat& signs() { return kept_; }

 private:
  struct Block {
    std::vector<Index> rows;  // stiff ones first
    Index stiff = 0, first = 0;
    Mat coupled, full, hard;
    SymmetricEigen solver;  // for three gaps or more
    Cholesky factor;        // for hard rows
  };
  Index block_of_mode(Index mode) const;
  bool find(Block& block, const SchurComplement& S);
  void fill(Block& block, const SchurComplement& S) const;
  void store(const Block& block, Index layer, double square, const double* w);

  Vec stiffness_, root_;
  std::vector<Block> block_;
  std::vector<Index> block_of_row_, block_of_coordinate_;
  Index layers_ = 0;
  Vec frequencies_;
  Mat y_, b_, kept_;
};
}  // namespace trill
