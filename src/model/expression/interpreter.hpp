// SPDX-License-Identifier: BSD-3-Clause
// Instructions on registers of one lane or of a block of lanes. Both give the same bits: every operation is rounded
// as in trill::evaluate, and no product is contracted with a sum.
#pragma once

#include "model/expression/program.hpp"

namespace trill {
inline constexpr int lanes = 32, few_lanes = 4;

void run_single(std::span<const Instruction> code, const LookupTables& tables, double* r);
// Register k lies at r[k*lanes].
void run_block(std::span<const Instruction> code, const LookupTables& tables, double* r);
// The same with register k at r[k*few_lanes].
void run_few(std::span<const Instruction> code, const LookupTables& tables, double* r);
}  // namespace trill
