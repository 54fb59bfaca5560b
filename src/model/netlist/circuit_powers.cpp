// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_powers.hpp"

namespace trill {
namespace {
double voltage_across(const Terminals& e, In x) { return (e.a < 0 ? 0 : x[e.a]) - (e.b < 0 ? 0 : x[e.b]); }
}  // namespace

std::vector<PowerTerm> power_terms(const Circuit& circuit) {
  std::vector<PowerTerm> terms;
  for (const VoltageSource& v : circuit.voltages) terms.push_back({circuit.origin(v).name, true});
  for (const CurrentSource& s : circuit.currents) terms.push_back({circuit.origin(s).name, true});
  for (const Resistor& r : circuit.resistors) terms.push_back({circuit.origin(r).name, false});
  return terms;
}

// Currents are positive from a to b through the element, so a source delivers what it does not take up.
void powers(const Circuit& circuit, double t, In x, Out power) {
  Index k = 0;
  for (const VoltageSource& v : circuit.voltages)
    power[k++] = -voltage_across(v, x) * x[circuit.unknown_of_branch(v.branch)];
  for (const CurrentSource& s : circuit.currents) power[k++] = -voltage_across(s, x) * s.wave(t);
  for (const Resistor& r : circuit.resistors) {
    const double u = voltage_across(r, x);
    power[k++] = u * u / r.resistance;
  }
}
}  // namespace trill
