// SPDX-License-Identifier: BSD-3-Clause
#include "sweep_summary.hpp"

#include "base/text.hpp"
#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
constexpr std::size_t most_curves = 14;
constexpr Index most_points = 4000;  // in a curve

// The names measured by any member, in order of appearance.
std::vector<std::string> measured_names(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const SweepMember& member : sweep.members)
    for (const auto& [name, value] : member.measured)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

const double* value_of(const SweepMember& member, const std::string& name) {
  for (const auto& [known, value] : member.measured)
    if (known == name) return &value;
  return nullptr;
}

// An estimate is not more accurate than that, and further digits depend on the time that the check had.
nlohmann::json two_digits(double error) {
  if (!std::isfinite(error)) return nullptr;
  return *parse_number(fmt::format("{:.1e}", error));
}

bool is_finished(const SweepMember& member) { return member.progress == SweepMember::Progress::finished; }

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void add_csv_row(std::string& out, const std::vector<std::string>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(row[i]);
  out += "\r\n";
}
}  // namespace

Table summary_table(const Sweep& sweep, bool exact) {
  Table table;
  table.title = "Runs";
  for (const SweepAxis& axis : sweep.axes) table.columns.push_back(axis.parameter);
  for (const char* name : {"status", "steps", "rejected", "forces"}) table.columns.push_back(name);
  const std::vector<std::string> names = measured_names(sweep);
  for (const std::string& name : names) table.columns.push_back(name);
  for (const char* name : {"trust", "file", "why"}) table.columns.push_back(name);
  for (const SweepMember& member : sweep.members) {
    std::vector<std::string> row = member.values;
    const Counters& c = member.outcome.counters;
    row.push_back(member.status());
    for (const std::int64_t count : {c.steps, c.rejected, c.most_forces()})
      row.push_back(is_finished(member) ? fmt::format("{}", count) : "");
    for (const std::string& name : names) {
      const double* value = value_of(member, name);
      row.push_back(!value ? "" : exact ? format_number(*value) : fmt::format("{:.6g}", *value));
    }
    row.push_back(is_finished(member) ? to_text(member.trust.verdict) : "");
    row.push_back(is_finished(member) ? member.file.filename().string() : "");
    row.push_back(member.why());
    table.rows.push_back(std::move(row));
    table.marks.push_back(member.ok() ? "ok" : "bad");
  }
  return table;
}

std::string summary_csv(const Sweep& sweep) {
  const Table table = summary_table(sweep, true);
  std::string out;
  add_csv_row(out, table.columns);
  for (const auto& row : table.rows) add_csv_row(out, row);
  return out;
}

std::string summary_json(const Sweep& sweep, const RunInfo& info) {
  using nlohmann::json;
  json swept = json::object(), members = json::array();
  for (const SweepAxis& axis : sweep.axes) {
    json values = json::array();
    for (const std::string& value : axis.values) values.push_back(*parse_number(value));
    swept[axis.parameter] = values;
  }
  for (const SweepMember& member : sweep.members) {
    json parameters = json::object(), measured = json::object(), state = json::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      parameters[sweep.axes[i].parameter] = *parse_number(member.values[i]);
    for (const auto& [name, value] : member.measured) measured[name] = value;
    for (const auto& [name, value] : member.state) state[name] = value;
    json row{{"parameters", parameters}, {"status", member.status()}, {"ok", member.ok()}, {"message", member.why()}};
    if (is_finished(member)) {
      const Counters& c = member.outcome.counters;
      row.update({{"steps", c.steps},
                  {"rejected", c.rejected},
                  {"forces", c.most_forces()},
                  {"end", measured},
                  {"end_state", state},
                  {"trust",
                   {{"verdict", to_text(member.trust.verdict)},
                    {"headline", member.trust.headline},
                    {"error", two_digits(member.trust.error)}}},
                  {"repetitions", member.attempts.size()},
                  {"shortfall", member.shortfall}});
      if (!member.file.empty()) row["file"] = member.file.filename().string();
    }
    members.push_back(std::move(row));
  }
  return json{{"schema", "trill-sweep-1"}, {"model", info.problem}, {"method", info.method}, {"swept", swept},
              {"version", info.version},   {"runs", members}}
             .dump(2) +
         "\n";
}

SweepPicture::SweepPicture(const Sweep& sweep, const Problem& problem, const std::string& show)
    : sweep_(sweep), time_unit_(problem.time_unit()) {
  std::vector<std::string> known;
  bool found = false;
  for (const bool measured : {false, true})
    for (const Quantity& q : measured ? problem.quantities() : problem.components()) {
      known.push_back(q.name);
      if (found || !(show.empty() || q.name == show)) continue;
      found = true;
      shown_ = q;
      measured_ = measured;
    }
  if (!found)
    throw UsageError(
        fmt::format("--show {}: there is no component or quantity with that name{}", show, suggest(show, known)));
  const std::size_t count = sweep.members.size(), curves = std::min(count, most_curves);
  for (std::size_t k = 0; k < curves; ++k) members_.push_back(k * (count - 1) / std::max<std::size_t>(1, curves - 1));
  curves_.resize(curves);
}

void SweepPicture::look(std::size_t member, const RunInfo& info, const RowSource& rows) {
  const auto at = std::lower_bound(members_.begin(), members_.end(), member);
  if (at == members_.end() || *at != member) return;
  const auto& names = measured_ ? info.quantities : info.components;
  const auto column =
      std::find_if(names.begin(), names.end(), [&](const Quantity& q) { return q.name == shown_.name; });
  if (column == names.end()) return;
  Decimator decimator(rows.rows(), most_points, {{.column = column - names.begin(), .measured = measured_}});
  rows.visit([&](double t, const double* y, const double* measured) { decimator.row(t, y, measured); });
  const Decimated d = decimator.finish();
  ChartSeries& curve = curves_[static_cast<std::size_t>(at - members_.begin())];
  curve.x = d.t;
  for (std::size_t i = 0; i < d.t.size(); ++i) curve.y.push_back(d.series.front().value(i));
}

Chart SweepPicture::chart() const {
  Chart chart;
  chart.title = fmt::format("{} for each value", shown_.name);
  chart.x = {"t", time_unit_, false};
  chart.y = {shown_.name, shown_.unit, false};
  if (members_.size() < sweep_.members.size())
    chart.note = fmt::format("{} of {} runs are shown, evenly spaced.", members_.size(), sweep_.members.size());
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    if (curves_[k].x.empty()) continue;
    chart.series.push_back(curves_[k]);
    chart.series.back().label = sweep_.label(sweep_.members[members_[k]]);
  }
  return chart;
}
}  // namespace trill::cli
