// SPDX-License-Identifier: BSD-3-Clause
// The elements without semiconductors: two nodes and a value.
#include "base/text.hpp"
#include "model/netlist/circuit_builder.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_coupled = 50;

// What names in the formula of a source mean, seen from the subcircuit where it stands.
class SourceNames final : public SpiceNames {
 public:
  SourceNames(const Circuit& circuit, const ParameterScope& scope, const std::map<std::string, int>& ports,
              const std::string& prefix)
      : circuit_(circuit), scope_(scope), ports_(ports), prefix_(prefix) {}
  std::optional<double> parameter(const std::string& name) const override {
    if (name == "temper") return circuit_.options.temperature;
    return scope_.parameter(name);
  }
  std::vector<std::string> known() const override { return scope_.known(); }
  bool allows_unknowns() const override { return true; }
  std::optional<int> voltage(const std::string& node) const override {
    if (node == "0" || node == "gnd") return ground;
    if (const auto it = ports_.find(node); it != ports_.end()) return it->second;
    for (const std::string& name : {prefix_ + node, node})
      if (const auto it = circuit_.node_numbers.find(name); it != circuit_.node_numbers.end()) return it->second;
    return std::nullopt;
  }
  std::optional<int> current(const std::string& element) const override {
    for (const std::string& name : {prefix_ + element, element})
      if (const auto it = circuit_.branch_numbers.find(name); it != circuit_.branch_numbers.end())
        return circuit_.unknown_of_branch(it->second);
    return std::nullopt;
  }

 private:
  const Circuit& circuit_;
  const ParameterScope& scope_;
  const std::map<std::string, int>& ports_;
  const std::string& prefix_;
};
}  // namespace

void CircuitBuilder::read_two_nodes(Reading& r) {
  r.terminals.a = node(r.frame, r.words.take_name(fmt::format("the first node of '{}'", r.name)).text);
  r.terminals.b = node(r.frame, r.words.take_name(fmt::format("the second node of '{}'", r.name)).text);
}

void CircuitBuilder::end(Reading& r) {
  if (!r.words.done()) r.words.expect(fmt::format("the end of the statement of '{}'", r.name));
}

// A value that must not be 0: an element without it would be a wire or nothing at all.
double CircuitBuilder::positive(Reading& r, const std::string& what) {
  for (const std::string_view name : {"r", "c", "l"})
    if (r.words.at_assignment() && r.words.peek().text == name) {
      r.words.take();
      r.words.take();
    }
  const Word at = r.words.peek();
  const double value = r.frame.scope.number(r.words, fmt::format("the {} of '{}'", what, r.name));
  if (value == 0)
    r.words.fail(at, fmt::format("the {} of '{}' is 0; take the element out, or connect its nodes", what, r.name));
  return value;
}

std::optional<double> CircuitBuilder::start_value(Reading& r) {
  std::optional<double> start;
  while (!r.words.done()) {
    const Word name = r.words.take_name("'ic=value' or the end of the statement");
    if (!r.words.take_if(Word::Kind::equals)) r.words.expect(fmt::format("'=' after '{}'", name.text));
    const double value = r.frame.scope.number(r.words, fmt::format("the value of '{}'", name.text));
    if (name.text == "ic")
      start = value;
    else if (name.text != "temp" && name.text != "dtemp")
      r.words.fail(name, fmt::format("'{}' has no '{}'; 'ic' is known", r.name, name.text));
  }
  return start;
}

void CircuitBuilder::resistor(Reading& r) {
  read_two_nodes(r);
  const double value = positive(r, "resistance");
  circuit_.resistors.push_back({r.terminals, value});
  connect(Connection::Kind::resistive, r.terminals.a, r.terminals.b, r);
  while (!r.words.done() && r.words.at_assignment()) {  // coefficients of temperature and noise
    const Word name = r.words.take();
    r.words.take();
    r.frame.scope.number(r.words, "a number");
    if (name.text != "temp" && name.text != "noisy" && name.text != "tc" && name.text != "tc1" && name.text != "tc2")
      r.words.fail(name, fmt::format("a resistor has no '{}'", name.text));
    circuit_.notes.push_back(fmt::format("{}: '{}' of '{}' is left out", r.words.card().place(), name.text, r.name));
  }
  end(r);
}

void CircuitBuilder::capacitor(Reading& r) {
  read_two_nodes(r);
  const double value = positive(r, "capacitance");
  if (value < 0) r.words.fail(fmt::format("the capacitance of '{}' is negative", r.name));
  circuit_.capacitors.push_back({r.terminals, value, start_value(r)});
  connect(Connection::Kind::capacitive, r.terminals.a, r.terminals.b, r);
}

void CircuitBuilder::inductor(Reading& r) {
  read_two_nodes(r);
  const double value = positive(r, "inductance");
  if (value < 0) r.words.fail(fmt::format("the inductance of '{}' is negative", r.name));
  const int own = branch(r);
  inductor_of_branch_[own] = static_cast<int>(circuit_.inductors.size());
  circuit_.inductors.push_back({r.terminals, own, value, start_value(r)});
  connect(Connection::Kind::inductive, r.terminals.a, r.terminals.b, r);
}

// Kname L1 L2 ... k
void CircuitBuilder::coupling(Reading& r) {
  std::vector<Word> names;
  while (r.words.peek().is(Word::Kind::name) && r.words.peek().text[0] == 'l') names.push_back(r.words.take());
  if (names.size() < 2) r.words.expect("the names of two or more inductors");
  if (names.size() > most_coupled)
    r.words.fail(fmt::format("at most {} inductors can be coupled by one element", most_coupled));
  for (std::size_t k = 1; k < names.size(); ++k)
    for (std::size_t j = 0; j < k; ++j)
      if (names[j].text == names[k].text)
        r.words.fail(names[k], fmt::format("'{}' cannot be coupled to itself", names[k].text));
  const Word at = r.words.peek();
  const double k = r.frame.scope.number(r.words, fmt::format("the coupling of '{}'", r.name));
  if (!(std::abs(k) <= 1) || k == 0)
    r.words.fail(at, fmt::format("a coupling lies between -1 and 1 and is not 0; this one is {:g}", k));
  if (std::abs(k) == 1)
    r.words.fail(at, "a coupling of 1 leaves no flux of its own to the inductors; write 0.9999, for example");
  end(r);
  later([this, names, k, &frame = r.frame, &card = r.words.card()] {
    std::vector<int> found;
    for (const Word& name : names) {
      const auto branch = circuit_.branch_numbers.find(frame.prefix + name.text);
      if (branch == circuit_.branch_numbers.end())
        throw card.error(name.at, fmt::format("there is no inductor '{}'", name.text));
      found.push_back(inductor_of_branch_.at(branch->second));
    }
    const auto inductance = [&](std::size_t i) {
      return circuit_.inductors[static_cast<std::size_t>(found[i])].inductance;
    };
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        circuit_.couplings.push_back({{found[i], found[j]}, k * std::sqrt(inductance(i) * inductance(j))});
  });
}

void CircuitBuilder::voltage_source(Reading& r) {
  read_two_nodes(r);
  const int own = branch(r);
  circuit_.voltages.push_back({r.terminals, own, Waveform::read(r.words, r.frame.scope, circuit_.transient)});
  connect(Connection::Kind::voltage, r.terminals.a, r.terminals.b, r);
}

void CircuitBuilder::current_source(Reading& r) {
  read_two_nodes(r);
  circuit_.currents.push_back({r.terminals, Waveform::read(r.words, r.frame.scope, circuit_.transient)});
  connect(Connection::Kind::current, r.terminals.a, r.terminals.b, r);
}

// E G: nodes, controlling nodes, gain.   F H: nodes, controlling source, gain.   E G also with value={formula}.
void CircuitBuilder::controlled_source(Reading& r, char kind) {
  read_two_nodes(r);
  const bool is_voltage = kind == 'e' || kind == 'h', by_current = kind == 'f' || kind == 'h';
  const Word next = r.words.peek();
  if (next.text == "poly" || next.text == "table" || next.text == "laplace" || next.text == "pwl")
    r.words.fail(fmt::format("'{}' is not known; write a formula, value={{...}}, or use a B source", next.text));
  if (!by_current && (next.text == "value" || next.text == "vol" || next.text == "cur")) {
    r.words.take();
    r.words.take_if(Word::Kind::equals);
    return formula_source(r, is_voltage, r.words.rest());
  }
  ControlledSource source;
  static_cast<Terminals&>(source) = r.terminals;
  if (is_voltage) source.branch = branch(r);
  connect(is_voltage ? Connection::Kind::voltage : Connection::Kind::current, r.terminals.a, r.terminals.b, r);
  Word control;
  if (by_current) {
    control = r.words.take_name("the name of the voltage source whose current controls this source");
  } else {
    source.control_a = node(r.frame, r.words.take_name("the first controlling node").text);
    source.control_b = node(r.frame, r.words.take_name("the second controlling node").text);
  }
  source.gain = r.frame.scope.number(r.words, fmt::format("the gain of '{}'", r.name));
  end(r);
  circuit_.controlled.push_back(source);
  if (by_current)
    later([this, control, place = circuit_.controlled.size() - 1, &frame = r.frame, &card = r.words.card()] {
      circuit_.controlled[place].control_branch = find_branch(frame, control, card);
    });
}

void CircuitBuilder::formula_source(Reading& r, bool is_voltage, const Word& text) {
  FormulaSource source;
  static_cast<Terminals&>(source) = r.terminals;
  if (is_voltage) source.branch = branch(r);
  connect(is_voltage ? Connection::Kind::voltage : Connection::Kind::current, r.terminals.a, r.terminals.b, r);
  circuit_.formulas.push_back(source);
  later([this, text, place = circuit_.formulas.size() - 1, &frame = r.frame, &card = r.words.card()] {
    const SourceNames names(circuit_, frame.scope, frame.ports, frame.prefix);
    circuit_.formulas[place].value = parse_spice({&card, text.at, text.text}, circuit_.graph, names);
  });
}

// Bname nodes V=formula or I=formula
void CircuitBuilder::free_source(Reading& r) {
  read_two_nodes(r);
  const Word kind = r.words.take_name("'V=' or 'I='");
  if ((kind.text != "v" && kind.text != "i") || !r.words.take_if(Word::Kind::equals))
    r.words.fail(kind, "'V=' or 'I=' with a formula behind it is expected here");
  formula_source(r, kind.text == "v", r.words.rest());
}

// Sname nodes controlling-nodes model [on|off]     Wname nodes controlling-source model [on|off]
void CircuitBuilder::switch_element(Reading& r, bool by_current) {
  read_two_nodes(r);
  Switch s;
  static_cast<Terminals&>(s) = r.terminals;
  Word control;
  if (by_current) {
    control = r.words.take_name("the name of the voltage source whose current controls this switch");
  } else {
    s.control_a = node(r.frame, r.words.take_name("the first controlling node").text);
    s.control_b = node(r.frame, r.words.take_name("the second controlling node").text);
  }
  const DeviceModel& m = by_current ? model(r, {"csw"}) : model(r, {"sw"});
  s.closed = 1 / m.value("ron");
  s.open = 1 / m.value("roff");
  s.threshold = m.value(by_current ? "it" : "vt");
  s.hysteresis = m.value(by_current ? "ih" : "vh");
  s.begins_closed = r.words.take_if("on");
  r.words.take_if("off");
  end(r);
  connect(Connection::Kind::resistive, r.terminals.a, r.terminals.b, r);
  circuit_.switches.push_back(s);
  if (by_current)
    later([this, control, place = circuit_.switches.size() - 1, &frame = r.frame, &card = r.words.card()] {
      circuit_.switches[place].control_branch = find_branch(frame, control, card);
    });
}
}  // namespace trill
