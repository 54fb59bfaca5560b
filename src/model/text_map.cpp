// SPDX-License-Identifier: BSD-3-Clause
#include "text_map.hpp"

#include "trill/model/derivative.hpp"

namespace trill {
ProgramInputs inputs_along(const Motion& m) {
  return {.t = m.t, .q = m.q, .v = m.v, .acceleration = m.acceleration, .jerk = m.jerk, .snap = m.snap};
}

TextMap::TextMap(const ModelFunctions& functions, int selection, std::vector<double> parameters)
    : functions_(functions),
      selection_(selection),
      parameters_(std::move(parameters)),
      value_(functions, {Purpose::value, selection}),
      time_derivative_(functions, {Purpose::time_derivative, selection}),
      curvature_(functions, {Purpose::curvature, selection}),
      reaction_along_(functions, {Purpose::reaction, selection, along_direction}),
      jacobian_(functions, {Purpose::jacobian, selection}),
      velocity_derivative_(functions, {Purpose::velocity_derivative, selection}),
      transpose_derivative_(functions, {Purpose::transpose_derivative, selection}),
      jacobian_along_(functions, {Purpose::jacobian, selection, along_direction}) {
  const auto derive = [&](auto& runs, Purpose purpose) {
    for (std::size_t place = 0; place < runs.size(); ++place)
      runs[place] = {functions, {purpose, selection, static_cast<int>(place) + 1}};
  };
  derive(value_derivatives_, Purpose::value);
  derive(reaction_derivatives_, Purpose::reaction);
  derive(jacobian_derivatives_, Purpose::jacobian);
}

bool TextMap::moving() const {
  for (const auto& kernel : functions_.kernels())
    for (const RowTerm& row : selection_ == of_gaps ? kernel->gaps : kernel->constraints)
      if (depends_on(kernel->graph(), row.value, SymbolKind::time)) return true;
  return false;
}

bool TextMap::value_derivative(int k, const Motion& motion, Out values) const {
  fill(value_derivatives_[derivative_place(k)], inputs_along(motion), values);
  return true;
}

bool TextMap::jacobian_derivative(int k, const Motion& motion, MatrixSlot& d) const {
  fill(jacobian_derivatives_[derivative_place(k)], inputs_along(motion), d);
  return true;
}

bool TextMap::reaction_derivative(int k, const Motion& motion, In s, Out values) const {
  ProgramInputs inputs = inputs_along(motion);
  inputs.multipliers = s.data();
  fill(reaction_derivatives_[derivative_place(k)], inputs, values);
  return true;
}

void TextMap::set_parameters(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  for (VectorRun* run : {&value_, &time_derivative_, &curvature_, &reaction_along_}) run->forget_parameters();
  for (MatrixRun* run : {&jacobian_, &velocity_derivative_, &transpose_derivative_, &jacobian_along_})
    run->forget_parameters();
  for (VectorRun& run : value_derivatives_) run.forget_parameters();
  for (VectorRun& run : reaction_derivatives_) run.forget_parameters();
  for (MatrixRun& run : jacobian_derivatives_) run.forget_parameters();
}
}  // namespace trill
