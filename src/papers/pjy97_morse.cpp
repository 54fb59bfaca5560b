// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.1: at which steps Verlet, the implicit midpoint rule and LIM2 lose a Morse oscillator. The discrete
// motion is in resonance n:m where its angle per step is 2 pi m/n (Skeel, Zhang, Schlick 1997; Mandziuk, Schlick 1995).
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/analysis/stability.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using std::numbers::pi;

constexpr const char* morse = R"toml(
coordinates.x = { start = 0.1 }
[[potential]]
energy = "(1 - exp(-x/sqrt(2)))^2"
)toml";

struct Member {
  const char* name;
  double alpha;
};
constexpr Member verlet{"Verlet", 0}, numerov_member{"Numerov", 1.0 / 12}, midpoint{"implicit midpoint", 0.25},
    lim2{"LIM2", 0.5};

OptionSet options_of(const Member& member) { return {{"alpha", digits(member.alpha)}}; }

// h/T at which the method's own angle per step is 2 pi m/n, by bisection on its linear form; NaN: nowhere.
double resonant_step(const Member& member, int n, int m) {
  const LinearForm form = *Catalogue::all().method("envelope_verlet").linear_form(options_of(member));
  const auto angle = [&](double mu) {
    return std::acos(std::clamp(static_cast<double>(step_matrix(form, mu).half_trace()), -1.0, 1.0));
  };
  double low = 0, high = 100;
  const double wanted = 2 * pi * m / n;
  if (angle(high) < wanted) return std::nan("");
  for (int k = 0; k < 100; ++k) (angle(0.5 * (low + high)) < wanted ? low : high) = 0.5 * (low + high);
  return low / (2 * pi);
}

// The largest |x| in so many steps; infinite: it escaped.
double largest_in(const Member& member, double h, int steps) {
  const TextModel model = read_model("morse.toml", morse);
  Steps run(*model.problem, "envelope_verlet", options_of(member));
  double largest = 0;
  for (int k = 0; k < steps; ++k) {
    if (!run.advance(h)) return HUGE_VAL;
    largest = std::max(largest, std::abs(run.state().q()[0]));
    if (largest > 20) return HUGE_VAL;
  }
  return largest;
}

void add_periodicity(FigureResult& result, const Member& member, double end) {
  const StabilityReport report =
      analyse_stability(*Catalogue::all().method("envelope_verlet").linear_form(options_of(member)), 1);
  result.cells.push_back(
      near(fmt::format("{}, end of periodicity", member.name), report.periodicity_end, end, 1e-4, closed_form));
}

void add_escape(FigureResult& result, const Member& member, double step, bool escapes) {
  const bool escaped = std::isinf(largest_in(member, 2 * pi * step, 20000));
  result.cells.push_back(near(fmt::format("{}, h/T = {}: escapes (1: yes)", member.name, step), escaped, escapes, 0));
}

FigureResult morse_resonance(bool full) {
  FigureResult result;
  add_periodicity(result, verlet, 2);
  add_periodicity(result, numerov_member, std::sqrt(6.0));
  const auto resonance = [&](const Member& member, int n, double expected) {
    result.cells.push_back(near(fmt::format("{}, resonance {}:1 at h/T", member.name, n), resonant_step(member, n, 1),
                                expected, 1e-5, closed_form));
  };
  resonance(verlet, 3, 0.275664);
  resonance(verlet, 4, 0.225079);
  resonance(verlet, 6, 0.159155);
  resonance(numerov_member, 3, 0.31831);
  resonance(numerov_member, 4, 0.24656);
  resonance(midpoint, 3, 0.551329);
  resonance(midpoint, 4, 0.31831);
  resonance(lim2, 5, 0.33657);
  for (const double step : {0.225, 0.27, 0.275, 0.28}) add_escape(result, verlet, step, true);
  for (const double step : {0.22, 0.23, 0.24, 0.25, 0.26, 0.29, 0.3}) add_escape(result, verlet, step, false);
  for (const double step : full ? std::vector{0.545, 0.55, 0.555} : std::vector{0.55})
    add_escape(result, midpoint, step, true);
  for (const double step : full ? std::vector{0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6} : std::vector{0.3, 0.5})
    add_escape(result, midpoint, step, false);
  for (const double step :
       full ? std::vector{0.15, 0.2, 0.25, 0.3, 0.335, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6} : std::vector{0.275, 0.55})
    add_escape(result, lim2, step, false);
  Chart chart{"Largest displacement of a Morse oscillator",
              "20000 steps from 0.1 at rest; gaps: it escapes",
              {"h/T", "", false},
              {"largest |x|", "", true},
              ChartStyle::line,
              {}};
  for (const Member& member : {verlet, midpoint, lim2}) {
    ChartSeries series{member.name, {}, {}};
    for (double step = 0.1; step < 0.61; step += full ? 0.005 : 0.05) {
      const double largest = largest_in(member, 2 * pi * step, full ? 20000 : 2000);
      add_point(series, step, std::isfinite(largest) ? largest : std::nan(""));
    }
    chart.series.push_back(std::move(series));
  }
  result.charts.push_back(std::move(chart));
  result.remark = "D = 1 and b = 1/sqrt(2), so that omega = 1 and T = 2 pi. LIM2 has no resonances 3:1 and 4:1.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_morse(FigureRegistry& registry) {
  registry.add({"pjy97_morse_resonance", "Resonant steps of Verlet, implicit midpoint and LIM2 on a Morse oscillator",
                "PJY97 sec. 4.1", papers::pjy97::morse_resonance});
}
}  // namespace trill
