// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/circuit_cycle.hpp"
#include "multiscale/cycle_view.hpp"
#include "multiscale/free_circuit_cycle.hpp"
#include "multiscale/oscillation_finder.hpp"
#include "multiscale/switched_motion.hpp"
#include "problem/time_marks.hpp"

#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double swing_agreement = 0.1;  // of the periods that are taken for an oscillation
constexpr double probe_rtol = 1e-5;
constexpr double fewest_steps = 50;  // of the transient, if the circuit does not limit them

// What a cycle is: found by a transient from the start on, which ends with the first periods that are alike.
struct FreeOscillation {
  ChargeCycle::Section section;
  double period = 1;
  double time = 0;  // that the transient took
  State regular;    // in its last period
  std::int64_t evaluations = 0;
};

FreeOscillation find_oscillation(const CircuitProblem& problem, const State& start, double until) {
  double longest = (until - start.t) / fewest_steps;
  for (const TimeMark& mark : time_marks_of(problem, start.t, until)) longest = std::min(longest, mark.longest_step);
  SwitchedMotion motion(problem, start, probe_rtol, longest);
  OscillationFinder finder(-1, swing_agreement);
  motion.start(start, until);
  finder.begin(start);
  while (motion.state().t < until && !finder.found() && motion.step(until)) finder.take(motion.state());
  if (!finder.found())
    throw UsageError(fmt::format(
        "envelope: no source of '{}' repeats, or their periods have no common multiple that is short enough, and "
        "no regular oscillation was found up to t = {:.6g}; give the length of a cycle by --set period=...",
        problem.name(), motion.state().t));
  return {{finder.component(), finder.middle()},
          finder.period(),
          motion.state().t - start.t,
          finder.state(),
          motion.evaluations()};
}

class FreeCircuitView final : public CycleView {
 public:
  FreeCircuitView(const CircuitProblem& problem, const State& start, double rtol, double until)
      : found_(until > start.t ? find_oscillation(problem, start, until) : FreeOscillation()),
        cycle_(problem, start, found_.section, found_.period, rtol),
        guess_(start.y) {}

  const CycleMap& map() const override { return cycle_; }
  State first() const override { return cycle_.initial_state(); }
  // The time counts as a phase.
  Vec scale() const override {
    Vec scale(cycle_.layout().size());
    scale << charge_scale(guess_, [&](In x) { return cycle_.reduce(x); }), found_.period / (2 * std::numbers::pi);
    return scale;
  }
  bool leave(double, In z, State& out) const override {
    out.y = guess_;
    if (!cycle_.expand(z, out.y)) return false;
    guess_ = out.y;
    out.mode = cycle_.mode();
    return true;
  }
  bool leave_part(In, State& out) const override {
    out.y = cycle_.end_values();
    out.mode = cycle_.mode();
    return true;
  }
  const CycleTrace* trace() const override { return &cycle_.trace(); }
  double period() const override { return cycle_.period(); }
  State typical() const override {
    State s = first();
    if (found_.time == 0) return s;
    s.t = found_.regular.t;
    s.y << cycle_.reduce(found_.regular.y), s.t;
    return s;
  }
  double cycles_before() const override { return found_.time / found_.period; }
  void count(Counters& work) const override { work.forces[0] += cycle_.counts().iterations + found_.evaluations; }
  void memory(Archive& archive) override { archive(cycle_, guess_); }

 private:
  FreeOscillation found_;
  FreeCircuitCycle cycle_;
  mutable Vec guess_;
};
}  // namespace

std::unique_ptr<CycleView> view_free_circuit(const CircuitProblem& problem, const State& start, double rtol,
                                             double until) {
  return std::make_unique<FreeCircuitView>(problem, start, rtol, until);
}
}  // namespace trill
