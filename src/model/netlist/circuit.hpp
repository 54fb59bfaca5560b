// SPDX-License-Identifier: BSD-3-Clause
// A circuit as a flat list of elements: subcircuits are expanded, and every value is a number.
#pragma once

#include "model/netlist/devices.hpp"
#include "model/netlist/waveform.hpp"
#include "problem/run_results.hpp"
#include "trill/problem/problem.hpp"

#include <array>

namespace trill {
inline constexpr int ground = -1;

// Where an element comes from, for messages.
struct ElementOrigin {
  std::string name;  // "x1.r3"
  const Card* card = nullptr;
};

struct Terminals {
  int a = ground, b = ground;  // nodes; currents are positive from a to b through the element
  int element = 0;             // number of its origin
};

struct Resistor : Terminals {
  double resistance = 0;
};
struct Capacitor : Terminals {
  double capacitance = 0;
  std::optional<double> start;
};
// Elements with a current of their own among the unknowns have the number of that current.
struct Inductor : Terminals {
  int branch = 0;
  double inductance = 0;
  std::optional<double> start;
};
struct Coupling {
  std::array<int, 2> inductor{};  // places in the list of inductors
  double mutual = 0;
};
struct VoltageSource : Terminals {
  int branch = 0;
  Waveform wave;
};
struct CurrentSource : Terminals {
  Waveform wave;
};
// E, G, F and H: a voltage (with a branch) or a current, times a voltage between two nodes or the current of a branch.
struct ControlledSource : Terminals {
  int branch = -1;  // -1: it is a current
  int control_a = ground, control_b = ground, control_branch = -1;
  double gain = 0;
};
// B sources, and E and G with a formula, in the graph of the circuit.
struct FormulaSource : Terminals {
  int branch = -1;
  Expression value = no_expression;
};
struct Switch : Terminals {
  int control_a = ground, control_b = ground, control_branch = -1;
  double closed = 1, open = 1e-12;  // conductances
  double threshold = 0, hysteresis = 0;
  bool begins_closed = false;
};
template <class Device>
struct Placed {
  Device device;
  std::array<int, Device::terminals> node{};
  int element = 0;
};

// What connects two nodes, for the checks of the topology.
struct Connection {
  enum class Kind { resistive, capacitive, inductive, voltage, current };
  Kind kind;
  int a, b, element;
};

struct MeasureCard {
  std::string name, signal;  // signal: v or i
  RunResultWish::What what = RunResultWish::What::average;
  std::vector<int> unknowns;  // one, or two for a difference; -1 for ground
  const Card* card = nullptr;
  std::optional<double> from, to;
};

// The .pss line: what is known of the steady state that --want steady asks for.
struct SteadyCard {
  double period = 0;  // 0: that of the sources, or that of the oscillation
  int node = ground;  // whose voltage shows the oscillation; ground: any
  const Card* card = nullptr;
};

// The .envelope line, for --want envelope; 0: not given.
struct EnvelopeCard {
  double period = 0, stop = 0, tolerance = 0;
  const Card* card = nullptr;
};

struct CircuitOptions {
  double reltol = 1e-4, abstol = 1e-12, vntol = 1e-6, gmin = 1e-12, temperature = 27;
};

struct Circuit {
  std::vector<ElementOrigin> origins;
  std::vector<std::string> nodes, branches;  // names, without ground; branches by the name of their element
  std::map<std::string, int> node_numbers, branch_numbers;
  std::vector<const Card*> node_cards;  // that name a node first

  std::vector<Resistor> resistors;
  std::vector<Capacitor> capacitors;
  std::vector<Inductor> inductors;
  std::vector<Coupling> couplings;
  std::vector<VoltageSource> voltages;
  std::vector<CurrentSource> currents;
  std::vector<ControlledSource> controlled;
  std::vector<FormulaSource> formulas;
  std::vector<Switch> switches;
  std::vector<Placed<JunctionDiode>> diodes;
  std::vector<Placed<BipolarTransistor>> bipolars;
  std::vector<Placed<MosTransistor>> transistors;
  std::vector<Connection> connections;
  ExpressionGraph graph;

  std::map<int, double> given_voltages;  // .ic, by node
  TransientCard transient;
  SteadyCard steady;
  EnvelopeCard envelope;
  CircuitOptions options;
  std::vector<MeasureCard> measures;
  std::vector<std::string> notes;
  std::vector<Parameter> parameters;

  const ElementOrigin& origin(const Terminals& t) const { return origins[static_cast<std::size_t>(t.element)]; }
  int unknowns() const { return static_cast<int>(nodes.size() + branches.size()); }
  // The place of a branch current among all unknowns, which are voltages first.
  int unknown_of_branch(int branch) const { return static_cast<int>(nodes.size()) + branch; }
};
}  // namespace trill
