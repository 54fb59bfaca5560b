// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/facts.hpp"

namespace trill {
struct Objection {
  std::string name, reason;
};

// Which way is taken, and why. Every choice that trill makes for a user is made here, from the facts alone.
struct Advice {
  Way way;
  std::string choice = {};  // empty: the method was named by the user or by the model
  std::optional<double> h = {}, rtol = {};
  std::vector<RankedWay> ranked = {};      // all that can be used, the best first
  std::vector<Objection> objections = {};  // of the others
  std::string remark = {};                 // where the advice differs from what the model names
};
// UsageError if no method can do what is wanted; it names the nearest thing that can be had.
Advice advise(const Resolved& asked, const Facts& known);

// `choice` for the same way with another step, where it names the step.
std::string with_new_step(std::string choice, const RunPlan& before, const RunPlan& after);

// The command that runs a way.
std::string command_of(const RunPlan& plan, const RankedWay& ranked);
std::string command_of(const RunPlan& plan);  // with all that is said about the problem, but no method
}  // namespace trill
