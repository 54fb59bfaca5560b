// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trill {
// What a model says about the cycles that an envelope follows; 0: nothing.
struct CycleWish {
  double period = 0, rtol = 0;
};

// A problem with sources of which some repeat.
class Driven {
 public:
  virtual std::vector<double> source_periods() const = 0;  // of those that repeat
  virtual CycleWish cycle_wish() const { return {}; }
  // The times in [t0, t1] where a source has a corner that does not repeat after this period, such as a step of the
  // load or the start of a clock.
  virtual std::vector<double> slow_corners(double period, double t0, double t1) const = 0;
  // Until the run ends, all sources that do not repeat after this period have the values that they will have `ahead`
  // later. Cycles that start at a whole number of periods thus see everything slow at its true time.
  virtual void see_slow_sources_later(double period, double ahead) const = 0;

 protected:
  ~Driven() = default;
};
}  // namespace trill
