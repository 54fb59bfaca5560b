// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trill {
// Chooses how much work is done between two looks at the clock, from the time that it takes.
class Pace {
 public:
  struct Limits {
    double shortest, longest;  // seconds between two looks
    std::int64_t most;
  };
  Pace(std::int64_t first, const Limits& limits) : limits_(limits), amount_(first) {}
  std::int64_t amount() const { return amount_; }
  void look() {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    if (elapsed < limits_.shortest) amount_ = std::min(2 * amount_, limits_.most);
    if (elapsed > limits_.longest) amount_ = std::max<std::int64_t>(amount_ / 2, 1);
  }

 private:
  Limits limits_;
  std::int64_t amount_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};
}  // namespace trill
