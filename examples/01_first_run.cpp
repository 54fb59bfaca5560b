// SPDX-License-Identifier: BSD-3-Clause
// The stiff spring pendulum with two methods: Verlet with a fixed step, and an explicit pair that chooses its steps.
//
// Build, with trill installed (as a static library; without --static for a shared one):
//   g++ -std=c++20 -O2 01_first_run.cpp -o 01_first_run $(pkg-config --static --cflags --libs trill)
// or all examples with the CMakeLists.txt beside this file.
//
// Prints
//   method      steps   forces            x            y   energy off by
//   verlet      50000    50001    -0.547756     0.943997   1e-05
//   dopri5       3032    18770    -0.547757     0.943999   6e-07
//
// Read first: nothing.
#include "trill/driver/plan.hpp"

#include <cstdio>

int main() {
  // A run is stated in names and texts, as on the command line; what is left open comes from the model.
  trill::RunPlan plan;
  plan.model = "stiff_spring";
  plan.parameters = {{"epsilon", "0.03"}};
  plan.to = 5;

  std::printf("%-8s %8s %8s %12s %12s   %s\n", "method", "steps", "forces", "x", "y", "energy off by");
  for (const char* method : {"verlet", "dopri5"}) {
    plan.method = method;
    plan.h.reset();
    plan.rtol.reset();
    if (plan.method == "verlet")
      plan.h = 1e-4;
    else
      plan.rtol = 1e-9;

    const trill::Solution solution = trill::prepare(plan).run();
    if (!solution.ok()) {
      std::fprintf(stderr, "%s: %s\n", method, solution.outcome.message.c_str());
      return 1;
    }
    // One column of y() per output time; components are found by name.
    const auto end = solution.y().col(solution.rows() - 1);
    std::printf("%-8s %8lld %8lld %12.6f %12.6f   %.0e\n", method,
                static_cast<long long>(solution.outcome.counters.steps),
                static_cast<long long>(solution.outcome.counters.most_forces()), end[solution.component("x")],
                end[solution.component("y")], solution.drift("energy"));
  }
}
