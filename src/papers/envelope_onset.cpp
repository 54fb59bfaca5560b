// SPDX-License-Identifier: BSD-3-Clause
// PJY97 figure 7, a solution and its quasi-envelope; and an oscillation that sets in during a run, PJY97 sec. 5.3.
#include "multiscale/cycle_tableau.hpp"
#include "multiscale/problem_cycle.hpp"
#include "papers/cells.hpp"
#include "papers/runs.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::envelopes {
namespace {
constexpr double clock_period = 1, clock_turn = 2 * std::numbers::pi / clock_period, followed_until = 100;
constexpr int cycles_of_step = 5;

// A filter that is driven by a clock and starts with the ripple that belongs to it:
// v'' = 0.02 - 0.06 v' - 0.004 v + (2 pi)^2 sin(2 pi t)
class ClockedFilter final : public FirstOrderProblem {
 public:
  std::string name() const override { return "clocked filter"; }
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"v", ""}, {"i", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 0, -clock_turn;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ClockedFilter>(*this); }
  void rhs(double t, In y, Out dy) const override {
    dy << y[1], 0.02 - 0.06 * y[1] - 0.004 * y[0] + clock_turn * clock_turn * std::sin(clock_turn * t);
  }
};

// The quasi-envelope that starts at `start`.
ChartSeries quasi_envelope(std::string label, const Problem& problem, const State& start) {
  constexpr int each = cycles_of_step;
  const ProblemCycle map(problem, start, clock_period, 1e-11);
  const CycleTableau tableau = cycle_tableau(CycleScheme::rk4, 1.0 / each);
  ChartSeries series{std::move(label), {start.t}, {start.y[0]}};
  Vec z = start.y, stage = z;
  Mat changes = Mat::Zero(z.size(), tableau.c.size());
  for (double n = 0; map.time(n + each, z) <= followed_until + 1e-9; n += each) {
    for (Index i = 0; i < tableau.c.size(); ++i) {
      stage = z + changes.leftCols(i) * (each * tableau.a.row(i).head(i).transpose());
      if (!map.change(n + tableau.c[i] * each, stage, changes.col(i)))
        throw UsageError("a cycle of the clocked filter could not be computed");
    }
    z += changes * (each * tableau.b);
    add_point(series, map.time(n + each, z), z[0]);
  }
  return series;
}

FigureResult solution_and_envelope(bool) {
  const ClockedFilter problem;
  const Solution full =
      finished(prepare(dop853_plan("clocked filter", 1e-12, 1e-13, {followed_until, Grid{0.05}}), problem.clone()));
  FigureResult result;
  std::vector<ChartSeries> series{curve("solution", full, 0)};
  for (const double begins : {0.0, 0.25}) {
    State start = problem.initial_state();
    start.t = begins;
    start.y = full.y().col(row_at(full.t, begins));
    ChartSeries envelope = quasi_envelope(fmt::format("quasi-envelope from t = {}", begins), problem, start);
    for (std::size_t k = 1; k < envelope.x.size(); ++k) {
      const double expected = full.y()(0, row_at(full.t, envelope.x[k]));
      result.cells.push_back(near(fmt::format("from t = {}, at t = {:.1f}", begins, envelope.x[k]), envelope.y[k],
                                  expected, 1e-4, own_by("dop853, rtol = 1e-12")));
    }
    series.push_back(std::move(envelope));
  }
  result.charts = {
      time_chart("Solution and quasi-envelopes", "steps of 5 cycles", {"v", "", false}, std::move(series))};
  result.remark = "A quasi-envelope goes through the solution once in each cycle; it depends on where it starts.";
  return result;
}

struct Published {
  double rtol, error, gain;
};

RunPlan onset_plan(const std::string& method, double rtol) {
  RunPlan plan;
  plan.model = "onset";
  plan.parameters = {{"ends", "1e9"}};
  plan.method = method;
  plan.rtol = rtol;
  plan.atol = 1e-3 * rtol;
  plan.to = 1500;
  return plan;
}

Vec end_of_run(const Solution& s) { return s.y().col(s.rows() - 1); }

// The independent program ran another oscillation that sets in at t = 100 with a period of about 1 that drifts; its
// numbers are bounds.
FigureResult onset(bool) {
  constexpr std::array<Published, 3> published{{{1e-3, 4.8e-3, 7.4}, {1e-4, 1.9e-3, 4.4}, {1e-5, 3.1e-4, 2.4}}};
  constexpr double begins = 100, cycles_allowed = 6;
  const Vec exact = end_of_run(finished(prepare(onset_plan("dop853", 1e-12))));
  FigureResult result;
  Chart chart = time_chart("Step sizes", "", {"h", "", true});
  for (const Published& p : published) {
    const Solution s = finished(prepare(onset_plan("envelope_switching", p.rtol)));
    const Solution direct = finished(prepare(onset_plan("dop853", std::min(1e-7, 1e-3 * p.rtol))));
    const std::string at = fmt::format("rtol = {:g}, ", p.rtol);
    double noticed = 0;
    std::int64_t switches = 0;
    for (const Notice& notice : s.outcome.notices)
      if (notice.code == "envelope_begins") {
        noticed = notice.t;
        switches = notice.count;
      }
    result.cells.push_back(at_least(at + "noticed, cycles after the onset", -(noticed - begins), -cycles_allowed, 0));
    result.cells.push_back(
        near(at + "switches to the envelope", static_cast<double>(switches), 1, 0, expected_since("no false alarm")));
    result.cells.push_back(at_most(at + "error at the end", (end_of_run(s) - exact).norm(), p.error));
    result.cells.push_back(at_least(at + "gain in evaluations",
                                    static_cast<double>(direct.outcome.counters.most_forces()) /
                                        static_cast<double>(s.outcome.counters.most_forces()),
                                    p.gain, 0));
    ChartSeries series{fmt::format("rtol = {:g}", p.rtol), {}, {}};
    for (std::size_t k = 1; k < s.t.size(); ++k) add_point(series, s.t[k], s.t[k] - s.t[k - 1]);
    chart.series.push_back(std::move(series));
  }
  result.charts = {std::move(chart)};
  return result;
}
}  // namespace
}  // namespace papers::envelopes

void register_figure_envelope_onset(FigureRegistry& registry) {
  using namespace papers::envelopes;
  registry.add({"pjy97_fig7", "A solution and its quasi-envelopes", "PJY97 fig. 7", solution_and_envelope});
  registry.add({"onset", "An oscillation that sets in during a run", "PJY97 sec. 5.3", onset});
}
}  // namespace trill
