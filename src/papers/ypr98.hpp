// SPDX-License-Identifier: BSD-3-Clause
// What the tables and figures of YPR98 have in common: runs of the generalized alpha method with a fixed step, compared
// with numbers of an independent program.
#pragma once

#include "papers/cells.hpp"
#include "papers/runs.hpp"

namespace trill::papers::ypr98 {
inline const CellOrigin print = published_in("YPR98");
// An independent implementation of the corrected formulas in extended precision, with Newton's iteration to rounding.
inline const CellOrigin same_steps = computed_by("the same steps");

struct Setting {
  std::string model;
  double rho, h, to;
  std::string formulation = "index2";
  OptionSet parameters = {};
};
Solution follow(const Setting& setting, const Output& output);

Vec state_at(const Solution& s, double t);  // t must be a recorded time
double energy_at(const Solution& s, double t);
ChartSeries energy_curve(std::string label, const Solution& s);
}  // namespace trill::papers::ypr98
