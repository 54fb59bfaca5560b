// SPDX-License-Identifier: BSD-3-Clause
// For everyone: the work of a run.
#pragma once

#include <array>
#include <cstdint>

namespace trill {
// The work of a run. forces counts evaluations for each force group; evaluations of first-order right-hand sides and
// circuit currents count as group 0.
struct Counters {
  std::array<std::int64_t, 32> forces{};
  std::int64_t steps = 0, rejected = 0, jacobians = 0, newton_iterations = 0, newton_failures = 0, factorisations = 0,
               linear_iterations = 0, micro_steps = 0, products = 0;  // products: f'(q) times a vector
  double seconds = 0;

  void count_forces(std::uint32_t groups) {
    for (int i = 0; groups != 0; ++i, groups >>= 1)
      if (groups & 1u) ++forces[static_cast<std::size_t>(i)];
  }
  std::int64_t most_forces() const {
    std::int64_t most = 0;
    for (const std::int64_t count : forces) most = count > most ? count : most;
    return most;
  }
};
}  // namespace trill
