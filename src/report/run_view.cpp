// SPDX-License-Identifier: BSD-3-Clause
#include "report/run_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double time_bytes = 8 * 4.0 / 3, value_bytes = 4 * 4.0 / 3;  // size of one number in base64
constexpr Index most_points = 20'000, least_points = 64;
constexpr Index most_series = 72, least_series = 6;
constexpr Index most_phase_points = 6000;
constexpr Index most_phase_columns = 8;
constexpr double phase_share = 0.15;

struct Block {
  QuantityKind kind;
  Index begin, size, shown;
};

std::array<Block, 4> blocks_of(const Layout& l) {
  return {{{QuantityKind::position, 0, l.nq, 0},
           {QuantityKind::velocity, l.nq, l.nv, 0},
           {QuantityKind::multiplier, l.nq + l.nv, l.nl, 0},
           {QuantityKind::auxiliary, l.nq + l.nv + l.nl, l.nx, 0}}};
}

const char* group_of(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::position:
      return "coordinate";
    case QuantityKind::velocity:
      return "velocity";
    case QuantityKind::multiplier:
      return "multiplier";
    case QuantityKind::auxiliary:
      return "auxiliary";
    case QuantityKind::energy:
    case QuantityKind::energy_part:
      return "energy";
    case QuantityKind::frequency:
      return "frequency";
    case QuantityKind::action:
      return "action";
    case QuantityKind::constraint:
      return "constraint";
    case QuantityKind::step_size:
    case QuantityKind::step_error:
    case QuantityKind::model_error:
      return "step";
    case QuantityKind::newton_iterations:
    case QuantityKind::newton_rate:
      return "newton";
    case QuantityKind::cycles:
      return "step";
    case QuantityKind::amplitude:
    case QuantityKind::middle:
    case QuantityKind::other:
      break;
  }
  return "quantity";
}

Quantity name_of(const std::vector<Quantity>& names, Index i, const char* letter) {
  if (i < static_cast<Index>(names.size())) return names[static_cast<std::size_t>(i)];
  return {fmt::format("{}{}", letter, i), ""};
}

ViewSeries quantity_series(const Quantity& q, Index column) {
  ViewSeries s{q.name, q.unit, q.kind, group_of(q.kind), {column, true, false, false}};
  s.pick.log = s.group == "constraint" || s.group == "step";
  s.pick.blank_first_zero = s.group == "step" || s.group == "newton";
  return s;
}

// The number of series for which each can have 2000 points, or all rows if there are fewer.
Index series_limit(double bytes, Index rows) {
  const auto points = static_cast<double>(std::clamp<Index>(rows, 1, 2000));
  const double limit = std::min(bytes / (value_bytes * points), static_cast<double>(most_series));
  return std::max(static_cast<Index>(limit), least_series);
}

// For every component X the index of its quantity PREFIX_X of this kind; -1 if there is none.
std::vector<Index> companions_of(const RunInfo& info, std::string_view prefix, QuantityKind kind) {
  std::vector<Index> bands(static_cast<std::size_t>(info.layout.size()), -1);
  std::map<std::string_view, std::size_t> components;
  for (std::size_t i = 0; i < std::min(bands.size(), info.components.size()); ++i)
    components.emplace(info.components[i].name, i);
  for (std::size_t i = 0; i < info.quantities.size(); ++i) {
    const std::string_view name = info.quantities[i].name;
    if (info.quantities[i].kind != kind || !name.starts_with(prefix)) continue;
    const auto component = components.find(name.substr(prefix.size()));
    if (component != components.end()) bands[component->second] = static_cast<Index>(i);
  }
  return bands;
}

// Takes the first components of every kind in turn, each with its band, until the room is used up. Returns how many.
Index share_room(std::array<Block, 4>& blocks, const std::vector<Index>& bands, Index room) {
  Index shown = 0;
  for (bool more = true; more;) {
    more = false;
    for (Block& b : blocks) {
      if (b.shown == b.size) continue;
      const Index needed = bands[static_cast<std::size_t>(b.begin + b.shown)] < 0 ? 1 : 2;
      if (needed > room) return shown;
      room -= needed;
      ++b.shown;
      ++shown;
      more = true;
    }
  }
  return shown;
}

// A component with a middle is shown by that, since its band lies around it.
void add_component(const RunInfo& info, Index i, QuantityKind kind, Index band, Index middle, RunView& view) {
  Quantity q = name_of(info.components, i, "y");
  view.series.push_back({std::move(q.name),
                         std::move(q.unit),
                         kind,
                         group_of(kind),
                         {middle < 0 ? i : middle, middle >= 0, false, false}});
  if (band < 0) return;
  view.series.back().band = view.series.size();
  const Quantity& width = info.quantities[static_cast<std::size_t>(band)];
  view.series.push_back({width.name, width.unit, width.kind, "band", {band, true, false, false, true}});
}

// Shows all quantities if they leave half of the room to the components; the rest goes to the first components of every
// kind.
void choose_series(const RunInfo& info, Index limit, RunView& view) {
  auto blocks = blocks_of(info.layout);
  const std::vector<Index> bands = companions_of(info, "amplitude_", QuantityKind::amplitude),
                           middles = companions_of(info, "middle_", QuantityKind::middle);
  std::vector<bool> is_band(info.quantities.size(), false);
  for (const std::vector<Index>* companions : {&bands, &middles})
    for (const Index quantity : *companions)
      if (quantity >= 0) is_band[static_cast<std::size_t>(quantity)] = true;
  const auto with_band = static_cast<Index>(std::count(is_band.begin(), is_band.end(), true));
  const Index components = info.layout.size(), quantities = static_cast<Index>(is_band.size()) - with_band;
  const Index shown_quantities = std::min(quantities, std::max(limit / 2, limit - components - with_band));
  const Index shown_components = share_room(blocks, bands, limit - shown_quantities);
  view.hidden = components - shown_components + quantities - shown_quantities;
  for (const Block& b : blocks)
    for (Index i = b.begin; i < b.begin + b.shown; ++i)
      add_component(info, i, b.kind, bands[static_cast<std::size_t>(i)], middles[static_cast<std::size_t>(i)], view);
  Index room = shown_quantities;
  for (std::size_t i = 0; i < is_band.size() && room > 0; ++i) {
    if (is_band[i]) continue;
    view.series.push_back(quantity_series(info.quantities[i], static_cast<Index>(i)));
    --room;
  }
}

std::vector<Index> phase_columns(const Layout& l) {
  std::vector<Index> columns;
  for (Index i = 0; i < std::min(l.nq, most_phase_columns); ++i) columns.push_back(i);
  for (Index i = l.nq; i < l.nq + l.nv && static_cast<Index>(columns.size()) < most_phase_columns; ++i)
    columns.push_back(i);
  if (columns.size() < 2) columns.clear();
  return columns;
}

// Whether in any column neighbours are on average more than a tenth of the whole range apart.
bool far_apart(const PhasePoints& phase) {
  const std::size_t width = phase.columns.size(), points = static_cast<std::size_t>(phase.points);
  if (points < 500) return false;
  for (std::size_t c = 0; c < width; ++c) {
    double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;
    for (std::size_t i = c; i < phase.data.size(); i += width) {
      const double value = phase.data[i];
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      if (i >= width && std::isfinite(phase.data[i - width])) sum += std::abs(value - phase.data[i - width]);
    }
    if (high > low && sum > 0.1 * static_cast<double>(points) * (high - low)) return true;
  }
  return false;
}
}  // namespace

double wanted_bytes(const ReportRun& run) {
  const Index all = run.info.layout.size() + static_cast<Index>(run.info.quantities.size());
  const auto points = static_cast<double>(std::min(run.rows.rows(), most_points));
  const auto phase = static_cast<double>(std::min(run.rows.rows(), most_phase_points)) *
                     static_cast<double>(phase_columns(run.info.layout).size());
  const double curves = points * (time_bytes + value_bytes * static_cast<double>(std::min(all, most_series)));
  return 1000 + std::max(curves / (1 - phase_share), phase * value_bytes / phase_share);
}

RunView view_of(const ReportRun& run, double bytes) {
  RunView view;
  const Index rows = run.rows.rows();
  choose_series(run.info, series_limit((1 - phase_share) * bytes, rows), view);
  const double row_bytes = time_bytes + value_bytes * static_cast<double>(view.series.size());
  const Index points = std::clamp(static_cast<Index>((1 - phase_share) * bytes / row_bytes), least_points, most_points);
  std::vector<SeriesPick> picks;
  for (const ViewSeries& s : view.series) picks.push_back(s.pick);
  Decimator decimator(rows, points, std::move(picks));

  const std::vector<Index> columns = phase_columns(run.info.layout);
  for (const Index i : columns) view.phase_names.push_back(name_of(run.info.components, i, "y"));
  const double state_bytes = value_bytes * static_cast<double>(std::max<std::size_t>(1, columns.size()));
  PhaseCollector phase(
      rows, std::clamp(static_cast<Index>(phase_share * bytes / state_bytes), least_points, most_phase_points),
      columns);

  run.rows.visit([&](double t, const double* y, const double* measured) {
    decimator.row(t, y, measured);
    phase.row(y);
  });
  view.data = decimator.finish();
  view.phase = phase.finish();
  view.phase_far_apart = view.phase.points < rows && far_apart(view.phase);
  return view;
}
}  // namespace trill
