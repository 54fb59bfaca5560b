// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include "base/text.hpp"
#include "words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill::cli {
namespace {
// As a word for a shell.
std::string quoted(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./=:+,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void add_assignments(std::string& command, const char* option, const OptionSet& values) {
  if (values.empty()) return;
  command += option;
  for (const auto& [name, value] : values) command += " " + quoted(name + "=" + value);
}
}  // namespace

TimeWindow read_window(const std::string& option, const std::string& text) {
  const auto times = split(text, ':');
  if (times.size() != 2)
    throw UsageError(fmt::format("{} needs two times, such as 0.01:0.0102, not '{}'", option, text));
  return {read_number(option, times[0]), read_number(option, times[1])};
}

void check_window(const RunArguments& a) {
  if (a.plan.want != Want::envelope && a.plan.method != "envelope" && a.plan.formulation != "envelope")
    throw UsageError("--window shows the cycles that an envelope jumps over; give --want envelope with it");
  if (!a.sweeps.empty()) throw UsageError("--window is for a single run; leave out --sweep");
  if (!a.resume.empty()) throw UsageError("--window begins with the envelope each time; use --out instead of --resume");
}

std::string window_command(const RunArguments& a) {
  const RunPlan& plan = a.plan;
  std::string command = "trill run " + quoted(plan.model);
  command += plan.want == Want::envelope ? " --want envelope" : " --method " + quoted(plan.method);
  if (!plan.formulation.empty()) command += " --formulation " + quoted(plan.formulation);
  for (const auto& [option, value] : {std::pair{"--from", plan.from}, {"--rtol", plan.rtol}, {"--atol", plan.atol}})
    if (value) command += fmt::format(" {} {}", option, *value);
  add_assignments(command, " --param", plan.parameters);
  add_assignments(command, " --set", plan.options);
  return command + " --window WINDOW --report window.html";
}

std::string window_command(const std::string& solution) {
  return fmt::format("trill report {} --window WINDOW -o window.html", quoted(solution));
}
}  // namespace trill::cli
