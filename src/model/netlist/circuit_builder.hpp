// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/device_model.hpp"
#include "model/netlist/netlist_block.hpp"

#include <deque>
#include <functional>
#include <set>

namespace trill {
// Expands subcircuits and turns element cards into the elements of a circuit.
class CircuitBuilder {
 public:
  // given: values for parameters of the top level, by name.
  CircuitBuilder(const NetlistStatements& statements, const std::map<std::string, double>& given);
  Circuit build();

 private:
  // One use of a block: the netlist itself, or an instance of a subcircuit.
  struct Frame {
    Frame(const NetlistBlock& b, const Frame* around, const ParameterScope* scope_around)
        : block(b), outer(around), scope(scope_around) {}
    const NetlistBlock& block;
    const Frame* outer;
    ParameterScope scope;
    std::string prefix;                // "x1.x2."
    std::map<std::string, int> ports;  // nodes that are those of the outside
    std::map<std::string, DeviceModel> models;
    int depth = 0;
  };
  // An element card that is being read.
  struct Reading {
    Frame& frame;
    WordReader words;
    std::string name;  // of the element, with the prefix
    Terminals terminals;
  };

  // circuit_builder.cpp
  void read_cards();
  void read_transient(const Card& card);
  void read_steady(const Card& card);
  void read_envelope(const Card& card);
  void read_options(const Card& card);
  void read_given_voltages(const Card& card);
  void read_measure(const Card& card);
  void expand(Frame& frame);
  void define_parameters(Frame& frame);
  void read_element(Frame& frame, const Card& card);
  void instance(Reading& r);
  const NetlistBlock* find_subcircuit(const Frame& frame, const std::string& name) const;
  const DeviceModel* find_model(const Frame& frame, const std::string& name) const;
  const DeviceModel& model(Reading& r, std::initializer_list<std::string_view> types);
  int node(const Frame& frame, const std::string& name);
  int inner_node(const Reading& r, const std::string& name);
  int branch(const Reading& r);
  int find_branch(const Frame& frame, const Word& name, const Card& card) const;
  void connect(Connection::Kind kind, int a, int b, const Reading& r);
  void later(std::function<void()> what) { pending_.push_back(std::move(what)); }

  // element_reader.cpp
  void read_two_nodes(Reading& r);
  double positive(Reading& r, const std::string& what);
  std::optional<double> start_value(Reading& r);
  void resistor(Reading& r);
  void capacitor(Reading& r);
  void inductor(Reading& r);
  void coupling(Reading& r);
  void voltage_source(Reading& r);
  void current_source(Reading& r);
  void controlled_source(Reading& r, char kind);
  void formula_source(Reading& r, bool is_voltage, const Word& text);
  void free_source(Reading& r);
  void switch_element(Reading& r, bool by_current);
  void end(Reading& r);
  // device_reader.cpp
  void diode(Reading& r);
  void bipolar(Reading& r);
  void transistor(Reading& r);
  int behind_resistance(const Reading& r, int outside, double resistance, const std::string& name);

  const NetlistStatements& statements_;
  const std::map<std::string, double>& given_;
  Circuit circuit_;
  std::deque<Frame> frames_;
  std::vector<std::function<void()>> pending_;
  std::map<std::string, const Card*> names_;  // of elements, to find the second of two
  std::set<std::string> global_nodes_;
  std::map<int, int> inductor_of_branch_;
  std::size_t characters_ = 0;  // of the statements expanded so far
  const Card* card_ = nullptr;  // the element card that is being read
};
}  // namespace trill
