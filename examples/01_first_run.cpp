// SPDX-License-Identifier: BSD-3-Clause
// The stiff spring pendulum with two methods: Verlet with a fixed step, and an explicit pair that chooses its steps.
//
// Build, with trill installed (as a static library; without --static for a shared one):
//   g++ -std=c++20 -O2 01_first_run.cpp -o 01_first_run $(pkg-config --static --cflags --libs trill)
// or all examples with the CMakeLists.txt beside this file.
//
// Prints
//
// Read first: nothing.
#include <cstdio>

#include "trill/driver/plan.hpp"

int main() {
  // A run is stated in names and texts, as on the command line; what is left open comes from the model.
  trill::RunPlan plan;
  plan.model = "stiff_spring";
  plan.parameters = {{"epsilon", "1e-3"}};
  plan.to = 1;

  std::printf("%-8s %8s %8s %14s %14s %10s\n", "method", "steps", "forces", "x", "y", "energy");
  for (const char* method : {"verlet", "dopri5"}) {
    plan.method = method;
    plan.h.reset();
    plan.rtol.reset();
    if (plan.method == "verlet")
      plan.h = 1e-4;
    else
      plan.rtol = 1e-8;

    const trill::Solution solution = trill::prepare(plan).run();
    if (!solution.ok()) {
      std::fprintf(stderr, "%s: %s\n", method, solution.outcome.message.c_str());
      return 1;
    }
    // One column of y() per output time; components are found by name.
    const auto end = solution.y().col(solution.rows() - 1);
    std::printf("%-8s %8lld %8lld %14.9f %14.9f %10.1e\n", method,
                static_cast<long long>(solution.outcome.counters.steps),
                static_cast<long long>(solution.outcome.counters.most_forces()), end[solution.component("x")],
                end[solution.component("y")], solution.drift("energy"));
  }
}
