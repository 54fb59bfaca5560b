// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: what a method is, the contract of one step.
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
enum class Dense { full, slow, none };  // none: the driver lands on outputs and refuses events, with the reason

// Kinds of problems a method can run.
struct Accepts {
  bool first_order = false, mechanical = false, constrained = false, langevin = false, circuit = false;
};

struct MethodInfo {
  std::string name, title, reference;  // "verlet", "Stoermer-Verlet", "PJY97 eq. 4.2"
  Accepts accepts;
  int order = 0, order_lambda = 0, error_order = 0;  // order 0: varies; error_order 0: no error estimate
  int dense_order = 0, dense_degree = 3;             // of interpolate(): global order, degree of its polynomial
  bool implicit_step = false, symmetric = false, symplectic = false, p_stable = false;
  bool area_preserving = false;  // keeps areas on the oscillator, yet is not symplectic on nonlinear motion
  bool multistep = false;        // a step depends on those before: a restart shows in the numbers
  Delivers delivers = Delivers::full;
  Dense dense = Dense::full;
  bool owns_step = false;      // chooses its own step: request.h is a bound
  bool saves_memory = true;    // false: restarts itself at every checkpoint, in the unbroken run too
  bool constant_step = false;  // its good properties belong to one step size
  bool keeps_matrix = false;   // factors serve again while the step is the same: small growth does not pay
  bool componentwise = false;  // forces apart, no component sees another: independent systems may be stepped as one
};

enum class StepStatus { ok, newton_diverged, singular_matrix, non_finite, outside_domain, step_too_small, refused };

struct StepRequest {
  double h;
  const ErrorScale& scale;
  const Vec& weights;  // scale.weights at the start of the step, for the Newton norm
  double most_error;   // a step whose error is larger is not taken: the state is left as it was; infinite: no test
  bool jumped;         // the state was changed from outside since the last step: drop reused values
  bool restart;        // the state is the same, but memory that no checkpoint keeps must be dropped
  Notes& notes;
  Counters& work;
  RandomKey random;
};

struct StepResult {
  StepStatus status = StepStatus::ok;
  double error = std::numeric_limits<double>::quiet_NaN();  // norm of the local error, NaN: none
  double h_taken = 0;                                       // equals request.h unless the method owns its step
  bool accept_anyway = false;                               // at the method's step floor
  double h_retry_min = 0;                                   // errors do not ask for less than this
  double h_next_max = std::numeric_limits<double>::infinity();
  NewtonStats newton{};
};

// One step of one method. It knows its problem and its workspace, and nothing of tolerances over time, output, events
// or files. What moves inside its step is no stepper but a smaller thing, a kernel or a flow
// (docs/design/departures.md). It refers to its problem, which must outlive it.
//
// step() makes exactly one step of size request.h (unless the method owns its step), allocates nothing, throws nothing,
// and leaves the state as it was on any status other than ok.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual const MethodInfo& info() const = 0;
  virtual void start(State& s, const ErrorScale& scale) = 0;  // consistent values, history, all allocation
  // A first step size for these tolerances, at most h_max; 0: no opinion.
  virtual double initial_step(const State&, const ErrorScale&, double /*h_max*/, Counters&) { return 0; }
  virtual StepResult step(State& s, const StepRequest& request) = 0;
  virtual void interpolate(double theta, Out y) = 0;  // inside the last step, theta in [0, 1]; may evaluate forces
  virtual std::vector<Quantity> diagnostics() const { return {}; }
  virtual void diagnose(Out) const {}
  virtual std::string summary() const { return ""; }    // of the run up to now, in one sentence
  virtual void conclude(double /*t*/, Notes&) const {}  // warnings that only the whole run justifies
  // Half the size for steps that follow from neither h nor tolerances, as those of inner motions: for repetitions that
  // tell how accurate a run was. Before start().
  virtual void refine() {}
  // Everything a bit-identical restart needs, listed once: archive(a_, h_) writes it into a new checkpoint or reads it
  // from a stored one. What follows from it is built again where archive.reading().
  virtual void memory(Archive& archive) = 0;
  virtual std::unique_ptr<Stepper> clone(const Problem& problem) const = 0;  // own workspace on a cloned problem
};

StepStatus status_of(const NewtonStats& newton);
const char* to_text(StepStatus status);
}  // namespace trill
