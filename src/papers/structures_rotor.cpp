// SPDX-License-Identifier: BSD-3-Clause
// A turning shaft with outer and inner damping: its roots, the speed at which it becomes unstable, and how few vectors
// of the second-order Arnoldi iteration find them although C is gyroscopic and K is not symmetric.
#include "linalg/second_order_krylov.hpp"
#include "papers/cells.hpp"
#include "problem/generated_structure.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::structures {
namespace {
using Root = std::complex<double>;
constexpr double rotary = 0.002, outer_damping = 0.2, inner_damping = 0.1;

GeneratedStructure shaft_at(double speed) {
  return generate_structure("shaft", {{"speed", speed},
                                      {"rotary_inertia", rotary},
                                      {"external_damping", outer_damping},
                                      {"internal_damping", inner_damping},
                                      {"elements", 30}});
}

// (1 + rhoI k^2) s^2 + (c_e + c_i - 2 i rhoI speed k^2) s + k^4 - i c_i speed = 0 with k = j pi: forward and backward.
std::pair<Root, Root> whirl_of(double speed, int j) {
  const double k2 = std::pow(j * std::numbers::pi, 2);
  const Root a = 1 + rotary * k2, b(outer_damping + inner_damping, -2 * rotary * speed * k2),
             c(k2 * k2, -inner_damping * speed), root = std::sqrt(b * b - 4.0 * a * c);
  const Root first = (-b + root) / (2.0 * a), second = (-b - root) / (2.0 * a);
  return first.imag() > 0 ? std::pair(first, second) : std::pair(second, first);
}

double distance(const Eigen::VectorXcd& roots, Root wanted) {
  double least = HUGE_VAL;
  for (const Root& root : roots) least = std::min(least, std::abs(root - wanted) / std::abs(wanted));
  return least;
}

Eigen::VectorXcd projected_roots(const GeneratedStructure& s, const Mat& q) {
  const auto in = [&](const SpMat& a) { return Mat(q.transpose() * (a * q)); };
  return quadratic_roots(in(s.mass), in(s.damping), in(s.stiffness));
}

Eigen::VectorXcd all_roots(const GeneratedStructure& s) {
  return quadratic_roots(Mat(s.mass), Mat(s.damping), Mat(s.stiffness));
}

double growth_of_forward_whirl(double speed) {
  const Eigen::VectorXcd roots = all_roots(shaft_at(speed));
  return std::max(roots[0].real(), std::max(roots[1].real(), std::max(roots[2].real(), roots[3].real())));
}

// The speed at which the first forward whirl neither grows nor decays, by bisection.
double speed_of_instability() {
  double stable = 30, unstable = 33;
  while (unstable - stable > 1e-6) {
    const double middle = 0.5 * (stable + unstable);
    (growth_of_forward_whirl(middle) > 0 ? unstable : stable) = middle;
  }
  return 0.5 * (stable + unstable);
}

void add_roots(FigureResult& result) {
  struct Known {
    double speed;
    double forward[3], backward[3];  // errors of 30 elements
  };
  const Known known[] = {{0, {8.3496e-08, 1.33444e-06, 6.74314e-06}, {8.3496e-08, 1.33444e-06, 6.74314e-06}},
                         {20, {8.01921e-08, 1.28319e-06, 6.49574e-06}, {8.67711e-08, 1.38568e-06, 6.99053e-06}},
                         {40, {7.6873e-08, 1.23216e-06, 6.24935e-06}, {8.99864e-08, 1.4367e-06, 7.23693e-06}}};
  for (const Known& at : known) {
    const Eigen::VectorXcd roots = all_roots(shaft_at(at.speed));
    for (int j = 1; j <= 3; ++j) {
      const auto [forward, backward] = whirl_of(at.speed, j);
      const std::string label = fmt::format("speed {}, mode {}, relative error of ", at.speed, j);
      result.cells.push_back(by_factor(label + "forward whirl", distance(roots, forward), at.forward[j - 1], 1.1));
      // Both planes are real, so that every root comes with its conjugate.
      result.cells.push_back(
          by_factor(label + "backward whirl", distance(roots, std::conj(backward)), at.backward[j - 1], 1.1));
    }
  }
  const auto [forward, backward] = whirl_of(20, 1);
  result.cells.push_back(
      relative("closed form, speed 20, forward whirl, real part", forward.real(), -0.05265509512229283, 1e-12));
  result.cells.push_back(
      relative("closed form, speed 20, backward whirl, imaginary part", backward.imag(), -9.3934861653549, 1e-12));
}

void add_arnoldi(FigureResult& result) {
  const GeneratedStructure s = shaft_at(20);
  const Eigen::VectorXcd exact = all_roots(s);
  // A start in one complex coordinate for both planes, as a vector and the same turned by a right angle: together they
  // span what the complex vector does.
  const Index n = s.mass.rows(), half = n / 2;
  Mat start(n, 2);
  for (Index i = 0; i < n; ++i) start(i, 0) = std::sin(1.0 + 7 * static_cast<double>(i));  // excites every mode
  start.col(1) << -start.col(0).tail(half), start.col(0).head(half);
  ChartSeries series{"largest error of six roots", {}, {}};
  for (const auto& [vectors, known] : {std::pair<Index, double>{12, 1.8213e-04}, {16, 2.4559e-07}, {24, 3.4407e-12}}) {
    const Eigen::VectorXcd found =
        projected_roots(s, second_order_basis(s.stiffness, s.damping, s.mass, start, 2 * vectors));
    double worst = 0;
    for (Index i = 0; i < 12; ++i) worst = std::max(worst, distance(found, exact[i]));
    result.cells.push_back(
        at_most(fmt::format("{} vectors in the complex coordinate, largest error of the six lowest roots", vectors),
                worst, 2 * known));
    add_point(series, static_cast<double>(2 * vectors), worst);
  }
  result.charts.push_back(
      log_chart("Second-order Arnoldi vectors of a shaft", "", "vectors", "relative error", {series}));
}

FigureResult rotor_figure(bool) {
  FigureResult result;
  add_roots(result);
  result.cells.push_back(near("speed at which forward whirl grows", speed_of_instability(), 31.18785, 1e-4));
  add_arnoldi(result);
  result.remark =
      "Arnoldi vectors start from a vector and the same turned by a right angle, which is one vector in the complex "
      "coordinate of the two planes. Inner damping makes K unsymmetric.";
  return result;
}
}  // namespace
}  // namespace papers::structures

void register_figure_structures_rotor(FigureRegistry& registry) {
  registry.add({"structures_rotor", "Roots of a turning shaft",
                "Z. Bai, Y. Su, SIAM J. Matrix Anal. Appl. 26 (2005) 640-659", papers::structures::rotor_figure});
}
}  // namespace trill
