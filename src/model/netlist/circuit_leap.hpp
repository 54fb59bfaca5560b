// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit_equations.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// A step of implicit Euler over the short time dt from x, with the switches that are set, to the state that the circuit
// would reach by itself if each of its nodes had a vanishing capacitance to ground. `equations` are those of the
// problem. false: it is not reached, and x is as it was.
bool leap_over(const CircuitProblem& problem, CircuitEquations& equations, double t, double dt, Out x);

// The operating point that the circuit would come to from the voltages x if each of its nodes had a capacitance to
// ground, and nothing else changed with time.
bool come_to_rest(const CircuitProblem& problem, CircuitEquations& equations, double t, Out x);
}  // namespace trill
