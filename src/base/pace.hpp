// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trill {
using SecondsClock = double (*)();  // replaced in tests
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Chooses how much work is done between two looks at the clock, from the time that it takes.
class Pace {
 public:
  struct Limits {
    double shortest, longest;  // seconds between two looks
    std::int64_t most;
  };
  Pace(std::int64_t first, const Limits& limits, SecondsClock now = steady_seconds)
      : limits_(limits), now_(now), amount_(first), last_(now()) {}
  std::int64_t amount() const { return amount_; }
  double look() {  // the time
    const double now = now_(), elapsed = now - last_;
    last_ = now;
    if (elapsed < limits_.shortest) amount_ = std::min(2 * amount_, limits_.most);
    if (elapsed > limits_.longest) amount_ = std::max<std::int64_t>(amount_ / 2, 1);
    return now;
  }

 private:
  Limits limits_;
  SecondsClock now_;
  std::int64_t amount_;
  double last_;
};
}  // namespace trill
