// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

#include <optional>

namespace trill {
// The shortest period of sin and cos of a linear function of t in the rates, forces and energies of a model.
std::optional<double> shortest_period(const CompiledModel& model, const std::vector<double>& parameters);
}  // namespace trill
