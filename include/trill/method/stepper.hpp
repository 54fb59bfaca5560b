// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: the interface of a method and the contract of one step.
#pragma once

#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"
#include "trill/base/random.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/method/error_scale.hpp"
#include "trill/problem/problem.hpp"
#include "trill/solution/counters.hpp"

#include <limits>
#include <memory>

namespace trill {
enum class Dense { full, slow, none };  // none: steps end at output times, and events are refused

// Kinds of problems a method can run.
struct Accepts {
  bool first_order = false, mechanical = false, constrained = false, langevin = false, circuit = false;
};

struct MethodInfo {
  std::string name, title, reference;         // "verlet", "Stoermer-Verlet", "PJY97 eq. 4.2"
  std::vector<std::string> also_called = {};  // other names by which users know it
  Accepts accepts;
  int order = 0, order_lambda = 0, error_order = 0;  // order 0: varies; error_order 0: no error estimate
  int order_of_averages = 0;                         // of random motion, where lower than that of paths; 0: it is not
  int dense_order = 0, dense_degree = 3;             // of interpolate(): global order, polynomial degree
  bool implicit_step = false, symmetric = false, symplectic = false, p_stable = false;
  bool area_preserving = false;  // keeps areas on the oscillator, yet is not symplectic on nonlinear motion
  bool multistep = false;        // a step depends on earlier ones: a restart changes the numbers
  Delivers delivers = Delivers::full;
  Dense dense = Dense::full;
  bool owns_step = false;      // chooses its own step size: request.h is an upper bound
  bool saves_memory = true;    // false: restarts at every checkpoint, even if the run is not interrupted
  bool constant_step = false;  // its good properties hold for a constant step size only
  bool keeps_matrix = false;   // reuses its factors while h is constant: a slightly larger h does not pay off
  bool componentwise = false;  // components interact only through forces: independent systems can be joined
};

enum class StepStatus { ok, newton_diverged, singular_matrix, non_finite, outside_domain, step_too_small, refused };

struct StepRequest {
  double h;
  const ErrorScale& scale;
  const Vec& weights;  // scale.weights at the start of the step, for the Newton norm
  double most_error;   // a step with a larger error is not taken and the state is left unchanged; infinite: no test
  bool jumped;         // the state was changed from outside since the last step: drop reused values
  bool restart;        // the state is the same, but history that no checkpoint stores must be dropped
  Notes& notes;
  Counters& work;
  RandomKey random;
};

struct StepResult {
  StepStatus status = StepStatus::ok;
  double error = std::numeric_limits<double>::quiet_NaN();  // norm of the local error; NaN: no estimate
  double h_taken = 0;                                       // equals request.h unless the method owns its step
  bool accept_anyway = false;                               // h is already the smallest step the method can use
  double h_retry_min = 0;                                   // the error is no reason to go below this h
  double h_next_max = std::numeric_limits<double>::infinity();
  NewtonStats newton{};
};

// One step of one method. It knows its problem and its workspace, but nothing about step-size control, output, events
// or files. Inner motions within its step are not computed by another Stepper but by something simpler, a kernel or a
// flow (docs/design/departures.md). It refers to its problem, which must outlive it.
//
// step() makes exactly one step of size request.h (unless the method owns its step), allocates nothing, throws nothing,
// and leaves the state as it was on any status other than ok.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual const MethodInfo& info() const = 0;
  virtual void start(State& s, const ErrorScale& scale) = 0;  // makes s consistent, resets the history, allocates
  // Before a run with equal steps of h: what it has to expect, in one sentence; a UsageError if it would be useless.
  virtual std::string outlook(const State& /*start*/, double /*h*/) { return ""; }
  // A first step size for these tolerances, at most h_max; 0: the method has no suggestion.
  virtual double initial_step(const State&, const ErrorScale&, double /*h_max*/, Counters&) { return 0; }
  virtual StepResult step(State& s, const StepRequest& request) = 0;
  virtual void interpolate(double theta, Out y) = 0;  // in the last step, theta in [0, 1]; may evaluate forces
  virtual std::vector<Quantity> diagnostics() const { return {}; }
  virtual void diagnose(Out) const {}
  virtual std::string summary() const { return ""; }    // about the run so far, in one sentence
  virtual void conclude(double /*t*/, Notes&) const {}  // warnings that need the whole run
  // Halves step sizes that depend neither on h nor on tolerances, such as those of inner motions. Used when a run is
  // repeated to find out how accurate it was. Call it before start().
  virtual void refine() {}
  // Everything a bit-identical restart needs, listed once: archive(a_, h_) writes it into a new checkpoint or reads it
  // from a stored one. Whatever can be computed from these values is computed again if archive.reading().
  virtual void memory(Archive& archive) = 0;
  virtual std::unique_ptr<Stepper> clone(const Problem& problem) const = 0;  // own workspace, for a cloned problem
};

StepStatus status_of(const NewtonStats& newton);
const char* to_text(StepStatus status);
}  // namespace trill
