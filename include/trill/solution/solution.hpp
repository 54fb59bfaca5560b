// SPDX-License-Identifier: BSD-3-Clause
// For programs that use results: rows, quantities, outcome.
#pragma once

#include "trill/base/notes.hpp"
#include "trill/base/options.hpp"
#include "trill/problem/problem.hpp"
#include "trill/solution/counters.hpp"

#include <functional>
#include <limits>

namespace trill {
enum class RunStatus { reached_end, event, stopped, step_limit, step_too_small, newton_failed, non_finite, refused };
const char* to_text(RunStatus status);
RunStatus run_status_from(std::string_view text);  // IoError for an unknown text

struct EventHit {
  std::string name;
  double t = 0;
  template <class Archive>
  void memory(Archive& archive) {
    archive(name, t);
  }
};

// What is being run, in enough detail to run it again.
struct RunInfo {
  std::string problem, problem_title, problem_reference;
  std::string method, method_title, method_reference, delivers;
  std::string formulation;  // empty: the problem as it is
  OptionSet parameters;     // of the model, including defaults
  OptionSet options;        // of the method, including defaults
  OptionSet settings;       // of the run: from, to, h or rtol and atol, output, seed, ...
  std::string version, host, started;
  std::string model_text;  // content of the model file, if there is one
  OptionSet inputs;        // the files that the model reads: name beside the model file, checksum
  std::string code;        // how the model is evaluated: "compiled" or "interpreted"; empty: it is built into trill
  Layout layout;
  std::string time_unit;
  std::vector<Quantity> components;  // of y
  std::vector<Quantity> quantities;  // measured along the run: energy, constraint violation, h, ...
  std::vector<std::string> groups;   // names of the force groups that counters.forces counts
};

std::string way_of(const RunInfo& info);  // "dop853", or with a formulation "slow (dop853)"

// How it ended, and what happened on the way.
struct RunOutcome {
  RunStatus status = RunStatus::reached_end;
  std::string message;  // empty on success
  std::vector<EventHit> events;
  std::vector<Notice> notices;
  Counters counters;
  bool ok() const { return status == RunStatus::reached_end || status == RunStatus::event; }
};

// How much one component changes when the run is repeated more accurately.
struct TrustRow {
  std::string name, unit;
  double deviation = 0, scale = 0;  // largest difference; range of the component over the run
  double relative() const { return scale > 0 ? deviation / scale : deviation; }
};
enum class Verdict { none, green, amber, red };
const char* to_text(Verdict verdict);

// The verdict on a deviation relative to the range of a component: green up to `green_deviation`, about the width of a
// line in a plot; amber (to be used with care) up to `amber_deviation`; red beyond.
inline constexpr double green_deviation = 1e-3, amber_deviation = 5e-2;
Verdict verdict_of(double relative);

// How far a run can be trusted, as found by repeating it more accurately.
struct Trust {
  Verdict verdict = Verdict::none;
  std::string headline, how;
  std::vector<TrustRow> rows;
  double error =
      std::numeric_limits<double>::quiet_NaN();  // the worst judged error relative to its scale; NaN: unknown
  std::string of = {};                           // what it is the error of
  double until = std::numeric_limits<double>::quiet_NaN();  // the verdict holds up to this time; NaN: to the end
  std::string remedy =
      {};  // the command that would make the verdict green, and how long it would take; empty: none known
};

// Rows of numbers (time, state, measured quantities) that may live in memory or in a file. Visits them in order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;
  using Visitor = std::function<void(double t, const double* y, const double* measured)>;
  virtual void visit(const Visitor& visitor) const = 0;
};

// Everything a run leaves behind; plain data, no pointer back to problem, method or driver. A run that was recorded to
// disk has no rows here; SolutionFile reads them.
class Solution final : public RowSource {
 public:
  RunInfo info;
  RunOutcome outcome;
  Trust trust;
  std::vector<double> t;  // output times

  bool ok() const { return outcome.ok(); }
  void append(double at, In y, In measured);
  void reserve(Index rows);
  void keep_every_other();  // keeps rows 0, 2, 4, ...; for recorders that bound memory
  Index rows() const override { return static_cast<Index>(t.size()); }
  void visit(const Visitor& visitor) const override;
  Eigen::Map<const Mat> y() const;               // one column per output time
  Eigen::Map<const Mat> measured() const;        // one row per quantity, one column per output time
  Index component(std::string_view name) const;  // unknown: UsageError with the most similar names
  Index quantity(std::string_view name) const;
  double drift(std::string_view quantity) const;  // max |x(t) - x(0)|
  std::string brief() const;                      // one line

  // Dense output, where the driver was asked to keep it.
  struct Segment {
    double t0, h;
    Mat nodes;  // the interpolant at equally spaced points, enough to reproduce its polynomial
  };
  std::vector<Segment> segments;
  bool has_dense() const { return !segments.empty(); }
  void evaluate(double at, Out y) const;  // UsageError if none was kept or `at` is outside

 private:
  std::vector<double> y_, measured_;
};
}  // namespace trill
