// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trill {
// A problem with sources of which some repeat.
class Driven {
 public:
  virtual std::vector<double> source_periods() const = 0;  // of those that repeat
  // Until the run ends, all sources that do not repeat after this period are seen as they will be a while later. Cycles
  // that start at a whole number of periods thus get on smoothly with everything slow.
  virtual void see_slow_sources_later(double period, double ahead) const = 0;

 protected:
  ~Driven() = default;
};
}  // namespace trill
