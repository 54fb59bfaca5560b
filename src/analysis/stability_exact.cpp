// SPDX-License-Identifier: BSD-3-Clause
// Stability from coefficients: everything is a polynomial in x = mu^2. Intervals end at roots of polynomials, and
// orders are given by first nonzero coefficients.
#include "analysis/stability_parts.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
bool vanishes(const Polynomial& p, Extended x) {
  // The point itself is known only up to rounding.
  const Extended moved = 1e-17L * x * std::abs(p.derivative()(x));
  return std::abs(p(x)) <= 4 * (p.uncertainty(x) + moved);
}

// A root of a polynomial with the interval in which it may lie.
struct Root {
  Extended x, error;
};

std::vector<Root> roots_of(const Polynomial& p) {
  const Polynomial slope = p.derivative(), bend = slope.derivative();
  std::vector<Root> roots;
  for (const Extended x : positive_roots(p)) {
    const Extended value = p.uncertainty(x), simple = value / std::abs(slope(x)),
                   twofold = std::sqrt(2 * value / std::abs(bend(x)));
    roots.push_back({x, std::isfinite(simple) && !(twofold < simple) ? simple : twofold});
  }
  return roots;
}

// Merges roots of several polynomials that cannot be told apart.
std::vector<Root> joined(std::vector<Root> roots) {
  std::sort(roots.begin(), roots.end(), [](const Root& a, const Root& b) { return a.x < b.x; });
  std::vector<Root> result;
  for (const Root& r : roots)
    if (result.empty() || r.x - result.back().x > r.error + result.back().error) result.push_back(r);
  return result;
}

class FormAnalysis {
 public:
  explicit FormAnalysis(const LinearForm& form)
      : f_(form), trace_(form.n11 + form.n22), damping_(form.det - form.q), skew_(form.n11 - form.n22) {}

  StabilityReport report(double mu_max) const {
    StabilityReport r;
    r.exact = true;
    r.rows = stability_rows([this](double mu) { return step_matrix(f_, mu); }, mu_max);
    const std::vector<CriticalPoint> points = critical_points();
    const auto stable = [this](Extended mu) { return is_stable(mu); };
    r.closed.absolute = closed_windows(points, stable);
    r.open.absolute = open_windows(points, stable);
    if (preserves()) {
      r.closed.periodicity = r.closed.absolute;
      r.open.periodicity = r.open.absolute;
    }
    conclude(r, points);
    r.dispersion = dispersion();
    r.damping = damping();
    set_infinity(r);
    return r;
  }

 private:
  bool preserves() const { return damping_.degree() < 0; }  // det M = 1

  // The discriminant, or Jury's conditions on det and trace.
  std::vector<Polynomial> critical_polynomials() const {
    if (!preserves()) return {damping_, f_.q + f_.det - trace_, f_.q + f_.det + trace_};
    // If the diagonal entries are equal, 4 det - tr^2 = -4 m12 m21. The two factors have simple roots where the product
    // has pairs of roots close together.
    if (skew_.degree() < 0) return {f_.n12, f_.n21};
    return {Polynomial{0, 4} * f_.n12 * f_.n21 - skew_ * skew_};
  }

  std::vector<CriticalPoint> critical_points() const {
    std::vector<Root> roots;
    for (const Polynomial& p : critical_polynomials())
      for (const Root& r : roots_of(p)) roots.push_back(r);
    std::vector<CriticalPoint> points;
    for (const Root& r : joined(roots)) points.push_back(point_at(r.x));
    for (const Extended x : positive_roots(f_.q)) points.push_back({.mu = std::sqrt(x), .pole = true});
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.mu < b.mu; });
    return points;
  }

  CriticalPoint point_at(Extended x) const {
    CriticalPoint point{.mu = std::sqrt(x)};
    const Extended q = std::abs(f_.q(x));
    point.double_eigenvalue =
        preserves() || (vanishes(damping_, x) && std::abs(std::abs(trace_(x)) - 2 * q) <= 1e-12L * q);
    point.identity = point.double_eigenvalue && vanishes(f_.n12, x) && vanishes(f_.n21, x) &&
                     (skew_.degree() < 0 || vanishes(skew_, x));
    return point;
  }

  bool is_stable(Extended mu) const {
    const StepMatrix m = step_matrix(f_, mu);
    if (preserves()) return m.discriminant() > 0;
    return m.det_minus_one <= 0 && std::abs(2 * m.half_trace()) <= 2 + m.det_minus_one;
  }

  // Compares cos(phase) = tr / (2 sqrt(det)) with cos(mu) as series: for the phase mu (1 + C mu^r) the first difference
  // is -C mu^(r+2).
  LeadingTerm dispersion() const {
    const int terms = f_.q.degree() + trace_.degree() + 4;
    std::vector<Extended> cosine{1};
    for (int k = 1; k < terms; ++k) cosine.push_back(-cosine.back() / ((2 * k - 1) * (2 * k)));
    std::vector<Extended> rounding;
    for (const Extended c : cosine) rounding.push_back(1e-18L * std::abs(c));
    rounding[0] = 0;
    const Polynomial root = preserves() ? f_.q : square_root(f_.q * f_.det, terms);
    const Polynomial difference = (0.5L * trace_ - root * Polynomial(cosine, rounding)).truncated(terms);
    for (int k = 1; k < terms; ++k)
      if (const Extended c = difference.coefficient(k); c != 0)
        // The frequency is wrong even for mu -> 0: cos(b mu) - cos(mu) = (1 - b^2) mu^2 / 2.
        return {2.0 * k - 2, static_cast<double>(k == 1 ? std::sqrt(1 - 2 * c) - 1 : -c)};
    return {HUGE_VAL, 0};
  }

  // The square root as a series, for p(0) = 1.
  static Polynomial square_root(const Polynomial& p, int terms) {
    std::vector<Extended> y{1}, bounds{0};
    for (int k = 1; k < terms; ++k) {
      Extended value = p.coefficient(k), bound = p.bound(k);
      for (int j = 1; j < k; ++j) {
        const auto a = static_cast<std::size_t>(j), b = static_cast<std::size_t>(k - j);
        value -= y[a] * y[b];
        bound += 2 * std::abs(y[a]) * bounds[b] + 1e-19L * std::abs(y[a] * y[b]);
      }
      y.push_back(value / 2);
      bounds.push_back(bound / 2);
    }
    return {y, bounds};
  }

  // a = -log(det M) / (2 mu)
  LeadingTerm damping() const {
    for (int k = 0; k <= damping_.degree(); ++k)
      if (damping_.coefficient(k) != 0)
        return {2.0 * k - 1, static_cast<double>(-damping_.coefficient(k) / (2 * f_.q.coefficient(0)))};
    return {HUGE_VAL, 0};
  }

  // Limit of p / q.
  std::optional<double> limit(const Polynomial& p) const {
    if (p.degree() > f_.q.degree()) return {};
    return static_cast<double>(p.coefficient(f_.q.degree()) / f_.q.coefficient(f_.q.degree()));
  }

  void set_infinity(StabilityReport& r) const {
    const auto m11 = limit(f_.n11), m22 = limit(f_.n22), trace = limit(trace_), det = limit(f_.det);
    if (m11 && m22 && f_.n12.degree() < f_.q.degree() && f_.n21.degree() < f_.q.degree())
      r.at_infinity = Mat2{{*m11, 0}, {0, *m22}};
    r.radius_at_infinity = HUGE_VAL;
    if (!trace || !det) return;
    const double discriminant = *det - 0.25 * *trace * *trace;
    r.radius_at_infinity = discriminant > -1e-12 ? std::sqrt(std::max(*det, 0.25 * *trace * *trace))
                                                 : 0.5 * std::abs(*trace) + std::sqrt(-discriminant);
  }

  const LinearForm& f_;
  Polynomial trace_, damping_, skew_;
};
}  // namespace

StabilityReport analyse_stability(const LinearForm& form, double mu_max) { return FormAnalysis(form).report(mu_max); }
}  // namespace trill
