// SPDX-License-Identifier: BSD-3-Clause
#include "text_map.hpp"

namespace trill {
TextMap::TextMap(const ModelFunctions& functions, int selection, std::vector<double> parameters)
    : functions_(functions),
      selection_(selection),
      parameters_(std::move(parameters)),
      value_(functions, {Purpose::value, selection}),
      time_derivative_(functions, {Purpose::time_derivative, selection}),
      curvature_(functions, {Purpose::curvature, selection}),
      jacobian_(functions, {Purpose::jacobian, selection}),
      velocity_derivative_(functions, {Purpose::velocity_derivative, selection}),
      transpose_derivative_(functions, {Purpose::transpose_derivative, selection}) {}

void TextMap::set_parameters(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  for (VectorRun* run : {&value_, &time_derivative_, &curvature_}) run->forget_parameters();
  for (MatrixRun* run : {&jacobian_, &velocity_derivative_, &transpose_derivative_}) run->forget_parameters();
}
}  // namespace trill
