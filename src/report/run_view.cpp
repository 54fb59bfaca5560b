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
constexpr double others_share = 0.12;
constexpr Index most_others = 2000, most_points_of_others = 400, least_points_of_others = 32;
constexpr std::size_t most_formulas = 20'000;  // characters

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
    case QuantityKind::bound:
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

// The quantity that is half the width of a band around a component or another quantity.
struct Band {
  Index quantity = -1;
  BandMeaning meaning = BandMeaning::oscillation;
  bool any() const { return quantity >= 0; }
};

// For each of the names the quantity of this kind that is called by the prefix and the name; -1 if there is none.
std::vector<Index> companions(const std::vector<Quantity>& names, const RunInfo& info, std::string_view prefix,
                              QuantityKind kind) {
  std::vector<Index> found(names.size(), -1);
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i].name, i);
  for (std::size_t i = 0; i < info.quantities.size(); ++i) {
    const std::string_view name = info.quantities[i].name;
    if (info.quantities[i].kind != kind || !name.starts_with(prefix)) continue;
    const auto place = places.find(name.substr(prefix.size()));
    if (place != places.end()) found[place->second] = static_cast<Index>(i);
  }
  return found;
}

void add_bands(const std::vector<Quantity>& names, const RunInfo& info, std::string_view prefix, QuantityKind kind,
               BandMeaning meaning, std::vector<Band>& bands) {
  const std::vector<Index> found = companions(names, info, prefix, kind);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] >= 0 && !bands[i].any()) bands[i] = {found[i], meaning};
}

std::vector<Quantity> names_of_components(const RunInfo& info) {
  std::vector<Quantity> names = info.components;
  names.resize(static_cast<std::size_t>(info.layout.size()));
  return names;
}

void add_bounds(const std::vector<Quantity>& names, const RunInfo& info, std::vector<Band>& bands) {
  add_bands(names, info, "bound_", QuantityKind::bound, BandMeaning::bound, bands);
  add_bands(names, info, "estimate_", QuantityKind::bound, BandMeaning::estimate, bands);
}

std::vector<Band> bands_of_components(const RunInfo& info) {
  const std::vector<Quantity> names = names_of_components(info);
  std::vector<Band> bands(names.size());
  add_bands(names, info, "amplitude_", QuantityKind::amplitude, BandMeaning::oscillation, bands);
  add_bounds(names, info, bands);
  return bands;
}

std::vector<Band> bands_of_quantities(const RunInfo& info) {
  std::vector<Band> bands(info.quantities.size());
  add_bounds(info.quantities, info, bands);
  return bands;
}

// The components of a block in the order in which they deserve room.
using Ranking = std::array<std::vector<Index>, 4>;

// Takes the most important components of every kind in turn, each with its band, until the room is used up. Returns how
// many.
Index share_room(std::array<Block, 4>& blocks, const Ranking& ranking, const std::vector<Band>& bands, Index room) {
  Index shown = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      Block& b = blocks[k];
      if (b.shown == b.size) continue;
      const Index next = ranking[k][static_cast<std::size_t>(b.shown)];
      const Index needed = bands[static_cast<std::size_t>(next)].any() ? 2 : 1;
      if (needed > room) return shown;
      room -= needed;
      ++b.shown;
      ++shown;
      more = true;
    }
  }
  return shown;
}

// The formulas of the measures of a text model.
std::string formulas_of_measures(const std::string& model) {
  std::string found;
  constexpr std::string_view heading = "[[measure]]";
  for (std::size_t at = model.find(heading); at != model.npos; at = model.find(heading, at + 1)) {
    const std::size_t end = std::min(model.find("\n[", at), model.size());
    found += model.substr(at + heading.size(), end - at - heading.size()) + '\n';
    if (found.size() > most_formulas) break;
  }
  return found;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

// Those that a measure names come first, then those that move most.
Ranking ranking_of(const ReportRun& run, bool all_fit) {
  const auto blocks = blocks_of(run.info.layout);
  Ranking ranking;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    for (Index i = blocks[k].begin; i < blocks[k].begin + blocks[k].size; ++i) ranking[k].push_back(i);
  if (all_fit) return ranking;
  const auto size = static_cast<std::size_t>(run.info.layout.size());
  std::vector<double> low(size, HUGE_VAL), high(size, -HUGE_VAL), weight(size);
  run.rows.visit([&](double, const double* y, const double*) {
    for (std::size_t i = 0; i < size; ++i) {
      low[i] = std::min(low[i], y[i]);
      high[i] = std::max(high[i], y[i]);
    }
  });
  const std::string formulas = formulas_of_measures(run.info.model_text);
  for (std::size_t i = 0; i < size; ++i) {
    const bool named =
        !formulas.empty() && has_word(formulas, name_of(run.info.components, static_cast<Index>(i), "y").name);
    weight[i] = named ? HUGE_VAL : std::isfinite(high[i] - low[i]) ? high[i] - low[i] : 0;
  }
  for (std::vector<Index>& block : ranking)
    std::stable_sort(block.begin(), block.end(), [&](Index a, Index b) {
      return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)];
    });
  return ranking;
}

void add_other(const RunInfo& info, Index i, QuantityKind kind, Index middle, RunView& view) {
  Quantity q = name_of(info.components, i, "y");
  view.others.push_back({std::move(q.name),
                         std::move(q.unit),
                         kind,
                         group_of(kind),
                         {middle < 0 ? i : middle, middle >= 0, false, false}});
}

// Half the width of a band follows what it lies around.
void add_band(const RunInfo& info, const Band& band, RunView& view) {
  if (!band.any()) return;
  view.series.back().band = view.series.size();
  view.series.back().band_meaning = band.meaning;
  const Quantity& width = info.quantities[static_cast<std::size_t>(band.quantity)];
  view.series.push_back({width.name, width.unit, width.kind, "band", {band.quantity, true, false, false, true}});
}

// A component with a middle is shown by that, since its band lies around it.
void add_component(const RunInfo& info, Index i, QuantityKind kind, const Band& band, Index middle, RunView& view) {
  Quantity q = name_of(info.components, i, "y");
  view.series.push_back({std::move(q.name),
                         std::move(q.unit),
                         kind,
                         group_of(kind),
                         {middle < 0 ? i : middle, middle >= 0, false, false}});
  add_band(info, band, view);
}

// Shows all quantities if they leave half of the room to the components; the rest goes to the components of every kind
// that move most. What does not fit can be searched for.
void choose_series(const ReportRun& run, Index limit, RunView& view) {
  const RunInfo& info = run.info;
  auto blocks = blocks_of(info.layout);
  const std::vector<Band> bands = bands_of_components(info), of_quantities = bands_of_quantities(info);
  const std::vector<Index> middles = companions_of(info, "middle_", QuantityKind::middle);
  std::vector<bool> is_companion(info.quantities.size(), false);
  for (const std::vector<Band>* of : {&bands, &of_quantities})
    for (const Band& band : *of)
      if (band.any()) is_companion[static_cast<std::size_t>(band.quantity)] = true;
  for (const Index quantity : middles)
    if (quantity >= 0) is_companion[static_cast<std::size_t>(quantity)] = true;
  const auto with_companion = static_cast<Index>(std::count(is_companion.begin(), is_companion.end(), true));
  const Index components = info.layout.size(), quantities = static_cast<Index>(is_companion.size()) - with_companion;
  const Index shown_quantities = std::min(quantities, std::max(limit / 2, limit - components - with_companion));
  const Ranking ranking = ranking_of(run, components + with_companion <= limit - shown_quantities);
  share_room(blocks, ranking, bands, limit - shown_quantities);
  for (std::size_t k = 0; k < blocks.size(); ++k)
    for (std::size_t j = 0; j < ranking[k].size(); ++j) {
      const Index i = ranking[k][j];
      if (static_cast<Index>(j) < blocks[k].shown)
        add_component(info, i, blocks[k].kind, bands[static_cast<std::size_t>(i)], middles[static_cast<std::size_t>(i)],
                      view);
      else
        add_other(info, i, blocks[k].kind, middles[static_cast<std::size_t>(i)], view);
    }
  Index room = shown_quantities;
  for (std::size_t i = 0; i < is_companion.size(); ++i) {
    if (is_companion[i]) continue;
    const bool fits = room-- > 0;
    (fits ? view.series : view.others).push_back(quantity_series(info.quantities[i], static_cast<Index>(i)));
    if (fits) add_band(info, of_quantities[i], view);
  }
  view.hidden = std::max<Index>(0, static_cast<Index>(view.others.size()) - most_others);
  view.others.resize(std::min(view.others.size(), static_cast<std::size_t>(most_others)));
}

Decimator decimator_of_others(const RunView& view, Index rows, double bytes) {
  const double each = time_bytes + value_bytes * static_cast<double>(view.others.size());
  std::vector<SeriesPick> picks;
  for (const ViewSeries& s : view.others) picks.push_back(s.pick);
  return {rows, std::clamp(static_cast<Index>(bytes / each), least_points_of_others, most_points_of_others),
          std::move(picks)};
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

const char* to_text(BandMeaning meaning) {
  return meaning == BandMeaning::oscillation ? "oscillation" : meaning == BandMeaning::bound ? "bound" : "estimate";
}

std::string band_label(BandMeaning meaning) {
  return meaning == BandMeaning::oscillation ? "band: fast oscillation"
                                             : fmt::format("band: {} of the error", to_text(meaning));
}

std::vector<Index> companions_of(const RunInfo& info, std::string_view prefix, QuantityKind kind) {
  return companions(names_of_components(info), info, prefix, kind);
}

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
  choose_series(run, series_limit((1 - phase_share) * bytes, rows), view);
  const double others_bytes = view.others.empty() ? 0 : others_share * bytes;
  bytes -= others_bytes;
  const double row_bytes = time_bytes + value_bytes * static_cast<double>(view.series.size());
  const Index points = std::clamp(static_cast<Index>((1 - phase_share) * bytes / row_bytes), least_points, most_points);
  std::vector<SeriesPick> picks;
  for (const ViewSeries& s : view.series) picks.push_back(s.pick);
  Decimator decimator(rows, points, std::move(picks));
  Decimator others = decimator_of_others(view, rows, others_bytes);

  const std::vector<Index> columns = phase_columns(run.info.layout);
  for (const Index i : columns) view.phase_names.push_back(name_of(run.info.components, i, "y"));
  const double state_bytes = value_bytes * static_cast<double>(std::max<std::size_t>(1, columns.size()));
  PhaseCollector phase(
      rows, std::clamp(static_cast<Index>(phase_share * bytes / state_bytes), least_points, most_phase_points),
      columns);

  run.rows.visit([&](double t, const double* y, const double* measured) {
    decimator.row(t, y, measured);
    if (!view.others.empty()) others.row(t, y, measured);
    phase.row(y);
  });
  view.data = decimator.finish();
  if (!view.others.empty()) view.others_data = others.finish();
  view.phase = phase.finish();
  view.phase_far_apart = view.phase.points < rows && far_apart(view.phase);
  return view;
}
}  // namespace trill
