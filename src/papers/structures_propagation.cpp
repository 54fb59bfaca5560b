// SPDX-License-Identifier: BSD-3-Clause
// All unknowns of rough structures followed in time: implicit steps, explicit ones and polynomials of the matrix.
#include "linalg/cosine_transform.hpp"
#include "multiscale/chebyshev_motion.hpp"
#include "multiscale/krylov_motion.hpp"
#include "papers/cells.hpp"
#include "papers/rough_structures.hpp"
#include "papers/runs.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
constexpr int rows_judged = 10;  // t = 1, ..., 10

double error_of_steps(const RoughCase& c, const std::string& method, const OptionSet& options, int steps_of_unit) {
  const GivenStructure& s = c.structure;
  Steps steps(s, method, options);
  Mat found(coordinates_judged, rows_judged);
  for (Index i = 0; i < rows_judged; ++i) {
    for (int k = 0; k < steps_of_unit; ++k)
      if (!steps.advance(1.0 / steps_of_unit)) return std::nan("");
    found.col(i) = c.phi.transpose() * (s.m * steps.state().q());
  }
  return c.error(found);
}

struct Propagated {
  double error = 0;
  long products = 0;
};

Propagated by_polynomials(const RoughCase& c, double tolerance) {
  const GivenStructure& s = c.structure;
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0;
  Mat found(coordinates_judged, rows_judged);
  for (Index i = 0; i < rows_judged; ++i) {
    if (!motion.advance(static_cast<double>(i), 1, tolerance, u, v)) return {std::nan(""), 0};
    found.col(i) = c.phi.transpose() * (s.m * u);
  }
  return {c.error(found), motion.products()};
}

Propagated by_exponentials(const RoughCase& c, double tolerance, double longest) {
  const GivenStructure& s = c.structure;
  KrylovMotion motion(s);
  Vec u = s.u0, v = s.v0;
  Mat found(coordinates_judged, rows_judged);
  double t = 0;
  for (Index i = 0; i < rows_judged; ++i) {
    while (t < static_cast<double>(i + 1) - 1e-12) {
      double h = std::min(longest, static_cast<double>(i + 1) - t);
      const auto outcome = motion.advance(t, h, tolerance, u, v);
      if (outcome == KrylovMotion::Outcome::singular) return {std::nan(""), 0};
      if (outcome == KrylovMotion::Outcome::too_long)
        longest = 0.5 * h;
      else
        t += h;
    }
    found.col(i) = c.phi.transpose() * (s.m * u);
  }
  return {c.error(found), motion.solves()};
}

// Equal steps that divide the time between two rows, with h times the highest frequency of at most this.
int steps_of_angle(double fastest, double angle) { return static_cast<int>(std::ceil(fastest / angle)); }

struct KnownStep {
  double parameter, error;
};

void add_alpha(FigureResult& result, const RoughCase& c, const std::vector<KnownStep>& known) {
  for (const KnownStep& k : known)
    result.cells.push_back(
        by_factor(fmt::format("{}, generalized alpha with rho = 0.8, h = 1/{}", c.label, k.parameter),
                  error_of_steps(c, "generalized_alpha", {{"rho", "0.8"}}, static_cast<int>(k.parameter)), k.error, 2));
}

void add_verlet(FigureResult& result, const RoughCase& c, double fastest, const std::vector<KnownStep>& known) {
  for (const KnownStep& k : known)
    result.cells.push_back(by_factor(fmt::format("{}, damped Verlet, h omega = {}", c.label, k.parameter),
                                     error_of_steps(c, "damped_verlet", {}, steps_of_angle(fastest, k.parameter)),
                                     k.error, 2));
}

// The tolerance of the independent computation is a share of each series; ours holds for what is cut off, so that at
// equal numbers the error may only be smaller, for as many products.
void add_polynomials(FigureResult& result, const RoughCase& c, double known_error, double known_products) {
  const Propagated found = by_polynomials(c, 1e-10);
  result.cells.push_back(
      at_most(fmt::format("{}, Chebyshev polynomials, tolerance 1e-10, error", c.label), found.error, 2 * known_error));
  // Two vectors for each of ten steps and one load, whose answers to a sine are two here.
  result.cells.push_back(relative(fmt::format("{}, Chebyshev polynomials, degree", c.label),
                                  static_cast<double>(found.products) / 22, known_products / 21, 0.1));
}

void add_degrees(FigureResult& result) {
  struct Known {
    double angle, coarse, fine;
  };
  for (const Known& k : {Known{9.2, 9, 12}, {36.8, 25, 30}, {184, 103, 111}}) {
    Vec values(256);
    for (Index j = 0; j < values.size(); ++j)
      values[j] = std::cos(k.angle * std::cos(0.5 * chebyshev_angle(j, values.size())));
    const Vec c = chebyshev_coefficients(values);
    result.cells.push_back(near(fmt::format("degree for cos({} x) to 1e-4", k.angle),
                                static_cast<double>(needed_degree(c, 1e-4)), k.coarse, 2));
    result.cells.push_back(near(fmt::format("degree for cos({} x) to 1e-8", k.angle),
                                static_cast<double>(needed_degree(c, 1e-8)), k.fine, 2));
  }
}

FigureResult propagation_figure(bool full) {
  FigureResult result;
  add_degrees(result);
  const RoughCase membrane = rough_membrane(32, false), plate = rough_membrane(32, true), beam = rough_beam(101);
  add_alpha(result, membrane, {{40, 0.0417}, {80, 0.011}});
  add_verlet(result, membrane, 93.232374713553, {{1.9, 0.0137}, {0.95, 3.46e-3}, {0.475, 8.71e-4}});
  add_polynomials(result, membrane, 6.26e-9, 1344);
  add_alpha(result, plate, {{40, 0.161}});
  add_alpha(result, beam, {{40, 0.499}, {80, 0.408}, {320, 0.0307}});
  const Propagated of_beam = by_exponentials(beam, 1e-8, 1);
  result.cells.push_back(at_most("beam, exponentials of the matrix, tolerance 1e-8, error", of_beam.error, 2e-8));
  if (full) {
    add_alpha(result, membrane, {{320, 6.96e-4}});
    add_alpha(result, plate, {{80, 0.0356}, {320, 2.42e-3}});
    add_polynomials(result, plate, 5.05e-9, 21546);
    add_verlet(result, plate, 1957.1884074783663, {{1.9, 1.12e-4}, {0.95, 2.81e-5}});
    const Propagated of_membrane = by_exponentials(membrane, 1e-6, 0.25);
    result.cells.push_back(
        shown(near("membrane, n = 1024, exponentials, tolerance 1e-6, error", of_membrane.error, 2.29e-7, 0)));
    result.cells.push_back(
        shown(near("membrane, n = 1024, exponentials, solves", static_cast<double>(of_membrane.products), 1600, 0)));
    const RoughCase large = rough_membrane(100, false);
    add_alpha(result, large, {{40, 0.0441}, {80, 0.0115}, {320, 7.29e-4}});
    add_verlet(result, large, 285.66, {{1.9, 1.55e-3}, {0.95, 3.91e-4}});
    add_polynomials(result, large, 8.44e-9, 3528);
  }
  result.remark =
      "Errors are those of the ten lowest modal coordinates at t = 1, ..., 10, with noise in the velocities. "
      "Exponentials take as many vectors as their own estimate asks for, where the independent computation took 20, 40 "
      "or 60.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_propagation(FigureRegistry& registry) {
  registry.add({"structures_propagation", "Rough structures followed in time", "PJY97 sec. 3.3",
                papers::structures::propagation_figure});
}
}  // namespace trill
