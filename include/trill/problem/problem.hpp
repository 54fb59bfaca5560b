// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: what every problem offers, and systems of first order.
#pragma once

#include "trill/base/errors.hpp"
#include "trill/linalg/matrix_slot.hpp"
#include "trill/problem/state.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// What a number is: reports group and scale by it, whatever the name.
enum class QuantityKind {
  other,
  position,  // of components; where they do not say it, their place in the state does
  velocity,
  multiplier,
  auxiliary,
  energy,       // the whole, which stays where nothing takes or gives any
  energy_part,  // such as kinetic energy, or that of one spring
  frequency,
  action,
  amplitude,  // named amplitude_X: half the width of the fast oscillation around component X
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
};

// What a run gives of the motion.
enum class Delivers { full, slow, amplitude, statistics };

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
  }
  return "";
}

// A switching function that belongs to a model. It is zero where the switch happens.
struct EventInfo {
  std::string name;
  int direction = 0;      // -1 falling, 0 both, +1 rising
  bool stops = false;     // the run ends there
  bool restarts = false;  // a formula changes there: a step ends on it and the next one starts afresh
};

// While a run goes on, a formula with cases, such as if(x > 0, a, b), may be that of the state it is evaluated at, or
// the one that was found at the last state that was entered, also beyond the switch: then a step that passes the switch
// is one of a smooth motion, and the switch is found where it is.
enum class Formulas { of_each_state, held };

// What is to be solved. All functions are const, but an evaluation may use scratch memory, so that a problem serves one
// run at a time: another thread takes a clone(), which shares constant data, and Stepper::clone takes the cloned
// problem.
//
// What a run changes in a problem, such as a parameter that an event has set, it changes through a ProblemSession.
// There is no other way to do so, and the end of the session takes it back: before and after a run, and after an
// exception in the middle of one, a problem is what its model states.
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

  // Ask for a view of this problem; the error names both sides.
  template <class P>
  const P& as(std::string_view asker) const {
    if (const P* p = dynamic_cast<const P*>(this)) return *p;
    throw UsageError(std::string(asker) + " needs " + P::kind() + "; '" + name() + "' is not one");
  }

 private:
  friend class ProblemSession;
  // A run goes on from this state: what depends on its mode is brought up to date.
  virtual void enter(const State&, Formulas) const {}
  virtual void leave() const noexcept {}  // the run is over: the problem is again what its model states
};

// One run of a problem, for as long as this object lives.
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
  virtual bool jacobian(double t, In y, MatrixSlot& j) const;  // default: false, the caller takes differences
};
}  // namespace trill
