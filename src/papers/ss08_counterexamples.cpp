// SPDX-License-Identifier: BSD-3-Clause
// The problems used for the converses of SS08 theorems 2 and 3: filters must be zero at h omega = 2 pi k.
#include "multiscale/weight.hpp"
#include "papers/cells.hpp"
#include "papers/filters.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::filters {
namespace {
constexpr double rounding_only = 1e-12;

Vec after_unit_time(const LinearFast& problem, const Pair& pair, double h) {
  Steps steps = mollified_impulse(problem, pair);
  for (int n = 0; n * h < 1 - h / 2; ++n)
    if (!steps.advance(h)) return Vec::Constant(problem.layout().size(), std::nan(""));
  return steps.state().y;
}

// One oscillator under a constant force 1, from rest: the momentum p = sin(omega t)/omega is 0 after whole periods.
double momentum_error(const Pair& pair, double h, double omega) {
  const auto push = [](In, Out g) { g[0] += 1; };
  return after_unit_time({Vec{{omega}}, push, Vec{{0}}, Vec{{0}}}, pair, h)[1];
}

// q1'' = -omega^2 q1, q2'' = -q1 with q1 = cos(omega t)/omega, q2 = cos(omega t)/omega^3.
double position_error(const Pair& pair, double h, double omega) {
  const auto pull = [](In q, Out g) { g[1] -= q[0]; };
  const double q2 = std::pow(omega, -3);
  return after_unit_time({Vec{{omega, 0}}, pull, Vec{{1 / omega, q2}}, Vec{{0, 0}}}, pair, h)[1] - q2;
}

FigureResult counterexamples(bool) {
  FigureResult result;
  for (const char* name : {"delta", "short", "long", "lin", "box(1.5)"})
    for (const double h : {0.1, 0.05})
      for (const int k : {1, 2}) {
        const Pair pair{name, name};
        const double angle = 2 * std::numbers::pi * k, omega = angle / h, hat = Weight::named(name).filter(angle);
        const std::string at = fmt::format("{}, h = {}, h omega = {} pi", pair.name(), h, 2 * k);
        result.cells.push_back(near(at + ", P - p", momentum_error(pair, h, omega), hat, rounding_only, closed_form));
        result.cells.push_back(
            near(at + ", Q2 - q2", position_error(pair, h, omega), -hat / (2 * omega), rounding_only, closed_form));
      }
  result.remark =
      "After unit time. P - p = t hatpsi(2 pi k) for a constant force: without a zero of hatpsi there momenta have no "
      "order. Q2 - q2 = -hatphi(2 pi k) t^2/(2 omega): without a zero of hatphi positions are of order 1.";
  return result;
}
}  // namespace
}  // namespace papers::filters

void register_figure_ss08_counterexamples(FigureRegistry& registry) {
  using namespace papers::filters;
  registry.add({"ss08_counterexamples", "Why filters must vanish at 2 pi k", "SS08 theorems 2 and 3", counterexamples});
}
}  // namespace trill
