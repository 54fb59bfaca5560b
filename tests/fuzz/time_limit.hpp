// SPDX-License-Identifier: BSD-3-Clause
// No file may take more than a second of processor time. libFuzzer limits the elapsed time instead, which says nothing
// on a busy machine.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace trill::fuzz {
inline constexpr double most_seconds = 1;

#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
struct TimeLimit {  // without a limit in the unit tests that read the corpus
  TimeLimit() {}
};
#else
class TimeLimit {
 public:
  ~TimeLimit() {
    static double most = 0;
    const double used = now() - begin_;
    if (used > most_seconds) {
      std::fprintf(stderr, "this file took %.2f s\n", used);
      std::abort();
    }
    if (used < most + 0.001) return;
    most = used;
    std::fprintf(stderr, "slowest: %.3f s\n", most);
  }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double begin_ = now();
};
#endif
}  // namespace trill::fuzz
