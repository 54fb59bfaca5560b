// SPDX-License-Identifier: BSD-3-Clause
// What deviations of the components of a run are judged by.
#pragma once

#include "trill/driver/plan.hpp"

#include <limits>

namespace trill {
// The smallest and the largest value of every component over a run.
struct Extent {
  Extent() = default;
  explicit Extent(Index size) : low(Vec::Constant(size, std::numeric_limits<double>::infinity())), high(-low) {}
  void look(In y) {
    low = low.cwiseMin(y);
    high = high.cwiseMax(y);
  }
  Vec low, high;
};

// Finds the extent of a run from every step of it.
class ExtentWatch final : public Observer {
 public:
  explicit ExtentWatch(Index size) : extent_(size) {}
  void begin(const Problem&, const State& s) override { extent_.look(s.y); }
  void accepted(const State& s, const StepResult&) override { extent_.look(s.y); }
  const Extent& extent() const { return extent_; }

 private:
  Extent extent_;
};

// Some states of a run: their times, and one column for each.
struct StateSamples {
  std::vector<double> t;
  Mat y;
};

// How large a deviation of each component would be as large as its motion: its range over the run, but no less than a
// hundredth of the largest motion of its kind (same role, same unit), and no less than what rounding explains. The
// motion of a velocity is at least the mean speed with which its position crosses its range, that of a multiplier at
// least the other forces on its coordinates. A problem may know values below which there is nothing to judge. So a
// component that is constant up to rounding, or zero by symmetry, is judged by the motion of others of its kind.
Vec component_scales(const PreparedRun& run, const Extent& extent, const StateSamples& samples);

// The absolute tolerance that belongs to rtol where none is given: a thousandth of it for numbers about 1, and for the
// size of the motion where that is far smaller, as of amounts in moles, which would go without error control otherwise.
double usual_atol(const Problem& problem, const State& start, double t_end, double rtol);
}  // namespace trill
