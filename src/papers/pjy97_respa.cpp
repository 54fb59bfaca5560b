// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.5: the steps at which impulses resonate with a fast oscillation, q'' = -omega^2 q - W2 omega^2 q with
// slow kicks by the second force. Unstable from H*, cot(omega H*/2) = omega H* W2/2, to half a period, and before every
// other multiple of half a period.
#include "analysis/resonance.hpp"
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using std::numbers::pi;

// Where the step becomes unstable, between a stable and an unstable H/T.
double edge_of(const std::function<bool(double)>& unstable, double stable_at, double unstable_at) {
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (stable_at + unstable_at);
    (unstable(middle) ? unstable_at : stable_at) = middle;
  }
  return unstable_at;
}

// With the fast motion solved exactly, by the form that the method states.
bool unstable_exactly(double share, double step) {
  const SplitForm form = *Catalogue::all().method("impulse").split_form({});
  const double theta = 2 * pi * step;
  return excess_trace(form, theta, share * theta * theta) > 0;
}

// With Verlet steps inside, by steps of the method itself from two starts.
bool unstable_in_steps(double share, double step, int inner) {
  double trace = 0;
  for (const auto& [x, v] : {std::pair(1, 0), std::pair(0, 1)}) {
    const TextModel model = read_model(
        "two_forces.toml", fmt::format("coordinates.x = {{ start = {}, velocity = {} }}\n[[potential]]\nenergy = "
                                       "\"x^2/2\"\ngroup = \"fast\"\n[[potential]]\nenergy = \"{}*x^2/2\"\ngroup = "
                                       "\"slow\"\n",
                                       x, v, digits(share)));
    Steps run(*model.problem, "respa", {{"levels", fmt::format("slow,fast/{}", inner)}});
    if (!run.advance(2 * pi * step)) return true;
    trace += x ? run.state().q()[0] : run.state().v()[0];
  }
  return std::abs(trace) > 2;
}

struct Window {
  double share, from, to;
};
constexpr Window first_windows[] = {{0.01, 0.4950497696650996, 0.5},
                                    {0.05, 0.4762322672335367, 0.5},
                                    {0.1, 0.45482297106677994, 0.5},
                                    {0.25, 0.40253113265023194, 0.5},
                                    {0.5, 0.3427788879611991, 0.5}};
constexpr Window later_windows[] = {{0.1, 0.9112, 1.0}, {0.1, 1.3706, 1.5}};

void add_window(FigureResult& result, const Window& window, double tolerance) {
  const auto unstable = [&](double step) { return unstable_exactly(window.share, step); };
  const double inside = window.to - 1e-3 * (window.to - window.from);
  const std::string label = fmt::format("slow share {}, window before H/T = {}", window.share, window.to);
  result.cells.push_back(near(label + ": begins", edge_of(unstable, window.to - 0.3, inside), window.from, tolerance));
  result.cells.push_back(
      near(label + ": ends", edge_of(unstable, window.to + 0.02, inside), window.to, 2e-5, closed_form));
}

// cot(x) = W2 x for omega H*/2 = x
double closed_edge(double share) {
  double low = 0.1, high = pi / 2;
  for (int k = 0; k < 80; ++k) {
    const double x = 0.5 * (low + high);
    (1 / std::tan(x) > share * x ? low : high) = x;
  }
  return low / pi;
}

FigureResult respa_windows(bool) {
  FigureResult result;
  for (const Window& window : first_windows) {
    add_window(result, window, 2e-5);
    result.cells.push_back(near(fmt::format("slow share {}, begin by cot(x) = W2 x", window.share),
                                closed_edge(window.share), window.from, 2e-5));
  }
  for (const Window& window : later_windows) add_window(result, window, 1e-4);
  result.cells.push_back(near("respa, slow share 0.1, 4 inner Verlet steps: window begins at H/T",
                              edge_of([](double step) { return unstable_in_steps(0.1, step, 4); }, 0.3, 0.46), 0.4435,
                              1e-4));
  Chart chart{"Instability of impulses",           "above 0: unstable", {"H/T", "", false},
              {"|half the trace| - 1", "", false}, ChartStyle::line,    {}};
  const SplitForm form = *Catalogue::all().method("impulse").split_form({});
  for (const double share : {0.05, 0.1, 0.25}) {
    ChartSeries series{fmt::format("slow share {}", share), {}, {}};
    for (double step = 0.002; step < 1.6; step += 0.002) {
      const double theta = 2 * pi * step;
      add_point(series, step, std::max(0.0, excess_trace(form, theta, share * theta * theta)));
    }
    chart.series.push_back(std::move(series));
  }
  result.charts.push_back(std::move(chart));
  result.remark =
      "T is the period of the fast motion alone. Inner Verlet steps are slightly too fast, so windows begin earlier.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_respa(FigureRegistry& registry) {
  registry.add({"pjy97_respa_windows", "Steps at which impulse methods resonate with a fast oscillation",
                "PJY97 sec. 4.5", papers::pjy97::respa_windows});
}
}  // namespace trill
