// SPDX-License-Identifier: BSD-3-Clause
#include "driver/next_attempt.hpp"

#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::ptrdiff_t most_tightenings = 3;
constexpr std::size_t most_red_rungs = 3;  // that were computed to their end and found wrong
constexpr double smallest_rtol = 1e-13;    // below this the error of a step is rounding
constexpr double nearly = 1.1;             // times it: rounded as it is computed
constexpr double longest_unasked = 10;     // seconds of a repetition, or of another way
constexpr double safety = 0.3;             // of the accuracy, which is what a repetition aims at
constexpr double wrong_altogether = 0.2;   // errors beyond this no longer grow with the step

double setting_of(const RunPlan& plan) { return plan.h ? *plan.h : plan.rtol.value_or(0); }
double setting_of(const Attempt& attempt) { return attempt.h > 0 ? attempt.h : attempt.rtol; }

bool is_same_way(const Attempt& attempt, const Attempted& a) {
  return attempt.way == way_of(a.run.options.info) && (attempt.h > 0) == a.run.plan.h.has_value();
}

const Attempt* last_of_this_way(const Attempted& a) {
  return !a.earlier.empty() && is_same_way(a.earlier.back(), a) ? &a.earlier.back() : nullptr;
}

std::ptrdiff_t tightenings_so_far(const Attempted& a) {
  std::ptrdiff_t count = 0;
  for (auto it = a.earlier.rbegin(); it != a.earlier.rend() && is_same_way(*it, a); ++it) ++count;
  return count;
}

// The global error is about proportional to rtol, or to a power of h. Two runs show the power.
double power_of(const Attempted& a, double error) {
  const double expected = a.run.plan.h && a.run.stepper ? std::max(1, a.run.stepper->info().order) : 1;
  const Attempt* before = last_of_this_way(a);
  if (!before || !(before->error > error) || before->error > wrong_altogether) return expected;
  const double measured = std::log(before->error / error) / std::log(setting_of(*before) / setting_of(a.run.plan));
  return std::clamp(measured, expected / 3, 1.5 * expected);
}

// A repetition with smaller steps has nearly the same error.
bool hardly_helped(const Attempted& a, double error) {
  constexpr double same = 0.7, moved = 0.5;
  const Attempt* before = last_of_this_way(a);
  return before && setting_of(a.run.plan) <= moved * setting_of(*before) && error > same * before->error &&
         std::isnan(a.trust.until);
}

// The h or rtol at which the error would be what is aimed at.
double tightened(const Attempted& a, double error, double accuracy) {
  const double least = a.run.plan.h ? 0.02 : 1e-5, most = hardly_helped(a, error) ? 0.1 : 0.5;
  const double factor = std::pow(safety * accuracy / std::min(error, 1.0), 1 / power_of(a, std::min(error, 1.0)));
  // One digit: the error depends a little on the time that the check had, and a resumed run is to give the same answer.
  const double exact = setting_of(a.run.plan) * std::clamp(factor, least, most);
  const double digit = std::pow(10, std::floor(std::log10(exact))),
               setting = std::max(1.0, std::floor(exact / digit)) * digit;
  return a.run.plan.h ? setting : std::max(setting, smallest_rtol);
}

// A user who did not ask for an accuracy does not expect to wait for one.
bool is_affordable(const Attempted& a, double setting) {
  if (a.asked.accuracy) return true;
  const double order = a.run.plan.h || !a.run.stepper ? 1 : std::max(1, a.run.stepper->info().order);
  return a.outcome.counters.seconds * std::pow(setting_of(a.run.plan) / setting, 1 / order) <= longest_unasked;
}

// The error of the equations that a formulation solves in place of the given ones.
double model_error(const Attempted& a) {
  return a.run.reformulation ? a.run.reformulation->model_error() : std::nan("");
}

std::string step_text(const RunPlan& plan) {
  return plan.h ? fmt::format("h = {:.2g}", *plan.h) : fmt::format("rtol = {:.2g}", plan.rtol.value_or(0));
}

std::string chaos_text(const Attempted& a, double accuracy) {
  return fmt::format(
      "An accuracy of {:.2g} cannot be reached up to the end: neighbouring motions separate so fast that rounding "
      "alone spoils it. With {} it holds until t = {:.4g}; end the run there (--to {:.4g}), or ask for averages.",
      accuracy, step_text(a.run.plan), a.trust.until, a.trust.until);
}

std::string model_text(const Attempted& a, double accuracy) {
  return fmt::format(
      "An accuracy of {:.2g} cannot be reached with {}, whose equations have an error of about {:.1g} themselves; a "
      "method that follows the oscillation has no such error: --method dop853 --accuracy {:g}.",
      accuracy, a.run.way.formulation->name, model_error(a), accuracy);
}

// How far the statement of two runs reaches tells how far one with the smallest tolerance would.
bool reaches_end(const Attempted& a) {
  const Attempt* before = last_of_this_way(a);
  if (!before || a.run.plan.h || std::isnan(a.trust.until)) return true;
  return setting_of(a.run.plan) > 10 * smallest_rtol;
}

// Smaller steps do not help, so the error comes from something else. An error that is nearly small enough gets one
// more repetition, with much smaller steps; not that of other equations, which steps do not change.
bool stagnates(const Attempted& a, double error, double accuracy) {
  constexpr double near = 3;
  if (!hardly_helped(a, error)) return false;
  const bool has_own_error = a.run.reformulation && a.run.way.formulation->delivers != Delivers::full;
  return error > near * accuracy || tightenings_so_far(a) > 1 || has_own_error;
}

// Two runs with equal steps that are wrong altogether: something happens on the way for which all of them are too long,
// such as an encounter of two bodies.
bool equal_steps_are_lost(const Attempted& a, double error) {
  const Attempt* before = last_of_this_way(a);
  return a.run.plan.h && before && before->error > wrong_altogether && error > wrong_altogether && !a.run.rungs.empty();
}

bool may_tighten(const Attempted& a) {
  const bool is_random = dynamic_cast<const LangevinProblem*>(a.run.problem.get()) != nullptr;
  return chooses_step(a.asked, a.run) && !is_random && setting_of(a.run.plan) > 0;
}

bool is_satisfied(const Attempted& a, double error, double accuracy) {
  if (a.trust.verdict != Verdict::green) return false;
  const bool to_the_end = std::isnan(a.trust.until) || !a.asked.accuracy;
  return to_the_end && !(error > accuracy);
}

std::size_t red_rungs(const Attempted& a) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.earlier.size(); ++i)
    count +=
        std::isfinite(a.earlier[i].error) && (i + 1 == a.earlier.size() || a.earlier[i].way != a.earlier[i + 1].way);
  return count;
}

std::string error_text(const Attempted& a, double error) {
  return fmt::format("its error was {:.2g}{}", error, a.trust.of.empty() ? "" : " of " + a.trust.of);
}

Verdicts after_a_check(const Attempted& a, double error, double accuracy) {
  Verdicts next;
  const double of_model = model_error(a);
  const bool is_model = of_model > accuracy, has_rung = !a.run.rungs.empty();
  const bool is_red = a.trust.verdict == Verdict::red;
  const double seconds_of_next = has_rung ? a.run.rungs.front().predicted_seconds : 0;  // 0: not known
  const bool next_is_quick = !a.run.choice.empty() && seconds_of_next > 0 && seconds_of_next < longest_unasked;
  if (is_model && (a.asked.accuracy || is_red || next_is_quick)) {
    next.given_up = fmt::format("its equations have an error of about {:.1g} themselves", of_model);
    next.next_rung = has_rung;
    if (!has_rung) next.shortfall = model_text(a, accuracy);
    return next;
  }
  const bool at_the_bottom = !a.run.plan.h && setting_of(a.run.plan) <= nearly * smallest_rtol;
  const bool falls_short = error > accuracy || !std::isnan(a.trust.until);
  if (may_tighten(a) && falls_short && tightenings_so_far(a) < most_tightenings && !at_the_bottom && reaches_end(a) &&
      !stagnates(a, error, accuracy) && !equal_steps_are_lost(a, error) &&
      is_affordable(a, tightened(a, error, accuracy))) {
    next.given_up = error_text(a, error);
    next.tighter = tightened(a, error, accuracy);
    return next;
  }
  const bool is_chaotic = !std::isnan(a.trust.until);
  const bool is_other = stagnates(a, error, accuracy) && (a.asked.accuracy || next_is_quick);
  if ((is_red || is_other) && has_rung && !is_chaotic && red_rungs(a) < most_red_rungs) {
    next.given_up = error_text(a, error);
    next.next_rung = true;
    next.controls_steps = a.run.plan.h && error > wrong_altogether;
  } else if (!a.asked.accuracy || !falls_short) {
    return next;
  } else if (is_chaotic) {
    next.shortfall = chaos_text(a, accuracy);
  } else if (at_the_bottom) {
    next.shortfall = fmt::format(
        "An accuracy of {:.2g} cannot be reached with this method: with rtol = {:.2g}, below which there is only "
        "rounding, the error is still {:.2g}.",
        accuracy, smallest_rtol, error);
  } else if (is_other) {
    next.shortfall =
        error > wrong_altogether
            ? fmt::format(
                  "An accuracy of {:.2g} was not reached: with smaller steps too the error is as large as the "
                  "motion itself ({:.2g}); a method of higher order may follow it longer: --method dop853.",
                  accuracy, error)
            : fmt::format(
                  "An accuracy of {:.2g} was not reached: the error of {:.2g} hardly falls with the step, so "
                  "it does not come from steps; try another method.",
                  accuracy, error);
  } else if (may_tighten(a)) {
    next.shortfall = fmt::format(
        "An accuracy of {:.2g} was not reached in {} repetitions; the error is {:.2g} with {}. Go on with a smaller "
        "{}.",
        accuracy, tightenings_so_far(a), error, step_text(a.run.plan), a.run.plan.h ? "--h" : "--rtol");
  } else {
    next.shortfall = fmt::format("An accuracy of {:.2g} was not reached with {}: the error is {:.2g}.", accuracy,
                                 step_text(a.run.plan), error);
  }
  return next;
}
}  // namespace

bool chooses_step(const RunPlan& asked, const PreparedRun& run) {
  const bool names_way = !asked.method.empty() || !asked.formulation.empty() || !asked.options.empty();
  return !asked.h && !asked.rtol && (asked.accuracy || !run.choice.empty() || !names_way);
}

double error_of(const Trust& trust) {
  if (std::isfinite(trust.error) || trust.rows.empty()) return trust.error;
  double worst = 0;
  for (const TrustRow& row : trust.rows) worst = std::max(worst, row.relative());
  return worst;
}

Attempt attempt_of(const PreparedRun& run, const RunOutcome& outcome, const Trust& trust, std::string why) {
  return {way_of(run.options.info), run.plan.h.value_or(0),   run.plan.h ? 0 : run.plan.rtol.value_or(0),
          error_of(trust),          outcome.counters.seconds, std::move(why)};
}

Verdicts next_step(const Attempted& a) {
  Verdicts next;
  if (a.outcome.status == RunStatus::stopped) return next;
  if (!a.outcome.ok()) {
    next.given_up = a.outcome.message;
    next.next_rung = !a.run.rungs.empty();
    return next;
  }
  if (a.trust.verdict == Verdict::none) return next;
  const double error = error_of(a.trust), accuracy = a.asked.accuracy.value_or(green_deviation);
  if (is_satisfied(a, error, accuracy)) return next;
  return after_a_check(a, error, accuracy);
}
}  // namespace trill
