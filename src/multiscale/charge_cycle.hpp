// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/charge_coordinates.hpp"
#include "multiscale/cycle_tape.hpp"
#include "multiscale/cycle_trace.hpp"
#include "multiscale/fast_oscillations.hpp"
#include "multiscale/step_budget.hpp"
#include "problem/consistent_charges.hpp"
#include "problem/switched.hpp"

#include <atomic>
#include <optional>

namespace trill {
// Integrates a circuit over one cycle, or a part of one. The lengths of steps are fractions 1/2^k of equal parts of the
// time between two corners of the sources. So they change by leaps and are the same for neighbouring starts: a cycle is
// a smooth function of its start, and factors last for many steps. Steps that cross a switching point are repeated
// until they end there.
class ChargeCycle {
 public:
  enum class Derivative { none, propagate, tape };
  struct Settings {
    double rtol = 1e-6, tape_bytes = 256e6;
    Vec absolute = {};  // what is small of every unknown; empty: 1e-6, and 1e-9 of currents (unknowns whose unit is A)
    double longest_share = 1;  // of the longest steps that the problem allows
    double period = 1;
    long most_steps = 0;                      // in one run; 0: so many that only what never ends is given up
    const std::atomic<bool>* stop = nullptr;  // a run fails once this is true
  };
  struct Span {
    double t0 = 0, duration = 0;
    double ahead = 0;  // how much later slow sources are seen
  };
  // Where a cycle ends whose length is not given: there this unknown rises through the level.
  struct Section {
    Index unknown = 0;
    double level = 0;
  };
  ChargeCycle(const CircuitProblem& problem, const State& start, const Settings& settings);

  const CircuitProblem& problem() const { return *problem_; }
  Index independent() const { return coordinates_.independent(); }
  const ChargeCoordinates& coordinates() const { return coordinates_; }
  void set_period(double period);
  void halve_steps();                                                   // of all further runs
  void end_at(const std::optional<Section>& section);                   // all further runs, if they get there
  bool ran_out_of_steps() const { return budget_.ran_out_of_steps(); }  // the last one did
  bool reached_section() const { return reached_; }                     // the last one did

  // mode: on entry what hysteresis leaves open, on exit the switches at the end. directions: derivatives of z at the
  // start, if they are to be propagated. false: see failure().
  bool run(const Span& span, In z, std::vector<int>& mode, Derivative derivative, const Mat* directions = nullptr);
  // Values and switches at the start of a span. x is the guess on entry.
  bool find_start(const Span& span, In z, Out x, std::vector<int>& mode);

  double t() const { return state_.t; }      // at the end
  const Vec& x() const { return state_.y; }  // likewise
  const Vec& charges() const { return charges_; }
  const Mat& derivatives() const { return derivatives_; }        // of the charges at the end
  const Mat& end_delays() const { return last_.last_delays(); }  // derivatives of the time of the section
  void end_current(Out current) const { problem_->current(state_.t, state_.y, current); }
  // What oscillates faster than the steps of the last run with square directions, whose rows are in these sizes.
  void watch_fast_oscillations(Vec sizes);
  const FastOscillations& fast_oscillations() const { return fast_; }
  CycleTape& tape() { return tape_; }
  CycleTrace& trace() { return trace_; }
  const CycleTrace& trace() const { return trace_; }
  const CycleCounts& counts() const { return counts_; }
  const std::string& failure() const { return failure_; }

 private:
  // A step in which a switch turns: it should have ended at h, which is between its start and beyond.
  struct Crossing {
    int event;
    double h, beyond, value_beyond;
  };
  bool integrate(const Span& span);
  bool pass(double end);  // to the next corner
  enum class Outcome { end, event, failed };
  Outcome pass_smoothly(double from, double end);
  Outcome land_on_event(const Crossing& crossing);  // end: the step has to be shorter
  bool take_step();
  bool take_event(int event);
  bool find_values(Out x, std::vector<int>& mode);
  bool find_values_later(Out x);
  void turn_just_after(int event);
  double control_rate(int event);
  bool take_saltation(double control_rate);
  int section_event() const { return static_cast<int>(events_.size()); }
  void arm_section();
  bool end_on_section();
  std::optional<Crossing> first_crossing();
  double event_value(int event, double t, In x);
  void find_sides();
  void enter_mode();
  double longest_step(const Span& span) const;
  double clocks_in_cycle() const;
  bool fail(const std::string& what);

  std::unique_ptr<Problem> owner_;
  const CircuitProblem* problem_;
  const Switched* switched_;
  ProblemSession session_;
  State start_, state_, scratch_, after_;
  Settings settings_;
  ChargeCoordinates coordinates_;
  ConsistentCharges consistent_;
  CycleCounts counts_;
  ChargeStep step_;
  CycleTape tape_, last_;  // of a whole cycle, and of its last step
  CycleTrace trace_;
  Derivative wanted_ = Derivative::none;
  Vec charges_, current_, rate_, gradient_, values_;
  Mat derivatives_;
  std::vector<EventInfo> events_;
  std::vector<int> sides_;  // of every event: the sign of its value until it happens; 0: it never does
  FastOscillations fast_;
  double longest_ = 0, wish_ = 0, step_share_ = 1;
  StepBudget budget_;
  bool has_stepped_ = false, reached_ = false;
  std::optional<Section> section_;
  double begin_ = 0;
  std::string failure_;
};
}  // namespace trill
