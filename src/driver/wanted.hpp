// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/reformulation.hpp"
#include "trill/model/text_problem.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trill {
// What `--method` takes: names of methods, and of formulations that a method drives. UsageError for others.
void check_method_name(const std::string& name);
// The same for the method that a model is run with by default; a text is shown where it names it.
void check_default_method(const TextModel& model);

// Tries a formulation on a model's start. Empty: it takes it; otherwise the reason why not.
std::string why_not(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                    const OptionSet& options = {});

// A method for what is wanted of a run, and why it is this one.
struct ChosenMethod {
  std::string method, why;
};
const std::vector<std::string>& wanted_motions();  // "slow", ...
// try_out: runs a method roughly over the whole span; empty: nothing was refused on the way.
ChosenMethod choose_method(const std::string& wanted, const Problem& problem, const RunScope& scope,
                           const OptionSet& options,
                           const std::function<std::string(const std::string& method)>& try_out);
}  // namespace trill
