// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/program.hpp"
#include "model/netlist/circuit.hpp"
#include "trill/linalg/matrix_slot.hpp"

#include <optional>

namespace trill {
// The equations of a circuit by modified nodal analysis, d/dt charge(x) + current(t, x) = 0. Unknowns are the voltages
// of the nodes, then the currents of voltage sources and inductors. Row k belongs to unknown k: the currents that leave
// a node add up to zero, and the voltage across a branch is what the branch says. Charges of nodes are those of
// capacitors and junctions, those of inductors their fluxes.
class CircuitEquations {
 public:
  explicit CircuitEquations(std::shared_ptr<const Circuit> circuit);

  // What a run and the search for an operating point may change.
  struct Setting {
    std::vector<int> closed;  // 1 for every switch that is closed
    double sources = 1;       // share of the independent sources
    double shunt = 0;         // conductance from every node to ground
    double hold = 0;          // conductance that holds the nodes of .ic at their voltages
    // How much later every source is seen than the circuit: voltage sources, then current sources.
    std::vector<double> ahead;
  };
  Setting setting;

  const Circuit& circuit() const { return *circuit_; }
  Index size() const { return static_cast<Index>(circuit_->unknowns()); }
  const MatrixSlot& pattern() const { return pattern_; }
  void charge(In x, Out c) const;
  void current(double t, In x, Out i) const;
  void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const;
  // The first formula whose value at equal unknowns is another one at t + time.
  std::optional<std::size_t> formula_that_changes(double t, double time, In x) const;
  // The controlling voltage or current of a switch.
  double control(const Switch& s, In x) const;

 private:
  struct Entry {
    Index row, col, place;
    double value;
  };
  // A device with the places of its derivatives among the stored values; -1 at ground.
  template <class Device>
  struct Stamp {
    Device device;
    std::array<Index, Device::terminals> unknown{};
    std::array<Index, Device::terminals * Device::terminals> place{};
  };
  struct SwitchStamp {
    Index a, b;
    std::array<Index, 4> place{};
    double closed, open;
  };
  struct FormulaStamp {
    std::array<Index, 2> rows{};  // with the signs + and -; a branch equation has one
    double sign = 1;
  };
  struct FormulaPartial {
    std::array<Index, 2> places{};
    double sign = 1;
  };

  void add_linear();
  void add_conductance(int a, int b, double g, std::vector<Entry>& entries);
  void add_branch(int a, int b, int branch, double sign = 1);
  void add_entry(std::vector<Entry>& entries, Index row, Index col, double value);
  template <class Device>
  std::vector<Stamp<Device>> stamps_of(const std::vector<Placed<Device>>& placed);
  void add_formulas();
  void make_pattern();
  template <class Visit>
  void visit_devices(Visit visit) const;

  std::shared_ptr<const Circuit> circuit_;
  std::vector<Entry> conductances_, capacitances_;
  std::vector<Stamp<JunctionDiode>> diodes_;
  std::vector<Stamp<BipolarTransistor>> bipolars_;
  std::vector<Stamp<MosTransistor>> transistors_;
  std::vector<SwitchStamp> switches_;
  std::vector<FormulaStamp> formulas_;
  std::vector<FormulaPartial> partials_;
  std::vector<std::pair<Index, Index>> partial_of_;  // formula and unknown of every partial derivative
  std::shared_ptr<const Program> values_program_, partials_program_;
  mutable Evaluator values_, slopes_;
  MatrixSlot pattern_;
  std::vector<Index> diagonal_;  // places of the diagonal entries of the nodes
};
}  // namespace trill
