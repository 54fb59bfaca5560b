// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

namespace trill::bench {
template <class Work>
double seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The time of `ours` divided by the time of `theirs`, measured in turns in the same process. The shortest times are
// compared, because every disturbance makes a measurement longer.
template <class Ours, class Theirs>
double ratio(Ours&& ours, Theirs&& theirs, int turns = 15) {
  double best_ours = 1e300, best_theirs = 1e300;
  for (int i = 0; i < turns; ++i) {
    best_ours = std::min(best_ours, seconds(ours));
    best_theirs = std::min(best_theirs, seconds(theirs));
  }
  return best_ours / best_theirs;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The processor time of this thread, whatever else the machine does, or of the whole process
// (CLOCK_PROCESS_CPUTIME_ID).
template <class Work>
double processor_seconds(Work&& work, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  const auto now = [clock] {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// The same with processor times, as the median over pairs of turns: for short work on busy machines.
template <class Ours, class Theirs>
double median_ratio(Ours&& ours, Theirs&& theirs, int turns = 15) {
  std::vector<double> ratios;
  for (int i = 0; i < turns; ++i) {
    const double mine = processor_seconds(ours);
    ratios.push_back(mine / processor_seconds(theirs));
  }
  return median(std::move(ratios));
}

inline void print_ratio(const char* name, double value, double limit) {
  std::printf("RATIO %s %.4f %g\n", name, value, limit);
}

// Keeps the optimiser from removing the computation of a result.
inline void keep(double value) { asm volatile("" : : "g"(value) : "memory"); }
}  // namespace trill::bench
