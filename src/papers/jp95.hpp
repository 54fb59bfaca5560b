// SPDX-License-Identifier: BSD-3-Clause
// What the figures of JP95 sec. 5 have in common: the stiff spring pendulum with steps far longer than its fast period.
#pragma once

#include "papers/cells.hpp"
#include "trill/problem/problem.hpp"

namespace trill::papers::jp95 {
inline constexpr double usual_epsilon = 1e-5, usual_h = 0.01, usual_end = 20;
inline constexpr double perturbation = 1e-5;  // displacement along the spring that starts an oscillation

struct Method {
  std::string name;  // in the registry; s = 0: the number of stages cannot be chosen
  int s = 0;
  std::string title() const;  // "Gauss 5"
};

// Starts at rest at 1 - 3 epsilon^4 - 54 epsilon^8 + delta, perpendicular to gravity; delta = 0 is the smooth motion.
struct Setting {
  double delta = 0, h = usual_h, to = usual_end, epsilon = usual_epsilon;
};
std::unique_ptr<Problem> pendulum(const Setting& setting);

// All steps including the start. Positions and velocities are those of the model, with gravity along +y.
struct Track {
  std::vector<double> t, energy, radial;  // radial: velocity along the spring
  std::vector<Vec> y;
  std::vector<double> fast_energy;
  double iterations = 0;  // per step
  int failed = 0;         // number of the step that failed; 0: none
  int steps() const { return static_cast<int>(t.size()) - 1; }
  double most_energy() const;  // largest absolute value after the start
};
Track follow(const Method& method, const Setting& setting);

ChartSeries magnitudes(std::string label, const Track& track);  // absolute energy, with gaps where it is 0
Chart magnitude_chart(std::string title, std::string note, std::vector<ChartSeries> series);
}  // namespace trill::papers::jp95
