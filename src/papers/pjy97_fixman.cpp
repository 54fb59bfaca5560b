// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.3: rigid bonds and angles change distributions, and the Fixman force restores those of stiff ones. Exact
// laws by quadrature over the angle of a triatomic molecule and the torsion of butane, and runs that sample them.
#include "formulation/fixman.hpp"
#include "papers/pjy97.hpp"
#include "papers/runs.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using std::numbers::pi;
constexpr double kT = 0.59616201;  // 300 K in kcal/mol, as in the models
constexpr int points = 3600;
constexpr int bins = 36;

// Positions of a molecule at one value of its angle or torsion.
using Shape = std::function<Vec(double)>;

Vec triatomic_at(double theta) {
  Vec q = Vec::Zero(9);
  q[0] = 1;
  q.segment(6, 2) << std::cos(theta), std::sin(theta);
  return q;
}

Vec butane_at(double phi) {
  const double b = 1.54, a = 114 * pi / 180;
  Vec q = Vec::Zero(12);
  q.segment(0, 2) << b * std::cos(a), b * std::sin(a);
  q[6] = b;
  q.segment(9, 3) << b - b * std::cos(a), b * std::sin(a) * std::cos(phi), b * std::sin(a) * std::sin(phi);
  return q;
}

// Density on a grid of its variable, not normalised. For rigid gaps it has the factor sqrt(det Z).
struct Law {
  double from, to;
  std::vector<double> density;
  double variable(std::size_t k) const { return from + (to - from) * (static_cast<double>(k) + 0.5) / points; }
  double mean(const std::function<double(double)>& of) const {
    double sum = 0, weights = 0;
    for (std::size_t k = 0; k < density.size(); ++k) {
      sum += density[k] * of(variable(k));
      weights += density[k];
    }
    return sum / weights;
  }
};

struct Molecule {
  std::string model;
  OptionSet parameters;
  Shape shape;
  double from, to;
  std::function<double(double)> weight;  // of the coordinates themselves
};

Law law_of(const Molecule& molecule, bool rigid) {
  const auto problem = make_model(molecule.model, molecule.parameters).problem;
  const MechanicalProblem& p = problem->as<LangevinProblem>("the figure").mechanics();
  const ConstraintMap& gaps = *p.strong_potential()->map;
  FixmanForce fixman(p, gaps, gaps.count());
  Law law{molecule.from, molecule.to, std::vector<double>(points)};
  for (std::size_t k = 0; k < law.density.size(); ++k) {
    const double x = law.variable(k);
    const Vec q = molecule.shape(x);
    const double soft = *p.potential(known_groups(p) & ~p.strong_potential()->groups, 0, q);
    if (!fixman.stand_at(0, q)) throw UsageError("the constraints depend on each other");
    law.density[k] = molecule.weight(x) * std::exp(-soft / kT + (rigid ? fixman.potential(1) : 0));
  }
  return law;
}

Molecule triatomic(const char* middle, const char* ends) {
  return {"triatomic", {{"m_middle", middle}, {"m_ends", ends}},    triatomic_at, 0,
          pi,          [](double theta) { return std::sin(theta); }};
}
Molecule butane(const char* strength) {
  return {"butane", {{"strength", strength}}, butane_at, -pi, pi, [](double) { return 1.0; }};
}

double square_of_cosine(double x) { return std::cos(x) * std::cos(x); }
double is_trans(double phi) { return std::cos(phi) < -0.5 ? 1 : 0; }

void add_law(FigureResult& result, const std::string& label, const Molecule& molecule, double (*of)(double),
             double rigid, double corrected, double tolerance = 1e-5) {
  result.cells.push_back(near(label + ", rigid, exact", law_of(molecule, true).mean(of), rigid, tolerance));
  result.cells.push_back(
      near(label + ", with the Fixman force, exact", law_of(molecule, false).mean(of), corrected, tolerance));
}

double root_of_determinant(double phi) {
  const auto problem = make_model("butane", {}).problem;
  const MechanicalProblem& p = problem->as<LangevinProblem>("the figure").mechanics();
  const ConstraintMap& gaps = *p.strong_potential()->map;
  FixmanForce fixman(p, gaps, gaps.count());
  return fixman.stand_at(0, butane_at(phi)) ? std::exp(fixman.potential(1)) : std::nan("");
}

Solution sample(const Molecule& molecule, const char* constraints, bool corrected, const Span& span, double h) {
  RunPlan plan;
  plan.model = molecule.model;
  plan.parameters = molecule.parameters;
  plan.method = "langevin_splitting";
  plan.options = {{"constraints", constraints}, {"correction", corrected ? "fixman" : "none"}};
  plan.to = span.to;
  plan.h = h;
  plan.output = span.output;
  return finished(prepare(plan));
}

ChartSeries histogram(std::string label, const Solution& s, const std::string& name, const Law& law) {
  std::vector<double> counts(bins, 0.0);
  const Vec all = s.measured().row(s.quantity(name)).transpose();
  for (const double x : all)
    counts[static_cast<std::size_t>(std::clamp((x - law.from) / (law.to - law.from) * bins, 0.0, bins - 1.0))] += 1;
  ChartSeries series{std::move(label), {}, {}};
  const double width = (law.to - law.from) / bins;
  for (int k = 0; k < bins; ++k)
    add_point(series, law.from + (k + 0.5) * width,
              counts[static_cast<std::size_t>(k)] / (width * static_cast<double>(all.size())));
  return series;
}

ChartSeries density(std::string label, const Law& law) {
  double sum = 0;
  for (const double d : law.density) sum += d * (law.to - law.from) / points;
  ChartSeries series{std::move(label), {}, {}};
  for (std::size_t k = 0; k < law.density.size(); k += 10) add_point(series, law.variable(k), law.density[k] / sum);
  return series;
}

struct Sampling {
  const char *title, *constraints, *variable;
  double h, to;
};

void add_samples(FigureResult& result, const Molecule& molecule, const Sampling& how,
                 const std::vector<std::pair<const char*, double (*)(double)>>& measures) {
  Chart chart{how.title, "curves: exact", {how.variable, "rad", false}, {"density", "", false}, ChartStyle::line, {}};
  for (const bool corrected : {false, true}) {
    const Law law = law_of(molecule, !corrected);
    const Solution s = sample(molecule, how.constraints, corrected, {how.to, EveryStep{5}}, how.h);
    const std::string what = corrected ? "with the Fixman force" : "rigid";
    for (const auto& [name, of] : measures)
      result.cells.push_back(sampled(fmt::format("{}, {}, {}", molecule.model, what, name), average_of(s, name),
                                     law.mean(of), 0, computed_by("quadrature")));
    chart.series.push_back(density(what + ", exact", law));
    chart.series.push_back(histogram(what + ", sampled", s, how.variable, law));
  }
  result.charts.push_back(std::move(chart));
}

FigureResult fixman_figure(bool full) {
  FigureResult result;
  result.cells.push_back(
      near("butane, sqrt(det Z) at cis over trans", root_of_determinant(0) / root_of_determinant(pi), 0.883829, 1e-5));
  result.cells.push_back(near("butane, sqrt(det Z) at 60 degrees over trans",
                              root_of_determinant(pi / 3) / root_of_determinant(pi), 1.181617, 1e-5));
  add_law(result, "triatomic 12-1-12, mean cos^2", triatomic("1", "12"), square_of_cosine, 0.15962, 0.18409);
  add_law(result, "masses of water, mean cos^2", triatomic("15.9994", "1.008"), square_of_cosine, 0.18401, 0.18409);
  add_law(result, "butane without torsion, mean cos^2", butane("0"), square_of_cosine, 0.46263, 0.5);
  add_law(result, "butane, 0.3 of its torsion, trans", butane("0.3"), is_trans, 0.40190, 0.42695, 1e-4);
  add_law(result, "butane, 0.3 of its torsion, mean cos^2", butane("0.3"), square_of_cosine, 0.48830, 0.52182);
  add_law(result, "butane, trans", butane("1"), is_trans, 0.62625, 0.66274, 1e-4);
  add_samples(result, triatomic("1", "12"),
              {"Angle of a triatomic molecule", "bonds", "theta", 0.08, full ? 80000.0 : 12000.0},
              {{"cosine_squared", square_of_cosine}});
  add_samples(result, butane("0.3"), {"Torsion of butane", "bonds+angles", "phi", 0.1, full ? 160000.0 : 15000.0},
              {{"cosine_squared", square_of_cosine}, {"trans", is_trans}});
  result.remark =
      "300 K. Rigid bonds matter little in water, whose masses hardly couple them, and much where the atom in the "
      "middle is light or angles are rigid too.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_fixman(FigureRegistry& registry) {
  registry.add({"pjy97_fixman", "Distributions of rigid molecules, with and without the Fixman force", "PJY97 sec. 4.3",
                papers::pjy97::fixman_figure});
}
}  // namespace trill
