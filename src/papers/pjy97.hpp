// SPDX-License-Identifier: BSD-3-Clause
// What the figures of PJY97 sections 1 and 3.1 have in common: states and local eigenvalues along an accurately
// computed solution; and averages of random motions.
#pragma once

#include "analysis/eigenvalues_along.hpp"
#include "driver/averages.hpp"
#include "papers/cells.hpp"

#include <span>

namespace trill::papers::pjy97 {
Solution solve(const std::string& model, double to, double dt);
std::vector<LocalSpectrum> spectra_along(const std::string& model, const Solution& solution);

// States expected at multiples of the time `every`, one after another in `states`.
struct Expectation {
  std::span<const double> states;
  double every;
  CellOrigin origin;
};
inline constexpr double state_tolerance = 1e-9;
FigureResult states(const Solution& solution, const Expectation& expected);

// Of a measure, without the part of the run in which it comes to its equilibrium, in multiples of a unit.
Average average_of(const Solution& s, const std::string& measure, double unit = 1);
Average average_of(const Vec& values, double spacing);
// Equal within five standard errors, those of the run and those of the other number.
FigureCell sampled(const std::string& label, const Average& found, double expected, double their_error = 0,
                   CellOrigin origin = independent);

// What LN and SIN(R) make of an oscillator with a tenth of its stiffness in slow forces: a part of the figure of
// chains.
void add_slow_share(FigureResult& result, bool full);

Chart eigenvalue_chart(const std::vector<LocalSpectrum>& spectra);
}  // namespace trill::papers::pjy97
