// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/method/error_scale.hpp"

#include <vector>

namespace trill {
// Decides which components are fast: those whose predicted steps lie below the first wide gap in the sorted list of all
// predicted steps (PJY97 sec. 2, after Guenther and Rentrop). The method for slow components has the error h^3 d. The
// predicted step of a component is the h for which this error just meets the tolerance, with the largest d and the
// largest size of the component seen so far. Both are collected over some time: at a single moment an oscillating
// component may have no error.
class ComponentSpeeds {
 public:
  // For i < pairs, coordinate i is taken to be as fast as its velocity i + pairs, since the size of a coordinate may
  // only tell where it is. A velocity counts as at least a tenth of the largest one; otherwise a component at rest
  // would look fast because of its ripples. 0: no such pairs.
  void allocate(Index n, Index pairs);
  // Old errors count less from now on. Sizes are kept, because a slow component can be near zero for a long time.
  void fade();
  void see(In error, double h, In y);    // takes in the error and state of one step
  void divide(const ErrorScale& scale);  // if no gap is at least least_gap wide, all components are fast
  bool all_fast() const { return fast_count_ == slope_.size(); }
  bool is_fast(Index i) const { return fast_[static_cast<std::size_t>(i)] != 0; }
  Index fast_count() const { return fast_count_; }
  // The shortest time in which an error grows as large as its component; infinite if nothing moves.
  double shortest_time() const;
  // The smallest predicted step of the slow components over that of the fast ones.
  double ratio() const { return ratio_; }
  void memory(Archive& archive);

 private:
  // A gap is wide if it has at least this ratio, and also at least the square root of the widest gap's ratio.
  static constexpr double least_gap = 3;
  Vec slope_, size_, predicted_, sorted_;
  std::vector<int> fast_;
  Index pairs_ = 0;
  Index fast_count_ = 0;
  double ratio_ = 1;
};
}  // namespace trill
