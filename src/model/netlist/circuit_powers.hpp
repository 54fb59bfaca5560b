// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit.hpp"

namespace trill {
// The powers of a circuit: what its independent sources deliver, then what its resistors take up.
struct PowerTerm {
  std::string element;
  bool is_source = false;
};
std::vector<PowerTerm> power_terms(const Circuit& circuit);
void powers(const Circuit& circuit, double t, In x, Out power);  // one for each term
}  // namespace trill
