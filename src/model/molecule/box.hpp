// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace trill {
// Free space, or a rectangular box that repeats itself in all directions.
struct Box {
  std::array<double, 3> origin{}, length{}, inverse{};  // all 0: free space

  bool periodic() const { return length[0] > 0; }
  double shortest() const {
    return length[0] < length[1] ? (length[0] < length[2] ? length[0] : length[2])
                                 : (length[1] < length[2] ? length[1] : length[2]);
  }
  double volume() const { return length[0] * length[1] * length[2]; }

  // The nearest whole number. Library functions for it are calls on a plain x86-64.
  static double whole(double x) {
    constexpr double shift = 0x1.8p52;
    return (x + shift) - shift;
  }
  // The difference of two positions, taken to the nearest image of one of them.
  double nearest(int axis, double difference) const {
    const auto k = static_cast<std::size_t>(axis);
    return difference - length[k] * whole(difference * inverse[k]);
  }
};
}  // namespace trill
