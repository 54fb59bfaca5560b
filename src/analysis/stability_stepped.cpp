// SPDX-License-Identifier: BSD-3-Clause
// Stability by stepping the basis states of the test oscillator: a scan over mu, refined by bisection.
#include "analysis/convergence.hpp"
#include "analysis/stability_parts.hpp"
#include "analysis/test_oscillator.hpp"
#include "base/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double far_away = 1e6;

struct StepRunner {
  std::unique_ptr<Stepper> stepper;
  TestOscillator oscillator;
  ErrorScale scale;
  Vec weights;
  StepStatus status = StepStatus::ok;  // result of the last step

  StepRunner(const MethodEntry& method, const OptionSet& options)
      : oscillator(make_test_oscillator(method.info.accepts)) {
    if (method.info.owns_step)
      throw UsageError(method.info.name + " chooses its own steps, so there is no matrix of one step to analyse");
    stepper = method.make(*oscillator.problem, options);
    const Index n = oscillator.problem->layout().size();
    // Newton iterates to rounding, so that the step matrix is that of the method.
    scale = {.rtol = 1e-14, .atol = Vec::Constant(n, 1e-15)};
    weights = Vec::Constant(n, 1e14);
  }

  // (q, v) after each of the steps, as columns; NaN from the first failed step on.
  Eigen::Matrix2Xd run(double q, double v, double h, int steps) {
    Eigen::Matrix2Xd states = Eigen::Matrix2Xd::Constant(2, steps, std::nan(""));
    State s(oscillator.problem->layout());
    s.y[0] = q;
    s.y[oscillator.velocity_index] = v;
    stepper->start(s, scale);
    Notes notes;
    Counters work;
    for (int k = 0; k < steps; ++k) {
      status = stepper->step(s, {h, scale, weights, HUGE_VAL, false, false, notes, work, {}}).status;
      if (status != StepStatus::ok) break;
      states.col(k) << s.y[0], s.y[oscillator.velocity_index];
    }
    return states;
  }

  Mat2 matrix(double mu) {
    Mat2 m;
    m << run(1, 0, mu, 1), run(0, 1, mu, 1);
    return m;
  }

  // Whether later steps differ from the first, as those of multistep methods do.
  bool has_memory() {
    constexpr double mu = 0.3;
    const Eigen::Matrix2Xd states = run(1, 0.4, mu, 8);
    const Mat2 m = matrix(mu);
    return (m * states.leftCols(7) - states.rightCols(7)).cwiseAbs().maxCoeff() > 1e-9;
  }

  StepMatrix step_matrix(double mu) {
    const Mat2 m = matrix(mu);
    const Extended e11 = Extended(m(0, 0)) - 1, e22 = Extended(m(1, 1)) - 1, m12 = m(0, 1), m21 = m(1, 0);
    return {e11, m12, m21, e22, e11 + e22 + e11 * e22 - m12 * m21};
  }

  // A matrix with this double eigenvalue, as the limit of a pair that just does not oscillate.
  static StepMatrix one_real(Extended value) { return {value - 1, 1e-30L, 1e-30L, value - 1, value * value - 1}; }

  // A matrix with the dominant pair of eigenvalues of a long run: q_{n+1} - tr q_n + det q_{n-1} = 0. If other
  // eigenvalues are as large, only their growth is determined.
  StepMatrix late_matrix(double mu) {
    constexpr int stretch = 60;
    const Eigen::RowVectorXd q = run(1, 0.4, mu, 4 * stretch).row(0);
    const double before = q.segment(2 * stretch, stretch).cwiseAbs().maxCoeff(),
                 size = q.tail<4>().cwiseAbs().maxCoeff();
    if (size == 0) return one_real(0);
    const Eigen::RowVectorXd late = q.tail<12>() / size;
    const Extended a = late[8], b = late[9], c = late[10], d = late[11], turn = b * b - c * a;
    if (std::abs(turn) <= 1e-8L * b * b) return one_real(d / c);
    const Extended trace = (c * b - d * a) / turn, det = (c * c - d * b) / turn;
    for (Index k = 1; k + 1 < late.size(); ++k)
      if (std::abs(late[k + 1] - trace * late[k] + det * late[k - 1]) > 1e-6L * late.cwiseAbs().maxCoeff())
        return one_real(std::pow(q.tail<stretch>().cwiseAbs().maxCoeff() / before, 1.0 / stretch));
    const Extended discriminant = det - trace * trace / 4, root = std::sqrt(std::abs(discriminant));
    return {trace / 2 - 1, root, discriminant < 0 ? root : -root, trace / 2 - 1, det - 1};
  }
};

// y = C x^r (1 + O(x^2)), x decreasing: r is the rounded slope; C is computed from the last two values above rounding,
// with the next term eliminated.
LeadingTerm leading_term(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return {HUGE_VAL, 0};
  const double order = std::round(log_slope(x, y));
  std::size_t i = 1;
  while (i + 1 < x.size() && std::abs(y[i + 1]) > 1e-9) ++i;
  const double before = y[i - 1] / std::pow(x[i - 1], order), here = y[i] / std::pow(x[i], order);
  const double ratio = std::pow(x[i - 1] / x[i], 2);
  return {order, (ratio * here - before) / (ratio - 1)};
}

class StepAnalysis {
 public:
  StepAnalysis(const MethodEntry& method, const OptionSet& options)
      : runner_(method, options), has_memory_(runner_.has_memory()) {}

  StabilityReport report(double mu_max) {
    StabilityReport r;
    r.has_memory = has_memory_;
    r.rows = stability_rows([this](double mu) { return matrix(mu); }, mu_max);
    fit_orders(r);
    const auto absolute = [this](Extended mu) {
      return row(static_cast<double>(mu)).radius <= 1 + tolerance::double_root;
    };
    const auto periodic = [this](Extended mu) { return on_unit_circle(row(static_cast<double>(mu))); };
    const Scan all = scan(absolute);
    r.closed.absolute = closed_windows(all.points, all.within(absolute));
    r.open.absolute = open_windows(all.points, all.within(absolute));
    // A damping method has no interval of periodicity, however small its damping is for small mu.
    if (std::isinf(r.damping.order)) {
      const Scan ends = scan(periodic);
      r.closed.periodicity = closed_windows(ends.points, ends.within(periodic));
      r.open.periodicity = open_windows(ends.points, ends.within(periodic));
    }
    conclude(r, all.points);
    r.radius_at_infinity = row(far_away).radius;
    return r;
  }

 private:
  struct Scan {
    std::vector<CriticalPoint> points;
    Extended to = HUGE_VALL;  // nothing is known beyond
    StableAt within(const StableAt& stable) const {
      return [this, stable](Extended mu) { return mu < to && stable(mu); };
    }
  };

  StepMatrix matrix_at(double mu) { return has_memory_ ? runner_.late_matrix(mu) : runner_.step_matrix(mu); }
  StepMatrix matrix(double mu) {
    const StepMatrix m = matrix_at(mu);
    // Methods fitted to a frequency refuse single step sizes, where they have resonances; take a value next to it.
    return runner_.status == StepStatus::refused ? matrix_at(mu * (1 + 1e-5)) : m;
  }
  StabilityRow row(double mu) { return stability_row(matrix(mu), mu); }
  static bool on_unit_circle(const StabilityRow& r) { return std::abs(r.radius - 1) <= tolerance::double_root; }

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
    const StepMatrix m = matrix(mu);
    const bool doubled = std::abs(m.det_minus_one) < 1e-6 && std::abs(std::abs(m.half_trace()) - 1) < 1e-6;
    const bool identity = doubled && !has_memory_ && std::max(std::abs(m.m12), std::abs(m.m21)) < 1e-3;
    return {.mu = mu, .double_eigenvalue = doubled, .identity = identity};
  }

  // Finds where `stable` changes, and where a pair of eigenvalues meets and separates again. Further out the scan is
  // too coarse for windows: there it only looks for the end of the last one.
  Scan scan(const StableAt& stable) {
    constexpr double fine_to = 60;
    Scan result;
    double before = 0.01, before_that = 0;
    bool held = stable(before);
    for (double mu = 0.05; mu < far_away; mu = mu < fine_to ? mu + 0.05 : mu * 1.05) {
      const bool holds = stable(mu);
      if (holds != held)
        result.points.push_back(point_at(bisect(stable, before, mu, held)));
      else if (holds && before_that > 0 && mu <= fine_to)
        add_touching(result.points, before_that, before, mu);
      if (holds != held && mu > fine_to) {
        result.to = result.points.back().mu;
        break;
      }
      held = holds;
      before_that = before;
      before = mu;
    }
    return result;
  }

  static double bisect(const StableAt& stable, double low, double high, bool at_low) {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (stable(middle) == at_low ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  void add_touching(std::vector<CriticalPoint>& points, double low, double middle, double high) {
    const auto discriminant = [this](double mu) { return matrix(mu).discriminant(); };
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
  bool has_memory_;
};
}  // namespace

Mat2 stability_matrix(const MethodEntry& method, const OptionSet& options, double mu) {
  return StepRunner(method, options).matrix(mu);
}

StabilityReport analyse_steps(const MethodEntry& method, const OptionSet& options, double mu_max) {
  return StepAnalysis(method, options).report(mu_max);
}
}  // namespace trill
