// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit.hpp"

namespace trill {
// ModelError with the place in the netlist for circuits that no voltages and currents can satisfy, or that do not
// determine them: nodes that are not connected to ground, loops of voltage sources, nodes reached by current sources or
// inductors alone; and, if an operating point is needed, nodes without a path for direct current and loops of voltage
// sources and inductors.
void check_topology(const Circuit& circuit);

// Sources of voltages (by branch) that form loops with capacitors: the loop has no resistance, and the current is the
// derivative of a given voltage. One source of every such loop is listed.
std::vector<int> branches_across_capacitors(const Circuit& circuit);
}  // namespace trill
