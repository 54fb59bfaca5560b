// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/period.hpp"

#include "trill/method/implicit_tableau.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr int panels = 3, most_fit_iterations = 20;
constexpr double most_period_change = 0.3;  // of the period in one iteration
// The lower bound of the minimisation is a positive number: T = 0 would be a solution of any motion.
constexpr double least_period = 0.5, most_period = 2;  // times the guess
constexpr double period_reached = 1e-7;

// Gauss points in [0, 1] and polynomials up to a degree that are orthonormal with their weights.
struct FitPoints {
  Vec nodes, weights;
  Mat polynomials;
};

FitPoints fit_points(int polynomials) {
  const ImplicitTableau gauss = gauss_tableau(most_implicit_stages);
  const Index stages = gauss.stages(), count = panels * stages;
  FitPoints points{Vec(count), Vec(count), Mat(count, polynomials)};
  for (Index k = 0; k < count; ++k) {
    points.nodes[k] = (static_cast<double>(k / stages) + gauss.c[k % stages]) / panels;
    points.weights[k] = gauss.b[k % stages] / panels;
  }
  for (int d = 0; d < polynomials; ++d) {
    Vec p = d == 0 ? Vec(Vec::Ones(count)) : Vec(points.nodes.cwiseProduct(points.polynomials.col(d - 1)));
    for (int lower = 0; lower < d; ++lower) {
      const auto q = points.polynomials.col(lower);
      p -= points.weights.dot(p.cwiseProduct(q)) * q;
    }
    points.polynomials.col(d) = p / std::sqrt(points.weights.dot(p.cwiseAbs2()));
  }
  return points;
}

// Takes the best polynomial out of each row, which is one component at the points.
void remove_slow_part(Mat& rows, const FitPoints& points) {
  rows -= rows * points.weights.asDiagonal() * points.polynomials * points.polynomials.transpose();
}

double mean_product(const Mat& a, const Mat& b, In component_weights, const FitPoints& points) {
  return component_weights.cwiseAbs2().dot(a.cwiseProduct(b) * points.weights);
}
}  // namespace

PeriodFit fit_period(const MotionAt& motion, In weights, double t0, double guess, int slow_degree) {
  const FitPoints points = fit_points(slow_degree);
  const Index n = weights.size(), count = points.nodes.size();
  Mat now(n, count), then(n, count), rate(n, count);
  Vec unused(n);
  PeriodFit fit{.period = guess};
  while (!fit.converged && fit.iterations < most_fit_iterations) {
    for (Index k = 0; k < count; ++k) {
      const double t = t0 + points.nodes[k] * fit.period;
      motion(t, now.col(k), unused);
      motion(t + fit.period, then.col(k), rate.col(k));
    }
    // The coefficients of r enter linearly and are eliminated by the projection.
    Mat left = now - then;
    remove_slow_part(left, points);
    remove_slow_part(rate, points);
    const double slope = mean_product(rate, rate, weights, points);
    const Mat around = now.colwise() - Vec(now * points.weights);
    const double size = mean_product(around, around, weights, points);
    if (!(slope > 0) || !(size > 0)) return fit;
    fit.misfit = std::sqrt(mean_product(left, left, weights, points) / size);
    const double most = most_period_change * fit.period;
    const double change = std::clamp(mean_product(rate, left, weights, points) / slope, -most, most);
    fit.period += change;
    ++fit.iterations;
    if (!(fit.period > least_period * guess && fit.period < most_period * guess)) return fit;
    fit.converged = std::abs(change) <= period_reached * fit.period;
  }
  return fit;
}
}  // namespace trill
