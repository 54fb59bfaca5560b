// SPDX-License-Identifier: BSD-3-Clause
#include "report/energy_balance.hpp"
#include "report/facts.hpp"
#include "report/plain_text.hpp"
#include "report/spectrum.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_curves = 8;  // max number of curves in one picture
constexpr std::array<std::array<const char*, 2>, 9> group_titles{{{"quantity", "Quantities"},
                                                                  {"coordinate", "Coordinates"},
                                                                  {"velocity", "Velocities"},
                                                                  {"energy", "Energy"},
                                                                  {"frequency", "Fast frequencies"},
                                                                  {"action", "Fast actions"},
                                                                  {"constraint", "Constraint violation"},
                                                                  {"multiplier", "Multipliers"},
                                                                  {"auxiliary", "Auxiliary variables"}}};
struct OwnTitle {
  QuantityKind kind;
  const char* title;
};
constexpr std::array<OwnTitle, 5> own_titles{{{QuantityKind::cycles, "Cycles in a step"},
                                              {QuantityKind::step_size, "Step size"},
                                              {QuantityKind::step_error, "Local error estimate"},
                                              {QuantityKind::newton_iterations, "Newton iterations"},
                                              {QuantityKind::newton_rate, "Newton convergence rate"}}};

class ChartMaker {
 public:
  ChartMaker(const ReportRun& run, const RunView& view) : run_(run), view_(view) {
    if (view.data.thinned()) thinned_ = fmt::format("Min and max in each interval, from {} rows.", view.data.rows);
  }

  std::vector<Chart> make() {
    for (const auto& [group, title] : group_titles) {
      add_group(group, title);
      if (std::string_view(group) == "energy") add_energy_deviation();
    }
    for (const auto& [kind, title] : own_titles) add_own(kind, title);
    add_phase();
    return std::move(charts_);
  }

 private:
  // The error of the model is shown together with that of the steps: the larger of the two counts.
  void add_own(QuantityKind kind, const char* title) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < view_.series.size(); ++i) {
      const QuantityKind found = view_.series[i].kind;
      const bool of_model = kind == QuantityKind::step_error && found == QuantityKind::model_error;
      if (of_model) title = "Error estimates";
      if (of_model || found == kind) members.push_back(i);
    }
    if (!members.empty()) add(title, members, view_.series[members[0]].pick.log);
  }

  // One chart for every unit in a group.
  void add_group(std::string_view group, const std::string& title) {
    std::vector<std::string> units;
    for (const ViewSeries& s : view_.series)
      if (s.group == group && std::find(units.begin(), units.end(), s.unit) == units.end()) units.push_back(s.unit);
    for (const std::string& unit : units) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < view_.series.size(); ++i)
        if (view_.series[i].group == group && view_.series[i].unit == unit && view_.series[i].name != balance_name)
          members.push_back(i);
      if (group == "energy" && members.size() == 1) continue;  // the chart of its deviation is more useful
      const std::string which = units.size() > 1 ? names(members) : "";
      add(which.empty() ? is_work(members) ? "Energy and work" : title : title + ": " + which, members,
          view_.series[members[0]].pick.log);
    }
  }

  bool is_work(const std::vector<std::size_t>& members) const {
    return std::any_of(members.begin(), members.end(),
                       [&](std::size_t i) { return view_.series[i].name == work_name; });
  }

  std::string names(const std::vector<std::size_t>& members) const {
    if (members.size() > 4) return "";
    std::string text;
    for (const std::size_t i : members) text += (text.empty() ? "" : ", ") + view_.series[i].name;
    return text;
  }

  Chart start(const std::string& title, const std::vector<std::size_t>& members, bool log) const {
    const std::vector<std::size_t> shown(members.begin(),
                                         members.begin() + static_cast<Index>(std::min(members.size(), most_curves)));
    Chart chart;
    chart.title = title;
    chart.x = {"t", run_.info.time_unit, false};
    chart.y = {names(members), view_.series[members[0]].unit, log};
    if (chart.y.label.empty()) chart.y.label = title;
    if (shown.size() < members.size())
      chart.note = fmt::format("Only the first {} of {} are shown. ", shown.size(), members.size());
    chart.note += thinned_;
    for (const std::size_t i : shown) chart.series.push_back({view_.series[i].name, view_.data.t, {}});
    return chart;
  }

  void add(const std::string& title, const std::vector<std::size_t>& members, bool log) {
    Chart chart = start(title, members, log);
    for (std::size_t k = 0; k < chart.series.size(); ++k) {
      chart.series[k].y = values(members[k]);
      if (const auto band = view_.series[members[k]].band) chart.series[k].band = values(*band);
    }
    if (const auto meaning = band_meaning(members)) explain_bands(chart, *meaning);
    charts_.push_back(std::move(chart));
  }

  std::vector<double> values(std::size_t series) const {
    const DecimatedSeries& d = view_.data.series[series];
    std::vector<double> all(d.data.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = d.value(i);
    return all;
  }

  std::optional<BandMeaning> band_meaning(const std::vector<std::size_t>& members) const {
    for (const std::size_t i : members)
      if (view_.series[i].band) return view_.series[i].band_meaning;
    return std::nullopt;
  }

  static void explain_bands(Chart& chart, BandMeaning meaning) {
    double widest = -1;
    for (const ChartSeries& s : chart.series)
      for (const double width : s.band) widest = std::max(widest, width);
    if (widest < 0) return;
    chart.band_label = band_label(meaning);
    const std::string width = fmt::format("{:.3g}{}{}", widest, chart.y.unit.empty() ? "" : " ", chart.y.unit);
    chart.note = fmt::format("{} {}",
                             meaning == BandMeaning::oscillation
                                 ? fmt::format("Fast oscillation up to {} to either side.", width)
                                 : fmt::format("Within {} of the whole structure ({}).", width, to_text(meaning)),
                             chart.note);
  }

  // Where energy is given and lost, its balance tells about the run, and its deviation does not.
  bool add_energy_balance() {
    for (std::size_t i = 0; i < view_.series.size(); ++i)
      if (view_.series[i].name == balance_name) {
        add("Balance of energy and work", {i}, false);
        charts_.back().note = fmt::format("Energy - start - work done + energy lost: zero up to errors. {}", thinned_);
        return true;
      }
    return false;
  }

  // Shows the total energy if it is known; its parts oscillate anyway and are shown only if it is not.
  void add_energy_deviation() {
    if (add_energy_balance() || is_random(run_.info)) return;
    std::vector<std::size_t> all, whole;
    for (std::size_t i = 0; i < view_.series.size(); ++i) {
      if (view_.series[i].group != "energy") continue;
      all.push_back(i);
      if (view_.series[i].kind == QuantityKind::energy) whole.push_back(i);
    }
    if (all.empty()) return;
    const std::vector<std::size_t>& members = whole.empty() ? all : whole;
    Chart chart = start("Energy, deviation from its start", members, false);
    chart.y.label += " \u2212 start";
    double most = 0;
    for (std::size_t k = 0; k < chart.series.size(); ++k) {
      const DecimatedSeries& d = view_.data.series[members[k]];
      chart.series[k].y.assign(d.data.begin(), d.data.end());
      most = std::max(most, largest_deviation(d));
    }
    chart.note = fmt::format("Largest deviation {:.3g}{}{}. {}", most, chart.y.unit.empty() ? "" : " ", chart.y.unit,
                             chart.note);
    charts_.push_back(std::move(chart));
  }

  void add_phase() {
    const std::size_t width = view_.phase_names.size();
    if (width < 2 || view_.phase.points == 0) return;
    const Quantity &x = view_.phase_names[0], &y = view_.phase_names[1];
    Chart chart;
    chart.title = fmt::format("Phase plane: {}, {}", x.name, y.name);
    chart.x = {x.name, x.unit, false};
    chart.y = {y.name, y.unit, false};
    chart.series.push_back({y.name, {}, {}});
    for (std::size_t i = 0; i < static_cast<std::size_t>(view_.phase.points); ++i) {
      chart.series[0].x.push_back(view_.phase.data[i * width]);
      chart.series[0].y.push_back(view_.phase.data[i * width + 1]);
    }
    if (view_.phase_far_apart) chart.style = ChartStyle::points;
    if (view_.phase.points < view_.data.rows)
      chart.note =
          fmt::format("{} of {} states are shown, among them all extremes.", view_.phase.points, view_.data.rows);
    charts_.push_back(std::move(chart));
  }

  const ReportRun& run_;
  const RunView& view_;
  std::string thinned_;
  std::vector<Chart> charts_;
};
}  // namespace

std::vector<Chart> charts_of(const ReportRun& run) {
  const RunView view = view_of(run);
  if (view.data.t.empty()) return {};
  std::vector<Chart> charts = ChartMaker(run, view).make();
  for (Chart& spectrum : spectrum_charts(run)) charts.push_back(std::move(spectrum));
  return charts;
}
}  // namespace trill
