// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_map.hpp"

#include "model/expression/derivative.hpp"
#include "model/text/compiled_model.hpp"
#include "trill/linalg/kernels.hpp"

#include <fmt/format.h>

namespace trill {
ProgramInputs inputs_along(const Motion& m) {
  return {.t = m.t, .q = m.q, .v = m.v, .acceleration = m.acceleration, .jerk = m.jerk, .snap = m.snap};
}

namespace {
bool depends_on_time(const ModelFunctions& functions, int selection) {
  for (const auto& kernel : functions.kernels())
    for (const RowTerm& row : selection == of_gaps ? kernel->gaps : kernel->constraints)
      if (depends_on(kernel->graph(), row.value, SymbolKind::time)) return true;
  return false;
}
}  // namespace

TextMap::TextMap(const ModelFunctions& functions, int selection, const ModelMode& mode)
    : functions_(functions),
      selection_(selection),
      moving_(depends_on_time(functions, selection)),
      mode_(mode),
      value_(functions, {Purpose::value, selection}, &mode.held()),
      time_derivative_(functions, {Purpose::time_derivative, selection}, &mode.held()),
      curvature_(functions, {Purpose::curvature, selection}, &mode.held()),
      slope_and_curvature_(functions, {Purpose::slope_and_curvature, selection}, &mode.held()),
      reaction_along_(functions, {Purpose::reaction, selection, along_direction}, &mode.held()),
      jacobian_(functions, {Purpose::jacobian, selection}, &mode.held()),
      velocity_derivative_(functions, {Purpose::velocity_derivative, selection}, &mode.held()),
      transpose_derivative_(functions, {Purpose::transpose_derivative, selection}, &mode.held()),
      jacobian_along_(functions, {Purpose::jacobian, selection, along_direction}, &mode.held()) {
  const auto derive = [&](auto& runs, Purpose purpose) {
    for (std::size_t place = 0; place < runs.size(); ++place)
      runs[place] = {functions, {purpose, selection, static_cast<int>(place) + 1}, &mode.held()};
  };
  derive(value_derivatives_, Purpose::value);
  derive(rigid_rates_, Purpose::rigid_rate);
  derive(jacobian_derivatives_, Purpose::jacobian);
}

std::string TextMap::name(Index k) const {
  const RowPlace row = row_place(functions_, selection_, k);
  const FileValue& value = *row.value;
  const std::string label = value.label.empty() ? fmt::format("{} '{}'", selection_ == of_gaps ? "gap" : "constraint",
                                                              shortened(value.piece.text))
                                                : value.label;
  const SourceText& source = *value.piece.source;
  return fmt::format("{} ({}:{}){}", label, source.file(), source.place(value.piece.begin).line, row.element);
}

bool TextMap::value_derivative(int k, const Motion& motion, Out values) const {
  fill(value_derivatives_[derivative_place(k)], inputs_along(motion), values);
  return true;
}

bool TextMap::jacobian_derivative(int k, const Motion& motion, MatrixSlot& d) const {
  fill(jacobian_derivatives_[derivative_place(k)], inputs_along(motion), d);
  return true;
}

double* TextMap::both(VectorRun& run, const ProgramInputs& inputs, Index size) const {
  if (static_cast<Index>(both_.size()) < size) both_.resize(static_cast<std::size_t>(size));
  std::fill_n(both_.data(), size, 0.0);
  run.add(inputs, mode_.parameters(), both_.data());
  return both_.data();
}

void TextMap::slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const {
  const MatrixSlot& own = jacobian_.pattern(mode_.parameters());
  const Index entries = own.stored(), rows = count();
  if (G.pattern_id() != own.pattern_id() || G.stored() != entries)
    return ConstraintMap::slope_and_curvature(t, q, v, G, eta);
  const double* values = both(slope_and_curvature_, {.t = t, .q = q.data(), .v = v.data()}, entries + rows);
  copy_one_by_one(values, entries, G.values());
  copy_one_by_one(values + entries, rows, eta.data());
}

bool TextMap::rigid_rate(int k, const Motion& motion, In s, In s1, Out covector, Out values) const {
  ProgramInputs inputs = inputs_along(motion);
  inputs.multipliers = s.data();
  inputs.multiplier_rates = s1.data();
  const Index unknowns = functions_.unknowns(), rows = count();
  const double* found = both(rigid_rates_[derivative_place(k)], inputs, unknowns + rows);
  copy_one_by_one(found, unknowns, covector.data());
  copy_one_by_one(found + unknowns, rows, values.data());
  return true;
}
}  // namespace trill
