// SPDX-License-Identifier: BSD-3-Clause
// Stoermer methods fitted to one frequency. Trigonometric order 1: PJY97 sec. 2; higher orders: W. Gautschi, Numer.
// Math. 3 (1961) 381-397.
#include "formulation/frequencies.hpp"
#include "method/gautschi_weights.hpp"
#include "method/oscillator_form.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

#include <numbers>

namespace trill {
namespace {
double sine_over(double x) { return x == 0 ? 1 : std::sin(x) / x; }

// Trigonometric order 1 as a map of (q, v): kick, drift and kick, whose lengths tend to those of Verlet.
struct FittedLengths {
  double kick, drift;
  FittedLengths(double h, double omega)
      : kick(omega == 0 ? 0.5 * h : std::tan(0.5 * h * omega) / omega), drift(h * sine_over(h * omega)) {}
};
}  // namespace

class Gautschi final : public Stepper {
 public:
  struct Options {
    int r = 1;
    double omega = 0;
    void fields(OptionVisitor& v) {
      v.integer("r", r, Range::between(1, most_trigonometric_order),
                "trigonometric order: the method is exact for the frequencies omega, 2 omega, ..., r omega");
      v.number("omega", omega, Range::at_least(0),
               "frequency to which the method is fitted; 0: the fastest one of the linearised motion at the start");
    }
  };
  // This omega is not the frequency of the test problems: fitted to that, the method would have no error to measure.
  static std::vector<OptionSet> variants() { return {{{"omega", "0.8"}}, {{"omega", "0.8"}, {"r", "2"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name(
        "it needs the frequency of the oscillation; name it where forces are linear except for small ones");
  }
  static MethodInfo describe(const Options& options) {
    return {.name = "gautschi",
            .title = "Gautschi's Stoermer method of trigonometric order " + std::to_string(options.r),
            .reference = "PJY97 sec. 2; Gautschi 1961",
            .accepts = {.mechanical = true},
            .order = 2 * options.r,
            .dense_order = options.r == 1 ? 2 : 4,
            .dense_degree = options.r == 1 ? 7 : 3,
            .symmetric = options.r == 1,
            .symplectic = options.r == 1,
            .multistep = options.r > 1,
            .constant_step = true,
            .componentwise = options.omega > 0};
  }

  Gautschi(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(oscillator_form(problem, "gautschi", "implicit_midpoint or dopri5")),
        accelerate_(p_),
        r_(options.r),
        past_(2 * options.r) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq;
    omega_ = options_.omega > 0 ? options_.omega : fastest_frequency(p_, s);
    g_ = Mat::Zero(n, past_ + 1);
    tries_ = Mat::Zero(2 * n, r_);
    y0_ = y1_ = s.y;
    q_ = difference_ = new_difference_ = Vec::Zero(n);
    accelerate_.start(s.q());
    accelerate_(s.t, s.q(), s.v(), g_.col(0));
    newest_ = 0;
    known_ = 1;
    h_ = 0;
    told_ = options_.omega > 0;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    if (!told_)
      request.notes.raise(
          s.t, "gautschi_omega",
          "The method is fitted to the fastest frequency found at the start. The value is this frequency.",
          Severity::info, omega_, 0);
    told_ = true;
    if (!solvable(s.t, request)) return {.status = StepStatus::refused};
    if (request.jumped) {
      known_ = 0;
      evaluate(s.t, s.q(), newest_, request);
    }
    if (request.jumped || h != h_) known_ = 1;
    prepare(h);
    y0_ = s.y;
    if (r_ > 1 && known_ >= past_)
      take_past_step(s.t, request);
    else
      take_first_step(s.t, request);
    if (!all_finite(y1_)) return {.status = StepStatus::non_finite};
    newest_ = slot(-1);
    known_ = std::min(known_ + 1, past_);
    difference_ = new_difference_;
    s.y = y1_;
    s.t += h;
    return {.h_taken = h};
  }

  void interpolate(double theta, Out y) override {
    const Index n = q_.size();
    const auto q0 = y0_.head(n), v0 = y0_.tail(n), q1 = y1_.head(n), v1 = y1_.tail(n);
    const auto g0 = g_.col(slot(1)), g1 = g_.col(newest_);
    if (r_ > 1) {
      hermite(theta, h_, q0, v0, q1, v1, y.head(n));
      hermite(theta, h_, v0, g0, v1, g1, y.tail(n));
      return;
    }
    // The exact motion if g is linear in q; the remaining error of the end velocity is treated like a slope of g.
    const auto at = [&](double t) { return std::pair{t * sine_over(t * omega_), std::cos(t * omega_)}; };
    const auto [sine, cosine] = at(theta * h_);
    const auto [sine1, cosine1] = at(h_);
    const double half = sine_over(0.5 * theta * h_ * omega_) * theta * h_;
    y.head(n) = q0 + sine * v0 + 0.5 * half * half * g0;
    y.tail(n) = cosine * v0 + sine * g0 + theta * theta * (v1 - cosine1 * v0 - sine1 * g0);
  }

  void memory(Archive& archive) override {
    double h = h_;
    archive(omega_, g_, newest_, known_, h, difference_, told_);
    if (archive.reading() && h != 0) prepare(h);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Gautschi>(problem, options_);
  }

 private:
  Index slot(Index ago) const { return (newest_ + ago + past_ + 1) % (past_ + 1); }

  bool solvable(double t, const StepRequest& request) const {
    const double mu = std::abs(request.h * omega_);
    if (r_ == 1) {
      if (std::abs(std::cos(0.5 * mu)) > 1e-6) return true;
      request.notes.raise(
          t, "gautschi_resonance",
          "h omega is near an odd multiple of pi, where velocities cannot be found from positions. Change h.",
          Severity::error, mu, std::numbers::pi);
      return false;
    }
    if (r_ * mu < 0.99 * std::numbers::pi) return true;
    request.notes.raise(t, "gautschi_step", "For r > 1, r h omega has to stay below pi. Use a smaller h, or r = 1.",
                        Severity::error, r_ * mu, std::numbers::pi);
    return false;
  }

  void prepare(double h) {
    if (h == h_) return;
    h_ = h;
    if (r_ > 1) weights_ = gautschi_weights(r_, h * omega_);
  }

  void evaluate(double t, In q, Index column, const StepRequest& request) {
    accelerate_(t, q, y0_.tail(q.size()), g_.col(column));
    request.work.count_forces(accelerate_.counted_groups());
  }

  // In summed form: the difference of positions is carried along, so that rounding does not grow like 1/h^2.
  void take_past_step(double t, const StepRequest& request) {
    const Index n = q_.size();
    new_difference_ = difference_;
    for (int j = 0; j < past_; ++j)
      add_scaled(new_difference_.data(), h_ * weights_.position[static_cast<std::size_t>(j)], g_.col(slot(j)).data(),
                 n);
    y1_.head(n) = y0_.head(n) + h_ * new_difference_;
    evaluate(t + h_, y1_.head(n), slot(-1), request);
    y1_.tail(n) = new_difference_;
    for (int j = 0; j < past_; ++j)
      add_scaled(y1_.data() + n, h_ * weights_.velocity[static_cast<std::size_t>(j)], g_.col(slot(j - 1)).data(), n);
  }

  // Order 1 needs no past steps. Higher orders begin with order 1, extrapolated from 1, 2, .. r sub-steps: it is
  // symmetric, so every column gains two orders, and for the fitted frequency all columns are exact.
  void take_first_step(double t, const StepRequest& request) {
    const Index n = q_.size();
    for (int k = 0; k < r_; ++k) {
      take_fitted_steps(t, k + 1, request);
      tries_.col(k) = y1_;
      for (int m = k - 1; m >= 0; --m) {
        const double ratio = (k + 1.0) / (m + 1.0);
        tries_.col(m) = tries_.col(m + 1) + (tries_.col(m + 1) - tries_.col(m)) / (ratio * ratio - 1);
      }
    }
    if (r_ > 1) {
      y1_ = tries_.col(0);
      evaluate(t + h_, y1_.head(n), slot(-1), request);
    }
    new_difference_ = (y1_.head(n) - y0_.head(n)) / h_;
  }

  void take_fitted_steps(double t, int steps, const StepRequest& request) {
    const Index n = q_.size();
    const double h = h_ / steps;
    const FittedLengths lengths(h, omega_);
    double *q = y1_.data(), *v = q + n;
    y1_ = y0_;
    Index column = newest_;
    for (int i = 1; i <= steps; ++i) {
      add_scaled(v, lengths.kick, g_.col(column).data(), n);
      add_scaled(q, lengths.drift, v, n);
      column = slot(-1);
      evaluate(t + i * h, y1_.head(n), column, request);
      add_scaled(v, lengths.kick, g_.col(column).data(), n);
    }
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  int r_;
  Index past_;  // number of accelerations in the formula
  double omega_ = 0, h_ = 0;
  GautschiWeights weights_;
  Mat g_;                            // ring buffer of accelerations with one free column, newest first
  Index newest_ = 0, known_ = 0;     // column of the newest one; how many were made with this step size
  Vec difference_, new_difference_;  // (q_n - q_{n-1})/h
  Mat tries_;
  Vec y0_, y1_, q_;
  bool told_ = false;
};
}  // namespace trill
TRILL_METHOD(gautschi, Gautschi)
