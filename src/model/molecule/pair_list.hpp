// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/box.hpp"

#include <cstdint>
#include <vector>

namespace trill {
// Pairs of atoms i < j that are nearer to each other than a radius, without some. They are kept with a skin, and found
// anew when an atom has moved by half of it. The order of the pairs inside the radius does not depend on when that was,
// so that sums over them are the same to the last bit.
class PairList {
 public:
  PairList(const Box& box, int atoms, double radius, double skin);
  // The atoms j > i that are never listed with i.
  void leave_out(const std::vector<std::vector<int>>& partners);

  bool update(const double* q);  // false: a position is not finite
  int begin(int i) const { return first_[static_cast<std::size_t>(i)]; }
  int end(int i) const { return first_[static_cast<std::size_t>(i) + 1]; }
  const int* partners() const { return partners_.data(); }
  std::int64_t builds() const { return builds_; }
  std::int64_t looked_at() const { return looked_at_; }  // pairs whose distance was computed, in all builds

 private:
  bool moved_too_far(const double* q) const;
  void build(const double* q);
  void sort_into_cells(const double* q);
  void find_below(int j, const double* q);
  void look_at(int j, const double* at, int from, int to);
  void gather_rows();
  int cell_of(int axis, double x) const;

  Box box_;
  int atoms_;
  double skin_, reach_;  // radius and skin
  std::vector<double> built_at_;
  std::vector<std::vector<int>> left_out_;  // of each atom those below it
  std::vector<int> first_, partners_;
  std::vector<int> below_, below_end_;  // atoms i < j near atom j, and where those of j end
  std::array<int, 3> cells_{1, 1, 1};
  std::array<double, 3> low_{}, cell_{};
  std::vector<int> cell_first_, in_cell_, cell_of_atom_, next_;
  std::vector<double> x_, y_, z_, square_;  // positions in the order of cells; squared distances of some of them
  std::int64_t builds_ = 0, looked_at_ = 0;
};
}  // namespace trill
