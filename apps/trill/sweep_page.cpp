// SPDX-License-Identifier: BSD-3-Clause
#include "sweep_page.hpp"

#include "base/text.hpp"
#include "open_run.hpp"
#include "solution/safe_file.hpp"
#include "sweep_summary.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
namespace {
namespace fs = std::filesystem;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_figures = 12, coordinates_instead = 4;
constexpr std::size_t most_cells = 20'000;                 // in a heat map
constexpr std::size_t most_page_rows = 2000;               // in the table on the page
constexpr std::size_t most_places_named = 3;               // in a warning
constexpr double rounding = 1e-9, error_of_energy = 1e-3;  // relative differences that say nothing
constexpr double coarse_share = 0.5;                       // of the range, between neighbours
constexpr std::array<const char*, 3> kind_names{"at the end", "mean", "largest"};

bool is_measure(const Quantity& q) { return q.kind == QuantityKind::other || q.kind == QuantityKind::energy; }

// Values at equal ratios are nearer to a logarithmic axis than to a linear one.
bool looks_logarithmic(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (values.size() < 3 || !(*low > 0) || *high / *low < 8) return false;
  double linear = 0, logarithmic = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    linear += std::abs((values[i] - *low) / (*high - *low) - share);
    logarithmic += std::abs(std::log(values[i] / *low) / std::log(*high / *low) - share);
  }
  return logarithmic < linear;
}

// The address of a file as seen from a page. Letters that have a meaning in addresses are escaped.
std::string address_of(const fs::path& target, const fs::path& page) {
  std::error_code none;
  const fs::path folder = fs::absolute(page, none).parent_path();
  std::string address = "./";
  for (const char c : fs::absolute(target, none).lexically_relative(folder).generic_string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~/").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

std::string check_text(const SweepMember& member) {
  if (!member.ok()) return "";
  if (member.trust.verdict == Verdict::none) return "not checked";
  const std::string verdict = to_text(member.trust.verdict);
  return std::isfinite(member.trust.error) ? fmt::format("{}, {:.1e} off", verdict, member.trust.error) : verdict;
}

// Columns that say nothing: empty ones, those in which all runs are as they should be, and those about the last step
// alone.
bool says_something(const Table& table, std::size_t column) {
  const std::string& name = table.columns[column];
  if (name == "h" || name == "error") return false;
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
    const std::string& cell = row[column];
    return !cell.empty() && !(name == "rejected" && cell == "0") && !(name == "status" && cell == "reached_end");
  });
}
// What was asked comes before what it cost: parameters, measures and the check, then the effort.
std::vector<std::size_t> columns_for_reading(const Sweep& sweep, const Table& table, std::size_t check) {
  constexpr std::size_t effort = 4;  // status, steps, rejected, forces
  const std::size_t parameters = sweep.axes.size();
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (std::size_t c = from; c < to; ++c)
      if (says_something(table, c)) order.push_back(c);
  };
  add(0, parameters);
  add(parameters + effort, check + 1);
  add(parameters, parameters + effort);
  add(check + 1, table.columns.size());
  return order;
}

std::string short_number(const std::string& text) {
  const auto number = parse_number(text);
  const std::string shorter = number ? fmt::format("{:.6g}", *number) : text;
  return shorter.size() < text.size() ? shorter : text;
}
}  // namespace

SweepFigures::SweepFigures(const Sweep& sweep, const Problem& problem) : sweep_(sweep) {
  for (const Quantity& q : problem.quantities())
    if (is_measure(q)) (measures_.size() < most_figures ? measures_ : left_out_).push_back(q);
  const std::vector<Quantity> components = problem.components();
  for (std::size_t i = 0; measures_.empty() && i < std::min(coordinates_instead, components.size()); ++i)
    if (static_cast<Index>(i) < problem.layout().nq) measures_.push_back(components[i]);
  const std::vector<Parameter> parameters = problem.parameters();
  for (const SweepAxis& axis : sweep.axes) {
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return axis.parameter == p.name; });
    units_.push_back(known == parameters.end() ? "" : std::string(known->unit));
    auto& values = axis_values_.emplace_back();
    for (const std::string& text : axis.values) values.push_back(parse_number(text).value_or(nan));
  }
  figures_.assign(measures_.size() * sweep.members.size(), {nan, nan, nan});
}

void SweepFigures::look(std::size_t member, const RunInfo& info, const RowSource& rows) {
  struct Column {
    Index at = -1;
    bool measured = false;
  };
  std::vector<Column> columns(measures_.size());
  for (std::size_t m = 0; m < measures_.size(); ++m)
    for (const bool measured : {true, false}) {
      const auto& names = measured ? info.quantities : info.components;
      const auto found =
          std::find_if(names.begin(), names.end(), [&](const Quantity& q) { return q.name == measures_[m].name; });
      if (columns[m].at < 0 && found != names.end()) columns[m] = {found - names.begin(), measured};
    }
  std::vector<double> area(measures_.size(), 0), last(measures_.size(), 0), largest(measures_.size(), -HUGE_VAL);
  double t0 = nan, before = nan;
  rows.visit([&](double t, const double* y, const double* quantities) {
    for (std::size_t m = 0; m < columns.size(); ++m) {
      if (columns[m].at < 0) continue;
      const double value = columns[m].measured ? quantities[columns[m].at] : y[columns[m].at];
      if (!std::isnan(before)) area[m] += 0.5 * (t - before) * (last[m] + value);
      last[m] = value;
      largest[m] = std::max(largest[m], value);
    }
    if (std::isnan(t0)) t0 = t;
    before = t;
  });
  if (std::isnan(t0)) return;
  for (std::size_t m = 0; m < columns.size(); ++m)
    if (columns[m].at >= 0)
      figures_[m * sweep_.members.size() + member] = {last[m], before != t0 ? area[m] / (before - t0) : last[m],
                                                      largest[m]};
}

ChartAxis SweepFigures::axis(std::size_t parameter) const {
  return {sweep_.axes[parameter].parameter, units_[parameter], looks_logarithmic(axis_values_[parameter])};
}

Chart SweepFigures::lines(std::size_t measure) const {
  const Quantity& q = measures_[measure];
  Chart chart{.title = fmt::format("{} against {}", q.name, sweep_.axes[0].parameter),
              .note = warning(measure),
              .x = axis(0),
              .y = {q.name, q.unit, false},
              .style = ChartStyle::both,
              .series = {}};
  for (std::size_t k = 0; k < kinds; ++k) {
    ChartSeries series{kind_names[k], axis_values_[0], {}};
    for (std::size_t i = 0; i < sweep_.members.size(); ++i) series.y.push_back(value(measure, k, i));
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Chart SweepFigures::heat_map(std::size_t measure) const {
  const Quantity& q = measures_[measure];
  Chart chart{.title = fmt::format("{} over {} and {}", q.name, sweep_.axes[0].parameter, sweep_.axes[1].parameter),
              .note = warning(measure),
              .x = axis(0),
              .y = axis(1),
              .style = ChartStyle::heat,
              .series = {}};
  chart.z = {q.name, q.unit, false};
  for (std::size_t k = 0; k < kinds; ++k) {
    ChartSeries series{kind_names[k], {}, {}};
    for (std::size_t i = 0; i < sweep_.members.size(); ++i) {
      series.x.push_back(axis_values_[0][i / axis_values_[1].size()]);
      series.y.push_back(axis_values_[1][i % axis_values_[1].size()]);
      series.z.push_back(value(measure, k, i));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::vector<Chart> SweepFigures::charts() const {
  std::vector<Chart> charts;
  if (sweep_.members.size() < 2 || axis_values_.size() > 2) return charts;
  if (axis_values_.size() == 2 && sweep_.members.size() > most_cells) return charts;
  for (std::size_t m = 0; m < measures_.size(); ++m)
    charts.push_back(axis_values_.size() == 1 ? lines(m) : heat_map(m));
  return charts;
}

// Neighbours differ in one parameter by one value of its list; the last parameter changes fastest.
std::string SweepFigures::warning(std::size_t measure) const {
  std::vector<std::string> places;
  std::size_t found = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL, largest = 0;
    for (std::size_t i = 0; i < sweep_.members.size(); ++i) {
      const double here = value(measure, k, i);
      if (!std::isfinite(here)) continue;
      low = std::min(low, here);
      high = std::max(high, here);
      largest = std::max(largest, std::abs(here));
    }
    const bool energy = measures_[measure].kind == QuantityKind::energy;
    if (!(high - low > (energy ? error_of_energy : rounding) * largest)) continue;
    std::size_t stride = 1;
    for (std::size_t a = axis_values_.size(); a-- > 0; stride *= axis_values_[a].size())
      for (std::size_t i = 0; i + stride < sweep_.members.size(); ++i) {
        if (i / stride % axis_values_[a].size() + 1 == axis_values_[a].size()) continue;
        if (!(std::abs(value(measure, k, i + stride) - value(measure, k, i)) > coarse_share * (high - low))) continue;
        if (++found <= most_places_named)
          places.push_back(fmt::format("{} ({} = {:.4g} to {:.4g})", kind_names[k], sweep_.axes[a].parameter,
                                       axis_values_[a][i / stride % axis_values_[a].size()],
                                       axis_values_[a][i / stride % axis_values_[a].size() + 1]));
      }
  }
  if (found == 0) return "";
  return fmt::format(
      "Too coarse to be trusted between values: {} changes by more than half of its range between "
      "neighbours, {}{}.",
      measures_[measure].name, join(places, ", "),
      found > places.size() ? fmt::format(" and in {} other places", found - places.size()) : "");
}

std::vector<std::string> SweepFigures::warnings() const {
  std::vector<std::string> all;
  for (std::size_t m = 0; m < measures_.size(); ++m)
    if (std::string text = warning(m); !text.empty()) all.push_back(std::move(text));
  if (!left_out_.empty()) {
    std::vector<std::string> names;
    for (const Quantity& q : left_out_) names.push_back(q.name);
    all.push_back(fmt::format("The first {} measures are drawn. Not drawn: {}; the files of the runs have them.",
                              measures_.size(), join(names, ", ")));
  }
  return all;
}

Table page_table(const Sweep& sweep, const fs::path& page) {
  Table all = summary_table(sweep, false), table;
  table.title = all.title;
  table.marks = all.marks;
  const std::vector<fs::path> pages = member_pages(sweep);
  const auto trust =
      static_cast<std::size_t>(std::find(all.columns.begin(), all.columns.end(), "trust") - all.columns.begin());
  for (std::size_t i = 0; i < sweep.members.size(); ++i) {
    all.rows[i][trust] = check_text(sweep.members[i]);
    table.links.push_back(!pages.empty() && sweep.members[i].ok() ? address_of(pages[i], page) : "");
  }
  all.columns[trust] = "check";
  table.rows.resize(all.rows.size());
  for (const std::size_t c : columns_for_reading(sweep, all, trust)) {
    table.columns.push_back(all.columns[c]);
    for (std::size_t r = 0; r < all.rows.size(); ++r) {
      const std::string& cell = all.rows[r][c];
      table.rows[r].push_back(c < sweep.axes.size() ? short_number(cell) : cell);
    }
  }
  if (table.rows.size() > most_page_rows) {
    table.note = fmt::format("The first {} of {} runs.", most_page_rows, table.rows.size());
    table.rows.resize(most_page_rows);
  }
  if (pages.empty() && !sweep.directory.empty() && sweep.members.size() > most_member_pages)
    table.note += fmt::format(
        "{}There are more than {} runs, so that they have no pages of their own; 'trill report FILE' "
        "writes one.",
        table.note.empty() ? "" : " ", most_member_pages);
  return table;
}

std::vector<fs::path> member_pages(const Sweep& sweep) {
  std::vector<fs::path> pages;
  if (sweep.directory.empty() || sweep.members.size() > most_member_pages) return pages;
  for (const SweepMember& member : sweep.members) pages.push_back(fs::path(member.file).replace_extension(".html"));
  return pages;
}

void write_member_pages(const Sweep& sweep) {
  const std::vector<fs::path> pages = member_pages(sweep);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!sweep.members[i].ok()) continue;
    const std::string file = sweep.members[i].file.string();
    const OpenRun open(file);
    Report page;
    page.version = TRILL_VERSION;
    page.runs.push_back(shown_run(open, file, std::nullopt));
    write_whole(pages[i], report_page(page));
  }
}
}  // namespace trill::cli
