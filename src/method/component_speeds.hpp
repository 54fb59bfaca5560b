// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/method/error_scale.hpp"

#include <vector>

namespace trill {
// Which components are fast: those whose predicted steps lie below the first wide gap in the sorted list of all
// predicted steps (PJY97 sec. 2, after Guenther and Rentrop). A predicted step is the one with which an error h^3 d
// of the method for slow components, d the largest seen, just meets the tolerance at the largest size of the component
// seen. Both are collected over a while: at one moment an oscillating component may well have no error.
class ComponentSpeeds {
 public:
  // A coordinate i < pairs is as fast as its velocity i + pairs: the size of a coordinate may be its place alone. And a
  // velocity is as large as a tenth of the largest one: in rest it would be fast by its ripples. 0: no such pairs.
  void allocate(Index n, Index pairs);
  void fade();  // old errors count less; sizes stay: a slow component is near zero for a long while
  void see(In error, double h, In y);    // of one step
  void divide(const ErrorScale& scale);  // without a gap of at least least_gap all components are fast
  bool all_fast() const { return fast_count_ == slope_.size(); }
  bool is_fast(Index i) const { return fast_[static_cast<std::size_t>(i)] != 0; }
  Index fast_count() const { return fast_count_; }
  double shortest_time() const;  // in which an error reaches the size of its component; infinite: nothing moves
  double ratio() const { return ratio_; }  // of the smallest slow to the smallest fast predicted step
  void memory(Archive& archive);

 private:
  static constexpr double least_gap = 3;  // of a wide one, which also is at least the root of the widest
  Vec slope_, size_, predicted_, sorted_;
  std::vector<int> fast_;
  Index pairs_ = 0;
  Index fast_count_ = 0;
  double ratio_ = 1;
};
}  // namespace trill
