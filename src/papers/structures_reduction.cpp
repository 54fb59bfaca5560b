// SPDX-License-Identifier: BSD-3-Clause
// Block Ritz vectors on a membrane, a plate and a beam with rough initial velocities, and how sharp the bounds of
// reduced structures are.
#include "linalg/modes.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "papers/cells.hpp"
#include "papers/given_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
constexpr Index coordinates_judged = 10;
constexpr double mass_damping = 0.02, stiffness_damping = 1e-6;

// M u'' + (a0 M + a1 K) u' + K u = f sin 2t, u0 = (phi_1 + 0.3 phi_3) / max |phi_1|, noise in v0.
struct RoughCase {
  std::string label;
  GivenStructure structure;
  Vec lambda;  // of the lowest modes
  Mat phi;
  double scale = 1;  // max |phi_1|
};

RoughCase rough_case(std::string label, const SpMat& m, const SpMat& k, const Vec& load, const Vec& noise) {
  RoughCase made{std::move(label), {}, {}, {}};
  GivenStructure& s = made.structure;
  s.m = m;
  s.k = k;
  s.share = ProportionalDamping{mass_damping, stiffness_damping};
  s.c = mass_damping * m + stiffness_damping * k;
  s.shapes = load;
  s.factors.push_back([](double t) { return std::sin(2 * t); });
  const Modes modes = lowest_modes(k, m, {.count = coordinates_judged});
  made.lambda = modes.pairs.values;
  made.phi = modes.pairs.vectors;
  made.scale = made.phi.col(0).cwiseAbs().maxCoeff();
  s.u0 = (made.phi.col(0) + 0.3 * made.phi.col(2)) / made.scale;
  s.v0 = noise;
  return made;
}

Vec noise_of(Index n, double size) {
  std::mt19937_64 random(7);
  Vec noise(n);
  for (double& x : noise) x = std::uniform_real_distribution<>(-size, size)(random);
  return noise;
}

RoughCase rough_membrane(double points, bool as_plate) {
  const GeneratedStructure made = generate_structure("membrane", {{"points", points}});
  const double h = 1 / (points + 1), lowest = 8 / (h * h) * std::pow(std::sin(std::numbers::pi * h / 2), 2);
  const SpMat k = as_plate ? SpMat(made.stiffness * made.stiffness / lowest) : made.stiffness;
  const Index n = made.mass.rows();
  return rough_case(fmt::format("{}, n = {}", as_plate ? "plate" : "membrane", n), made.mass, k, Vec::Constant(n, 5.0),
                    noise_of(n, 0.05));
}

RoughCase rough_beam(Index elements) {
  const HermiteLine line = hermite_line(elements, 1, {true, true, true, true});
  const double stiffness = 2 * std::numbers::pi * std::numbers::pi / 500.5639;
  Vec noise = noise_of(line.values.rows(), 0.05);
  for (Index i = 1; i < noise.size(); i += 2) noise[i] *= 0.005 * static_cast<double>(elements);
  return rough_case(fmt::format("beam, n = {}", noise.size()), line.values, stiffness * line.curvatures, 5 * line.mean,
                    noise);
}

// The motion in some vectors, as modal coordinates phi^T M u at t = 1, ..., 10.
Mat coordinates_along(const RoughCase& c, const Mat& shapes, const Vec& lambda) {
  const GivenStructure& s = c.structure;
  ModalSystem system;
  system.lambda = lambda;
  system.damping = Vec::Constant(lambda.size(), mass_damping) + stiffness_damping * lambda;
  system.loads = shapes.transpose() * s.shapes;
  Vec x = shapes.transpose() * (s.m * s.u0), v = shapes.transpose() * (s.m * s.v0);
  const Mat weights = c.phi.transpose() * (s.m * shapes);
  ModalMotion motion(system, s);
  Mat found(coordinates_judged, 10);
  for (Index i = 0; i < found.cols(); ++i) {
    motion.advance(static_cast<double>(i), 1, x, v);
    found.col(i) = weights * x;
  }
  return found;
}

double error_of_vectors(const RoughCase& c, Index vectors) {
  const GivenStructure& s = c.structure;
  const SparseCholesky factors(s.k);
  Mat start(s.m.rows(), 3);
  start << s.shapes, s.m * s.u0, s.m * s.v0;
  RitzBasis basis(s.k, s.m, factors, start);
  while (basis.size() < vectors && basis.extend()) {
  }
  if (!basis.solve()) return std::nan("");
  const Mat exact = coordinates_along(c, c.phi, c.lambda);
  const Mat ours = coordinates_along(c, basis.vectors() * basis.combinations(), basis.lambda());
  return c.scale * (ours - exact).cwiseAbs().maxCoeff();
}

struct KnownError {
  Index solves;
  double error;
  bool judged = true;
};

void add_rough(FigureResult& result, const RoughCase& c, const std::vector<KnownError>& known) {
  ChartSeries series{c.label, {}, {}};
  for (const KnownError& k : known) {
    const double error = error_of_vectors(c, k.solves);
    const std::string label = fmt::format("{}, {} solves, largest error of 10 modal coordinates", c.label, k.solves);
    // The noise of the independent computation is another one, so that being better is no fault.
    result.cells.push_back(judged_if(k.judged, near(label, error, k.error, 4 * k.error)));
    add_point(series, static_cast<double>(k.solves), error);
  }
  if (result.charts.empty())
    result.charts.push_back(log_chart("Block Ritz vectors", "", "solves", "error of modal coordinates"));
  result.charts.front().series.push_back(std::move(series));
}

FigureResult reduction_figure(bool full) {
  FigureResult result;
  add_rough(result, rough_membrane(32, false), {{18, 2.35e-4}, {30, 7.45e-5}, {42, 1.95e-7, false}});
  add_rough(result, rough_membrane(32, true), {{18, 5.53e-5}, {30, 3.11e-7}});
  add_rough(result, rough_beam(101), {{18, 8.64e-5}});
  add_rough(result, rough_beam(501), {{18, 2.37e-5}});
  if (full) {
    add_rough(result, rough_membrane(100, false), {{18, 2.2e-4}, {30, 3.39e-5}, {42, 1.18e-7, false}});
    add_rough(result, rough_membrane(100, true), {{18, 2.99e-5}, {30, 5.37e-8}});
  }
  result.remark =
      "Every case has a load, an initial shape and noise in the velocities, and each vector takes one solve. An error "
      "may "
      "be up to five times the one of the independent computation, whose noise is another one. That computation goes "
      "on "
      "with the initial shape when its two modes are found, with vectors that rounding makes; trill drops them, so "
      "that "
      "42 solves are not compared.";
  return result;
}

// Modes of a cantilever with static correction: a load at x = 0.6, the tip as output.
class Cantilever {
 public:
  Cantilever() {
    const GeneratedStructure made = generate_structure("beam", {{"elements", 20}});
    structure_.m = made.mass;
    structure_.k = made.stiffness;
    const Index n = made.mass.rows();
    structure_.c = SpMat(n, n);
    structure_.u0 = structure_.v0 = Vec::Zero(n);
    structure_.shapes = Vec::Unit(n, 22);  // node 12 of 20
    modes_ = symmetric_eigenpairs(Mat(made.stiffness), Mat(made.mass));
    loads_ = modes_.vectors.transpose() * structure_.shapes;
    tip_ = modes_.vectors.transpose() * made.vectors.at("tip");
  }

  struct Errors {
    double plain = 0, corrected = 0, bound = 0, size = 0;
  };
  Errors with(Index r, const std::function<double(double)>& factor) {
    structure_.factors = {factor};
    ModalSystem system{modes_.values, Vec::Zero(modes_.values.size()), {}, loads_};
    ModalMotion motion(system, structure_);
    Vec x = Vec::Zero(modes_.values.size()), v = x;
    const Vec gains = tip_.cwiseProduct(loads_.col(0)).cwiseQuotient(modes_.values);
    const Index left = gains.size() - r;
    Errors e;
    constexpr int steps = 2400;
    for (int i = 0; i <= steps; ++i) {
      const double t = span * i / steps, rest = tip_.tail(left).dot(x.tail(left));
      e.size = std::max(e.size, std::abs(tip_.dot(x)));
      e.plain = std::max(e.plain, std::abs(rest));
      e.corrected = std::max(e.corrected, std::abs(rest - factor(t) * gains.tail(left).sum()));
      if (i < steps) motion.advance(t, span / steps, x, v);
    }
    const auto residual = [&](const Vec& shares) {
      return shares.tail(left).cwiseAbs2().cwiseQuotient(modes_.values.tail(left)).sum();
    };
    const LoadVariation p = load_variation(structure_, 0, span);
    e.bound = std::sqrt(residual(tip_) * residual(loads_.col(0))) *
              (p.jumps(0, 0) + (p.jumps(1, 0) + p.total(1, 0)) / std::sqrt(modes_.values[r]));
    return e;
  }

 private:
  static constexpr double span = 6;
  GivenStructure structure_;
  EigenPairs modes_;
  Mat loads_;
  Vec tip_;
};

struct KnownErrors {
  Index modes;
  double plain, corrected, bound;
};

void add_cantilever(FigureResult& result, const std::string& load, const std::function<double(double)>& factor,
                    const std::vector<KnownErrors>& known) {
  Cantilever beam;
  Chart chart = log_chart(load + " on a cantilever", "", "modes", "error of the tip",
                          {{"error without static correction", {}, {}}, {"error", {}, {}}, {"bound", {}, {}}});
  for (const KnownErrors& k : known) {
    const Cantilever::Errors e = beam.with(k.modes, factor);
    const std::string label = fmt::format("{}, {} modes, ", load, k.modes);
    result.cells.push_back(by_factor(label + "error without static correction", e.plain, k.plain, 2));
    result.cells.push_back(by_factor(label + "error", e.corrected, k.corrected, 2));
    result.cells.push_back(relative(label + "bound", e.bound, k.bound, 0.03));
    const std::array<double, 3> values{e.plain, e.corrected, e.bound};
    for (std::size_t i = 0; i < values.size(); ++i) add_point(chart.series[i], static_cast<double>(k.modes), values[i]);
  }
  result.charts.push_back(std::move(chart));
}

// Random cases of one kind of load: how many bounds held, and their median ratio to the error.
struct Sharpness {
  double held = 0, median = 0;
};
Sharpness sharpness_of(RandomLoads kind, int cases) {
  RandomStructures random(17, kind);
  constexpr double end = 6;
  constexpr int steps = 60;
  std::vector<double> ratios;
  int held = 0;
  for (int n = 0; n < cases; ++n) {
    const GivenStructure s = random.structure();
    const Vec weights = random.vector(s.m.rows());
    const double tolerance = std::pow(10, random.uniform(-6, -1));
    const Reduction reduced =
        reduce({s, s.initial_state(), end, tolerance, {{"y", weights}}, static_cast<Index>(random.uniform(4, 20))});
    const EigenPairs modes = symmetric_eigenpairs(Mat(s.k), Mat(s.m));
    const ModalSystem all{modes.values,
                          Vec::Constant(modes.values.size(), s.share->mass) + s.share->stiffness * modes.values,
                          {},
                          modes.vectors.transpose() * s.shapes};
    ModalMotion exact(all, s), ours(reduced.system, s);
    Vec x = Vec::Zero(all.size()), v = x, xr = reduced.x0, vr = reduced.v0;
    double error = 0, size = 0;
    for (int i = 0; i <= steps; ++i) {
      const double y = weights.dot(modes.vectors * x);
      error = std::max(error, std::abs(y - weights.dot(reduced.shapes * xr)));
      size = std::max(size, std::abs(y));
      exact.advance(end * i / steps, end / steps, x, v);
      ours.advance(end * i / steps, end / steps, xr, vr);
    }
    const double bound = reduced.outputs[0].bound;
    held += error <= bound + 1e-9 * size;
    if (error > 1e-9 * size) ratios.push_back(bound / error);
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return {static_cast<double>(held) / cases, ratios.empty() ? std::nan("") : *middle};
}

FigureResult bounds_figure(bool full) {
  FigureResult result;
  add_cantilever(result, "(1 - cos 3t)/2", [](double t) { return 0.5 * (1 - std::cos(3 * t)); },
                 {{1, 0.0052984, 9.25027e-05, 0.00427825},
                  {2, 0.000350541, 1.17154e-06, 0.000195345},
                  {4, 5.90306e-05, 1.62978e-08, 1.00331e-05},
                  {8, 4.89408e-06, 1.12532e-10, 2.98383e-07}});
  add_cantilever(result, "sin 3t", [](double t) { return std::sin(3 * t); },
                 {{1, 0.0059701, 0.000780896, 0.00963128},
                  {2, 0.0003767, 2.83072e-05, 0.000439765},
                  {4, 6.01754e-05, 1.2541e-06, 2.25867e-05},
                  {8, 4.91873e-06, 2.91514e-08, 6.71725e-07}});
  add_cantilever(result, "a step", [](double) { return 1.0; },
                 {{1, 0.0106642, 0.0054943, 0.00558807},
                  {2, 0.00100569, 0.000656206, 0.000714441},
                  {4, 0.000156826, 0.000101348, 0.000118884},
                  {8, 1.42059e-05, 9.31196e-06, 1.26385e-05}});
  const int cases = full ? 1000 : 100;
  for (const auto& [kind, name] : {std::pair{RandomLoads::steps, "steps"}, {RandomLoads::smooth, "smooth loads"}}) {
    const Sharpness found = sharpness_of(kind, cases);
    result.cells.push_back(near(fmt::format("share of {} random cases with {} whose bound holds", cases, name),
                                found.held, 1, 0, closed_form));
    result.cells.push_back(
        shown(near(fmt::format("{}, median of bound over error", name), found.median, 1, 0, "a sharp bound")));
  }
  result.remark =
      "Tables: true modes with one static correction. Random cases: Ritz vectors, whose bounds use up to three.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_reduction(FigureRegistry& registry) {
  registry.add({"structures_reduction", "Block Ritz vectors on rough problems",
                "E. L. Wilson, M.-W. Yuan, J. M. Dickens, Earthquake Eng. Struct. Dyn. 10 (1982) 813-821",
                papers::structures::reduction_figure});
  registry.add({"structures_bounds", "Errors of reduced structures and their bounds", "PJY97 sec. 3.4",
                papers::structures::bounds_figure});
}
}  // namespace trill
