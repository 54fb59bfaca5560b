// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/row_products.hpp"
#include "linalg/selected_inverse.hpp"
#include "trill/problem/mechanical.hpp"

#include <vector>

namespace trill {
// The potential W = kT/2 log(det Z/det Z_h) of Fixman, Proc. Natl. Acad. Sci. 71 (1974) 3050, with Z = G M^-1 G^T of
// all rows and Z_h of the hard ones: what a rigid system lacks to have the distribution of the stiff one whose gaps are
// closed. The gaps are the first rows of the map. For a constant diagonal mass; refers to the map.
//
// Its gradient is kT sum_c H_c w_c with the Hessians H_c of the rows and w_c = M^-1 sum_c' (Z^-1)_cc' grad g_c'. Only
// the entries of w_c at the coordinates of row c matter, for which the entries of Z^-1 inside the pattern of Z suffice.
// Rows without common coordinates are evaluated together.
//
// With `block` > 0 it is Reich's approximation, in which rows couple only within blocks of so many (Physica D 138
// (2000) 210): W is nearly right, but its gradient is not (PJY97 sec. 4.3 names it).
class FixmanForce {
 public:
  FixmanForce(const MechanicalProblem& problem, const ConstraintMap& map, Index gaps, Index block = 0);
  // false: the rows depend on each other at this point. The functions below refer to the last point.
  bool stand_at(double t, In q);
  double potential(double kT) const;
  void add(double kT, Out f);  // f -= grad W

  int passes() const { return static_cast<int>(passes_.size()); }

 private:
  // The rows from `first` on.
  struct Part {
    Part(const SpMat& all, Index first);
    MatrixSlot rows, Z, inverse;
    std::vector<Index> places;       // of the stored values of these rows in those of all rows
    std::vector<Index> pair_places;  // for any two entries of a column: where their rows meet in Z
    RowProducts products;
    SelectedInverse selected;
  };
  // What is evaluated in one pass: rows without common coordinates.
  struct Pass {
    std::vector<Index> rows;
    std::vector<std::pair<Index, Index>> entries;  // coordinate and place of each entry of these rows
  };
  void find_passes();
  bool factorise(Part& part);
  void add_directions(Part& part, double sign);
  void bend(Out covector);

  const ConstraintMap& map_;
  Index block_;  // 0: all rows couple
  double t_ = 0;
  Vec q_, inverse_mass_, dq_, s_, bent_;
  MatrixSlot G_;
  std::vector<double> values_;      // the stored values of all rows
  std::vector<double> directions_;  // w_c at the coordinates of row c, stored like them
  MatrixSlot second_;               // only where the map has no directional derivative
  std::vector<Part> parts_;         // all rows, and the hard ones if there are any
  std::vector<Pass> passes_;
};
}  // namespace trill
