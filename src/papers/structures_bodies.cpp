// SPDX-License-Identifier: BSD-3-Clause
// Reduced bodies: two beams that are reduced and joined, and a blade that is spun up.
#include "analysis/body_reduction.hpp"
#include "linalg/component_modes.hpp"
#include "linalg/dense_decompositions.hpp"
#include "papers/cells.hpp"
#include "problem/generated_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
using Component = ComponentBasis (*)(const SpMat&, const SpMat&, const std::vector<Index>&, Index);

// Relative errors of a cantilever of 24 + 16 elements, whose parts are reduced to some modes each and joined.
Vec errors_of_joined_beams(Component reduce_part, Index modes) {
  const HermiteLine whole = hermite_line(40, 1, {true, true, false, false}),
                    root = hermite_line(24, 24.0 / 40, {true, true, false, false}),
                    end = hermite_line(16, 16.0 / 40, {});
  const ComponentBasis a = reduce_part(root.curvatures, root.values, {46, 47}, modes),
                       b = reduce_part(end.curvatures, end.values, {0, 1}, modes);
  const Index inner_a = a.vectors.cols() - 2, inner_b = b.vectors.cols() - 2;
  Mat joined = Mat::Zero(80, 2 + inner_a + inner_b);
  joined.topRows(48).leftCols(2 + inner_a) = a.vectors;
  joined.bottomRows(32).leftCols(2) = b.vectors.bottomRows(32).leftCols(2);
  joined.bottomRows(32).rightCols(inner_b) = b.vectors.bottomRows(32).rightCols(inner_b);
  const auto frequencies = [&](const Mat& basis) {
    return Vec(modes_in(basis, whole.curvatures, whole.values).values.cwiseSqrt().head(5));
  };
  return frequencies(joined).cwiseQuotient(frequencies(Mat::Identity(80, 80))).array() - 1;
}

struct JoinedErrors {
  Index modes;
  std::array<double, 5> craig_bampton, rubin;
};
constexpr double floor_of_joined = 2e-9;  // rounding in the frequencies of the full model

void add_joined(FigureResult& result, const std::string& label, const Vec& ours, const std::array<double, 5>& known) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::string name = fmt::format("{}, omega {}", label, i + 1);
    const double error = ours[static_cast<Index>(i)];
    if (std::abs(known[i]) < floor_of_joined)
      result.cells.push_back(near(name, error, known[i], floor_of_joined));
    else
      result.cells.push_back(by_factor(name, error, known[i], 2));
  }
}

FigureResult rubin_figure(bool) {
  const std::array<JoinedErrors, 3> known{
      {{2,
        {2.297934857e-06, 0.000157866036, 0.000843035694, 0.00360039735, 0.0286488715},
        {-6.69e-10, 1.36513796e-06, 6.18122539e-06, 0.00731681289, 0.0876046045}},
       {4,
        {1.3229290e-07, 1.0318272e-05, 3.8301026e-05, 0.000177407432, 0.00104953636},
        {-8.48e-10, 5.00045e-09, 6.62767e-08, 4.063993e-06, 3.3940508e-05}},
       {8,
        {5.64216851e-09, 4.79207881e-07, 1.85523491e-06, 6.65375066e-06, 4.88147532e-05},
        {-1.02e-09, -1.05e-10, 2.48e-10, 5.105865e-09, 6.9140147e-08}}}};
  FigureResult result;
  ChartSeries fixed{"Craig and Bampton", {}, {}}, free{"Rubin", {}, {}};
  for (const JoinedErrors& row : known) {
    const Vec a = errors_of_joined_beams(craig_bampton, row.modes), b = errors_of_joined_beams(rubin, row.modes);
    add_joined(result, fmt::format("Craig and Bampton, {} modes", row.modes), a, row.craig_bampton);
    add_joined(result, fmt::format("Rubin, {} modes", row.modes), b, row.rubin);
    add_point(fixed, static_cast<double>(row.modes), a[3]);
    add_point(free, static_cast<double>(row.modes), b[3]);
  }
  result.charts.push_back(log_chart("A cantilever of two reduced beams, fourth frequency", "", "modes of each beam",
                                    "relative error", {fixed, free}));
  result.remark =
      "Rubin's vectors have about the square of the error for low modes. Those of Craig and Bampton never give "
      "a frequency that is too low.";
  return result;
}

// A strip that stretches with 2.8e7 and bends with 1.4e4, with 1.2 of mass on each unit of its length of 10.
PlanarBody blade() {
  const double stretching = 2.8e7, bending = 1.4e4;
  PlanarStrip strip;
  strip.length = 10;
  strip.height = std::sqrt(12 * bending / stretching);
  strip.modulus = stretching / strip.height;
  strip.density = 1.2 / strip.height;
  strip.elements = 16;
  return planar_strip(strip);
}

constexpr double spin_step = 0.005;

// q'' + 2 theta' P^T q' + (Lambda - theta'^2 (C - K_g)) q = theta'^2 s - theta'' (h + P^T q) for Kane's spin-up, by the
// implicit midpoint rule: the lag of the tip at every step.
std::vector<double> lag_of(const ReducedBody& body, double end) {
  const double top = 6, rise = 15, w = 2 * std::numbers::pi / rise, h = spin_step;
  const Index n = body.modes();
  Vec q = Vec::Zero(n), v = Vec::Zero(n);
  std::vector<double> lags;
  for (double t = h / 2; t < end; t += h) {
    const double rate = t < rise ? top / rise * (t - std::sin(w * t) / w) : top;
    const double push = t < rise ? top / rise * (1 - std::cos(w * t)) : 0;
    const Mat k = Mat(body.stiffness.asDiagonal()) - rate * rate * (body.convective - body.stiffening) +
                  push * body.gyroscopic.transpose();
    const Mat c = 2 * rate * body.gyroscopic.transpose();
    const Vec f = rate * rate * body.stretch - push * body.swing;
    const Mat left = Mat::Identity(n, n) + h / 2 * c + h * h / 4 * k;
    const Vec change = inverse_of(left).matrix * (h * (f - k * q - c * v - h / 2 * (k * v)));
    q += h * (v + change / 2);
    v += change;
    lags.push_back(body.points[1].shape_y.dot(q));
  }
  return lags;
}

ChartSeries lag_curve(std::string label, const std::vector<double>& lags) {
  ChartSeries series{std::move(label), {}, {}};
  for (std::size_t i = 0; i < lags.size(); i += 20) add_point(series, spin_step * static_cast<double>(i + 1), lags[i]);
  return series;
}

FigureResult spinup_figure(bool) {
  const PlanarBody body = blade();
  const auto reduced = [&](Index modes) { return reduce_body(body, {.interfaces = {"left", "tip"}, .modes = modes}); };
  FigureResult result;
  const std::vector<double> fine = lag_of(reduced(40), 18);
  const auto deepest = std::min_element(fine.begin(), fine.end());
  result.cells.push_back(near("largest lag", *deepest, -0.5736949917371169, 2e-4));
  result.cells.push_back(shown(near("largest lag, beside nonlinear elements", *deepest, -0.5730495570910027, 7e-4)));
  result.cells.push_back(
      near("time of the largest lag", spin_step * static_cast<double>(deepest - fine.begin() + 1), 6.76, 0.02));
  Chart chart = time_chart("A blade that is brought to 6 rad/s in 15 s", "", {"lag of the tip", "m", false},
                           {lag_curve("40 modes", fine)});
  for (const auto& [modes, known] :
       {std::pair<Index, double>{0, 1.7312557e-2}, {1, 2.7130949e-3}, {2, 4.0447338e-4}, {4, 4.4935005e-5}}) {
    const std::vector<double> lags = lag_of(reduced(modes), 18);
    double most = 0;
    for (std::size_t i = 0; i < lags.size(); ++i) most = std::max(most, std::abs(lags[i] - fine[i]));
    result.cells.push_back(
        by_factor(fmt::format("{} modes, largest difference from the whole mesh", modes), most, known, 2));
    if (modes == 0) chart.series.push_back(lag_curve("no modes beside static shapes", lags));
  }
  ReducedBody soft = reduced(2);
  soft.stiffening.setZero();
  const std::vector<double> without = lag_of(soft, 10.825);
  result.cells.push_back(
      by_factor("2 modes without geometric stiffness, lag at t = 10.825", without.back(), -1000.7104676437757, 2));
  result.charts.push_back(std::move(chart));
  result.remark =
      "Without the stress of the rotation the blade bends without bound once it turns faster than it swings.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_bodies(FigureRegistry& registry) {
  registry.add({"structures_rubin", "Two beams, reduced and joined",
                "R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968); "
                "S. Rubin, AIAA J. 13 (1975)",
                papers::structures::rubin_figure});
  registry.add({"structures_spinup", "A blade that is spun up",
                "T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151",
                papers::structures::spinup_figure});
}
}  // namespace trill
