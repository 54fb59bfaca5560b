// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.2: variable steps by a transformation of time, on a Kepler orbit with eccentricity 0.9 that starts at
// its pericentre. Steps are equal in a fictitious time sigma with dt = s(q) dsigma; h is the sigma of one period over
// the number of steps.
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using std::numbers::pi;
constexpr double eccentricity = 0.9, period = 2 * pi;

// sigma of one period for s = r^power: the integral of dt/r^power, dt = (1 - e cos E) dE.
double fictitious_period(double power) {
  constexpr int points = 20000;
  double sum = 0;
  for (int k = 0; k < points; ++k)
    sum += std::pow(1 - eccentricity * std::cos(2 * pi * (k + 0.5) / points), 1 - power) * 2 * pi / points;
  return sum;
}

double energy_of(In y) { return 0.5 * y.tail(2).squaredNorm() - 1 / y.head(2).norm(); }

Vec exact_at(double t) {
  const double e = eccentricity;
  const double mean = std::remainder(t, 2 * pi);
  double anomaly = mean + (mean > 0 ? 0.5 : -0.5);
  for (int k = 0; k < 200; ++k)
    anomaly -= (anomaly - e * std::sin(anomaly) - mean) / (1 - e * std::cos(anomaly)) * (k < 50 ? 0.5 : 1);
  Vec q(2);
  q << std::cos(anomaly) - e, std::sqrt(1 - e * e) * std::sin(anomaly);
  return q;
}

struct OrbitRun {
  double largest = 0;      // change of the energy in the periods that are looked at
  double place_error = 0;  // at the first step after the last period
  std::int64_t steps = 0;
  std::vector<double> t, change;
};

// Steps to the end of so many periods; energies are looked at in the last ones.
OrbitRun follow(const std::string& method, const OptionSet& options, double h, int periods, int looked_at,
                bool keeps_curve = false) {
  const auto problem = make_model("kepler", {{"e", digits(eccentricity)}}).problem;
  Steps run(*problem, method, options);
  const double start = energy_of(run.state().y);
  OrbitRun found;
  while (run.state().t < periods * period) {
    if (!run.advance(h)) throw UsageError(method + " failed on the orbit");
    ++found.steps;
    if (run.state().t < (periods - looked_at) * period) continue;
    const double change = std::abs(energy_of(run.state().y) - start);
    found.largest = std::max(found.largest, change);
    if (keeps_curve) {
      found.t.push_back(run.state().t / period);
      found.change.push_back(change);
    }
  }
  found.place_error = (run.state().q() - exact_at(run.state().t)).norm();
  return found;
}

OptionSet scaled(double power, int steps) {
  return {{"scale", fmt::format("(x^2 + y^2)^{}", power / 2)}, {"step", digits(fictitious_period(power) / steps)}};
}
// Methods that choose their steps by the transformation may take any.
constexpr double unbounded = 1e3;

OrbitRun transformed(double power, int steps, int periods, int looked_at, bool curve = false) {
  return follow("time_transform", scaled(power, steps), unbounded, periods, looked_at, curve);
}

// A map keeps the form dq ^ dp if J^T W J = W for its Jacobian J, here by differences of order 4. The energy H0 belongs
// to the method and stays that of the orbit; the memory of the stepper is written for each neighbour.
double symplectic_defect() {
  const auto problem = make_model("kepler", {{"e", digits(eccentricity)}}).problem;
  const auto stepper = Catalogue::all().method("time_transform").make(*problem, scaled(1.5, 400));
  const ErrorScale scale{.rtol = 1e-13, .atol = Vec::Constant(4, 1e-15)};
  const Vec weights = Vec::Constant(4, 1e13);
  Notes notes;
  Counters work;
  double energy = energy_of(problem->initial_state().y), step = fictitious_period(1.5) / 400;
  const auto mapped = [&](const Vec& y) {
    State s = problem->initial_state();
    stepper->start(s, scale);
    s.y = y;
    Vec a = -y.head(2) / std::pow(y.head(2).norm(), 3);
    Archive written;
    written(a, energy, step);
    Archive read(written.bytes());
    stepper->memory(read);
    if (stepper->step(s, {unbounded, scale, weights, HUGE_VAL, false, false, notes, work, {}}).status != StepStatus::ok)
      throw UsageError("a step on the orbit failed");
    return s.y;
  };
  Vec y(4);
  y << 0.05, 0.31, -1.6, 1.2;
  const double delta = 2e-4;
  Eigen::Matrix4d J, W = Eigen::Matrix4d::Zero();
  for (Index i = 0; i < 4; ++i) {
    const auto at = [&](double by) { return mapped(y + by * Vec::Unit(4, i)); };
    J.col(i) = (8 * (at(delta) - at(-delta)) - (at(2 * delta) - at(-2 * delta))) / (12 * delta);
  }
  W(0, 2) = W(1, 3) = 1;
  W(2, 0) = W(3, 1) = -1;
  return (J.transpose() * W * J - W).cwiseAbs().maxCoeff();
}

FigureResult time_transform_figure(bool full) {
  FigureResult result;
  const auto add = [&](FigureCell cell) { result.cells.push_back(std::move(cell)); };
  const OrbitRun s15 = transformed(1.5, 400, 10, 10, true), s1 = transformed(1, 400, 10, 10);
  add(near("s = r^1.5, 400 steps a period: largest change of energy in 10 periods", s15.largest, 2.898e-4, 2e-6));
  add(near("s = r, 400 steps: largest change of energy in 10 periods", s1.largest, 7.720e-4, 5e-6));
  add(near("s = r^1.5, 400 steps: error of the place after 10 periods", s15.place_error, 1.784e-2, 2e-4));
  const double fine = transformed(1.5, 800, 10, 10).place_error;
  add(near("s = r^1.5, 800 steps: error of the place after 10 periods", fine, 4.469e-3, 5e-5));
  add(near("s = r^1.5: observed order", std::log2(fine / transformed(1.5, 1600, 10, 10).place_error), 2, 0.03));
  add(at_most("s = r^1.5: defect of the symplectic form in one step", symplectic_defect(), 1e-9));
  const OrbitRun adaptive = follow("adaptive_verlet", scaled(1.5, 400), unbounded, 10, 10, true);
  add(near("adaptive Verlet, r^1.5, 400 steps: largest change of energy in 10 periods", adaptive.largest, 8.122e-4,
           5e-6));
  add(near("adaptive Verlet, r^1.5, 400 steps: error of the place after 10 periods", adaptive.place_error, 0.254,
           5e-3));
  // d sigma = -U dt, which is the integral of dt/r: 2 pi for a period
  const OptionSet log_step{{"step", digits(2 * pi / 200)}};
  const OrbitRun logarithmic = follow("logarithmic", log_step, unbounded, 10, 10);
  add(at_most("logarithmic form, 200 steps: largest change of energy in 10 periods", logarithmic.largest, 1e-12));
  const OrbitRun fixed = follow("verlet", {}, period / 400, 10, 10, true);
  add(near("Verlet, 400 equal steps: largest change of energy in 10 periods", fixed.largest, 0.34, 0.01));
  add(near("Verlet, 12800 equal steps: largest change of energy in 10 periods",
           follow("verlet", {}, period / 12800, 10, 10).largest, 3.0e-4, 1e-5));
  if (full) {
    add(near("s = r^1.5, 400 steps: largest change of energy in periods 990 to 1000",
             transformed(1.5, 400, 1000, 10).largest, 2.898e-4, 2e-6));
    add(near("s = r, 400 steps: largest change of energy in periods 990 to 1000", transformed(1, 400, 1000, 10).largest,
             7.720e-4, 5e-6));
    add(near("adaptive Verlet, 400 steps: largest change of energy in periods 990 to 1000",
             follow("adaptive_verlet", scaled(1.5, 400), unbounded, 1000, 10).largest, 8.122e-4, 5e-6));
    add(at_most("logarithmic form, 200 steps: largest change of energy in periods 990 to 1000",
                follow("logarithmic", log_step, unbounded, 1000, 10).largest, 1e-12));
  }
  Chart chart{"Change of energy on a Kepler orbit with e = 0.9",
              "400 steps a period",
              {"periods", "", false},
              {"change of energy", "", true},
              ChartStyle::line,
              {}};
  chart.series.push_back({"s = r^1.5", s15.t, s15.change});
  chart.series.push_back({"adaptive Verlet", adaptive.t, adaptive.change});
  chart.series.push_back({"equal steps", fixed.t, fixed.change});
  result.charts.push_back(std::move(chart));
  result.remark =
      "At equal error of the energy the transformation saves about 32 times the steps of Verlet's method. The "
      "logarithmic form has the orbit exactly, but not the time on it.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_time_transform(FigureRegistry& registry) {
  registry.add({"pjy97_time_transform", "Variable steps by a transformation of time on an eccentric orbit",
                "PJY97 sec. 4.2", papers::pjy97::time_transform_figure});
}
}  // namespace trill
