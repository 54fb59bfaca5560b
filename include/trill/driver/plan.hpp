// SPDX-License-Identifier: BSD-3-Clause
// For programs that specify a run as on the command line: by names, options, tolerances.
#pragma once

#include "trill/driver/driver.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/model_registry.hpp"

#include <complex>
#include <optional>

namespace trill {
// Whether text models are compiled to machine code. automatic: if it pays off; as_before: the run that is resumed was
// compiled, so compile again if this is possible (otherwise the numbers are still the same).
enum class Native { automatic, always, never, as_before };

// What the user wants to know. full: every component; slow: the slow motion; amplitude: how far or with which energy
// the fast motion swings, but not its phases; statistics: averages; envelope: a cyclic motion from few of its cycles;
// steady: one period of the motion that the problem settles to. trill chooses the method, except that for the full
// motion it takes the one that the user or the model names.
enum class Want { full, slow, amplitude, statistics, envelope, steady };
const char* to_text(Want want);
const std::vector<Want>& all_wants();

// A run as a user specifies it: names and texts. What is missing is filled in from the model's defaults.
struct RunPlan {
  std::string model;  // name of a shipped model, or path of a model file
  OptionSet parameters;
  std::string method;  // empty: the model's
  Want want = Want::full;
  OptionSet options;        // of the method and of the formulation; the option `control` is moved to the next field
  std::string control;      // step control; empty: pi
  std::string formulation;  // empty: none, unless `method` is the name of a formulation
  std::optional<double> from, to, h, rtol, atol, h_max;
  std::optional<double> accuracy;  // largest error that is accepted in what is wanted, relative to its range
  std::vector<std::string> of;     // measures and components that are judged by it; empty: all
  Output output = EveryStep{};
  std::int64_t max_steps = DriverOptions{}.max_steps;
  std::int64_t checkpoint_every = DriverOptions{}.checkpoint_every;
  std::uint64_t seed = 1;
  Native native = Native::automatic;
  OptionSet oem;                // what a file .oem says about itself: epoch, object, ...
  bool trial_runs = true;       // false: no trial runs to choose a method; trill says what it would try
  bool second_opinion = false;  // look at the other methods too where the model names one: they are faster, or step in
};

// How the motion is computed: a method, possibly with a formulation, and the options that belong to each.
struct Way {
  const MethodEntry* method = nullptr;
  const ReformulationEntry* formulation = nullptr;  // nullptr: the problem as it is
  OptionSet options, formulation_options;
};

// A way to compute what is wanted, with what trill expects of it before it is run.
struct RankedWay {
  Way way;
  std::optional<double> h, rtol;  // at most one of them; empty: what the plan or the model says
  double predicted_steps = 0, predicted_seconds = 0, predicted_error = 0;  // 0: not known
  std::string why;
};

// What one component does in a steady state.
struct SteadySignal {
  std::string name, unit;
  double mean = 0, rms = 0, min = 0, max = 0;
  double ripple() const { return max - min; }  // peak to peak
  // Peak amplitudes a_1, a_2, ... in x(t) = mean + sum of a_k cos(2 pi k t / period - phase_k); a_1 is the fundamental.
  std::vector<double> harmonics;
};
// The mean power that a source delivers, or that a resistor takes up.
struct SteadyPower {
  std::string element;
  bool is_source = false;
  double mean = 0;
};

// A motion that repeats after its period, as `Want::steady` finds it.
struct SteadyState {
  double period = 0;
  bool has_clock = true;  // false: an oscillator, whose period is a result
  // Floquet multipliers, the largest first: how much disturbances grow in one period.
  std::vector<std::complex<double>> multipliers;
  double multiplier_error = 0;      // of the size of the largest one
  bool is_stable = false;           // it is known to be
  bool is_stability_known = false;  // false: neutral, or too near to it for the errors of multipliers
  std::string stability;            // in one sentence
  double residual = 0;  // by which the end of the period misses its start, relative to the size of components
  std::vector<SteadySignal> signals;
  std::vector<SteadyPower> powers;   // of circuits
  std::string load;                  // the resistor whose power is the output; empty: not known
  std::optional<double> efficiency;  // power of the load over the power that all sources deliver
  // Work: cycles that were integrated, of which some with sensitivities; sweeps of linear solves over a stored cycle;
  // and for oscillators the time of the transient from which period and amplitude were guessed.
  int iterations = 0;
  std::int64_t cycles = 0, cycles_with_sensitivities = 0, products = 0;
  double transient = 0;
};
class SteadyRun;

// Everything integrate() needs to carry out a plan, owned by one object.
struct PreparedRun {
  RunPlan plan;  // with method, formulation, h or rtol, from and to filled in
  Way way;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Reformulation> reformulation;
  std::unique_ptr<Stepper> stepper;
  State start;
  DriverOptions options;
  std::string remark;                       // says so if machine code was wanted but is not available
  std::string outlook;                      // what the method expects of its steps, such as resonances
  std::string choice;                       // why this method was used, if trill chose it
  std::vector<RankedWay> rungs;             // ways to fall back on, the best first; empty if trill did not choose
  std::string advice_remark;                // says so if another method than the model's would be much faster
  bool begun = false;                       // run() has been called before
  std::shared_ptr<const SteadyRun> steady;  // set for Want::steady, which has no stepper
  std::optional<SteadyState> steady_state;  // after a run for it that succeeded

  Solution run();  // gives the same result every time it is called
};

// Makes a shipped model by its name, or one from a model file. The text of a model written in C++ is empty. The initial
// state of a text model is checked at the time `begin`.
TextModel make_model(const std::string& model, const OptionSet& parameters = {}, double begin = 0);
// What a model is run with by default. If the text of the model names an unknown method, the error shows the place.
Technique default_technique(const TextModel& model);

// UsageError for anything that does not fit: names, options, ranges, a method that cannot run the model.
PreparedRun prepare(const RunPlan& plan);
// The same for a problem that is not a registered model; plan.model is then only its name.
PreparedRun prepare(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults = {});

// Default step size of fixed-step methods: 20 steps per fastest period at the initial state.
inline constexpr double default_steps_per_period = 20;
// The error that is accepted where the plan says nothing, relative to the range of what is wanted.
inline constexpr double default_accuracy = 1e-3;
}  // namespace trill
