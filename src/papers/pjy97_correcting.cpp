// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.3: which potential corrects for an oscillation that is not followed? x'' = -x - x y^2/epsilon^2 beside
// y'' = -(1 + x^2) y/epsilon^2 with the energy 1 in y. If y oscillates by itself its action is constant, and the
// potential is J omega(x); if it is in equilibrium with a heat bath, it is that of Fixman, kT log omega(x).
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/base/random.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
constexpr double x_at_start = 0.8, spacing = 0.02;

TextModel model_with(double epsilon) {
  return read_model("varying.toml", fmt::format(R"toml(
[coordinates]
x = {{ start = {0}, velocity = 0 }}
y = {{ start = 0, velocity = "sqrt(2)" }}

[[stiff]]
gap = "sqrt(1 + x^2)*y"
stiffness = {1}

[[potential]]
energy = "x^2/2"
)toml",
                                                x_at_start, digits(1 / (epsilon * epsilon))));
}

Vec path_of_x(double epsilon, double to, const char* method, const OptionSet& options) {
  RunPlan plan;
  plan.model = "varying";
  plan.method = method;
  plan.options = options;
  plan.to = to;
  plan.rtol = 1e-9;
  plan.atol = 1e-11;
  plan.output = Grid{spacing};
  plan.native = Native::never;
  return finished(prepare(plan, model_with(epsilon).problem)).y().row(0).transpose();
}

Vec corrected(const char* policy, double to) {
  return path_of_x(0.01, to, "slow", {{"order", "0"}, {"fast_energy", policy}});
}

struct Averaged {
  Vec mean, error;
};

// x with y in a heat bath of temperature 1, which x feels only through y: BAOAB for y, Verlet for x.
Averaged in_a_bath(double epsilon, double to, double friction, int runs) {
  constexpr int inner = 10;
  const double h = spacing / inner, stiffness = 1 / (epsilon * epsilon), decay = std::exp(-friction * h),
               noise = std::sqrt(1 - decay * decay);
  const auto rows = static_cast<Index>(std::lround(to / spacing)) + 1;
  Vec sum = Vec::Zero(rows), squares = sum;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    double x = x_at_start, v = 0;
    double y = random_normal({seed, 1, 0}, 0) * epsilon / std::sqrt(1 + x * x), u = random_normal({seed, 1, 0}, 1);
    const auto kick = [&] {
      v -= 0.5 * h * x * (1 + y * y * stiffness);
      u -= 0.5 * h * (1 + x * x) * y * stiffness;
    };
    for (Index row = 0; row < rows; ++row) {
      sum[row] += x;
      squares[row] += x * x;
      for (int k = 0; k < inner; ++k) {
        kick();
        x += h * v;
        y += 0.5 * h * u;
        u = decay * u + noise * random_normal({seed, 2, static_cast<std::uint64_t>(row * inner + k)}, 0);
        y += 0.5 * h * u;
        kick();
      }
    }
  }
  Averaged out{sum / runs, sum};
  out.error = ((squares / runs - out.mean.cwiseAbs2()) / (runs - 1)).cwiseMax(0).cwiseSqrt();
  return out;
}

double largest(const Vec& a, const Vec& b) { return (a - b).cwiseAbs().maxCoeff(); }

ChartSeries curve_of(std::string label, const Vec& x) {
  ChartSeries series{std::move(label), {}, {}};
  for (Index k = 0; k < x.size(); ++k) add_point(series, spacing * static_cast<double>(k), x[k]);
  return series;
}

FigureResult correcting_figure(bool full) {
  FigureResult result;
  const auto add = [&](FigureCell cell) { result.cells.push_back(std::move(cell)); };
  const Vec none = corrected("drop", 10), adiabatic = corrected("keep", 10), fixman = corrected("fixman", 10);
  const Vec exact = path_of_x(0.01, 10, "dop853", {});
  add(near("alone, no correction", largest(none, exact), 1.5657, 0.005));
  add(at_most("alone, constant action", largest(adiabatic, exact), 1e-4));
  add(near("alone, Fixman", largest(fixman, exact), 0.1056, 0.002));
  add(near("alone, Fixman, epsilon = 0.02", largest(fixman, path_of_x(0.02, 10, "dop853", {})), 0.1056, 0.002));

  const Averaged bath = in_a_bath(0.01, 6, 20, full ? 20000 : 1000);
  const Index rows = bath.mean.size();
  const double error = bath.error.maxCoeff();
  const auto in_bath = [&](const char* name, const Vec& policy, double expected) {
    // The other numbers are means of 200 runs, whose error is larger than ours.
    const double both = 5 * error * std::sqrt(1 + (full ? 20000 : 1000) / 200.0);
    add(near(fmt::format("in a bath, {}, mean of runs, standard error {:.1e}", name, error),
             largest(policy.head(rows), bath.mean), expected, both));
  };
  in_bath("no correction", none, 0.92);
  in_bath("constant action", adiabatic, 0.072);
  in_bath("Fixman", fixman, 0.018);
  // Which of the two is right where: the errors of the mean allow for this from some 5000 runs on.
  result.cells.push_back(
      judged_if(full, at_least("in a bath, error with constant action over that with Fixman's",
                               largest(adiabatic.head(rows), bath.mean) / largest(fixman.head(rows), bath.mean), 4, 2,
                               computed_by("a prototype"))));
  result.charts = {
      time_chart("The oscillation alone", "full motion, and slow motions with three forces", {"x", "", false},
                 {curve_of("full", exact), curve_of("constant action", adiabatic), curve_of("Fixman", fixman),
                  curve_of("no correction", none)}),
      time_chart("The oscillation in a heat bath", "mean over runs of the full motion", {"x", "", false},
                 {curve_of("mean of the full motion", bath.mean), curve_of("constant action", adiabatic.head(rows)),
                  curve_of("Fixman", fixman.head(rows)), curve_of("no correction", none.head(rows))})};
  result.remark =
      "fast_energy=keep of slow has the force of constant actions, fast_energy=fixman that of an equilibrium. An "
      "oscillation by itself asks for the first, one in equilibrium with a heat bath for the second. Errors are the "
      "largest ones of x until t = 10 alone and until t = 6 in a bath with the friction 20 on y.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_correcting(FigureRegistry& registry) {
  registry.add({"pjy97_correcting_potential", "The force of an oscillation that is not followed: two potentials",
                "PJY97 sec. 4.3; Reich, Physica D 138 (2000) 210-224", papers::pjy97::correcting_figure});
}
}  // namespace trill
