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
// What a formulation did to the state after an accepted step. Moved a little: values kept from the last stage are still
// good enough; changed: they are stale; refused: the run must end here, and refusal() says why.
enum class AfterStep { kept, moved, changed, refused };

// What is asked of a run.
struct RunScope {
  double tolerance = 0;  // relative; 0: steps of fixed size
  double t_begin = 0, t_end = 0;
};

// A formulation that changes the unknowns. It owns the derived problem and the way in and out; driver, events, measures
// and files see the user's state only. It refers to the given problem, which must outlive it, and belongs to one run,
// which it remembers.
class Reformulation {
 public:
  virtual ~Reformulation() = default;
  virtual const Problem& inner() const = 0;
  virtual void expect(const RunScope&) {}  // before the first enter()
  // Matched start, projection, packing. UsageError when this start cannot be taken.
  virtual void enter(const State& given, State& in, Notes& notes) = 0;
  virtual void leave(const State& in, State& out) const = 0;  // what is recorded, measured, tested by events
  virtual AfterStep after_step(State&, Notes&) { return AfterStep::kept; }
  virtual std::string refusal() const { return ""; }
  // Estimated relative error of the formulation itself up to the state that was left last; NaN: none.
  virtual double model_error() const { return std::numeric_limits<double>::quiet_NaN(); }
  // How far the given motion swings, component by component, around the one that is followed.
  virtual void reach(Out y) const { y.setZero(); }
  virtual std::string summary() const { return ""; }  // of the run up to now, in one sentence
  // What the run cost, where the method that drives it has counted evaluations of the derived problem only.
  virtual void account(Counters&) const {}
  // Of the state that was left last, recorded beside it.
  virtual std::vector<Quantity> diagnostics() const { return {}; }
  virtual void diagnose(Out) const {}
  // What it remembers from step to step, for checkpoints; Stepper::memory() says how.
  virtual void memory(Archive&) {}
};

// What the catalogue (trill/method/registry.hpp) knows of a formulation NAME; its file defines the function
// ReformulationEntry NAME_entry(), and the CMakeLists.txt of its folder lists NAME.
struct ReformulationEntry {
  std::string name, title, reference;
  std::optional<Delivers> delivers = {};  // of a run with it; empty: what its method delivers
  bool free_of_oscillation = false;       // the steps of its inner problem do not depend on the fast motion
  std::string runs = "mechanical";        // kinds of models, for lists
  std::vector<OptionRow> options;
  std::unique_ptr<Reformulation> (*make)(const Problem&, const OptionSet&);
  // `--method NAME` stands for this formulation with a method that drives it; nullptr: it is only a formulation.
  std::string (*driving_method)(const Problem&) = nullptr;
};
}  // namespace trill
