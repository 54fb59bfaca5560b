// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"

namespace trill {
// How many cycles the next step covers. After a start, a jump or failures a few cycles are computed one by one, which
// is exact and gives multistep formulas their past.
class CyclePace {
 public:
  // fixed: this number of cycles in every step, 0: by the errors. smallest: with fewer cycles or as many as this a step
  // costs more than cycles one by one. first: the number of single cycles after a start.
  CyclePace(int fixed, int smallest, int first) : fixed_(fixed), smallest_(fixed > 0 ? 0 : smallest), first_(first) {
    restart();
  }
  bool is_fixed() const { return fixed_ > 0; }
  double cycles() const { return singles_ > 0 ? 1 : fixed_ > 0 ? fixed_ : cycles_; }
  bool is_single(double cycles) const { return singles_ > 0 || cycles <= smallest_; }
  void restart();
  void took_single();
  void accept(double cycles, double error, int order);
  void reject(double cycles, double error, int order);
  void fail(double cycles);  // a cycle or an iteration failed
  void memory(Archive& archive) { archive(cycles_, singles_, pause_, rejections_); }

 private:
  void shorten(double cycles);

  int fixed_, smallest_, first_;
  double cycles_ = 1;
  int singles_ = 0;  // single cycles to be computed before the next attempt at a longer step
  int pause_ = 0;    // how many there will be after the next failure
  int rejections_ = 0;
};
}  // namespace trill
