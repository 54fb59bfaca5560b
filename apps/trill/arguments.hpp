// SPDX-License-Identifier: BSD-3-Clause
// The options of each verb for CLI11: turns words into the arguments of commands.hpp.
#pragma once

#include "commands.hpp"

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace trill::cli {
using Action = std::function<int()>;

// Adds a verb that makes `act` the action; the arguments live as long as the application.
template <class Arguments>
std::pair<CLI::App&, Arguments&> verb(CLI::App& app, Action& action, int (*act)(const Arguments&),
                                      const std::string& name, const std::string& what, const std::string& examples) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->footer("\nExamples:\n" + examples);
  const auto arguments = std::make_shared<Arguments>();
  sub->callback([arguments, act, &action] { action = [arguments, act] { return act(*arguments); }; });
  return {*sub, *arguments};
}

// Gets the long name of the option, for error messages, and the word given for it.
using TakeWord = std::function<void(const std::string& option, const std::string& text)>;
CLI::Option* word(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                  const TakeWord& take);
CLI::Option* number(CLI::App& app, const std::string& name, std::optional<double>& target, const std::string& help);
CLI::Option* count(CLI::App& app, const std::string& name, std::int64_t least, const std::string& help,
                   const std::function<void(std::int64_t)>& take);
CLI::Option* file_name(CLI::App& app, const std::string& name, std::string& target, const std::string& help);
CLI::Option* assignments(CLI::App& app, const std::string& name, OptionSet& target, const std::string& help);

void add_run(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_describe(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_modes(CLI::App& app, Action& action);
void add_reduce(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_order(CLI::App& app, Action& action);
void add_stability(CLI::App& app, Action& action);
void add_figure(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_cite(CLI::App& app, Action& action);
}  // namespace trill::cli
