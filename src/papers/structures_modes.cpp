// SPDX-License-Identifier: BSD-3-Clause
// Frequencies of structures, how far they can be trusted, and the copy of a double mode that an iteration with single
// vectors drops although all its residuals are small.
#include "linalg/block_lanczos.hpp"
#include "linalg/modes.hpp"
#include "papers/cells.hpp"
#include "problem/generated_structure.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
constexpr Index modes_looked_at = 20;

Modes modes_of(const GeneratedStructure& s, const ModeOptions& options) {
  Modes modes = lowest_modes(s.stiffness, s.mass, options);
  if (!modes.pairs.converged) throw UsageError("the modes of the figure did not converge: " + modes.pairs.message);
  return modes;
}
double omega(const Modes& modes, Index number) { return std::sqrt(modes.pairs.values[number - 1]); }

struct KnownModes {
  std::string label, shape;
  std::map<std::string, double> numbers;
  std::array<double, 3> omega;  // 1, 2 and 20
};

void add_known(FigureResult& result, ChartSeries& floors, const KnownModes& known) {
  const GeneratedStructure s = generate_structure(known.shape, known.numbers);
  const Modes modes = modes_of(s, {.count = modes_looked_at});
  const std::array<Index, 3> numbers{1, 2, modes_looked_at};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result.cells.push_back(
        relative(fmt::format("{}, omega {}", known.label, numbers[i]), omega(modes, numbers[i]), known.omega[i], 1e-9));
  add_point(floors, static_cast<double>(s.mass.rows()), 0.5 * modes.uncertainty[0]);
}

FigureResult modes_figure(bool full) {
  FigureResult result;
  // cos(b) cosh(b) = -1, omega = b^2, and the errors of 20 Hermite elements
  const std::array<double, 8> exact{3.516015268499877,  22.034491564666773, 61.697214413549105, 120.90191605230574,
                                    199.85953011680346, 298.55553096773014, 416.9907860566055,  555.1652475557627};
  const std::array<double, 8> errors{5.347405229727542e-08, 2.0976032033548364e-06, 1.6368796445620504e-05,
                                     6.246747095173255e-05, 0.0001694049277356502,  0.0003746227514844769,
                                     0.0007231627096586646, 0.0012665518833727685};
  const Modes beam = modes_of(generate_structure("beam", {{"elements", 20}}), {.count = 8});
  ChartSeries of_elements{"20 elements", {}, {}};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto number = static_cast<Index>(i + 1);
    result.cells.push_back(relative(fmt::format("cantilever of 20 elements, omega {}", number), omega(beam, number),
                                    exact[i] * (1 + errors[i]), 1e-9));
    add_point(of_elements, static_cast<double>(number), omega(beam, number) / exact[i] - 1);
  }
  ChartSeries floors{"u |K| |x|^2 / (2 x^T K x), omega 1", {}, {}};
  add_known(result, floors,
            {"plate, n = 10000", "plate", {{"elements", 50}}, {19.7392089073, 49.3480274939, 315.827778892}});
  if (full)
    add_known(
        result, floors,
        {"solid, n = 10800", "solid", {{"elements_across", 9}}, {0.0615168324664, 0.0615168324665, 2.04685956957}});
  result.charts.push_back(
      log_chart("Frequencies of a cantilever", "", "number of the mode", "error of omega", {of_elements}));
  result.charts.push_back(log_chart("What rounding in K can do", "", "unknowns", "relative error of omega", {floors}));
  result.remark =
      "The error of plates is that of bicubic elements; below it rounding in K sets a floor that grows with n.";
  return result;
}

// The lowest modes by blocks of `block` vectors, without any check of their number.
Vec unchecked_frequencies(const GeneratedStructure& s, Index block) {
  WholeSpace space(s.stiffness, s.mass);
  space.factorise(0);
  const ShiftedInverse inverse(space, 0);
  const Mat nothing;
  BlockLanczos iteration(inverse, nothing, block, 1);
  for (bool converged = false; !converged && iteration.extend() && iteration.solve_projected();) {
    if (iteration.size() < modes_looked_at) continue;
    converged = true;
    for (Index i = 0; i < modes_looked_at; ++i)
      converged = converged && iteration.residual(i) <= 1e-10 * iteration.value(i);
  }
  Vec found(modes_looked_at);
  for (Index i = 0; i < modes_looked_at; ++i) found[i] = std::sqrt(inverse.lambda(iteration.value(i)));
  return found;
}

struct SquareSolid {
  double across;
  Index n;
  double dropped, last_if_dropped;  // what a single-vector iteration misses, and its last frequency
};

void add_solid(FigureResult& result, const SquareSolid& solid) {
  const GeneratedStructure s = generate_structure("solid", {{"elements_across", solid.across}});
  const std::string label = fmt::format("solid, n = {}", solid.n);
  const Vec single = unchecked_frequencies(s, 1);
  const Modes inertia = modes_of(s, {.count = modes_looked_at, .block = 1, .check = CountCheck::inertia});
  const auto nearest = [&](const Vec& frequencies) {
    Index place = 0;
    (frequencies.array() - solid.dropped).abs().minCoeff(&place);
    return frequencies[place];
  };
  result.cells.push_back(
      near(label + ", unknowns", static_cast<double>(s.mass.rows()), static_cast<double>(solid.n), 0, closed_form));
  result.cells.push_back(shown(relative(label + ", omega 20 of single vectors, unchecked", single[modes_looked_at - 1],
                                        solid.last_if_dropped, 1e-8)));
  for (const Index block : {1, 2}) {
    const Modes modes = modes_of(s, {.count = modes_looked_at, .block = block});
    const Vec frequencies = modes.pairs.values.cwiseSqrt();
    result.cells.push_back(relative(fmt::format("{}, the mode that is dropped, blocks of {}, checked", label, block),
                                    nearest(frequencies), solid.dropped, 1e-8));
    result.cells.push_back(
        near(fmt::format("{}, blocks of {}, largest difference from modes counted by inertia", label, block),
             (frequencies.cwiseQuotient(inertia.pairs.values.cwiseSqrt()).array() - 1).abs().maxCoeff(), 0, 1e-9,
             own_by("the count of negative pivots")));
    result.cells.push_back(shown(near(fmt::format("{}, blocks of {}, modes that the check found", label, block),
                                      static_cast<double>(modes.found_by_check), block == 1 ? 1 : 0, 0)));
  }
}

FigureResult missed_mode_figure(bool full) {
  FigureResult result;
  add_solid(result, {6, 3528, 2.020153999, 2.132744664});
  if (full) add_solid(result, {9, 10800, 1.991258091, 2.105535349});
  result.remark =
      "Bending modes of a square section come in pairs. Which copies an iteration with single vectors finds is decided "
      "by rounding, so that its number is shown, not judged; what is judged is that none is missing after the check.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_modes(FigureRegistry& registry) {
  registry.add(
      {"structures_modes", "Frequencies of large structures", "PJY97 sec. 3.3", papers::structures::modes_figure});
  registry.add({"structures_missed_mode", "A double mode that single vectors miss", "PJY97 sec. 3.3",
                papers::structures::missed_mode_figure});
}
}  // namespace trill
