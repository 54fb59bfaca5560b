// SPDX-License-Identifier: BSD-3-Clause
// What a text model says about time alone: when formulas switch, and when functions of time act.
#pragma once

#include "model/expression/time_marks.hpp"
#include "model/text/compiled_model.hpp"

namespace trill {
// Times of events and switches that depend on the time alone but not linearly; TextEvents::times finds the linear ones.
std::vector<double> curved_switch_times(const CompiledModel& model, std::span<const double> parameters, double t0,
                                        double t1);

// Where functions of time in energies, forces, rates, gaps and constraints act.
std::vector<TimeMark> find_time_marks(const CompiledModel& model, std::span<const double> parameters, double t0,
                                      double t1);

// Whether e is a t + b, where a and b contain only parameters and columns.
bool is_linear_in_time(ExpressionGraph& graph, Expression e);
}  // namespace trill
