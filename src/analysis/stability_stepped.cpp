// SPDX-License-Identifier: BSD-3-Clause
// Stability by stepping the basis states of the test oscillator: a scan over mu, sharpened by bisection.
#include "stability_parts.hpp"
#include "trill/analysis/test_oscillator.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double rounding = 1e-8;  // eigenvalues at a double root are known to the square root of rounding
constexpr double far_away = 1e6;

struct StepRunner {
  std::unique_ptr<Stepper> stepper;
  TestOscillator oscillator;
  ErrorScale scale;
  Vec weights;

  StepRunner(const MethodEntry& method, const OptionSet& options)
      : oscillator(make_test_oscillator(method.info.accepts)) {
    if (method.info.owns_step)
      throw UsageError(method.info.name + " chooses its own steps; there is no matrix of one step to analyse");
    stepper = method.make(*oscillator.problem, options);
    const Index n = oscillator.problem->layout().size();
    // Newton iterations to rounding: the matrix is to be that of the method.
    scale = {.rtol = 1e-14, .atol = Vec::Constant(n, 1e-15)};
    weights = Vec::Constant(n, 1e14);
  }

  Eigen::Vector2d step(double q, double v, double h) {
    State s(oscillator.problem->layout());
    s.y[0] = q;
    s.y[oscillator.velocity_index] = v;
    stepper->start(s, scale);
    Notes notes;
    Counters work;
    const StepResult result = stepper->step(s, {h, scale, weights, HUGE_VAL, false, false, notes, work, {}});
    if (result.status != StepStatus::ok) return Eigen::Vector2d::Constant(std::nan(""));
    return {s.y[0], s.y[oscillator.velocity_index]};
  }

  Mat2 matrix(double mu) {
    Mat2 m;
    m.col(0) = step(1, 0, mu);
    m.col(1) = step(0, 1, mu);
    return m;
  }

  StepMatrix step_matrix(double mu) {
    const Mat2 m = matrix(mu);
    const Extended e11 = Extended(m(0, 0)) - 1, e22 = Extended(m(1, 1)) - 1, m12 = m(0, 1), m21 = m(1, 0);
    return {e11, m12, m21, e22, e11 + e22 + e11 * e22 - m12 * m21};
  }
};

// Least-squares slope of log |y| against log x.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double lx = std::log(x[i]), ly = std::log(std::abs(y[i]));
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// y = C x^r (1 + O(x^2)), x decreasing: r rounded from the slope, C without the next term by the two values that
// rounding spares.
LeadingTerm leading_term(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return {HUGE_VAL, 0};
  const double order = std::round(slope(x, y));
  std::size_t i = 1;
  while (i + 1 < x.size() && std::abs(y[i + 1]) > 1e-9) ++i;
  const double before = y[i - 1] / std::pow(x[i - 1], order), here = y[i] / std::pow(x[i], order);
  const double ratio = std::pow(x[i - 1] / x[i], 2);
  return {order, (ratio * here - before) / (ratio - 1)};
}

class StepAnalysis {
 public:
  StepAnalysis(const MethodEntry& method, const OptionSet& options) : runner_(method, options) {}

  StabilityReport report(double mu_max) {
    StabilityReport r;
    r.rows = stability_rows([this](double mu) { return runner_.step_matrix(mu); }, mu_max);
    fit_orders(r);
    const auto absolute = [this](Extended mu) { return row(static_cast<double>(mu)).radius <= 1 + rounding; };
    const auto periodic = [this](Extended mu) { return on_unit_circle(row(static_cast<double>(mu))); };
    const std::vector<CriticalPoint> points = scan(absolute);
    r.closed.absolute = closed_windows(points, absolute);
    r.open.absolute = open_windows(points, absolute);
    // A method that damps has no interval of periodicity, however small its damping is for small mu.
    if (std::isinf(r.damping.order)) {
      const std::vector<CriticalPoint> ends = scan(periodic);
      r.closed.periodicity = closed_windows(ends, periodic);
      r.open.periodicity = open_windows(ends, periodic);
    }
    conclude(r, points);
    r.radius_at_infinity = row(far_away).radius;
    return r;
  }

 private:
  StabilityRow row(double mu) { return stability_row(runner_.step_matrix(mu), mu); }
  static bool on_unit_circle(const StabilityRow& r) { return std::abs(r.radius - 1) <= rounding; }

  void fit_orders(StabilityReport& report) {
    std::vector<double> phase_mu, distortion, damp_mu, damping;
    for (double mu = 0.8; mu > 0.02; mu /= 1.3) {
      const StabilityRow r = row(mu);
      if (std::abs(r.phase / mu - 1) > 1e-12) {
        phase_mu.push_back(mu);
        distortion.push_back(r.phase / mu - 1);
      }
      if (std::abs(1 - r.radius) > 1e-12) {
        damp_mu.push_back(mu);
        damping.push_back(r.damping);
      }
    }
    report.dispersion = leading_term(phase_mu, distortion);
    report.damping = leading_term(damp_mu, damping);
  }

  CriticalPoint point_at(double mu) {
    const StepMatrix m = runner_.step_matrix(mu);
    const bool doubled = std::abs(m.det_minus_one) < 1e-6 && std::abs(std::abs(m.half_trace()) - 1) < 1e-6;
    const bool identity = doubled && std::max(std::abs(m.m12), std::abs(m.m21)) < 1e-3;
    return {.mu = mu, .double_eigenvalue = doubled, .identity = identity};
  }

  // Where `stable` changes, and where a pair of eigenvalues meets and parts again.
  std::vector<CriticalPoint> scan(const StableAt& stable) {
    std::vector<CriticalPoint> points;
    double before = 0.01, before_that = 0;
    bool held = stable(before);
    for (double mu = 0.05; mu < far_away; mu = mu < 60 ? mu + 0.05 : mu * 1.05) {
      const bool holds = stable(mu);
      if (holds != held)
        points.push_back(point_at(bisect(stable, before, mu, held)));
      else if (holds && before_that > 0)
        add_touching(points, before_that, before, mu);
      held = holds;
      before_that = before;
      before = mu;
    }
    return points;
  }

  static double bisect(const StableAt& stable, double low, double high, bool at_low) {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (stable(middle) == at_low ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  void add_touching(std::vector<CriticalPoint>& points, double low, double middle, double high) {
    const auto discriminant = [this](double mu) { return runner_.step_matrix(mu).discriminant(); };
    const Extended least = discriminant(middle);
    if (least > 0.05L || least > discriminant(low) || least > discriminant(high)) return;
    for (int i = 0; i < 60; ++i) {  // ternary search
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (discriminant(a) < discriminant(b) ? high : low) = discriminant(a) < discriminant(b) ? b : a;
    }
    const CriticalPoint point = point_at(0.5 * (low + high));
    if (point.double_eigenvalue && (points.empty() || point.mu > points.back().mu)) points.push_back(point);
  }

  StepRunner runner_;
};
}  // namespace

Mat2 stability_matrix(const MethodEntry& method, const OptionSet& options, double mu) {
  return StepRunner(method, options).matrix(mu);
}

StabilityReport analyse_steps(const MethodEntry& method, const OptionSet& options, double mu_max) {
  return StepAnalysis(method, options).report(mu_max);
}
}  // namespace trill
