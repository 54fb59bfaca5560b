// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit.hpp"

namespace trill {
// A .model card with its numbers.
struct DeviceModel {
  std::string name, type;  // type: d, npn, pnp, nmos, pmos, sw, csw
  const Card* card = nullptr;
  std::map<std::string, double, std::less<>> given;
  double value(std::string_view parameter) const;  // given, or the default
  bool has(std::string_view parameter) const { return given.contains(parameter); }
};

// ModelError for an unknown type or parameter. Parameters that are known but not modelled are noted.
DeviceModel read_device_model(const Card& card, const ParameterScope& scope, std::vector<std::string>& notes);

struct MosSize {
  double width = 1e-4, length = 1e-4, drain_area = 0, source_area = 0, drain_side = 0, source_side = 0, count = 1;
};
double thermal_voltage(double celsius);
JunctionDiode make_diode(const DeviceModel& model, double area, const CircuitOptions& options);
BipolarTransistor make_bipolar(const DeviceModel& model, double area, const CircuitOptions& options);
MosTransistor make_mos(const DeviceModel& model, const MosSize& size, const CircuitOptions& options);
}  // namespace trill
