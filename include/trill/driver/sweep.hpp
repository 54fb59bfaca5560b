// SPDX-License-Identifier: BSD-3-Clause
// For programs that run a model over ranges of its parameters.
#pragma once

#include "trill/driver/trust.hpp"

#include <filesystem>

namespace trill {
// A parameter and the values it takes, as texts for RunPlan::parameters.
struct SweepAxis {
  std::string parameter;
  std::vector<std::string> values;
};

// "omega2=200:20000:7" (seven values at equal distances), "omega2=200:20000:7log" (at equal ratios) or
// "omega2=200,500,1000". A UsageError says what was expected. Computed values are rounded to twelve digits, so
// that 1:1000:4log is 1, 10, 100, 1000.
SweepAxis parse_sweep(std::string_view text);

inline constexpr std::size_t most_members = 100'000;

struct SweepMember {
  std::vector<std::string> values;  // one for each axis
  std::filesystem::path file;       // empty: no file

  enum class Progress { waiting, unfinished, finished, error } progress = Progress::waiting;
  bool was_there = false;  // it was finished before, or another process that shares the folder has run it
  RunOutcome outcome;
  std::string error;              // why it could not be run or recorded, or which file is damaged
  Trust trust;                    // without its rows: there may be very many members
  std::vector<Attempt> attempts;  // that were given up for it
  std::string shortfall;          // why the accuracy was not reached; empty: it was, or it is not known
  std::vector<std::pair<std::string, double>> measured;  // values at the end, by name
  std::vector<std::pair<std::string, double>> state;     // components at the end; of large models the first hundred

  bool failed() const { return progress == Progress::error || (progress == Progress::finished && !outcome.ok()); }
  bool ok() const { return progress == Progress::finished && outcome.ok(); }
  std::string status() const;  // status of the run, or "not run", or "error"
  std::string why() const;     // reason of a failure; empty: there is none
};

// All combinations of values; the value of the last axis changes fastest.
struct Sweep {
  RunPlan plan;
  std::vector<SweepAxis> axes;
  std::vector<SweepMember> members;
  std::filesystem::path directory;  // where the files are; empty: no files

  std::string label(const SweepMember& member) const;  // "omega2=200,omega1=3"
  RunPlan plan_of(const SweepMember& member) const;
};

// `out` is a directory for files that are named after their values (omega2=200.h5), or a pattern such as
// runs/{omega2}.csv; empty: nothing is kept. UsageError when a parameter is unknown or fixed already, when there are
// too many combinations, or when two combinations would share a file.
Sweep make_sweep(const RunPlan& plan, std::vector<SweepAxis> axes, const std::string& out);

struct SweepOptions {
  int threads = 1;
  bool resume = false;  // members with a finished file are not run again, unfinished ones go on
  CheckTime check;      // unless it takes as long as it needs, eight members are checked, evenly chosen
  double checkpoint_seconds = 1;
  std::size_t most_files = 10'000;     // of more runs, those in HDF5 files share files
  std::string version, host, started;  // for the files
  std::function<void(double fraction)> progress;
  const std::atomic<bool>* stop = nullptr;
  // Is shown the rows of every finished member; called from several threads at once.
  std::function<void(std::size_t member, const RunInfo& info, const RowSource& rows)> look;
};

// Runs the members; the failure of one does not affect the others. Results do not depend on the number of threads. If
// the file of an unfinished run would be overwritten, this is a UsageError before anything is written. Processes with
// the same folder share the members; each returns when all are finished. Files that are there already with the same
// settings are kept.
void run_sweep(Sweep& sweep, const SweepOptions& options);
}  // namespace trill
