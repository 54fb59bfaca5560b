// SPDX-License-Identifier: BSD-3-Clause
#include "trill/analysis/stability.hpp"

#include "trill/analysis/test_oscillator.hpp"

#include <cmath>
#include <complex>

namespace trill {
namespace {
constexpr double rounding = 1e-8;  // eigenvalues at a double root are known to the square root of rounding

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
};

Mat2 matrix_of(StepRunner& runner, double mu) {
  Mat2 m;
  m.col(0) = runner.step(1, 0, mu);
  m.col(1) = runner.step(0, 1, mu);
  return m;
}

StabilityRow row_of(StepRunner& runner, double mu) {
  const Mat2 m = matrix_of(runner, mu);
  const double half_trace = 0.5 * m.trace(), det = m.determinant();
  const std::complex<double> root = std::sqrt(std::complex<double>(half_trace * half_trace - det, 0));
  const std::complex<double> a = half_trace + root, b = half_trace - root;
  StabilityRow row{mu, std::max(std::abs(a), std::abs(b)), std::abs(std::arg(a)), false};
  if (!std::isfinite(row.radius)) row.radius = HUGE_VAL;
  row.oscillates = std::abs(root.imag()) > 0 || std::abs(row.radius - 1) < rounding;
  return row;
}

// Least-squares slope of log y against log x.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double lx = std::log(x[i]), ly = std::log(y[i]);
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

bool on_unit_circle(const StabilityRow& row) { return row.oscillates && std::abs(row.radius - 1) <= rounding; }
bool inside_unit_circle(const StabilityRow& row) { return row.radius <= 1 + rounding; }

// End of the interval (0, mu) on which `holds` is true: first failure on a fine grid, sharpened by bisection.
template <class Test>
double interval_end(StepRunner& runner, Test holds) {
  double good = 0;
  for (double mu = 0.05; mu < 1e6; mu = mu < 60 ? mu + 0.05 : mu * 1.05) {
    if (holds(row_of(runner, mu))) {
      good = mu;
      continue;
    }
    double bad = mu;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (good + bad);
      (holds(row_of(runner, middle)) ? good : bad) = middle;
    }
    return good;
  }
  return HUGE_VAL;
}

void fit_orders(StepRunner& runner, StabilityReport& report) {
  std::vector<double> phase_mu, phase_error, damp_mu, damping;
  for (double mu = 0.8; mu > 0.02; mu /= 1.3) {
    const StabilityRow row = row_of(runner, mu);
    if (std::abs(mu - row.phase) > 1e-12 * mu) {
      phase_mu.push_back(mu);
      phase_error.push_back(std::abs(mu - row.phase));
    }
    if (std::abs(1 - row.radius) > 1e-12) {
      damp_mu.push_back(mu);
      damping.push_back(std::abs(1 - row.radius));
    }
  }
  report.dispersion_order = phase_mu.size() > 2 ? slope(phase_mu, phase_error) - 1 : HUGE_VAL;
  report.dissipation_order = damp_mu.size() > 2 ? slope(damp_mu, damping) - 1 : HUGE_VAL;
}
}  // namespace

Mat2 stability_matrix(const MethodEntry& method, const OptionSet& options, double mu) {
  StepRunner runner(method, options);
  return matrix_of(runner, mu);
}

StabilityReport analyse_stability(const MethodEntry& method, const OptionSet& options, double mu_max) {
  StepRunner runner(method, options);
  StabilityReport report;
  constexpr int points = 400;
  for (int i = 1; i <= points; ++i) report.rows.push_back(row_of(runner, mu_max * i / points));
  fit_orders(runner, report);
  // A method that damps has no interval of periodicity, however small its damping is for small mu.
  report.periodicity_end = std::isinf(report.dissipation_order) ? interval_end(runner, on_unit_circle) : 0;
  report.absolute_end = interval_end(runner, inside_unit_circle);
  report.p_stable = std::isinf(report.periodicity_end);
  report.a_stable = std::isinf(report.absolute_end);
  report.radius_at_infinity = row_of(runner, 1e6).radius;
  return report;
}
}  // namespace trill
