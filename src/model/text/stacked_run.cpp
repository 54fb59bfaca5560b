// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/stacked_run.hpp"

#include <algorithm>

namespace trill {
namespace {
bool reads_a_state(const Load& load) {
  return load.kind == SymbolKind::coordinate || load.kind == SymbolKind::velocity || load.kind == SymbolKind::column;
}

// Numbers of elements, sums over instances and times differ from point to point.
bool can_be_stacked(const Routine& routine) {
  const auto& loads = routine.program.of_instance().loads;
  const auto& columns = routine.table->columns;
  const auto is_whole = [&](const Column& column) {
    return column && static_cast<Index>(column->size()) == routine.table->instances;
  };
  return routine.program.of_time().loads.empty() && std::all_of(loads.begin(), loads.end(), reads_a_state) &&
         std::all_of(columns.begin(), columns.end(), is_whole) &&
         std::none_of(routine.targets.begin(), routine.targets.end(), [](const Target& t) { return t.sum; });
}

IndexTable repeated(const IndexTable& table, Index points, Index distance) {
  IndexTable all;
  for (Index p = 0; p < points; ++p)
    for (const std::int32_t place : table) all.push_back(place + static_cast<std::int32_t>(p * distance));
  return all;
}

Column repeated(const std::vector<double>& column, Index points) {
  std::vector<double> all;
  for (Index p = 0; p < points; ++p) all.insert(all.end(), column.begin(), column.end());
  return std::make_shared<const std::vector<double>>(std::move(all));
}
}  // namespace

void StackedRun::prepare(Index points, const ParameterValues& parameters) {
  version_ = parameters.version;
  if (points_ == points) {
    for (Runner& runner : runners_) runner.set_parameters(parameters.values);
    return;
  }
  points_ = points;
  runners_.clear();
  const Routines& routines = functions_.vector(key_).routines;
  possible_ = std::all_of(routines.begin(), routines.end(), [](const auto& r) { return can_be_stacked(*r); });
  if (!possible_) return;
  for (const auto& routine : routines)
    if (routine->table->instances > 0) stack(*routine, parameters);
}

void StackedRun::stack(const Routine& routine, const ParameterValues& parameters) {
  KernelTable table;
  table.instances = points_ * routine.table->instances;
  for (const IndexTable& slot : routine.table->coordinates)
    table.coordinates.push_back(repeated(slot, points_, unknowns_));
  for (const Column& column : routine.table->columns) table.columns.push_back(repeated(*column, points_));
  Routine stacked = routine;
  stacked.table = std::make_shared<const KernelTable>(std::move(table));
  for (Target& target : stacked.targets)
    target.places = std::make_shared<const IndexTable>(repeated(*target.places, points_, size_));
  runners_.emplace_back(std::make_shared<const Routine>(std::move(stacked)), parameters.values);
}
}  // namespace trill
