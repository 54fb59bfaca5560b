// SPDX-License-Identifier: BSD-3-Clause
#include "trill/report/report.hpp"

#include "base/text.hpp"
#include "base/words.hpp"
#include "report/energy_balance.hpp"
#include "report/facts.hpp"
#include "report/json.hpp"
#include "report/moving_picture.hpp"
#include "report/page_template.hpp"
#include "report/spectrum.hpp"
#include "solution/cycle_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view marker = "/*TRILL_DATA*/";
constexpr std::size_t most_events = 2000, most_trust_rows = 200, most_notices = 500;
constexpr double picture_bytes = 800'000;          // of all runs together
constexpr std::size_t most_chart_points = 56'000;  // in all charts together: 1.2 MB

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc);
  return text.data();
}

void write_trust(JsonWriter& json, const Trust& trust) {
  // If there are very many components, show those that deviate most, in their original order.
  std::vector<std::size_t> order(trust.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > most_trust_rows) {
    const auto rank = [&](std::size_t i) {
      const double relative = trust.rows[i].relative();
      return std::isfinite(relative) ? relative : HUGE_VAL;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
    order.resize(most_trust_rows);
    std::sort(order.begin(), order.end());
  }
  json.open('{').key("verdict").text(to_text(trust.verdict));
  json.key("headline").text(trust.headline).key("how").text(trust.how).key("components").open('[');
  for (const std::size_t i : order) {
    const TrustRow& row = trust.rows[i];
    json.open('{').key("name").text(row.name).key("unit").text(row.unit);
    json.key("deviation").number(row.deviation).key("scale").number(row.scale).key("relative").number(row.relative());
    json.key("verdict").text(to_text(verdict_of(row.relative()))).close('}');
  }
  json.close(']').close('}');
}

void write_outcome(JsonWriter& json, const RunOutcome& outcome) {
  json.key("status").open('{').key("code").text(to_text(outcome.status)).key("ok").boolean(outcome.ok());
  json.key("message").text(outcome.message).close('}');
  json.key("notices").open('[');
  for (std::size_t i = 0; i < std::min(outcome.notices.size(), most_notices); ++i) {
    const Notice& n = outcome.notices[i];
    json.open('{').key("t").number(n.t).key("code").text(n.code).key("severity").text(to_text(n.severity));
    json.key("text").text(n.count > 1 ? fmt::format("{} ({} times)", n.text, n.count) : n.text);
    json.key("value").number(n.value).key("threshold").number(n.threshold).close('}');
  }
  json.close(']').key("events").open('[');
  for (std::size_t i = 0; i < std::min(outcome.events.size(), most_events); ++i)
    json.open('{').key("name").text(outcome.events[i].name).key("t").number(outcome.events[i].t).close('}');
  json.close(']');
}

// What the search of the page finds beside the series that are shown.
void write_others(JsonWriter& json, const RunView& view) {
  if (view.others.empty()) return;
  const Decimated& d = view.others_data;
  json.key("others").open('{').key("time").numbers(std::span(d.t)).key("series").open('[');
  for (std::size_t i = 0; i < view.others.size(); ++i) {
    const ViewSeries& s = view.others[i];
    json.open('{').key("name").text(s.name).key("unit").text(s.unit).key("group").text(s.group);
    json.key("offset").number(d.series[i].offset).key("data").numbers(std::span(d.series[i].data)).close('}');
  }
  json.close(']').close('}');
}

void write_curves(JsonWriter& json, const ReportRun& run, const RunView& view) {
  const Decimated& d = view.data;
  json.key("time").open('{').key("name").text("t").key("unit").text(run.info.time_unit);
  json.key("n").integer(static_cast<std::int64_t>(d.t.size())).key("data").numbers(std::span(d.t)).close('}');
  json.key("series").open('[');
  for (std::size_t i = 0; i < view.series.size(); ++i) {
    const ViewSeries& s = view.series[i];
    if (s.group == "band") continue;
    json.open('{').key("name").text(s.name).key("unit").text(s.unit).key("group").text(s.group);
    if (s.kind == QuantityKind::energy) json.key("whole").boolean(true);
    if (s.name == balance_name) json.key("balance").boolean(true);
    json.key("log").boolean(s.pick.log).key("offset").number(d.series[i].offset);
    json.key("data").numbers(std::span(d.series[i].data));
    if (s.band)
      json.key("band").numbers(std::span(d.series[*s.band].data)).key("band_of").text(to_text(s.band_meaning));
    json.close('}');
  }
  json.close(']');
  if (d.thinned())
    json.key("decimation")
        .open('{')
        .key("rows")
        .integer(d.rows)
        .key("kept")
        .integer(static_cast<std::int64_t>(d.t.size()))
        .close('}');
  if (!view.phase_names.empty()) {
    json.key("phase").open('{').key("names").open('[');
    for (const Quantity& q : view.phase_names) json.text(q.name);
    json.close(']').key("units").open('[');
    for (const Quantity& q : view.phase_names) json.text(q.unit);
    json.close(']').key("style").text(view.phase_far_apart ? "points" : "line");
    json.key("n").integer(view.phase.points).key("data").numbers(std::span(view.phase.data)).close('}');
  }
  write_others(json, view);
  json.key("hidden_components").integer(view.hidden);
}

// A component whose cycles are drawn has one number for each phase of each cycle.
void write_cycles(JsonWriter& json, const RunInfo& info, const CycleShapes& shapes) {
  std::vector<double> numbers, starts, periods;
  for (const CycleShapes::Cycle& cycle : shapes.cycles) {
    numbers.push_back(cycle.number);
    starts.push_back(cycle.t);
    periods.push_back(cycle.period);
  }
  json.key("cycles").open('{').key("numbers").numbers(std::span<const double>(numbers));
  json.key("starts").numbers(std::span<const double>(starts));
  json.key("periods").numbers(std::span<const double>(periods));
  json.key("phases").numbers(std::span(shapes.phases));
  json.key("command").text(shapes.command).key("series").open('[');
  const std::size_t phases = shapes.phases.size();
  std::vector<float> data(shapes.cycles.size() * phases);
  for (std::size_t c = 0; c < shapes.components.size(); ++c) {
    for (std::size_t k = 0; k < shapes.cycles.size(); ++k) {
      const std::span<const float> values = shapes.cycle(k).subspan(c * phases, phases);
      std::copy(values.begin(), values.end(), data.begin() + static_cast<std::ptrdiff_t>(k * phases));
    }
    const Quantity& of = info.components[static_cast<std::size_t>(shapes.components[c])];
    json.open('{').key("name").text(of.name).key("unit").text(of.unit);
    json.key("data").numbers(std::span<const float>(data)).close('}');
  }
  json.close(']').close('}');
}

void write_axis(JsonWriter& json, const ChartAxis& axis) {
  json.open('{').key("label").text(axis.label).key("unit").text(axis.unit).key("log").boolean(axis.log).close('}');
}

void write_chart(JsonWriter& json, const Chart& chart, std::size_t most_points) {
  std::size_t longest = 0;
  for (const ChartSeries& s : chart.series) longest = std::max(longest, std::min(s.x.size(), s.y.size()));
  const bool heat = chart.style == ChartStyle::heat;
  std::string note = chart.note;
  if (longest > most_points && !heat)
    note +=
        fmt::format("{}Only extreme points are shown, of up to {} points per curve.", note.empty() ? "" : " ", longest);
  json.open('{').key("title").text(chart.title).key("note").text(note).key("x");
  write_axis(json, chart.x);
  json.key("y");
  write_axis(json, chart.y);
  if (heat) {
    json.key("z");
    write_axis(json, chart.z);
  }
  json.key("style").text(to_text(chart.style)).key("series").open('[');
  for (const ChartSeries& s : chart.series) {
    std::vector<double> x, y;
    for (const std::size_t i : extreme_points(s.x, s.y, heat ? s.x.size() : most_points)) {
      x.push_back(s.x[i]);
      y.push_back(s.y[i]);
    }
    json.open('{').key("label").text(s.label).key("x").numbers(std::span<const double>(x));
    json.key("y").numbers(std::span<const double>(y));
    if (heat) json.key("z").numbers(std::span<const double>(s.z));
    json.close('}');
  }
  json.close(']').key("marks").open('[');
  for (const ChartMark& mark : chart.marks)
    if (std::isfinite(mark.x)) json.open('{').key("x").number(mark.x).key("label").text(mark.label).close('}');
  json.close(']').close('}');
}

void write_charts(JsonWriter& json, const std::vector<Chart>& charts) {
  std::size_t points = 0, series = 0;
  for (const Chart& chart : charts)
    for (const ChartSeries& s : chart.series) {
      points += std::min(s.x.size(), s.y.size());
      ++series;
    }
  const std::size_t most =
      points <= most_chart_points ? points : std::max<std::size_t>(100, most_chart_points / series);
  json.open('[');
  for (const Chart& chart : charts) write_chart(json, chart, most);
  json.close(']');
}

void write_run(JsonWriter& json, const ReportRun& run, std::size_t index, double bytes, double share) {
  const RunView view = view_of(run, bytes);
  const RunInfo& info = run.info;
  json.open('{').key("id").text(fmt::format("r{}", index)).key("label").text(label_of(run));
  json.key("question").text(question_of(info)).key("random").boolean(is_random(info));
  json.key("problem").open('{').key("name").text(info.problem).key("title").text(info.problem_title);
  json.key("reference").text(info.problem_reference).close('}');
  json.key("method").open('{').key("name").text(info.method).key("title").text(info.method_title);
  json.key("reference").text(info.method_reference).key("delivers").text(info.delivers).close('}');
  std::optional<MovingPicture> picture;
  if (!view.data.t.empty())
    picture = moving_picture(run, view.data.t.front(), view.data.t.back(), share * picture_bytes);
  json.key("facts").text_rows(facts_of(run, view));
  json.key("settings").text_rows(settings_of(info));
  json.key("parameters").text_rows(parameters_of(run));
  json.key("counters").text_rows(counters_of(run));
  write_outcome(json, run.outcome);
  json.key("trust");
  write_trust(json, run.trust);
  write_curves(json, run, view);
  if (const std::vector<Chart> spectra = spectrum_charts(run, share * spectrum_bytes); !spectra.empty()) {
    json.key("spectrum");
    write_charts(json, spectra);
  }
  if (run.cycles && !run.cycles->cycles.empty()) write_cycles(json, info, *run.cycles);
  if (picture) write_picture(json, *picture);
  json.close('}');
}

// Runs that need less than an equal share leave the rest to the others.
std::vector<double> share_budget(const std::vector<ReportRun>& runs) {
  std::vector<double> wanted, share(runs.size(), 0);
  std::vector<std::size_t> order;
  for (const ReportRun& run : runs) {
    order.push_back(wanted.size());
    wanted.push_back(wanted_bytes(run));
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  double left = page_budget;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double fair = left / static_cast<double>(order.size() - k);
    share[order[k]] = std::min(fair, wanted[order[k]]);
    left -= share[order[k]];
  }
  return share;
}
}  // namespace

const char* to_text(ChartStyle style) {
  constexpr std::array<EnumWord<ChartStyle>, 4> words{{{ChartStyle::line, "line"},
                                                       {ChartStyle::points, "points"},
                                                       {ChartStyle::both, "both"},
                                                       {ChartStyle::heat, "heat"}}};
  return word_for(style, words);
}

ReportRun report_run(const Solution& solution, std::string label) {
  return {std::move(label), solution.info, solution.outcome, solution.trust, solution};
}

namespace {
// One run says what was asked of it; several say how many they are, and of what.
std::string title_of(const std::vector<ReportRun>& runs) {
  if (runs.empty()) return "";
  if (runs.size() == 1) return title_of(runs.front().info);
  std::vector<std::string> names;
  for (const ReportRun& run : runs) {
    const std::string& name = run.info.problem_title.empty() ? run.info.problem : run.info.problem_title;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}: {} runs", join(names, " and "), runs.size());
}
}  // namespace

std::string report_json(const Report& report) {
  const RunInfo* first = report.runs.empty() ? nullptr : &report.runs.front().info;
  const std::string title = report.title.empty() ? title_of(report.runs) : report.title;
  JsonWriter json;
  json.open('{').key("schema").integer(1).key("title").text(title);
  json.key("generated").text(report.generated.empty() ? now() : report.generated);
  json.key("version").text(report.version.empty() && first ? first->version : report.version);
  json.key("summary").texts(report.summary);
  json.key("runs").open('[');
  const std::vector<double> share = share_budget(report.runs);
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    write_run(json, report.runs[i], i, share[i], 1 / static_cast<double>(report.runs.size()));
  json.close(']').key("charts");
  write_charts(json, report.charts);
  json.key("tables").open('[');
  for (const Table& table : report.tables) {
    json.open('{').key("title").text(table.title).key("note").text(table.note).key("columns").texts(table.columns);
    json.key("rows").text_rows(table.rows).key("marks").texts(table.marks);
    json.key("links").texts(table.links).close('}');
  }
  json.close(']').key("shapes").open('[');
  for (const ShapePicture& shape : report.shapes) {
    json.open('{').key("title").text(shape.title);
    write_picture(json, *shape.picture);
    json.close('}');
  }
  return json.close(']').close('}').take();
}

std::string report_page(const Report& report, std::string_view page) {
  const auto at = page.find(marker);
  if (at == std::string_view::npos || page.find(marker, at + 1) != std::string_view::npos)
    throw UsageError("report: the page must hold the marker /*TRILL_DATA*/ exactly once");
  const std::string json = report_json(report);
  std::string out;
  out.reserve(page.size() + json.size());
  out.append(page.substr(0, at)).append(json).append(page.substr(at + marker.size()));
  return out;
}

std::string report_page(const Report& report) { return report_page(report, page_template()); }
}  // namespace trill
