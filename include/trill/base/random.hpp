// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods with random forces: numbers that depend on seed, step and component alone.
#pragma once

#include <array>
#include <cstdint>

namespace trill {
// Names one step of one run of one seed. Random numbers are functions of (key, component): the order of evaluation, the
// number of threads and a restart do not change them.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t run = 0;
  std::uint64_t step = 0;
};

// Philox 4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3").
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

double random_uniform(const RandomKey& key, std::uint32_t component);  // in (0, 1)
double random_normal(const RandomKey& key, std::uint32_t component);   // mean 0, variance 1
}  // namespace trill
