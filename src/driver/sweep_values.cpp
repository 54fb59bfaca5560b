// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "solution/segment_recorder.hpp"
#include "trill/driver/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw UsageError(fmt::format("--sweep {}: {}", text, why));
}

[[noreturn]] void refuse_form(std::string_view text, const std::string& why) {
  refuse(text, why + "; expected NAME=FROM:TO:COUNT, as in omega2=200:20000:7 or omega2=200:20000:7log, or NAME=A,B,C");
}

double read_value(std::string_view text, const std::string& value) {
  const auto number = parse_number(value);
  if (!number) refuse_form(text, fmt::format("'{}' is not a number", value));
  return *number;
}

struct Count {
  long long values;
  bool log;
};

Count read_count(std::string_view text, const std::string& given) {
  std::string digits = given;
  const bool log = digits.ends_with("log");
  if (log || digits.ends_with("lin")) digits.resize(digits.size() - 3);
  const auto count = parse_integer(digits);
  if (!count) refuse_form(text, fmt::format("'{}' is not a number of values", given));
  if (*count < 2) refuse(text, fmt::format("a sweep needs at least two values, not {}", *count));
  if (*count > static_cast<long long>(most_members))
    refuse(text, fmt::format("a sweep may have at most {} values, not {}", most_members, *count));
  return {*count, log};
}

std::vector<double> spread(std::string_view text, double from, double to, Count count) {
  if (count.log && !(from > 0 && to > 0)) refuse(text, "values at equal ratios (log) need positive ends");
  std::vector<double> values;
  for (long long i = 0; i < count.values; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(count.values - 1);
    const double value = count.log ? from * std::pow(to / from, s) : from + s * (to - from);
    values.push_back(*parse_number(fmt::format("{:.12g}", value)));
  }
  values.front() = from;
  values.back() = to;
  return values;
}

// The file name of a member with its values in place of {name}.
std::string filled(const std::string& pattern, const std::vector<SweepAxis>& axes,
                   const std::vector<std::string>& values) {
  std::string name = pattern;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string mark = "{" + axes[i].parameter + "}";
    for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark, at + values[i].size()))
      name.replace(at, mark.size(), values[i]);
  }
  return name;
}

void check_pattern(const std::string& pattern, const std::vector<SweepAxis>& axes) {
  for (const SweepAxis& axis : axes)
    if (pattern.find("{" + axis.parameter + "}") == std::string::npos)
      throw UsageError(fmt::format("--out {}: the name must contain {{{}}}, so that every run gets its own file",
                                   pattern, axis.parameter));
  const std::string rest = filled(pattern, axes, std::vector<std::string>(axes.size()));
  if (const auto at = rest.find('{'); at != std::string::npos) {
    std::vector<std::string> known;
    for (const SweepAxis& axis : axes) known.push_back(axis.parameter);
    const std::string name = rest.substr(at + 1, rest.find('}', at) - at - 1);
    throw UsageError(
        fmt::format("--out {}: {{{}}} is not a parameter of this sweep{}", pattern, name, suggest(name, known)));
  }
}

struct Place {
  fs::path directory;
  std::string pattern;  // for the name of a file in it
};

Place place_of(const std::string& out, const std::vector<SweepAxis>& axes) {
  const fs::path path(out);
  const std::string ending = lower_snake(path.extension().string());
  if (ending == ".oem" || ending == ".xyz" || ending == ".dcd" || ending == ".h5md")
    throw UsageError(
        fmt::format("--out {}: a sweep reads its files again, and trill only writes {} files; use .h5, .csv "
                    "or .json",
                    out, ending));
  if (path.filename().string().find('{') != std::string::npos) {
    check_pattern(path.filename().string(), axes);
    return {path.has_parent_path() ? path.parent_path() : fs::path("."), path.filename().string()};
  }
  if (path.string().find('{') != std::string::npos)
    throw UsageError(fmt::format(
        "--out {}: values of parameters may be part of the name of the file, but not of its directory", out));
  for (const char* solution : {".h5", ".hdf5", ".csv", ".json"})
    if (lower_snake(path.extension().string()) == solution && !fs::is_directory(path))
      throw UsageError(
          fmt::format("--out {}: a sweep writes one file for each run; give a directory (results/) or a name with a "
                      "parameter (run-{{{}}}{})",
                      out, axes.front().parameter, solution));
  std::string pattern;
  for (const SweepAxis& axis : axes)
    pattern += fmt::format("{}{}={{{}}}", pattern.empty() ? "" : ",", axis.parameter, axis.parameter);
#ifdef TRILL_HAVE_HDF5
  return {path, pattern + ".h5"};
#else
  return {path, pattern + ".csv"};
#endif
}

void check_axes(const RunPlan& plan, const std::vector<SweepAxis>& axes) {
  std::vector<std::string> known;
  const TextModel model = make_model(plan.model, plan.parameters, plan.from.value_or(0));
  for (const Parameter& p : model.problem->parameters()) known.push_back(p.name);
  std::set<std::string> seen;
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) {
    if (std::find(known.begin(), known.end(), axis.parameter) == known.end())
      throw UsageError(
          fmt::format("'{}' has no parameter '{}'{}", plan.model, axis.parameter, suggest(axis.parameter, known)));
    if (!seen.insert(axis.parameter).second)
      throw UsageError(fmt::format("{} is swept twice; give all its values in one --sweep", axis.parameter));
    if (plan.parameters.contains(axis.parameter))
      throw UsageError(fmt::format("{} is both swept and set by --param; give one of them", axis.parameter));
    count *= axis.values.size();
    if (count > most_members)
      throw UsageError(
          fmt::format("the sweep has more than {} combinations, which is the limit; use fewer values", most_members));
  }
}
}  // namespace

SweepAxis parse_sweep(std::string_view text) {
  if (text.find('=') == std::string_view::npos || text.starts_with('=')) refuse_form(text, "no parameter is named");
  const auto [name, given] = parse_assignment(text);
  std::vector<double> values;
  if (given.find(':') == std::string::npos) {
    for (const std::string& value : split(given, ',')) values.push_back(read_value(text, value));
    if (values.size() < 2)
      refuse(text, fmt::format("a sweep needs at least two values; use --param {}={} to set one", name, given));
  } else {
    const std::vector<std::string> parts = split(given, ':');
    if (parts.size() != 3) refuse_form(text, fmt::format("'{}' is not a range", given));
    values = spread(text, read_value(text, parts[0]), read_value(text, parts[1]), read_count(text, parts[2]));
  }
  SweepAxis axis{name, {}};
  std::set<double> seen;
  for (const double value : values) {
    axis.values.push_back(format_number(value));
    if (!seen.insert(value).second) refuse(text, fmt::format("the value {} is given twice", axis.values.back()));
  }
  return axis;
}

std::string Sweep::label(const SweepMember& member) const {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", axes[i].parameter, member.values[i]);
  return text;
}

RunPlan Sweep::plan_of(const SweepMember& member) const {
  RunPlan one = plan;
  for (std::size_t i = 0; i < axes.size(); ++i) one.parameters[axes[i].parameter] = member.values[i];
  return one;
}

Sweep make_sweep(const RunPlan& plan, std::vector<SweepAxis> axes, const std::string& out) {
  check_axes(plan, axes);
  Sweep sweep{plan, std::move(axes), {}, {}};
  std::vector<SweepMember> members(1);
  for (const SweepAxis& axis : sweep.axes) {
    std::vector<SweepMember> longer;
    for (const SweepMember& member : members)
      for (const std::string& value : axis.values) {
        longer.push_back(member);
        longer.back().values.push_back(value);
      }
    members = std::move(longer);
  }
  sweep.members = std::move(members);
  if (out.empty()) return sweep;
  const Place place = place_of(out, sweep.axes);
  sweep.directory = place.directory;
  std::set<fs::path> files;
  for (SweepMember& member : sweep.members) {
    member.file = place.directory / filled(place.pattern, sweep.axes, member.values);
    if (!files.insert(member.file).second)
      throw UsageError(fmt::format("--out {}: two runs would be written to {}", out, member.file.string()));
  }
  SegmentRecorder(sweep.members.front().file);  // throws on an unknown format
  return sweep;
}
}  // namespace trill
