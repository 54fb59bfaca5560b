// SPDX-License-Identifier: BSD-3-Clause
// LIN: the linearised Langevin equations are solved exactly by normal modes, and what is missing is added by an
// implicit step. PJY97 sec. 4.4; Zhang, Schlick 1993, 1995.
#include "linalg/dense_decompositions.hpp"
#include "method/envelope_point.hpp"
#include "method/heat_bath_stepper.hpp"
#include "method/prospects.hpp"
#include "multiscale/force_products.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_unknowns = 1500;

// One mode x'' = -d x + b - gamma x' + sqrt(2 gamma kT) W' over a time h, from (x, v): the exact mean, and the lower
// triangular factor of the covariance.
struct ModeStep {
  double xx, xv, vx, vv, shift_x, shift_v;  // x1 = xx x + xv v + shift_x b, v1 = vx x + vv v + shift_v b
  double noise_xx, noise_vx, noise_vv;      // x1 += noise_xx r, v1 += noise_vx r + noise_vv r'
};

ModeStep free_mode(double gamma, double kT, double h) {
  ModeStep m{1, h, 0, 1, 0.5 * h * h, h, 0, 0, 0};
  if (!(gamma > 0)) return m;
  const double g = gamma * h, e = std::exp(-g), lost = -std::expm1(-g);
  m.xv = lost / gamma;
  m.vv = e;
  m.shift_v = lost / gamma;
  m.shift_x = (h - lost / gamma) / gamma;
  const double var_v = kT * -std::expm1(-2 * g), cov = kT / gamma * lost * lost;
  // 2 g - 3 + 4 e - e^2 cancels for small g: 2 g^3/3 (1 - 3 g/4 + ...)
  const double series = g < 1e-2 ? 2.0 / 3 * g * g * g * (1 - 0.75 * g + 0.35 * g * g) : 2 * g - 3 + 4 * e - e * e;
  const double var_x = kT / (gamma * gamma) * series;
  m.noise_xx = std::sqrt(std::max(0.0, var_x));
  m.noise_vx = m.noise_xx > 0 ? cov / m.noise_xx : 0;
  m.noise_vv = std::sqrt(std::max(0.0, var_v - m.noise_vx * m.noise_vx));
  return m;
}

ModeStep bound_mode(double d, double gamma, double kT, double h) {
  ModeStep m{};
  const double damping = 0.5 * gamma, square = d - damping * damping, e = std::exp(-damping * h);
  double c, s;  // cos(w h) and sin(w h)/w, or their hyperbolic forms
  if (square > 0) {
    const double w = std::sqrt(square);
    c = std::cos(w * h);
    s = std::sin(w * h) / w;
  } else if (square < 0) {
    const double w = std::sqrt(-square);
    c = std::cosh(w * h);
    s = std::sinh(w * h) / w;
  } else {
    c = 1;
    s = h;
  }
  m.xx = e * (c + damping * s);
  m.xv = e * s;
  m.vx = -e * d * s;
  m.vv = e * (c - damping * s);
  m.shift_x = (1 - m.xx) / d;
  m.shift_v = -m.vx / d;
  if (!(gamma > 0)) return m;
  // covariance at rest minus what is left of it: S - E S E^T with S = diag(kT/d, kT)
  const double var_x = kT / d * (1 - m.xx * m.xx) - kT * m.xv * m.xv;
  const double cov = -kT / d * m.xx * m.vx - kT * m.xv * m.vv;
  const double var_v = kT * (1 - m.vv * m.vv) - kT / d * m.vx * m.vx;
  m.noise_xx = std::sqrt(std::max(0.0, var_x));
  m.noise_vx = m.noise_xx > 0 ? cov / m.noise_xx : 0;
  m.noise_vv = std::sqrt(std::max(0.0, var_v - m.noise_vx * m.noise_vx));
  return m;
}
}  // namespace

class Lin final : public HeatBathStepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("it finds all modes in every step; ln with inner steps is much cheaper");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "lin",
            .title = "LIN: exact linearised Langevin dynamics with an implicit correction",
            .reference = "PJY97 sec. 4.4; Zhang, Schlick, J. Comput. Chem. 14 (1993) 1212-1233",
            .accepts = {.langevin = true},
            .order = 2,
            .dense_order = 2,
            .implicit_step = true,
            .p_stable = true,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  Lin(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem),
        kT_(problem.as<LangevinProblem>("lin").kT()),
        products_(mechanics(), all_groups),
        point_(mechanics()) {
    if (mechanics().constraints())
      throw UsageError("lin cannot satisfy constraints; use langevin_splitting for '" + problem.name() + "'");
    if (problem.layout().nq > most_unknowns)
      throw UsageError(
          fmt::format("lin finds all modes in every step, which is too much for the {} unknowns of '{}'; use ln",
                      problem.layout().nq, problem.name()));
  }
  void start(State& s, const ErrorScale& scale) override {
    const Index n = s.layout.nq;
    HeatBathStepper::start(s, scale);
    products_.start(s.q());
    point_.start(s.q());
    modes_ = SymmetricEigen(n);
    root_ = Vec::Ones(n);
    accelerate().divide_by_mass(s.q(), root_);
    root_ = root_.cwiseSqrt();  // M^-1/2
    hessian_ = Mat::Zero(n, n);
    column_ = product_ = x_ = v_ = b_ = x1_ = v1_ = free_ = next_ = moved_ = Vec::Zero(n);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Lin>(problem, Options{});
  }

 private:
  bool find_modes(const Moving& now) {
    const Index n = now.q.size();
    for (Index k = 0; k < n; ++k) {
      column_.setZero();
      column_[k] = root_[k];
      products_(now.t, now.q, column_, product_, now.request.work);
      hessian_.col(k) = -root_.cwiseProduct(product_);
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) hessian_(i, j) = hessian_(j, i) = 0.5 * (hessian_(i, j) + hessian_(j, i));
    return hessian_.allFinite() && modes_.compute(hessian_);
  }

  StepStatus advance(Moving& now) override {
    if (!find_modes(now)) return StepStatus::non_finite;
    const double h = now.request.h, slowed = 1 + gamma() * h, tau = h * h / slowed;
    const Mat& V = modes_.vectors();
    const Vec& d = modes_.values();
    const Index n = now.q.size();
    // in modes, from the present point
    product_ = now.v.cwiseQuotient(root_);
    v_.noalias() = V.transpose() * product_;
    product_ = acceleration().cwiseQuotient(root_);
    b_.noalias() = V.transpose() * product_;
    const double zero = 1e-10 * std::max(1e-300, d.cwiseAbs().maxCoeff());
    for (Index i = 0; i < n; ++i) {
      // Directions in which the potential is not convex are taken as free.
      const bool bound = d[i] > zero;
      const ModeStep m = bound ? bound_mode(d[i], gamma(), kT_, h) : free_mode(gamma(), kT_, h);
      const double r = random_normal(now.request.random, static_cast<std::uint32_t>(2 * i)),
                   other = random_normal(now.request.random, static_cast<std::uint32_t>(2 * i + 1));
      x1_[i] = m.xv * v_[i] + m.shift_x * b_[i] + m.noise_xx * r;
      v1_[i] = m.vv * v_[i] + m.shift_v * b_[i] + m.noise_vx * r + m.noise_vv * other;
      x_[i] = bound ? d[i] * x1_[i] : 0;  // minus the linear force there
    }
    // w = X - q_f:  M w (1 + gamma h)/h^2 = F(q_f + w) - (F(q) - H (q_f - q)), so that X is an envelope point.
    product_.noalias() = V * x1_;
    next_ = now.q + root_.cwiseProduct(product_);
    product_.noalias() = V * x_;
    free_ = next_ - tau * (acceleration() - root_.cwiseProduct(product_));
    moved_ = next_;
    now.t += h;
    now.newton = point_.solve(now.t, free_, tau, now.request.weights.head(n), moved_, now.request.work);
    if (!now.newton.converged) return status_of(now.newton);
    product_.noalias() = V * v1_;
    now.v = root_.cwiseProduct(product_) + (moved_ - next_) / h;
    acceleration() = (moved_ - free_) / tau;
    now.q = moved_;
    return StepStatus::ok;
  }

  double kT_;
  ForceProducts products_;
  EnvelopePoint point_;
  SymmetricEigen modes_;
  Mat hessian_;
  Vec root_, column_, product_, x_, v_, b_, x1_, v1_, free_, next_, moved_;
};
}  // namespace trill
TRILL_METHOD(lin, Lin)
