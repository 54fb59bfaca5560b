// SPDX-License-Identifier: BSD-3-Clause
// Diodes and transistors. Their series resistances become resistors with a node of their own.
#include "model/netlist/circuit_builder.hpp"

#include <fmt/format.h>

namespace trill {
int CircuitBuilder::behind_resistance(const Reading& r, int outside, double resistance, const std::string& name) {
  if (resistance == 0) return outside;
  const int inside = inner_node(r, name);
  circuit_.resistors.push_back({Terminals{outside, inside, r.terminals.element}, resistance});
  connect(Connection::Kind::resistive, outside, inside, r);
  return inside;
}

// Dname anode cathode model [area] [off] [ic=...]
void CircuitBuilder::diode(Reading& r) {
  read_two_nodes(r);
  const DeviceModel& m = model(r, {"d"});
  double area = 1;
  if (!r.words.done() && !r.words.at_assignment() && r.words.peek().text != "off")
    area = r.frame.scope.number(r.words, "the area of the diode");
  while (!r.words.done()) {
    if (r.words.take_if("off")) continue;
    const Word name = r.words.take_name("'area=value' or the end of the statement");
    if (!r.words.take_if(Word::Kind::equals)) r.words.expect("'='");
    const double value = r.frame.scope.number(r.words, "a number");
    if (name.text == "area" || name.text == "m")
      area *= value;
    else if (name.text == "ic" || name.text == "temp")
      circuit_.notes.push_back(fmt::format("{}: '{}' of '{}' is left out", r.words.card().place(), name.text, r.name));
    else
      r.words.fail(name, fmt::format("a diode has no '{}'", name.text));
  }
  if (!(area > 0)) throw r.words.card().error(0, "the area of a diode must be positive");
  const int anode = behind_resistance(r, r.terminals.a, m.value("rs") / area, "anode");
  circuit_.diodes.push_back({make_diode(m, area, circuit_.options), {anode, r.terminals.b}, r.terminals.element});
  connect(Connection::Kind::resistive, anode, r.terminals.b, r);
  if (m.value("cjo") > 0 || m.value("tt") > 0) connect(Connection::Kind::capacitive, anode, r.terminals.b, r);
}

// Qname collector base emitter [substrate] model [area] [off]
void CircuitBuilder::bipolar(Reading& r) {
  std::vector<int> nodes;
  while (nodes.size() < 4 && r.words.peek().is(Word::Kind::name) &&
         (nodes.size() < 3 || !find_model(r.frame, r.words.peek().text)))
    nodes.push_back(node(r.frame, r.words.take().text));
  if (nodes.size() < 3) r.words.expect(fmt::format("a node of '{}'", r.name));
  const DeviceModel& m = model(r, {"npn", "pnp"});
  double area = 1;
  if (!r.words.done() && !r.words.at_assignment() && r.words.peek().text != "off")
    area = r.frame.scope.number(r.words, "the area of the transistor");
  while (!r.words.done()) {
    if (r.words.take_if("off")) continue;
    const Word name = r.words.take_name("'area=value' or the end of the statement");
    if (!r.words.take_if(Word::Kind::equals)) r.words.expect("'='");
    const double value = r.frame.scope.number(r.words, "a number");
    if (name.text == "area" || name.text == "m")
      area *= value;
    else
      r.words.fail(name, fmt::format("a bipolar transistor has no '{}'", name.text));
  }
  if (!(area > 0)) throw r.words.card().error(0, "the area of a transistor must be positive");
  const int collector = behind_resistance(r, nodes[0], m.value("rc") / area, "collector");
  const int base = behind_resistance(r, nodes[1], m.value("rb") / area, "base");
  const int emitter = behind_resistance(r, nodes[2], m.value("re") / area, "emitter");
  circuit_.bipolars.push_back(
      {make_bipolar(m, area, circuit_.options), {collector, base, emitter}, r.terminals.element});
  connect(Connection::Kind::resistive, base, emitter, r);
  connect(Connection::Kind::resistive, base, collector, r);
  if (m.value("cje") > 0 || m.value("tf") > 0) connect(Connection::Kind::capacitive, base, emitter, r);
  if (m.value("cjc") > 0 || m.value("tr") > 0) connect(Connection::Kind::capacitive, base, collector, r);
  if (const double cjs = area * m.value("cjs"); cjs > 0) {
    // The junction to the substrate carries charge only.
    JunctionDiode junction;
    junction.saturation = junction.leakage = 0;
    junction.depletion = {cjs, m.value("vjs"), m.value("mjs"), m.value("fc")};
    const int substrate = nodes.size() > 3 ? nodes[3] : ground;
    const bool npn = m.type == "npn";
    circuit_.diodes.push_back(
        {junction, {npn ? substrate : collector, npn ? collector : substrate}, r.terminals.element});
    connect(Connection::Kind::capacitive, substrate, collector, r);
  }
}

// Mname drain gate source bulk model [l=] [w=] [ad=] [as=] [pd=] [ps=] [m=]
void CircuitBuilder::transistor(Reading& r) {
  std::array<int, 4> nodes{};
  for (int& n : nodes)
    n = node(r.frame, r.words.take_name(fmt::format("a node of '{}', drain gate source bulk", r.name)).text);
  const DeviceModel& m = model(r, {"nmos", "pmos"});
  MosSize size;
  size.length = m.value("l");
  size.width = m.value("w");
  const std::map<std::string, double*> known = {
      {"l", &size.length},      {"w", &size.width},        {"ad", &size.drain_area}, {"as", &size.source_area},
      {"pd", &size.drain_side}, {"ps", &size.source_side}, {"m", &size.count}};
  while (!r.words.done()) {
    if (r.words.take_if("off")) continue;
    const Word name = r.words.take_name("'l=value', 'w=value' or the end of the statement");
    if (!r.words.take_if(Word::Kind::equals)) r.words.expect("'='");
    const double value = r.frame.scope.number(r.words, "a number");
    if (const auto it = known.find(name.text); it != known.end())
      *it->second = value;
    else if (name.text != "nrd" && name.text != "nrs" && name.text != "ic" && name.text != "temp")
      r.words.fail(name, fmt::format("a MOS transistor has no '{}'", name.text));
  }
  if (!(size.length > 2 * m.value("ld")) || !(size.width > 0) || !(size.count > 0))
    throw r.words.card().error(0, fmt::format("the width and length of '{}' must be positive", r.name));
  const int drain = behind_resistance(r, nodes[0], m.value("rd") / size.count, "drain");
  const int source = behind_resistance(r, nodes[2], m.value("rs") / size.count, "source");
  const MosTransistor device = make_mos(m, size, circuit_.options);
  circuit_.transistors.push_back({device, {drain, nodes[1], source, nodes[3]}, r.terminals.element});
  connect(Connection::Kind::resistive, drain, source, r);
  connect(Connection::Kind::resistive, nodes[3], source, r);
  connect(Connection::Kind::resistive, nodes[3], drain, r);
  if (device.oxide + device.gate_source > 0) connect(Connection::Kind::capacitive, nodes[1], source, r);
  if (device.oxide + device.gate_drain > 0) connect(Connection::Kind::capacitive, nodes[1], drain, r);
  if (device.gate_bulk > 0) connect(Connection::Kind::capacitive, nodes[1], nodes[3], r);
  if (device.drain_depletion[0].capacitance + device.drain_depletion[1].capacitance > 0)
    connect(Connection::Kind::capacitive, nodes[3], drain, r);
  if (device.source_depletion[0].capacitance + device.source_depletion[1].capacitance > 0)
    connect(Connection::Kind::capacitive, nodes[3], source, r);
}
}  // namespace trill
