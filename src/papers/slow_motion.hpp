// SPDX-License-Identifier: BSD-3-Clause
// What the figures of slow motions have in common: the problems, their runs, and cells for errors.
#pragma once

#include "papers/cells.hpp"
#include "papers/runs.hpp"

namespace trill::papers::slow_motion {
// smooth: gaps closed at the start, for motions on the slow manifold. fast: with energy in the oscillation.
enum class Data { smooth, fast };

struct Subject {
  std::string name;
  double to = 10;
  double slowest = 1;  // slowest fast frequency along the motion, divided by omega
  std::string model;   // empty: `text` is the model
  std::string text{};
  OptionSet (*parameters)(double omega, Data data) = nullptr;
  bool same_data = true;  // as far as is known, the published numbers have the same data
};
const Subject& subject(std::string_view name);

PreparedRun prepare_run(const Subject& subject, double omega, Data data, RunPlan plan, const OptionSet& more = {});
RunPlan slow_plan(double to, const OptionSet& options, double rtol);
RunPlan stiff_plan(double to);

// The state of the stiff motion at the sample times, with its oscillation removed.
Mat slow_part_of_stiff_motion(const Subject& subject, double omega, const OptionSet& more = {});
// All rows of the solution but the first, as columns.
Mat samples_of(const Solution& solution);

struct Errors {
  double q = 0, v = 0;
  double worst() const { return std::max(q, v); }
};
Errors distance(const Mat& a, const Mat& b, Index nq);

// The order p of errors that fall like omega^-p.
double falling_order(const std::vector<double>& omega, const std::vector<double>& error);

FigureCell error_cell(std::string label, double ours, double published, double max_factor = 1.5);
Chart error_chart(std::string title, std::string note, std::vector<ChartSeries> series);
}  // namespace trill::papers::slow_motion
