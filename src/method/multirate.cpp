// SPDX-License-Identifier: BSD-3-Clause
// Slowest first: the slow components take one step of Heun's method with extrapolated fast ones, then the fast ones
// take N steps of RK4 with interpolated slow ones. PJY97 sec. 2 (Gear, Wells 1984; Guenther, Rentrop 1993).
#include "formulation/rk4_kernel.hpp"
#include "method/component_speeds.hpp"
#include "method/initial_step.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Multirate final : public Stepper {
 public:
  struct Options {
    int substeps = 0;
    std::string extrapolation = "linear";
    void fields(OptionVisitor& v) {
      v.integer(
          "substeps", substeps, Range::between(0, most_substeps),
          "number of small steps of the fast components in one step; 0: chosen from the ratio of predicted step sizes");
      v.choice("extrapolation", extrapolation, {"linear", "constant"},
               "how the fast components are extrapolated in the step of the slow ones");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"extrapolation", "constant"}}, {{"substeps", "10"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it where few components are fast and the forces on the others are expensive");
  }
  static MethodInfo describe(const Options& options) {
    return {.name = "multirate",
            .title = "Multirate method: Heun for slow components, then RK4 with small steps for fast ones",
            .reference = "PJY97 sec. 2; Gear, Wells 1984; Guenther, Rentrop 1993",
            .accepts = {.first_order = true, .mechanical = true},
            .order = 0,  // 2 or 1 depending on the extrapolation; 4 if all components are fast
            .error_order = options.extrapolation == "linear" ? 2 : 1,
            .dense_order = 2,
            .dense_degree = 5};
  }

  Multirate(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        form_(problem, "multirate"),
        linear_(options.extrapolation == "linear") {
    const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
    if (mechanical) pairs_ = problem.layout().nq;
    if (mechanical && mechanical->constraints())
      throw UsageError("multirate cannot satisfy constraints; use rattle or dopri5 for '" + problem.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    const Index n = form_.size();
    const int most = options_.substeps > 0 ? options_.substeps : most_substeps;
    form_.start(s);
    y0_ = y1_ = f0_ = f_end_ = stage_ = error_ = drift_ = integral_ = Vec::Zero(n);
    step_error_ = Vec::Zero(n);
    rk4_.start(n);
    nodes_ = slopes_ = Mat::Zero(n, most + 1);
    speeds_.allocate(n, pairs_);
    evaluations_ = 0;
    steps_seen_ = 0;
    probe(s, scale);
    divide(scale);
    told_ = false;
    evaluate(s.t, s.y.head(n), f0_);
  }

  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override {
    const auto rhs = [&](double t, In y, Out dy) {
      work.count_forces(form_.counted_groups());
      return form_.rhs(t, y, dy);
    };
    return initial_step_hairer(rhs, s.t, s.y, f0_, scale, info_.error_order + 1, h_max, stage_, error_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    tell(s.t, request);
    bool inside = !request.jumped || evaluate(s.t, s.y, f0_);
    y0_ = s.y;
    inside = inside && slow_step(s.t, request.h) && fast_steps(s.t, request.h);
    for (; evaluations_ > 0; --evaluations_) request.work.count_forces(form_.counted_groups());
    if (!inside) return {.status = StepStatus::outside_domain};
    if (!all_finite(y1_) || !all_finite(error_) || !all_finite(slopes_.col(substeps_)))
      return {.status = StepStatus::non_finite};
    StepResult result{.h_taken = request.h};
    result.error = request.scale.norm(error_, y0_, y1_);
    if (!(result.error <= request.most_error)) return result;
    h_ = request.h;
    substeps_taken_ = substeps_;
    f0_ = slopes_.col(substeps_);
    s.y = y1_;
    s.t += h_;
    ++steps_seen_;
    time_seen_ += std::abs(h_);
    if (steps_seen_ >= steps_between_divisions && time_seen_ >= times_seen * speeds_.shortest_time())
      divide(request.scale);
    else if (options_.substeps == 0 && !speeds_.all_fast())
      balance(request.scale);
    return result;
  }

  // The micro steps are stored; between them every component is a cubic.
  void interpolate(double theta, Out y) override {
    const double place = theta * substeps_taken_;
    const int k = std::clamp(static_cast<int>(place), 0, substeps_taken_ - 1);
    hermite(place - k, h_ / substeps_taken_, nodes_.col(k), slopes_.col(k), nodes_.col(k + 1), slopes_.col(k + 1), y);
  }

  void memory(Archive& archive) override {
    archive(speeds_, f0_, substeps_, steps_seen_, time_seen_, evaluations_, told_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Multirate>(problem, options_);
  }

 private:
  static constexpr int most_substeps = 200;
  static constexpr int probing_steps = 40, most_probing_tries = 80, steps_between_divisions = 40;
  // The probe lasts at least this many time scales of the fastest component: about two periods.
  static constexpr double times_seen = 6;

  bool evaluate(double t, In y, Out f) {
    ++evaluations_;
    return form_.rhs(t, y, f);
  }

  void tell(double t, const StepRequest& request) {
    if (told_) return;
    told_ = true;
    const auto count = static_cast<double>(speeds_.fast_count()), all = static_cast<double>(y0_.size());
    if (!speeds_.all_fast())
      request.notes.raise(t, "multirate_fast", "The value is the number of components that are treated as fast.",
                          Severity::info, count, all);
    else
      request.notes.raise(t, "multirate_all_fast",
                          "No component is much slower than the others, so all make small steps of RK4. A method with "
                          "one step size, such as dopri5, would be as good.",
                          Severity::warning, count, all);
  }

  // Records the error of a second-order step, h^3/12 times the third derivative, from the stages of an RK4 step.
  void see(In k1, double h, In y) {
    drift_ = h / 3 * (k1 - rk4_.k2 - rk4_.k3 + rk4_.k4);
    speeds_.see(drift_, h, y);
  }

  // Measures the speeds for the first time, with ordinary RK4 steps of all components. Their tolerance is loose
  // whatever that of the run is, so that they cover a period or two of the fast motion.
  void probe(const State& s, const ErrorScale& of_run) {
    const ErrorScale scale{.rtol = 1e-3, .atol = 1e-3 / of_run.rtol * of_run.atol, .kind = of_run.kind};
    double t = s.t;
    y0_ = s.y;
    if (!evaluate(t, y0_, f0_)) return;
    const auto rhs = [this](double at, In y, Out dy) { return evaluate(at, y, dy); };
    double h = initial_step_hairer(std::cref(rhs), t, y0_, f0_, scale, 4, HUGE_VAL, stage_, error_);
    for (int steps = 0, tries = 0; steps < probing_steps && tries < most_probing_tries; ++tries) {
      if (!(h > 0) || !std::isfinite(h) || !probing_step(t, h)) return;
      const double error = scale.norm(step_error_, y0_, y1_);
      if (!std::isfinite(error)) return;
      if (error <= 1) {
        see(f0_, h, y1_);
        ++steps;
        t += h;
        y0_ = y1_;
        f0_ = f_end_;
      }
      h *= std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.25), 0.2, 5.0);
    }
  }

  // Computes y1_, and in step_error_ its difference from the third-order formula with f(y1) instead of the last stage.
  bool probing_step(double t, double h) {
    const auto slope_at = [&](double share, In y, Out f) { return evaluate(t + share * h, y, f); };
    if (!rk4_.step(h, y0_, f0_, slope_at)) return false;
    y1_ = y0_ + rk4_.increment;
    if (!evaluate(t + h, y1_, f_end_)) return false;
    step_error_ = h / 6 * (rk4_.k4 - f_end_);
    return true;
  }

  void divide(const ErrorScale& scale) {
    const Index before = speeds_.fast_count();
    speeds_.divide(scale);
    speeds_.fade();
    steps_seen_ = 0;
    time_seen_ = 0;
    if (speeds_.fast_count() == before) return;
    told_ = false;
    set_substeps(options_.substeps > 0 ? options_.substeps : speeds_.ratio());
  }

  void set_substeps(double wanted) {
    substeps_ = static_cast<int>(std::clamp(std::round(wanted), 1.0, 1.0 * most_substeps));
  }

  // The ratio of predicted steps is only a first choice, since RK4 is more accurate than Heun's method. The error of
  // the fast components falls with the cube of their number of steps; it is to be half the error of the slow ones.
  void balance(const ErrorScale& scale) {
    for (Index i = 0; i < error_.size(); ++i) drift_[i] = speeds_.is_fast(i) ? error_[i] : 0;
    error_ -= drift_;
    const double fast = scale.norm(drift_, y0_, y1_), slow = scale.norm(error_, y0_, y1_);
    if (slow > 0) set_substeps(substeps_ * std::clamp(std::cbrt(2 * fast / slow), 0.7, 1.5));
  }

  // Heun's method with all components extrapolated; only the slow ones of y1_ are used.
  bool slow_step(double t, double h) {
    if (speeds_.all_fast()) return true;
    stage_ = y0_ + h * f0_;
    if (!linear_)
      for (Index i = 0; i < stage_.size(); ++i)
        if (speeds_.is_fast(i)) stage_[i] = y0_[i];
    if (!evaluate(t + h, stage_, f_end_)) return false;
    y1_ = y0_ + 0.5 * h * (f0_ + f_end_);
    return true;
  }

  // Leaves the fast components of a stage and takes the slow ones from the cubic across the whole step.
  void place_slow(double theta, double h, Out stage) {
    if (speeds_.all_fast()) return;
    hermite(theta, h, y0_, f0_, y1_, f_end_, drift_);
    for (Index i = 0; i < stage.size(); ++i)
      if (!speeds_.is_fast(i)) stage[i] = theta == 1 ? y1_[i] : drift_[i];
  }

  bool fast_steps(double t, double h) {
    const double part = 1.0 / substeps_, micro = h * part;
    nodes_.col(0) = y0_;
    slopes_.col(0) = f0_;
    integral_.setZero();
    error_.setZero();
    for (int k = 0; k < substeps_; ++k)
      if (!micro_step(t, h, micro, k)) return false;
    for (Index i = 0; i < y1_.size(); ++i) {
      if (speeds_.is_fast(i))
        y1_[i] = nodes_(i, substeps_);
      else  // the slow step minus the integral of f along the computed fast motion: large if extrapolated badly
        error_[i] = y1_[i] - y0_[i] - integral_[i];
    }
    return true;
  }

  bool micro_step(double t, double h, double micro, int k) {
    const auto y = nodes_.col(k), f = slopes_.col(k);
    const double middle = (k + 0.5) / substeps_, end = k + 1 == substeps_ ? 1.0 : (k + 1.0) / substeps_;
    const auto slope_at = [&](double share, Out stage, Out slope) {
      const double theta = share == 1 ? end : middle;
      place_slow(theta, h, stage);
      return evaluate(t + theta * h, stage, slope);
    };
    if (!rk4_.step(micro, y, f, slope_at)) return false;
    integral_ += rk4_.increment;
    stage_ = y + rk4_.increment;
    place_slow(end, h, stage_);
    nodes_.col(k + 1) = stage_;
    if (!evaluate(t + end * h, stage_, slopes_.col(k + 1))) return false;
    step_error_ = micro / 6 * (rk4_.k4 - slopes_.col(k + 1));
    for (Index i = 0; i < error_.size(); ++i) error_[i] += std::abs(step_error_[i]);
    see(f, micro, stage_);
    return true;
  }

  MethodInfo info_;
  Options options_;
  FirstOrderForm form_;
  bool linear_;
  Index pairs_ = 0;  // number of pairs of a coordinate and its velocity
  ComponentSpeeds speeds_;
  Vec y0_, y1_, f0_, f_end_, stage_, error_, drift_, integral_, step_error_;
  Rk4Kernel rk4_;
  Mat nodes_, slopes_;  // states and slopes at the ends of the micro steps
  int substeps_ = 1, substeps_taken_ = 1, steps_seen_ = 0, evaluations_ = 0;
  double h_ = 0, time_seen_ = 0;
  bool told_ = false;
};
}  // namespace trill
TRILL_METHOD(multirate, Multirate)
