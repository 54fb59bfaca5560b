// SPDX-License-Identifier: BSD-3-Clause
#include "trill/control/advance.hpp"

#include "trill/method/registry.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_rejections = 60;
constexpr double no_growth = 1.2;  // smaller growth is not worth a new factorisation
// Rejected steps whose error does not fall with the step size: after so many halvings it is rounding, and is accepted
// where it was smallest unless it is as large as this.
constexpr int most_stuck = 3;
constexpr double most_rounding = 1e3;
constexpr double first_share = 0.1;  // of the run: nothing is known yet that could justify a longer first step

// Errors of the rejected attempts at one step.
class RoundingWatch {
 public:
  void look(double h, double error) {
    if (error < 0.8 * best_error_) {
      stuck_ = 0;
      compared_h_ = h;
    } else if (h < 0.5 * compared_h_) {
      ++stuck_;
      compared_h_ = h;
    }
    if (error < best_error_) {
      best_error_ = error;
      best_h_ = h;
    }
  }
  bool found() const { return stuck_ >= most_stuck && best_error_ < most_rounding; }
  double best_h() const { return best_h_; }

 private:
  double best_error_ = std::numeric_limits<double>::infinity(), best_h_ = 0;
  double compared_h_ = std::numeric_limits<double>::infinity();
  int stuck_ = 0;
};

void tell_rounding(double t, double error, Notes& notes) {
  notes.raise(t, "rounding",
              "The estimated error of a step did not fall with its size: it consists of rounding, and the step was "
              "taken where it was smallest. The value is the error in tolerances.",
              error > 10 ? Severity::doubt : Severity::warning, error, 1);
}

bool is_newton_failure(StepStatus status) {
  return status == StepStatus::newton_diverged || status == StepStatus::singular_matrix;
}

AdvanceStatus failure_of(StepStatus status) {
  if (is_newton_failure(status)) return AdvanceStatus::newton_failed;
  if (status == StepStatus::refused) return AdvanceStatus::refused;
  if (status == StepStatus::step_too_small) return AdvanceStatus::step_too_small;
  return AdvanceStatus::non_finite;
}

std::string misfit_of_fixed(const MethodInfo& method, const FixedStep& control) {
  if (method.owns_step) return method.name + " chooses its own steps; give a tolerance rtol (and atol) instead of h";
  return control.h > 0 && std::isfinite(control.h) ? "" : "h must be positive and finite";
}

std::string misfit_of_adaptive(const MethodInfo& method, const AdaptiveStep& control) {
  if (method.owns_step && (control.h_max > 0 || control.h0 > 0 || control.h_min > 0))
    return method.name + " chooses its own steps and takes no bounds for them; leave h_max out";
  if (!method.owns_step && method.error_order == 0) {
    const MethodEntry* entry = Catalogue::all().find_method(method.name);
    return fmt::format("{} has no error estimate{}; give a step size h instead of rtol", method.name,
                       entry && entry->info.error_order > 0
                           ? fmt::format(" with these options ('trill describe {}' lists them)", method.name)
                           : "");
  }
  return control.rtol > 0 && control.rtol < 1 ? "" : "rtol must be between 0 and 1";
}

Vec spread_atol(const AdaptiveStep& control, const Layout& layout) {
  const Index n = layout.size();
  if (control.atol.size() != 1 && control.atol.size() != n)
    throw UsageError(fmt::format("atol has {} values; give one value, or one for each of the {} components",
                                 control.atol.size(), n));
  if (!(control.atol.array() >= 0).all() || !control.atol.allFinite())
    throw UsageError("atol must be finite and not negative");
  Vec atol = control.atol.size() == 1 ? Vec::Constant(n, control.atol[0]) : control.atol;
  if (!control.weigh_multipliers)
    atol.segment(layout.nq + layout.nv, layout.nl).setConstant(std::numeric_limits<double>::infinity());
  return atol;
}
}  // namespace

std::string misfit(const MethodInfo& method, const StepControl& control) {
  if (const auto* fixed = std::get_if<FixedStep>(&control)) return misfit_of_fixed(method, *fixed);
  return misfit_of_adaptive(method, std::get<AdaptiveStep>(control));
}

Advancer::Advancer(Stepper& stepper, const StepControl& control, int newton_retries, std::uint64_t seed)
    : stepper_(stepper), control_(control), retries_(newton_retries), seed_(seed) {
  if (const std::string why = misfit(stepper.info(), control); !why.empty()) throw UsageError(why);
  owns_step_ = stepper.info().owns_step;
  if (const auto* adaptive = std::get_if<AdaptiveStep>(&control_); adaptive && !owns_step_)
    controller_ = make_controller(adaptive->controller);
}

void Advancer::start(State& s, double t_end) {
  direction_ = t_end < s.t ? -1 : 1;
  weights_ = Vec::Ones(s.y.size());
  jumped_ = true;
  if (const auto* fixed = std::get_if<FixedStep>(&control_)) {
    h_ = fixed->h;
    t_grid_ = s.t;
    k_grid_ = 0;
    // A fixed step has no tolerances; Newton iterations then work to this accuracy.
    scale_.rtol = 1e-10;
    scale_.atol = Vec::Constant(s.y.size(), 1e-12);
    needs_weights_ = stepper_.info().implicit_step;
    stepper_.start(s, scale_);
    return;
  }
  const AdaptiveStep& control = std::get<AdaptiveStep>(control_);
  scale_.rtol = control.rtol;
  scale_.controlled = true;
  scale_.atol = spread_atol(control, s.layout);
  if (control.controller == "ode45") scale_.kind = ErrorScale::Norm::max_or_atol;
  const double span = std::abs(t_end - s.t);
  h_max_ = control.h_max > 0 ? control.h_max : (control.controller == "ode45" ? 0.1 * span : span);
  h_min_ = control.h_min;
  stepper_.start(s, scale_);
  if (owns_step_) return;
  controller_->start(stepper_.info().error_order + 1);
  const double h_first = std::min(h_max_, first_share * span);
  h_ = control.h0 > 0 ? control.h0 : stepper_.initial_step(s, scale_, direction_ * h_first, counters_);
  if (!(h_ > 0)) h_ = 1e-3 * h_max_;
  h_ = std::min(h_, control.h0 > 0 ? h_max_ : h_first);
}

StepRequest Advancer::request(double h) {
  return {h,        scale_, weights_,  controller_ ? 1.0 : std::numeric_limits<double>::infinity(),     jumped_,
          restart_, notes_, counters_, RandomKey{seed_, 0, static_cast<std::uint64_t>(counters_.steps)}};
}

void Advancer::count(const StepResult& result) {
  counters_.newton_iterations += result.newton.iterations;
  counters_.factorisations += result.newton.factorisations;
  counters_.newton_failures += is_newton_failure(result.status);
}

AdvanceResult Advancer::one(State& s, double t_stop) {
  if (needs_weights_) scale_.weights(s.y, weights_);
  const double t_begin = s.t;
  AdvanceResult result = owns_step_ ? owned(s, t_stop) : controller_ ? adaptive(s, t_stop) : fixed(s, t_stop);
  result.t_begin = t_begin;
  return result;
}

AdvanceResult Advancer::several(State& s, double t_stop, double t_look, std::int64_t most) {
  AdvanceResult result = one(s, t_stop);
  if (owns_step_ || controller_ || needs_weights_ || result.status != AdvanceStatus::ok) return result;
  const double h = std::get<FixedStep>(control_).h;
  StepRequest ask = request(direction_ * h);
  const auto goes_on = [&] {
    // The step that ends at t_stop is left to one().
    const double t_next = t_grid_ + direction_ * static_cast<double>(k_grid_ + 1) * h;
    return --most > 0 && !off_grid_ && direction_ * (s.t - t_look) < -landing_slack(h, s.t) &&
           direction_ * (t_next - t_stop) <= -h;
  };
  for (bool more = goes_on(); more;) {
    ask.random.step = static_cast<std::uint64_t>(counters_.steps);
    const double t_begin = s.t;
    const StepResult step = stepper_.step(s, ask);
    if (step.status != StepStatus::ok) return one(s, t_stop);  // fails again, with the full error handling
    ++counters_.steps;
    ++k_grid_;
    s.t = t_grid_ + direction_ * static_cast<double>(k_grid_) * h;
    more = goes_on();
    if (!more) {
      result.step = step;
      result.t_begin = t_begin;
    }
  }
  return result;
}

AdvanceResult Advancer::owned(State& s, double t_stop) {
  const StepResult result = stepper_.step(s, request(t_stop - s.t));
  if (result.status != StepStatus::ok) return {failure_of(result.status), result, std::abs(result.h_taken)};
  jumped_ = restart_ = false;
  // In floating point t + (t_stop - t) may differ from t_stop.
  if (std::abs(s.t - t_stop) <= 8 * eps * std::abs(t_stop)) s.t = t_stop;
  ++counters_.steps;
  h_ = std::abs(result.h_taken);
  return {AdvanceStatus::ok, result, h_};
}

AdvanceResult Advancer::fixed(State& s, double t_stop) {
  if (jumped_) {
    t_grid_ = s.t;
    k_grid_ = 0;
    off_grid_ = false;
  }
  const double h = std::get<FixedStep>(control_).h;
  double t_next = t_grid_ + direction_ * static_cast<double>(k_grid_ + 1) * h;
  // Take a full last step if its end differs from t_stop only by rounding.
  const bool lands = direction_ * (t_next - t_stop) > -1e-9 * h;
  if (lands) t_next = t_stop;
  const bool whole = !off_grid_ && std::abs(t_next - s.t - direction_ * h) <= 1e-9 * h;
  double h_try = whole ? direction_ * h : t_next - s.t;
  for (int halvings = 0;; ++halvings) {
    const StepResult result = stepper_.step(s, request(h_try));
    count(result);
    if (result.status == StepStatus::ok) {
      jumped_ = restart_ = false;
      ++counters_.steps;
      off_grid_ = halvings > 0;
      if (!off_grid_) {
        s.t = t_next;
        ++k_grid_;
        if (lands && !whole) {
          t_grid_ = t_next;
          k_grid_ = 0;
        }
      }
      return {AdvanceStatus::ok, result, std::abs(h_try)};
    }
    if (!is_newton_failure(result.status)) return {failure_of(result.status), result, std::abs(h_try)};
    if (halvings >= retries_) {
      if (restart_) return {failure_of(result.status), result, std::abs(h_try)};
      // Once more, from another guess and with a new matrix.
      restart_ = true;
      halvings = -1;
      h_try = whole ? direction_ * h : t_next - s.t;
      continue;
    }
    notes_.raise(s.t, "newton_retry",
                 "The Newton iteration failed at the given step size, so smaller steps were taken.", Severity::warning,
                 std::abs(h_try), h);
    h_try *= 0.5;
  }
}

AdvanceResult Advancer::adaptive(State& s, double t_stop) {
  const double smallest = std::max(h_min_, 16 * eps * std::abs(s.t));
  int failures = 0, newton_failures = 0;
  double h = std::min(h_, h_max_);
  // After a discontinuity the step size from before it may be far too large.
  if (cautious_) h *= 0.1;
  const double h_begin = h;
  RoundingWatch rounding;
  while (true) {
    const double left = std::abs(t_stop - s.t);
    // Stretch the step by up to a tenth to avoid a tiny last step.
    const bool lands = failures == 0 && 1.1 * h >= left;
    const double h_try = lands ? left : std::min(h, left);
    // Accepted steps, too, may have become so small that t no longer changes.
    if (h_try < 2 * eps * std::abs(s.t) && h_try < left)
      return {AdvanceStatus::step_too_small, {.h_taken = direction_ * h_try}, h_try};
    StepRequest ask = request(direction_ * h_try);
    if (rounding.found()) ask.most_error = 2 * most_rounding;
    const StepResult result = stepper_.step(s, ask);
    count(result);
    if (result.status == StepStatus::ok && (result.error <= ask.most_error || result.accept_anyway)) {
      jumped_ = restart_ = cautious_ = false;
      ++counters_.steps;
      if (lands) s.t = t_stop;
      if (rounding.found() && result.error > 1) tell_rounding(s.t, result.error, notes_);
      double proposed =
          std::max(controller_->after_accept(h_try, rounding.found() ? 1 : result.error, failures + newton_failures),
                   result.h_retry_min);
      if (stepper_.info().keeps_matrix && proposed > h_try && proposed <= no_growth * h_try) proposed = h_try;
      // If the step was shortened only to end at t_stop, keep at least the step size from before.
      h_ = std::min({lands && h_try < h ? std::max(proposed, h) : proposed, result.h_next_max, h_max_});
      return {AdvanceStatus::ok, result, h_try};
    }
    ++counters_.rejected;
    if (result.status == StepStatus::ok) {
      h = std::max(controller_->after_reject(h_try, result.error, ++failures), std::min(result.h_retry_min, h_try));
      rounding.look(h_try, result.error);
      if (rounding.found()) h = rounding.best_h();
    } else if (result.status == StepStatus::refused) {
      return {AdvanceStatus::refused, result, h_try};
    } else {
      h = 0.25 * h_try;
      ++failures;
      // Once more, from another guess and with a new matrix, and then down to the smallest step: a circuit may switch
      // in a millionth of the time between two switches.
      if (is_newton_failure(result.status) && ++newton_failures > retries_ && !restart_) {
        restart_ = true;
        newton_failures = 0;
        h = h_begin;
      }
    }
    if (h < smallest || failures > most_rejections) {
      const AdvanceStatus why =
          result.status == StepStatus::ok ? AdvanceStatus::step_too_small : failure_of(result.status);
      return {why, result, h_try};
    }
  }
}

void Advancer::memory(Archive& archive) {
  archive(jumped_, cautious_, restart_, h_, t_grid_, k_grid_, off_grid_, counters_);
  if (controller_) archive(*controller_);
}
}  // namespace trill
