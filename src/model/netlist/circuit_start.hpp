// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit_equations.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// The voltages and currents with which a run begins: the operating point, or with 'uic' those that belong to the given
// voltages of capacitors and currents of inductors. `equations` are those of the problem; their setting is changed on
// the way and restored. ModelError if nothing was found.
Vec circuit_start(const CircuitProblem& problem, CircuitEquations& equations, double t);
}  // namespace trill
