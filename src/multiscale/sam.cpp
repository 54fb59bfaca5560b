// SPDX-License-Identifier: BSD-3-Clause
// The formulation `sam`, stroboscopic averaging: for large fast oscillations, as in weakly coupled oscillators (SAT09
// eq. 12 with its misprints corrected), the motion is followed from period to period.
#include "formulation/averaged_motion.hpp"
#include "formulation/prospect.hpp"
#include "multiscale/sam_system.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double sam_fixed_step_tolerance = 1e-4;
constexpr double share_of_averaging = 0.45;  // share of the tolerance, for its two errors together
constexpr int least_steps = 4, most_steps = 1024;
constexpr double max_change_in_a_period = 0.3;  // relative change
constexpr int looks = 3;                        // checks of the errors after the one at the start

struct SamOptions {
  std::string order = "auto", micro = "auto";
  int steps = 0;
  double period = 0;
  void fields(OptionVisitor& v) {
    v.choice("order", order, {"auto", "2", "4"},
             "order of the differences between periods; auto: chosen by the tolerance");
    v.integer("steps", steps, Range::between(0, 100000),
              "number of micro-steps in a period; 0: chosen by the tolerance");
    v.choice("micro", micro, {"auto", "2", "4"},
             "order of the micro-steps; 4: extrapolated from two step sizes; auto: chosen by the tolerance");
    v.number("period", period, Range::at_least(0), "period of the fast motion; 0: computed from the fast forces");
  }
};

class SamForm final : public AveragedMotion {
 public:
  SamForm(const MechanicalProblem& problem, const SamOptions& options)
      : AveragedMotion("sam", problem, sam_fixed_step_tolerance), options_(options), system_(problem, options.period) {
    if (options.steps == 1 || options.steps == 2)
      refuse(fmt::format("steps={} is too few to resolve a period; use 3 or more", options.steps));
    system_.set_steps(options.steps > 0 ? options.steps : least_steps, options.micro == "4" ? 4 : 2);
    if (options.order == "4") system_.set_order(4);
    if (!problem.events().empty())
      throw UsageError(
          fmt::format("sam steps over many periods and would miss events of '{}' between them; use another method",
                      problem.name()));
    record("model_error", QuantityKind::model_error);
  }

  const Problem& inner() const override { return system_; }
  AfterStep after_step(State& s, Notes& notes) override {
    const double span = scope().t_end - t_start_;
    if (span == 0 || (s.t - t_start_) / span < static_cast<double>(next_look_) / looks) return AfterStep::kept;
    ++next_look_;
    errors_ = system_.errors(s.t, s.y);
    rate_ = std::max(rate_, error_rate());
    if (errors_.change > max_change_in_a_period) return AfterStep::refused;
    if (model_error() > tolerance())
      notes.raise(s.t, "model_error", "The estimated error of the averaging exceeds the tolerance of the run.",
                  Severity::warning, model_error(), tolerance());
    return AfterStep::kept;
  }
  std::string refusal() const override { return changes_too_much(); }

  double model_error() const override { return rate_ * std::abs(last().t - t_start_); }
  std::string summary() const override {
    return fmt::format(
        "fast period {:.6g} with {} micro-steps of order {}, differences of order {}; the motion changes by {:.2g} in "
        "a period; {} evaluations of the slow forces; estimated error {:.1g}",
        system_.period(), system_.steps(), system_.micro_order(), system_.order(), errors_.change,
        system_.flow().forces, model_error());
  }
  void diagnose(Out values) const override { values[0] = model_error(); }

  void account(Counters& work) const override {
    work.forces = {};
    const Groups slow = slow_groups(system_.problem()) & known_groups(system_.problem());
    for (std::size_t i = 0; i < work.forces.size(); ++i)
      if ((slow >> i & 1u) != 0) work.forces[i] = system_.flow().forces;
    work.micro_steps += system_.flow().micro_steps;
  }

  void memory(Archive& archive) override { archive(t_start_, errors_, rate_, next_look_, system_); }

 private:
  void take(const State& given, State& in, Notes& notes) override {
    system_.start(scope().t_begin, scope().t_end, given.q());
    in.y = given.y.head(in.y.size());
    t_start_ = given.t;
    check_pace(given);
    choose(in);
    next_look_ = 1;
    if (!jumps().empty())
      notes.raise(in.t, "jumps",
                  "Forces jump during the run. In the period before and after a jump, averages are taken over both "
                  "sides of it.",
                  Severity::warning, static_cast<double>(jumps().size()), 0);
  }

  void complete(const State& in, State& out) const override {
    system_.follow(in.t, in.y, since_period(in.t), out.y.head(in.y.size()));
  }

  // Measured from the nearest whole number of periods, which may lie ahead.
  double since_period(double t) const {
    const double since = std::remainder(t - t_start_, system_.period());
    return std::abs(since) <= 1e-9 * system_.period() ? 0 : since;
  }

  std::string changes_too_much() const {
    return fmt::format(
        "the motion changes by {:.2g} of its size in a fast period, more than {}, so that it is not slow enough to be "
        "averaged; use a method that follows the oscillation",
        errors_.change, max_change_in_a_period);
  }

  double error_rate() const { return errors_.micro + (system_.order() == 2 ? errors_.order_2 : errors_.order_4); }

  // A way to compute F: the order of the differences, that of the micro-steps, and how many of them are in a period.
  struct Way {
    int order = 2, micro = 2, steps = least_steps;
    // Relative to differences of order 2 with one micro-step of order 2; see "Cost" in docs/methods/sam.md.
    int cost() const { return (order == 4 ? 2 : 1) * (micro == 4 ? 3 : 1) * steps; }
  };

  // Chooses the cheapest way that the run needs, from the errors at its start.
  void choose(const State& s) {
    const double allowed = share_of_averaging * tolerance() / std::max(std::abs(scope().t_end - s.t), system_.period());
    measure(s);
    if (options_.steps == 0) {
      Way best = cheapest(allowed, nullptr);
      // Three times four micro-steps are the least that extrapolation costs.
      if (options_.micro == "auto" && best.steps > 3 * least_steps) {
        system_.set_steps(least_steps, 4);
        measure(s);
        best = cheapest(allowed, &best);
      }
      settle(s, best, allowed);
    } else if (options_.order == "auto") {
      system_.set_order(errors_.order_2 > 0.5 * allowed ? 4 : 2);
    }
    rate_ = error_rate();
  }

  void measure(const State& s) {
    errors_ = system_.errors(s.t, s.y);
    if (errors_.change > max_change_in_a_period) refuse(changes_too_much());
  }

  // Both errors together may be as large as allowed. The number of micro-steps follows from the error measured last.
  Way cheapest(double allowed, const Way* other) const {
    Way best = other ? *other : Way{.order = 4, .steps = most_steps + 1};
    for (const int order : {2, 4}) {
      if (options_.order != "auto" && order != system_.order()) continue;
      const double left = allowed - (order == 2 ? errors_.order_2 : errors_.order_4);
      if (left <= 0 && order == 2 && options_.order == "auto") continue;
      const Way way{order, system_.micro_order(), steps_for(std::max(left, 0.1 * allowed))};
      if (way.cost() < best.cost()) best = way;
    }
    best.steps = std::min(best.steps, most_steps);
    return best;
  }

  int steps_for(double micro_error) const {
    const double ratio = std::pow(errors_.micro / micro_error, 1.0 / system_.micro_order());
    return static_cast<int>(std::clamp<double>(std::ceil(system_.steps() * ratio), least_steps, most_steps));
  }

  // With few micro-steps the error may not follow its order yet: the choice is measured and corrected.
  void settle(const State& s, const Way& way, double allowed) {
    constexpr int corrections = 6;
    system_.set_order(way.order);
    system_.set_steps(way.steps, way.micro);
    measure(s);
    for (int i = 0; i < corrections; ++i) {
      const double left = std::max(allowed - (way.order == 2 ? errors_.order_2 : errors_.order_4), 0.1 * allowed);
      const int steps = steps_for(left);
      if (steps <= system_.steps() && 5 * steps > 4 * system_.steps()) return;
      system_.set_steps(steps, way.micro);
      measure(s);
    }
  }

  // A slow force that changes in time as fast as the oscillation would always be sampled at the same phase.
  void check_pace(const State& s) {
    constexpr int times = 4;
    const Index n = s.layout.nq;
    Vec here(n), later(n);
    double size = 0, changes = 0;
    for (int i = 0; i < times; ++i) {
      const double t = scope().t_begin + (scope().t_end - scope().t_begin) * i / times;
      system_.flow().slow_acceleration(t, s.q(), s.v(), here);
      size = std::max(size, here.norm());
      for (const double share : {0.17, 0.41, 0.73}) {
        system_.flow().slow_acceleration(t + share * system_.period(), s.q(), s.v(), later);
        changes = std::max(changes, (later - here).norm());
      }
    }
    if (changes > max_change_in_a_period * size)
      refuse(
          fmt::format("within a fast period the slow forces change in time by {:.2g} of their size, more than {}; only "
                      "forces that change more slowly can be averaged",
                      changes / size, max_change_in_a_period));
  }

  SamOptions options_;
  SamSystem system_;
  double t_start_ = 0, rate_ = 0;
  SamSystem::Errors errors_;
  int next_look_ = 1;
};
// A step of the slow change takes a few fast periods at every stage.
Prospect sam_prospect(const ProblemFacts& facts, const Question& question) {
  constexpr double forces_of_stage = 300, fast_periods_that_pay = 200;
  const double slow = facts.gap.found() ? facts.gap.slow : facts.beat();
  Prospect out;
  if (!facts.splits_forces || slow == 0)
    out.objection = "it needs linear fast forces beside slow ones";
  else if (facts.fast_periods() < fast_periods_that_pay)
    out.objection = "the run has too few fast periods for it";
  if (!out.objection.empty()) return out;
  out.rtol = question.rtol.value_or(std::clamp(0.1 * question.accuracy, 1e-12, 1e-4));
  out.steps = 10 + facts.span * slow / (0.4 * std::pow(*out.rtol / 1e-4, 0.2));
  out.forces = 7 * forces_of_stage;
  out.overhead = 1e-6;
  out.error = 0.5 * question.accuracy;
  out.why = "the fast forces are linear with one period, and the motion changes slowly from period to period";
  return out;
}
}  // namespace

ReformulationEntry sam_entry() {
  return {.name = "sam",
          .title = "stroboscopic averaging: computes the motion from one fast period to a much later one",
          .reference = "for SAT09 eq. 12",
          .delivers = Delivers::full,
          .runs = "models whose fast forces are linear, with one period",
          .options = list_options<SamOptions>(),
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            return std::make_unique<SamForm>(problem.as<MechanicalProblem>("sam"),
                                             read_options<SamOptions>(options, "sam"));
          },
          .driving_method = [](const Problem&) -> std::string { return "dopri5"; },
          .advise = sam_prospect};
}
}  // namespace trill
