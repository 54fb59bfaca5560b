// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_equations.hpp"

#include "model/expression/derivative.hpp"
#include "model/netlist/topology.hpp"
#include "trill/model/dual.hpp"

#include <utility>

namespace trill {
namespace {
constexpr double least_change = 1e-3;      // of a formula, relative; periods in netlists are rounded
constexpr Index most_dense_unknowns = 16;  // matrices of larger circuits are sparse
// In series with voltage sources that form a loop with capacitors: such a loop without any resistance would make the
// current of the source the derivative of its voltage.
constexpr double loop_resistance = 1e-6;

double at(In x, Index k) { return k < 0 ? 0 : x[k]; }
void add_at(Out y, Index k, double value) {
  if (k >= 0) y[k] += value;
}

template <class T, std::size_t n>
std::array<T, n> voltages_at(In x, const std::array<Index, n>& unknown) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    if constexpr (std::is_same_v<T, double>)
      return std::array<T, n>{at(x, unknown[k])...};
    else
      return std::array<T, n>{T::template unknown<k>(at(x, unknown[k]))...};
  }
  (std::make_index_sequence<n>());
}
}  // namespace

CircuitEquations::CircuitEquations(std::shared_ptr<const Circuit> circuit) : circuit_(std::move(circuit)) {
  for (const Switch& s : circuit_->switches) setting.closed.push_back(s.begins_closed);
  setting.ahead.assign(circuit_->voltages.size() + circuit_->currents.size(), 0.0);
  add_linear();
  diodes_ = stamps_of(circuit_->diodes);
  bipolars_ = stamps_of(circuit_->bipolars);
  transistors_ = stamps_of(circuit_->transistors);
  for (const Switch& s : circuit_->switches) switches_.push_back({s.a, s.b, {}, s.closed, s.open});
  add_formulas();
  make_pattern();
}

void CircuitEquations::add_entry(std::vector<Entry>& entries, Index row, Index col, double value) {
  if (row >= 0 && col >= 0) entries.push_back({row, col, 0, value});
}

void CircuitEquations::add_conductance(int a, int b, double g, std::vector<Entry>& entries) {
  add_entry(entries, a, a, g);
  add_entry(entries, b, b, g);
  add_entry(entries, a, b, -g);
  add_entry(entries, b, a, -g);
}

// The current of a branch leaves node a and enters node b; its equation begins with the voltage from a to b, or
// from b to a for an inductor, whose flux is then positive.
void CircuitEquations::add_branch(int a, int b, int branch, double sign) {
  const Index k = circuit_->unknown_of_branch(branch);
  add_entry(conductances_, a, k, 1);
  add_entry(conductances_, b, k, -1);
  add_entry(conductances_, k, a, sign);
  add_entry(conductances_, k, b, -sign);
}

void CircuitEquations::add_linear() {
  const Circuit& c = *circuit_;
  for (const Resistor& r : c.resistors) add_conductance(r.a, r.b, 1 / r.resistance, conductances_);
  for (const Capacitor& k : c.capacitors) add_conductance(k.a, k.b, k.capacitance, capacitances_);
  for (const Inductor& l : c.inductors) {
    add_branch(l.a, l.b, l.branch, -1);
    const Index k = c.unknown_of_branch(l.branch);
    add_entry(capacitances_, k, k, l.inductance);
  }
  for (const Coupling& k : c.couplings) {
    const auto branch = [&](std::size_t i) {
      return c.unknown_of_branch(c.inductors[static_cast<std::size_t>(k.inductor[i])].branch);
    };
    add_entry(capacitances_, branch(0), branch(1), k.mutual);
    add_entry(capacitances_, branch(1), branch(0), k.mutual);
  }
  for (const VoltageSource& v : c.voltages) add_branch(v.a, v.b, v.branch);
  for (const ControlledSource& s : c.controlled) {
    std::array<std::pair<Index, double>, 2> rows{{{s.a, 1.0}, {s.b, -1.0}}};
    if (s.branch >= 0) {
      add_branch(s.a, s.b, s.branch);
      rows = {{{c.unknown_of_branch(s.branch), -1.0}, {ground, 0.0}}};
    }
    for (const auto& [row, sign] : rows) {
      if (s.control_branch >= 0) {
        add_entry(conductances_, row, c.unknown_of_branch(s.control_branch), sign * s.gain);
      } else {
        add_entry(conductances_, row, s.control_a, sign * s.gain);
        add_entry(conductances_, row, s.control_b, -sign * s.gain);
      }
    }
  }
  for (const int branch : branches_across_capacitors(c)) {
    const Index k = c.unknown_of_branch(branch);
    add_entry(conductances_, k, k, -loop_resistance);
  }
}

template <class Device>
std::vector<CircuitEquations::Stamp<Device>> CircuitEquations::stamps_of(const std::vector<Placed<Device>>& placed) {
  std::vector<Stamp<Device>> stamps;
  for (const Placed<Device>& p : placed) {
    Stamp<Device> s{p.device, {}, {}};
    std::copy(p.node.begin(), p.node.end(), s.unknown.begin());
    stamps.push_back(s);
  }
  return stamps;
}

void CircuitEquations::add_formulas() {
  ExpressionGraph graph = circuit_->graph;
  std::vector<Expression> values, slopes;
  for (const FormulaSource& f : circuit_->formulas) {
    FormulaStamp stamp{{f.a, f.b}, 1};
    if (f.branch >= 0) {
      add_branch(f.a, f.b, f.branch);
      stamp = {{circuit_->unknown_of_branch(f.branch), ground}, -1};
    }
    for (const Partial& p : gradient(graph, f.value, SymbolKind::coordinate)) {
      partial_of_.emplace_back(static_cast<Index>(formulas_.size()), p.column);
      slopes.push_back(p.value);
    }
    values.push_back(f.value);
    formulas_.push_back(stamp);
  }
  values_program_ = std::make_shared<const Program>(graph, values);
  partials_program_ = std::make_shared<const Program>(graph, slopes);
  values_ = Evaluator(*values_program_);
  slopes_ = Evaluator(*partials_program_);
}

void CircuitEquations::make_pattern() {
  const Index n = size();
  std::vector<Eigen::Triplet<double>> all;
  const auto note = [&](Index i, Index j) {
    if (i >= 0 && j >= 0) all.emplace_back(i, j, 1.0);
  };
  for (Index k = 0; k < n; ++k) note(k, k);
  for (const auto* entries : {&conductances_, &capacitances_})
    for (const Entry& e : *entries) note(e.row, e.col);
  const auto note_block = [&](const auto& unknown) {
    for (const Index i : unknown)
      for (const Index j : unknown) note(i, j);
  };
  visit_devices([&](const auto& s) { note_block(s.unknown); });
  for (const SwitchStamp& s : switches_) note_block(std::array<Index, 2>{s.a, s.b});
  for (const auto& [formula, column] : partial_of_)
    for (const Index row : formulas_[static_cast<std::size_t>(formula)].rows) note(row, column);
  if (n <= most_dense_unknowns) {
    pattern_ = MatrixSlot::dense(n, n);
  } else {
    SpMat sparse(n, n);
    sparse.setFromTriplets(all.begin(), all.end());
    pattern_ = MatrixSlot::sparse(std::move(sparse));
  }

  const auto place = [&](Index i, Index j) {
    return i < 0 || j < 0 ? Index{-1} : pattern_.entry(i, j) - pattern_.values();
  };
  for (auto* entries : {&conductances_, &capacitances_})
    for (Entry& e : *entries) e.place = place(e.row, e.col);
  const auto place_block = [&](const auto& unknown, auto& places) {
    for (std::size_t i = 0, k = 0; i < unknown.size(); ++i)
      for (std::size_t j = 0; j < unknown.size(); ++j, ++k) places[k] = place(unknown[i], unknown[j]);
  };
  for (auto& s : diodes_) place_block(s.unknown, s.place);
  for (auto& s : bipolars_) place_block(s.unknown, s.place);
  for (auto& s : transistors_) place_block(s.unknown, s.place);
  for (auto& s : switches_) place_block(std::array<Index, 2>{s.a, s.b}, s.place);
  for (const auto& [formula, column] : partial_of_) {
    const FormulaStamp& f = formulas_[static_cast<std::size_t>(formula)];
    partials_.push_back({{place(f.rows[0], column), place(f.rows[1], column)}, f.sign});
  }
  for (Index k = 0; k < static_cast<Index>(circuit_->nodes.size()); ++k) diagonal_.push_back(place(k, k));
}

template <class Visit>
void CircuitEquations::visit_devices(Visit visit) const {
  for (const auto& s : diodes_) visit(s);
  for (const auto& s : bipolars_) visit(s);
  for (const auto& s : transistors_) visit(s);
}

void CircuitEquations::charge(In x, Out c) const {
  c.setZero();
  for (const Entry& e : capacitances_) c[e.row] += e.value * x[e.col];
  visit_devices([&](const auto& s) {
    const auto values = s.device(voltages_at<double>(x, s.unknown));
    for (std::size_t k = 0; k < s.unknown.size(); ++k) add_at(c, s.unknown[k], values.charge[k]);
  });
}

void CircuitEquations::current(double t, In x, Out i) const {
  i.setZero();
  for (const Entry& e : conductances_) i[e.row] += e.value * x[e.col];
  visit_devices([&](const auto& s) {
    const auto values = s.device(voltages_at<double>(x, s.unknown));
    for (std::size_t k = 0; k < s.unknown.size(); ++k) add_at(i, s.unknown[k], values.current[k]);
  });
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    const SwitchStamp& s = switches_[k];
    const double through = (setting.closed[k] ? s.closed : s.open) * (at(x, s.a) - at(x, s.b));
    add_at(i, s.a, through);
    add_at(i, s.b, -through);
  }
  auto ahead = setting.ahead.begin();
  for (const VoltageSource& v : circuit_->voltages)
    i[circuit_->unknown_of_branch(v.branch)] -= setting.sources * v.wave(t + *ahead++);
  for (const CurrentSource& s : circuit_->currents) {
    const double value = setting.sources * s.wave(t + *ahead++);
    add_at(i, s.a, value);
    add_at(i, s.b, -value);
  }
  if (!formulas_.empty()) values_.evaluate({.t = t, .q = x.data()});
  for (std::size_t k = 0; k < formulas_.size(); ++k) {
    add_at(i, formulas_[k].rows[0], formulas_[k].sign * values_[k]);
    add_at(i, formulas_[k].rows[1], -formulas_[k].sign * values_[k]);
  }
  if (setting.shunt > 0)
    i.head(static_cast<Index>(diagonal_.size())) += setting.shunt * x.head(static_cast<Index>(diagonal_.size()));
  if (setting.hold > 0)
    for (const auto& [node, value] : circuit_->given_voltages) i[node] += setting.hold * (x[node] - value);
}

void CircuitEquations::jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const {
  dcharge.set_zero();
  dcurrent.set_zero();
  double *c = dcharge.values(), *g = dcurrent.values();
  for (const Entry& e : capacitances_) c[e.place] += e.value;
  for (const Entry& e : conductances_) g[e.place] += e.value;
  visit_devices([&]<class Stamped>(const Stamped& s) {
    constexpr std::size_t n = std::tuple_size_v<decltype(Stamped::unknown)>;
    const auto values = s.device(voltages_at<Dual<static_cast<int>(n)>>(x, s.unknown));
    for (std::size_t i = 0, k = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j, ++k) {
        if (s.place[k] < 0) continue;
        c[s.place[k]] += values.charge[i].slope[j];
        g[s.place[k]] += values.current[i].slope[j];
      }
  });
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    const SwitchStamp& s = switches_[k];
    const double conductance = setting.closed[k] ? s.closed : s.open;
    for (std::size_t p = 0; p < 4; ++p)
      if (s.place[p] >= 0) g[s.place[p]] += p == 0 || p == 3 ? conductance : -conductance;
  }
  if (!partials_.empty()) slopes_.evaluate({.t = t, .q = x.data()});
  for (std::size_t k = 0; k < partials_.size(); ++k) {
    // Where a formula has no slope, as the root of 0, Newton's method goes on without it.
    const double slope = std::isfinite(slopes_[k]) ? partials_[k].sign * slopes_[k] : 0;
    if (partials_[k].places[0] >= 0) g[partials_[k].places[0]] += slope;
    if (partials_[k].places[1] >= 0) g[partials_[k].places[1]] -= slope;
  }
  if (setting.shunt > 0)
    for (const Index place : diagonal_) g[place] += setting.shunt;
  if (setting.hold > 0)
    for (const auto& [node, value] : circuit_->given_voltages)
      g[diagonal_[static_cast<std::size_t>(node)]] += setting.hold;
}

std::optional<std::size_t> CircuitEquations::formula_that_changes(double t, double time, In x) const {
  if (formulas_.empty()) return std::nullopt;
  std::vector<double> now;
  values_.evaluate({.t = t, .q = x.data()});
  for (std::size_t k = 0; k < formulas_.size(); ++k) now.push_back(values_[k]);
  values_.evaluate({.t = t + time, .q = x.data()});
  for (std::size_t k = 0; k < formulas_.size(); ++k)
    if (std::abs(values_[k] - now[k]) > least_change * std::max(std::abs(values_[k]), std::abs(now[k]))) return k;
  return std::nullopt;
}

double CircuitEquations::control(const Switch& s, In x) const {
  if (s.control_branch >= 0) return x[circuit_->unknown_of_branch(s.control_branch)];
  return at(x, s.control_a) - at(x, s.control_b);
}
}  // namespace trill
