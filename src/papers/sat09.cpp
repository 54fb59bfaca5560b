// SPDX-License-Identifier: BSD-3-Clause
#include "papers/sat09.hpp"

#include <cmath>

namespace trill::papers::sat09 {
namespace {
RunPlan plan_of(const Case& c, const std::string& method, const Output& output) {
  RunPlan plan;
  plan.model = c.model;
  plan.parameters = c.parameters;
  plan.method = method;
  plan.to = to;
  plan.output = output;
  return plan;
}

RunPlan hmm_plan(const Case& c, const std::string& macro, const Output& output) {
  RunPlan plan = plan_of(c, "hmm", output);
  plan.options = {{"mode", "paper"}, {"macro", macro}};
  return plan;
}

RunPlan hmm_ode45_plan(const Case& c, const Output& output) {
  RunPlan plan = hmm_plan(c, "dopri5", output);
  plan.options["control"] = "ode45";
  plan.rtol = 1e-3;
  return plan;
}
}  // namespace

Case second_stiff(double omega2) { return {"two_springs", {{"omega2", digits(omega2)}}}; }
Case first_stiff(double omega1) { return {"two_springs_first", {{"omega1", digits(omega1)}}}; }
Case both_stiff(double omega) { return {"two_stiff_springs", {{"omega1", digits(omega)}, {"omega2", digits(omega)}}}; }

Work work_of(const Solution& s) {
  const Counters& c = s.outcome.counters;
  return {static_cast<double>(c.steps), static_cast<double>(c.rejected), static_cast<double>(c.most_forces())};
}

Solution by_ode45(const Case& c, double rtol, const Output& output) {
  RunPlan plan = plan_of(c, "dopri5", output);
  plan.control = "ode45";
  plan.rtol = rtol;
  return finished(prepare(plan));
}

Solution reference(const Case& c, const Output& output) { return by_ode45(c, 1e-6, output); }

Solution tight_reference(const Case& c, const Output& output) {
  RunPlan plan = dop853_plan(c.model, 1e-11, 1e-13, {to, output});
  plan.parameters = c.parameters;
  return finished(prepare(plan));
}

Solution hmm_by_rk4(const Case& c, double h) {
  RunPlan plan = hmm_plan(c, "rk4", EveryStep{});
  plan.h = h;
  return finished(prepare(plan));
}

Solution hmm_by_ode45(const Case& c, const Output& output) { return finished(prepare(hmm_ode45_plan(c, output))); }

Pieces whole(const Solution& s) { return {s.t, s.y(), work_of(s)}; }

Pieces hmm_reprojected(const Case& c, double dt, double length, double rtol) {
  Pieces all;
  RunPlan plan = hmm_ode45_plan(c, Grid{dt});
  plan.rtol = rtol;
  State start;
  for (int piece = 0; piece * length < to; ++piece) {
    plan.from = piece * length;
    plan.to = (piece + 1) * length;
    PreparedRun run = prepare(plan);
    if (piece > 0) run.start = start;
    start = run.start;
    const Solution s = finished(std::move(run));
    const Index old = all.y.cols(), added = s.rows() - 1;
    if (piece == 0) all.y.resize(s.y().rows(), 0);
    all.t.insert(all.t.end(), s.t.begin(), s.t.end() - 1);
    all.y.conservativeResize(Eigen::NoChange, old + added);
    all.y.rightCols(added) = s.y().leftCols(added);
    start.t = *plan.to;
    start.y = s.y().rightCols(1);
    const Work more = work_of(s);
    all.work = {all.work.steps + more.steps, all.work.rejected + more.rejected, all.work.forces + more.forces};
  }
  all.t.push_back(to);
  all.y.conservativeResize(Eigen::NoChange, all.y.cols() + 1);
  all.y.rightCols(1) = start.y;
  return all;
}

double distance(In a, In b, Part part) {
  const Index half = a.size() / 2, from = part == Part::positions ? 0 : half;
  return (a.segment(from, half) - b.segment(from, half)).cwiseAbs().maxCoeff();
}

double largest_distance(const Pieces& a, const Pieces& b, Part part, double until) {
  double most = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < a.t.size() && a.t[i] <= until + 1e-9; ++i) {
    while (k + 1 < b.t.size() && b.t[k] < a.t[i] - 1e-9) ++k;
    if (std::abs(b.t[k] - a.t[i]) > 1e-9) continue;
    most = std::max(most, distance(a.y.col(static_cast<Index>(i)), b.y.col(static_cast<Index>(k)), part));
  }
  return most;
}

Vec state_at(const Pieces& s, double t) { return s.y.col(row_at(s.t, t)); }

void add_line(Chart& chart, const Curve& curve, const Pieces& s) {
  ChartSeries series{"HMM, " + curve.label, {}, {}};
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    const Vec y = s.y.col(static_cast<Index>(i));
    add_point(series, curve.x(s.t[i], y), curve.y(s.t[i], y));
  }
  chart.series.push_back(std::move(series));
}

// NaN values between the dots keep a line from joining them.
void add_dots(Chart& chart, const Curve& curve, const Pieces& s) {
  ChartSeries series{"direct, " + curve.label, {}, {}};
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    const Vec y = s.y.col(static_cast<Index>(i));
    const double x = curve.x(s.t[i], y);
    add_point(series, x, curve.y(s.t[i], y));
    add_point(series, x, std::nan(""));
  }
  chart.series.push_back(std::move(series));
}
}  // namespace trill::papers::sat09
