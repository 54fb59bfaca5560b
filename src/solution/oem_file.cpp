// SPDX-License-Identifier: BSD-3-Clause
// Orbits as CCSDS Orbit Ephemeris Messages, version 2.0 (CCSDS 502.0-B-3), in key-value notation.
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "solution/file_formats.hpp"
#include "solution/oem_labels.hpp"

#include <chrono>
#include <cmath>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
using Nanoseconds = std::chrono::duration<std::int64_t, std::nano>;
using Instant = std::chrono::time_point<std::chrono::system_clock, Nanoseconds>;
constexpr double longest_span = 9e9;  // seconds; more nanoseconds do not fit

[[noreturn]] void refuse_epoch(const std::string& text) {
  throw UsageError(
      fmt::format("the epoch '{}' is not a time such as 2026-01-31T12:00:00 or 2026-01-31T12:00:00.5", text));
}

Instant instant_of(const std::string& text) {
  int year = 0, read = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2u:%2u:%2u%n", &year, &month, &day, &hour, &minute, &second, &read) != 6)
    refuse_epoch(text);
  const std::string rest = text.substr(static_cast<std::size_t>(read));
  const auto fraction = rest.empty() ? 0.0 : parse_number("0" + rest).value_or(-1);
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok() || year < 1900 || year > 2200 || hour > 23 || minute > 59 || second > 59 ||
      (!rest.empty() && rest[0] != '.') || !(fraction >= 0 && fraction < 1))
    refuse_epoch(text);
  return Instant(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + Nanoseconds(std::llround(fraction * 1e9));
}

std::string time_text(Instant epoch, double t) {
  const Instant at = epoch + Nanoseconds(std::llround(t * 1e9));
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::int64_t left = (at - day).count(), seconds = left / 1'000'000'000;
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}"), static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                     seconds / 60 % 60, seconds % 60, left % 1'000'000'000);
}

OemLabels labels_of(const RunInfo& info) {
  OptionSet given;
  for (const auto& [name, value] : info.settings)
    if (name.starts_with(oem_setting)) given[name.substr(std::string_view(oem_setting).size())] = value;
  return read_oem_labels(given);
}

double setting(const RunInfo& info, const char* name) {
  const auto found = info.settings.find(name);
  return found == info.settings.end() ? 0 : parse_number(found->second).value_or(0);
}

std::string head_of(const RunInfo& info, const OemLabels& labels, double from, double to) {
  const Instant epoch = instant_of(labels.epoch);
  std::string created = info.started.substr(0, 19);
  if (created.size() == 19) created[10] = 'T';
  if (created.size() < 19) created = labels.epoch;
  return fmt::format(
      "CCSDS_OEM_VERS = 2.0\nCREATION_DATE = {}\nORIGINATOR = {}\n\nMETA_START\nOBJECT_NAME = {}\nOBJECT_ID = {}\n"
      "CENTER_NAME = {}\nREF_FRAME = {}\nTIME_SYSTEM = {}\nSTART_TIME = {}\nSTOP_TIME = {}\nMETA_STOP\n\n"
      "COMMENT trill {}, {} with {}\n",
      created, labels.originator, labels.object, labels.object_id, labels.centre, labels.frame, labels.time_system,
      time_text(epoch, from), time_text(epoch, to), info.version, info.problem, way_of(info));
}
}  // namespace

OemLabels read_oem_labels(const OptionSet& given) {
  OemLabels labels = read_options<OemLabels>(given, "an OEM file");
  instant_of(labels.epoch);
  return labels;
}

void check_oem(const RunInfo& info, const fs::path& path) {
  const bool orbit =
      info.layout == Layout{.nq = 3, .nv = 3} && info.components.front().unit == "km" && info.time_unit == "s";
  if (!orbit)
    throw UsageError(
        fmt::format("{}: a file .oem is for orbits, with three coordinates in km and times in s, and '{}' is "
                    "none; use .h5, .csv or .json",
                    path.string(), info.problem));
  const double from = setting(info, "from"), to = setting(info, "to");
  if (to < from) throw UsageError(path.string() + ": times in a file .oem rise, and this run goes backwards");
  if (std::max(std::abs(from), std::abs(to)) > longest_span)
    throw UsageError(path.string() + ": a file .oem covers at most 9e9 s before and after its epoch");
  labels_of(info);
}

void write_oem(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  const OemLabels labels = labels_of(record.info);
  double first = 0, last = 0;
  Index seen = 0;
  rows.visit([&](double t, const double*, const double*) {
    if (seen++ == 0) first = t;
    last = t;
  });
  WholeFile file(path, when_full);
  file.write(head_of(record.info, labels, first, last));
  const Instant epoch = instant_of(labels.epoch);
  std::string before;
  visit_checked(rows, record, [&](double t, const double* y, const double*) {
    const std::string at = time_text(epoch, t);
    if (at == before) return;  // an event has two rows at the same time, and a message may have one
    before = at;
    file.write(fmt::format(FMT_COMPILE("{} {:.9f} {:.9f} {:.9f} {:.12f} {:.12f} {:.12f}\n"), at, y[0], y[1], y[2], y[3],
                           y[4], y[5]));
  });
  file.commit();
}
}  // namespace trill
