// SPDX-License-Identifier: BSD-3-Clause
// For programs that state a run as on the command line: names, options, tolerances.
#pragma once

#include "trill/driver/driver.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/model_registry.hpp"

#include <optional>

namespace trill {
// Machine code for models that are text: where it pays, always, never, or as a run that is resumed had it: compiled
// where that is possible, which makes no difference to the numbers.
enum class Native { automatic, always, never, as_before };

// What is wanted of the motion. full: whatever the method gives that the user or the model names; others take the place
// of a method.
enum class Want { full, slow };

// A run as a user states it: names and texts. What is left open is filled in from the model's defaults.
struct RunPlan {
  std::string model;  // name of a shipped model, or path of a model file
  OptionSet parameters;
  std::string method;  // empty: the model's
  Want want = Want::full;
  OptionSet options;        // of the method and of the formulation; `control` among them is the next field
  std::string control;      // step control; empty: pi
  std::string formulation;  // empty: none; a method's name that stands for a formulation fills it in
  std::optional<double> from, to, h, rtol, atol, h_max;
  Output output = EveryStep{};
  std::int64_t max_steps = DriverOptions{}.max_steps;
  std::int64_t checkpoint_every = DriverOptions{}.checkpoint_every;
  std::uint64_t seed = 1;
  Native native = Native::automatic;
  bool trial_runs = true;  // false: nothing is integrated before the run; a choice that needs it says what it would try
};

// How the motion is computed: a method, perhaps in a formulation, and which of the options belong to which.
struct Way {
  const MethodEntry* method = nullptr;
  const ReformulationEntry* formulation = nullptr;  // nullptr: the problem as it is
  OptionSet options, formulation_options;
};

// The plan made concrete: everything integrate() needs, in one owner.
struct PreparedRun {
  RunPlan plan;  // with method, formulation, h or rtol, from and to filled in
  Way way;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Reformulation> reformulation;
  std::unique_ptr<Stepper> stepper;
  State start;
  DriverOptions options;
  std::string remark;  // on machine code that was wanted and cannot be had
  std::string choice;  // why this method, where trill chose it
  bool begun = false;  // it was run before

  Solution run();  // the same whenever it is called
};

// A shipped model by its name, or a model file; the text of a model in C++ is empty. The start of a text is checked at
// the time `begin`.
TextModel make_model(const std::string& model, const OptionSet& parameters = {}, double begin = 0);
// What a model is run with by default; a text that names an unknown method is shown where it does.
Technique default_technique(const TextModel& model);

// UsageError for anything that does not fit: names, options, ranges, a method that cannot run the model.
PreparedRun prepare(const RunPlan& plan);
// The same for a problem that is no registered model; plan.model is only its name then.
PreparedRun prepare(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults = {});

// The step size a fixed-step method gets when nobody names one: 20 steps in the fastest period at the start.
inline constexpr double default_steps_per_period = 20;
}  // namespace trill
