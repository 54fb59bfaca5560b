// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "linalg/dense_decompositions.hpp"

namespace trill {
// The fast modes of stiff gaps: K^1/2 S K^1/2 w = Omega^2 w, y = K^1/2 w, b = M^-1 G^T y, u = b/Omega. The first rows
// are the gaps; hard rows after them enter through the Schur complement, and y goes on into them. Gaps that nothing
// joins have modes of their own, which are found block by block; the k-th modes of all blocks lie side by side in one
// layer, so that what costs one evaluation for a mode costs no more for all modes of a layer.
class GapModes {
 public:
  GapModes(const ConstraintManifold& manifold, const Vec& stiffness);
  Index count() const { return stiffness_.size(); }
  Index layers() const { return layers_; }
  bool find(SchurComplement& S);  // false: an eigenproblem had no solution
  const Vec& frequencies() const { return frequencies_; }

  auto y(Index layer) const { return y_.col(layer); }  // like multipliers of all rows
  auto b(Index layer) const { return b_.col(layer); }  // like q
  Index blocks() const { return static_cast<Index>(block_.size()); }
  Index first(Index block) const { return block_[static_cast<std::size_t>(block)].first; }  // number of its first mode
  Index size(Index block) const { return block_[static_cast<std::size_t>(block)].stiff; }
  Index largest() const { return layers_; }
  Index block_of_row(Index row) const { return block_of_row_[static_cast<std::size_t>(row)]; }
  Index block_of_coordinate(Index i) const { return block_of_coordinate_[static_cast<std::size_t>(i)]; }  // -1: none
  Index mode(Index block, Index layer) const { return layer < size(block) ? first(block) + layer : -1; }

  // The y of a layer, each times the weight of its mode.
  void weighted(Index layer, In weights, Out s) const;
  // x += factor b_k, and x^T b_k, of one mode.
  void add_mode(Index mode, double factor, Out x) const;
  double along(Index mode, In x) const;
  // With actions J: the largest reach of the oscillation in every coordinate, and at given phases itself.
  void find_reach(In J, Out reach) const;
  void add_oscillation(In J, In phases, Out q, Out v) const;
  // For every mode of a layer: y_k^T c, c like the values of all rows, hard ones left out.
  void pick(Index layer, In c, Out values) const;
  // For every mode of a layer: the product of b_k and a vector like q.
  void along(Index layer, In x, Out values) const;
  // Eigenvectors have no sign of their own: they get that of the ones kept before.
  void keep_signs() { kept_ = y_; }
  Mat& signs() { return kept_; }

 private:
  struct Block {
    std::vector<Index> rows;  // stiff ones first
    Index stiff = 0, first = 0;
    Mat coupled, full, hard;
    SymmetricEigen solver;  // of three gaps or more
    Cholesky factor;        // of hard rows
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
