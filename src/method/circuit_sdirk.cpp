// SPDX-License-Identifier: BSD-3-Clause
// A diagonally implicit Runge-Kutta method of order 3 for circuits in charge form, d/dt charge(x) + current(t, x) = 0,
// with an error test on charges alone: an unknown without charge may jump by any amount when a diode turns off. One
// real matrix serves all stages. PJY97 sec. 5; C. A. Kennedy, M. H. Carpenter, Applied Numerical Mathematics 44 (2003).
#include "method/charge_steps.hpp"
#include "method/sdirk_tableau.hpp"
#include "method/stage_polynomial.hpp"
#include "problem/charge_split.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/registry.hpp"

#include <array>

namespace trill {
namespace {
constexpr int circuit_stages = 3;
// The polynomial of the last step is not extrapolated further than this many lengths of it.
constexpr double furthest_extrapolation = 2;
// A matrix is kept for the next step while Newton converges at least at this rate.
constexpr double kept_rate = 0.1;
constexpr double same_step = 1e-3;  // it serves steps that differ by less than this

// charge(x) + d current(t, x) = base
class ChargeStage final : public MatrixSystem {
 public:
  explicit ChargeStage(const CircuitProblem& p)
      : MatrixSystem(p.jacobian_pattern()),
        p_(p),
        dcharge_(p.jacobian_pattern()),
        dcurrent_(dcharge_),
        base(Vec::Zero(dcharge_.rows())),
        current_(base),
        moved_(base),
        limited_(base) {}
  void residual(In x, Out r) override {
    ++evaluations;
    p_.charge(x, r);
    p_.current(t, x, current_);
    r += d * current_ - base;
  }
  void jacobian(In x, MatrixSlot& j) override {
    p_.jacobians(t, x, dcharge_, dcurrent_);
    j.scale_add(1, dcharge_);
    j.scale_add(d, dcurrent_);
  }
  bool limit(In x, Out step) override {
    moved_ = x + step;
    limited_ = moved_;
    p_.limit(x, limited_);
    for (Index i = 0; i < step.size(); ++i)
      if (limited_[i] != moved_[i]) step[i] = limited_[i] - x[i];
    return true;
  }
  const MatrixSlot& dcharge() const { return dcharge_; }  // where the matrix was computed last

 private:
  const CircuitProblem& p_;
  MatrixSlot dcharge_, dcurrent_;

 public:
  double t = 0, d = 0;
  Vec base;
  int evaluations = 0;

 private:
  Vec current_, moved_, limited_;
};
}  // namespace

class CircuitSdirk final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "circuit_sdirk",
            .title = "Diagonally implicit Runge-Kutta method for circuits; its error test looks at charges",
            .reference = "PJY97 sec. 5",
            .accepts = {.circuit = true},
            .order = 3,
            .error_order = 2,
            .dense_order = 3,
            .dense_degree = 3,
            .implicit_step = true,
            .saves_memory = false};
  }
  // Free systems do not tell the stages of order 2 from plain ones.
  static LinearForm linear_form(const Options&) {
    const SdirkTableau t = make_sdirk_tableau(circuit_stages, most_accurate_gamma(circuit_stages));
    return runge_kutta_form(ImplicitTableau{t.c, t.a.row(t.stages - 1), t.a, t.order, 1});
  }

  CircuitSdirk(const Problem& problem, const Options& options)
      : info_(describe(options)),
        p_(problem.as<CircuitProblem>("circuit_sdirk")),
        tableau_(make_constrained_sdirk_tableau(circuit_stages, most_accurate_gamma(circuit_stages))),
        system_(p_),
        newton_(p_.layout().nq),
        longest_step_(longest_charge_step(p_, circuit_stages)) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    const Index n = s.y.size();
    nodes_.resize(circuit_stages + 1);
    nodes_[0] = 0;
    nodes_.tail(circuit_stages) = tableau_.c;
    past_ = stages_ = k_ = Mat::Zero(n, circuit_stages + 1);
    charge0_ = error_ = filtered_ = tolerance_ = x_ = last_slope_ = Vec::Zero(n);
    newton_.set_options({.tolerance = scale.controlled ? 0.02 : 1e-5, .max_iterations = 50, .max_rate = 1e3});
    forget();
  }

  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override {
    system_.t = s.t;
    system_.d = 0;
    system_.prepare(s.y);
    work.count_forces(1);
    p_.current(s.t, s.y, k_.col(0));
    p_.charge(s.y, charge0_);
    find_tolerances(scale, s.y, s.y);
    const double size = norm_of(charge0_), rate = norm_of(k_.col(0));
    double h = 0.01 * std::abs(h_max);
    if (rate > 0) h = std::min(h, 0.01 * std::max(size, 1.0) / rate);
    return std::min({h, std::abs(h_max), longest_step_});
  }

  StepResult step(State& s, const StepRequest& request) override {
    if (request.jumped || request.restart) forget();
    const double h = request.h;
    if (!prepare_start(s, request.work)) return {.status = StepStatus::non_finite};
    StepResult result{.h_taken = h, .h_next_max = longest_step_};
    const int evaluations = system_.evaluations;
    for (int i = 0; i < circuit_stages && result.status == StepStatus::ok; ++i)
      result.status = solve(i, s.t, request, result.newton);
    for (int k = evaluations; k < system_.evaluations; ++k) request.work.count_forces(1);
    request.work.jacobians += result.newton.factorisations;
    if (result.status != StepStatus::ok) return result;
    if (!all_finite(x_)) return {.status = StepStatus::non_finite};
    if (std::isfinite(request.most_error)) {
      result.error = estimate(h, request.scale, s.y);
      if (!(result.error <= request.most_error)) return result;
    }
    accept(s, h);
    return result;
  }

  void interpolate(double theta, Out y) override {
    if (theta == 1) {
      y = stages_.col(circuit_stages);
      return;
    }
    weights_at(theta);
    y.noalias() = stages_ * Eigen::Map<const Vec>(weights_.data(), nodes_.size());
  }
  void memory(Archive&) override {}  // it begins anew at every checkpoint
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<CircuitSdirk>(problem, Options{});
  }

 private:
  void forget() {
    has_past_ = goes_on_ = false;
    factor_d_ = 0;
    if (system_.matrix().is_sparse()) system_.forget();
  }

  // The derivative of the charges at the start: that of the last stage, or the currents behind a jump.
  bool prepare_start(const State& s, Counters& work) {
    stages_.col(0) = s.y;
    p_.charge(s.y, charge0_);
    if (goes_on_) {
      k_.col(0) = last_slope_;
    } else {
      work.count_forces(1);
      p_.current(s.t, s.y, k_.col(0));
      k_.col(0) = -k_.col(0);
    }
    return all_finite(k_.col(0)) && all_finite(charge0_);
  }

  StepStatus solve(int i, double t, const StepRequest& request, NewtonStats& total) {
    const double h = request.h, d = h * tableau_.gamma;
    system_.t = t + tableau_.c[i] * h;
    system_.d = d;
    system_.base = charge0_;
    add_scaled(system_.base.data(), h * tableau_.start[i], k_.col(0).data(), x_.size());
    for (int j = 0; j < i; ++j) add_scaled(system_.base.data(), h * tableau_.a(i, j), k_.col(j + 1).data(), x_.size());
    guess(i, h);
    const bool reuse = std::abs(factor_d_ - d) <= same_step * std::abs(d);
    const NewtonStats stats = newton_.solve(system_, x_, request.weights, reuse);
    factor_d_ = stats.converged && stats.rate <= kept_rate ? d : 0;
    const int iterations = total.iterations + stats.iterations;
    const int factorisations = total.factorisations + stats.factorisations;
    total = stats;
    total.iterations = iterations;
    total.factorisations = factorisations;
    if (!stats.converged) return status_of(stats);
    stages_.col(i + 1) = x_;
    ++system_.evaluations;
    p_.current(system_.t, x_, k_.col(i + 1));
    k_.col(i + 1) = -k_.col(i + 1);
    return StepStatus::ok;
  }

  void weights_at(double x) { lagrange_weights(nodes_, x, Eigen::Map<Vec>(weights_.data(), nodes_.size())); }

  // The polynomial of the last step, extrapolated; without one, the stage before.
  void guess(int i, double h) {
    const double ratio = has_past_ ? h / past_h_ : 0;
    if (ratio > 0 && ratio <= furthest_extrapolation) {
      weights_at(1 + ratio * tableau_.c[i]);
      x_.noalias() = past_ * Eigen::Map<const Vec>(weights_.data(), nodes_.size());
    } else if (i == 0) {
      x_ = stages_.col(0);
    }
  }

  void find_tolerances(const ErrorScale& scale, In y0, In y1) {
    tolerance_.setZero();
    each_stored(system_.dcharge(), [&](Index row, Index col, Index place) {
      const double c = std::abs(system_.dcharge().values()[place]);
      if (c > 0) tolerance_[row] += c * (scale.atol[col] + scale.rtol * std::max(std::abs(y0[col]), std::abs(y1[col])));
    });
  }
  // The root mean square over the equations that keep a charge.
  double norm_of(In charge) const {
    double sum = 0;
    Index count = 0;
    for (Index k = 0; k < charge.size(); ++k) {
      if (!(tolerance_[k] > 0)) continue;
      const double share = charge[k] / tolerance_[k];
      sum += share * share;
      ++count;
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
  }

  // C (C + d G)^-1 e: what the stiff parts of the circuit leave of the difference to the embedded formula. Where the
  // slope at the start does not belong to a diode that has turned off since, that is not little, but does not fall with
  // h either; it is filtered once more before a step is repeated for it.
  double estimate(double h, const ErrorScale& scale, In y0) {
    error_.setZero();
    for (int k = 0; k <= circuit_stages; ++k)
      add_scaled(error_.data(), h * tableau_.error[k], k_.col(k).data(), error_.size());
    find_tolerances(scale, y0, x_);
    filter();
    const double once = norm_of(error_);
    if (once <= 1) return once;
    filter();
    return norm_of(error_);
  }
  void filter() {
    system_.correct(error_, filtered_);
    system_.dcharge().multiply(filtered_, error_);
  }

  void accept(State& s, double h) {
    past_ = stages_;
    past_h_ = h;
    last_slope_ = k_.col(circuit_stages);
    has_past_ = goes_on_ = true;
    s.y = x_;
    s.t += h;
  }

  MethodInfo info_;
  const CircuitProblem& p_;
  SdirkTableau tableau_;
  ChargeStage system_;
  Newton newton_;
  double longest_step_, past_h_ = 0, factor_d_ = 0;
  bool has_past_ = false, goes_on_ = false;
  Vec nodes_, charge0_, error_, filtered_, tolerance_, x_, last_slope_;
  Mat past_, stages_, k_;  // values at the nodes of the last step and of this one; derivatives of charges
  std::array<double, circuit_stages + 1> weights_{};
};
}  // namespace trill
TRILL_METHOD(circuit_sdirk, CircuitSdirk)
