// SPDX-License-Identifier: BSD-3-Clause
// No file may keep a reader busy for more than a second of the processor's time. The limit of libFuzzer is one of the
// clock on the wall, which a busy machine passes for nothing.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace trill::fuzz {
inline constexpr double most_seconds = 1;

#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
struct TimeLimit {  // the unit tests, which read the corpus, look at no clock
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
