// SPDX-License-Identifier: BSD-3-Clause
// A model by its energies alone: a ring of masses in the plane with stiff springs between neighbours that resist
// stretching and soft ones that resist bending. Energies are written once, for any kind of number; called with dual
// numbers they give forces and Jacobians.
//
// Build, with trill installed (as a static library; without --static for a shared one):
//   g++ -std=c++20 -O2 04_dual_numbers.cpp -o 04_dual_numbers $(pkg-config --static --cflags --libs trill)
//
// Prints
//   verlet             x =  1.166926  y =  1.339394  energy varies by 3.9e-08
//   implicit_midpoint  x =  1.166925  y =  1.339394  energy varies by 1.0e-09
//
// Read first: 02_own_model.cpp.
#include "trill/driver/plan.hpp"
#include "trill/model/element_problem.hpp"

#include <cstdio>
#include <numbers>

// The energy of a spring between two neighbours (x, y).
struct Stretch {
  static constexpr int size = 4;
  double k, length;
  template <class T>
  T energy(const T* q) const {
    using std::hypot;
    const T gap = hypot(q[2] - q[0], q[3] - q[1]) - length;
    return 0.5 * k * gap * gap;
  }
};

// The energy of bending at the second of three neighbours, by the angle between the two lines that meet there.
struct Bend {
  static constexpr int size = 6;
  double k;
  template <class T>
  T energy(const T* q) const {
    using std::atan2;
    const T ax = q[2] - q[0], ay = q[3] - q[1], bx = q[4] - q[2], by = q[5] - q[3];
    const T angle = atan2(ax * by - ay * bx, ax * bx + ay * by);
    return 0.5 * k * angle * angle;
  }
};

int main() {
  constexpr trill::Index n = 40;  // x and y of 20 masses
  trill::Vec start(n);
  for (trill::Index i = 0; i < n; i += 2) {  // an ellipse that wants to be a circle
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
    start[i] = 1.5 * std::cos(angle);
    start[i + 1] = std::sin(angle);
  }
  std::vector<trill::PlacedElement<Stretch>> stretches;
  std::vector<trill::PlacedElement<Bend>> bends;
  for (trill::Index i = 0; i < n; i += 2) {
    const trill::Index j = (i + 2) % n, k = (i + 4) % n;
    const double length = std::hypot(start[j] - start[i], start[j + 1] - start[i + 1]);
    stretches.push_back({{1e4, length}, {i, i + 1, j, j + 1}});
    bends.push_back({{1}, {i, i + 1, j, j + 1, k, k + 1}});
  }
  trill::ElementProblem ring("ring", start, trill::Vec::Zero(n));
  ring.add(std::move(stretches), {"stretch", true});
  ring.add(std::move(bends), {"bend", false});

  trill::RunPlan plan;
  plan.to = 5;
  plan.h = 1e-3;
  for (const char* method : {"verlet", "implicit_midpoint"}) {
    plan.method = method;
    const trill::Solution solution = trill::prepare(plan, ring.clone()).run();
    if (!solution.ok()) {
      std::fprintf(stderr, "%s: %s\n", method, solution.outcome.message.c_str());
      return 1;
    }
    const auto end = solution.y().col(solution.rows() - 1);
    std::printf("%-18s x = %9.6f  y = %9.6f  energy varies by %.1e\n", method, end[0], end[11],
                solution.drift("energy"));
  }
}
