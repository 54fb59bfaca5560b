// SPDX-License-Identifier: BSD-3-Clause
// What the tables and figures of YPR98 share: runs of the generalized alpha method with a fixed step, and numbers of an
// independent program beside them.
#pragma once

#include "papers/figure.hpp"
#include "trill/driver/plan.hpp"

#include <span>

namespace trill::ypr98 {
inline constexpr const char* print = "YPR98";
// The corrected formulas in extended precision, from their own text, with Newton's iteration to rounding.
inline constexpr const char* program = "independent program, same steps";

struct Setting {
  std::string model;
  double rho, h, to;
  std::string formulation = "index2";
  OptionSet parameters = {};
};
Solution follow(const Setting& setting, const Output& output);

Vec state_at(const Solution& s, double t);  // recorded there
double energy_at(const Solution& s, double t);
ChartSeries curve(std::string label, const Solution& s, Index component);
ChartSeries energy_curve(std::string label, const Solution& s);

FigureCell near(std::string label, double ours, double expected, double tolerance, std::string origin = program);
FigureCell shown(std::string label, double ours, double published, std::string origin = print);  // not gated
}  // namespace trill::ypr98
