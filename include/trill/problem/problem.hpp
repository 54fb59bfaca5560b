// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: the interface of every problem, and first-order systems.
#pragma once

#include "trill/base/errors.hpp"
#include "trill/linalg/matrix_slot.hpp"
#include "trill/problem/state.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// What a number means. Reports group and scale by it, independent of the name.
enum class QuantityKind {
  other,
  position,  // kinds of components; if not given, they follow from the place in the state
  velocity,
  multiplier,
  auxiliary,
  energy,       // total energy, constant if the system is conservative
  energy_part,  // such as the kinetic energy, or the energy of one spring
  frequency,
  action,
  amplitude,  // named amplitude_X: half the width of the fast oscillation around component X
  middle,     // named middle_X: the middle of the range of component X during a cycle; amplitude_X is to either side
  bound,      // named bound_X, or estimate_X where it is not proved: how far X can be from that of the whole model
  cycles,     // of a step that jumps over most of them
  constraint,
  step_size,
  step_error,
  model_error,
  newton_iterations,
  newton_rate
};

struct Quantity {
  std::string name, unit;
  QuantityKind kind = QuantityKind::other;
};

struct Parameter {
  std::string name, unit, what;
  double value = 0;
  std::string word = {};  // of a parameter that is a word; then `value` means nothing
};
std::string value_text(const Parameter& parameter);

// What a run computes of the motion.
enum class Delivers { full, slow, amplitude, statistics, envelope };

constexpr const char* to_text(Delivers delivers) {
  switch (delivers) {
    case Delivers::full:
      return "full motion";
    case Delivers::slow:
      return "slow motion";
    case Delivers::amplitude:
      return "amplitudes";
    case Delivers::statistics:
      return "statistics";
    case Delivers::envelope:
      return "envelope";
  }
  return "";
}

// A switching function that belongs to a model. It is zero where the switch happens.
struct EventInfo {
  std::string name;
  int direction = 0;      // -1 falling, 0 both, +1 rising
  bool stops = false;     // the run ends there
  bool restarts = false;  // a formula changes there: a step must end there and the next one starts anew
};

// Which branch of a formula with cases, such as if(x > 0, a, b), is used during a run. of_each_state: the branch that
// belongs to the state at which the formula is evaluated. held: the branch chosen at the last ProblemSession::enter(),
// even beyond the switching point. Then a step across the switching point still sees a smooth right-hand side, and the
// switching point can be located accurately.
enum class Formulas { of_each_state, held };

// What is to be solved. All functions are const, but an evaluation may use scratch memory, so a problem can be used by
// only one run at a time. Another thread needs a clone(), which shares constant data, and a Stepper::clone for it.
//
// Whatever a run changes in a problem, such as a parameter set by an event, it changes through a ProblemSession. There
// is no other way, and the end of the session undoes the changes: before and after a run, and after an exception during
// a run, a problem is what its model states.
class Problem {
 public:
  virtual ~Problem() = default;
  static std::string kind() { return "a problem"; }
  virtual std::string name() const = 0;
  virtual Layout layout() const = 0;
  virtual std::vector<Quantity> components() const = 0;  // name and unit of every entry of y
  virtual std::vector<Parameter> parameters() const { return {}; }
  virtual State initial_state() const = 0;
  virtual std::unique_ptr<Problem> clone() const = 0;
  virtual std::vector<double> breakpoints(double /*t0*/, double /*t1*/) const { return {}; }  // known discontinuities
  virtual std::vector<EventInfo> events() const { return {}; }
  virtual double event_value(int /*event*/, const State&) const { return 1; }
  virtual void on_event(int /*event*/, State&) const {}
  virtual std::vector<Quantity> quantities() const { return {}; }  // invariants and observables
  virtual void measure(const State&, Out /*one value per quantity*/) const {}
  virtual bool exact(double /*t*/, Out /*y*/) const { return false; }  // closed form, where one exists
  virtual std::string time_unit() const { return ""; }

  // This problem as a P. If it is not one, the UsageError names the asker and the problem.
  template <class P>
  const P& as(std::string_view asker) const {
    if (const P* p = dynamic_cast<const P*>(this)) return *p;
    throw UsageError(std::string(asker) + " needs " + P::kind() + "; '" + name() + "' is not one");
  }

 private:
  friend class ProblemSession;
  // A run starts or continues from this state: updates everything that depends on its mode.
  virtual void enter(const State&, Formulas) const {}
  virtual void leave() const noexcept {}  // the run is over: restore the problem as its model states it
};

// One run of a problem; the run lasts as long as this object exists.
class [[nodiscard]] ProblemSession {
 public:
  ProblemSession(const Problem& problem, Formulas formulas) : problem_(problem), formulas_(formulas) {}
  ProblemSession(const ProblemSession&) = delete;
  ProblemSession& operator=(const ProblemSession&) = delete;
  ~ProblemSession() { problem_.leave(); }
  void enter(const State& s) { problem_.enter(s, formulas_); }
  bool holds_formulas() const { return formulas_ == Formulas::held; }

 private:
  const Problem& problem_;
  Formulas formulas_;
};

// y' = f(t, y)
class FirstOrderProblem : public Problem {
 public:
  static std::string kind() { return "a first-order system"; }
  virtual void rhs(double t, In y, Out dy) const = 0;
  virtual MatrixSlot jacobian_pattern() const;                 // default: dense
  virtual bool jacobian(double t, In y, MatrixSlot& j) const;  // default: false, use finite differences
};
}  // namespace trill
