// SPDX-License-Identifier: BSD-3-Clause
// For authors of formulations, which turn one problem into another that a method solves.
#pragma once

#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"
#include "trill/base/options.hpp"
#include "trill/problem/problem.hpp"
#include "trill/solution/counters.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trill {
class Catalogue;
struct ProblemFacts;
struct Question;
struct Prospect;

// What a formulation did to the state after an accepted step. kept: nothing; moved: changed it so little that values
// reused from the last stage are still good enough; changed: these values are stale; refused: the run must end here,
// and refusal() says why.
enum class AfterStep { kept, moved, changed, refused };

// What is asked of a run.
struct RunScope {
  double tolerance = 0;  // relative tolerance; 0: fixed step size
  double t_begin = 0, t_end = 0;
  std::vector<std::string> of = {};  // measures and components that are judged; empty: all
};

// A formulation that changes the unknowns. It owns the derived problem and converts states to it and back; the driver,
// events, measured quantities and files see only the states of the given problem. It refers to the given problem, which
// must outlive it. An object serves a single run because it keeps data of that run.
class Reformulation {
 public:
  virtual ~Reformulation() = default;
  virtual const Problem& inner() const = 0;
  virtual void expect(const RunScope&) {}  // called before the first enter()
  // Takes over what another object has computed in its enter(), if that serves a run on a copy of the same problem.
  virtual void inherit(const Reformulation&) {}
  // Events, known discontinuities and quick actions of the given problem lie inside what it computes at once, so the
  // driver looks for those of inner() instead.
  virtual bool keeps_time() const { return false; }
  // Converts a state of the given problem to one of inner(), with projections or corrections if the formulation
  // needs them. UsageError if it cannot start from this state.
  virtual void enter(const State& given, State& in, Notes& notes) = 0;
  virtual void leave(const State& in, State& out) const = 0;  // for output, measured quantities and events
  virtual AfterStep after_step(State&, Notes&) { return AfterStep::kept; }
  // When the run ends, where what was asked of the formulation decides that, and not a time. It is asked for again
  // after every step, so it may be an estimate while the end is far away.
  virtual std::optional<double> end(const State& /*in*/) const { return std::nullopt; }
  virtual std::string refusal() const { return ""; }
  virtual std::string failure() const { return ""; }  // why the last evaluation of inner() failed, if it is known
  // After enter(): why it does not pay to use it on this problem, although it can be used; empty: it does.
  virtual std::string reluctance() const { return ""; }
  // Estimated relative error of the formulation itself up to the state of the last leave(); NaN: no estimate.
  virtual double model_error() const { return std::numeric_limits<double>::quiet_NaN(); }
  // Amplitude, component by component, of the oscillation of the given motion around the computed one.
  virtual void reach(Out y) const { y.setZero(); }
  virtual std::string summary() const { return ""; }  // about the run so far, in one sentence
  // Corrects the counters of a run: the method has counted evaluations of the derived problem, not of the given one.
  virtual void account(Counters&) const {}
  // Extra values that belong to the state of the last leave() and are recorded with it.
  virtual std::vector<Quantity> diagnostics() const { return {}; }
  virtual void diagnose(Out) const {}
  // What it remembers from step to step, for checkpoints; see Stepper::memory().
  virtual void memory(Archive&) {}
};

// What the catalogue (trill/method/registry.hpp) knows about a formulation NAME; its file defines the function
// ReformulationEntry NAME_entry(), and the CMakeLists.txt of its folder lists NAME.
struct ReformulationEntry {
  std::string name, title, reference;
  std::optional<Delivers> delivers = {};  // what a run with it delivers; empty: the same as its method
  bool free_of_oscillation = false;       // step sizes for its inner problem are not limited by the fast motion
  std::string runs = "mechanical";        // kinds of models, for lists
  std::vector<OptionRow> options;
  std::unique_ptr<Reformulation> (*make)(const Problem&, const OptionSet&);
  // The method that solves the derived problem when the user gives `--method NAME`; nullptr: NAME cannot be used as a
  // method.
  std::string (*driving_method)(const Problem&) = nullptr;
  const Catalogue& (*methods)() = nullptr;  // those that solve the derived problem; nullptr: the ordinary ones
  std::string ends_by = {};                 // the option by which a run ends before its end time; empty: there is none
  // The tolerance where none is given; nullptr: that of the model.
  double (*rtol)(const Problem&, double of_model) = nullptr;
  // Its tolerance is the error of what is asked for: the share of the accuracy that it takes for it. 0: it is not.
  double share_of_accuracy = 0;
  // What a run with it would do, by its own account (formulation/prospect.hpp); nullptr: trill never chooses it.
  Prospect (*advise)(const ProblemFacts&, const Question&) = nullptr;
};
}  // namespace trill
