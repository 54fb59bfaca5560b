// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace trill {
// Seconds of this process's work, whatever else the machine does; sanitizers multiply the work.
class ProcessorTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC / slowdown; }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr double slowdown = 20;
#else
  static constexpr double slowdown = 1;
#endif
  std::clock_t begin_ = std::clock();
};
}  // namespace trill
