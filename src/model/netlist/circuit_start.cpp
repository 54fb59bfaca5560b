// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_start.hpp"

#include "model/netlist/circuit_leap.hpp"
#include "problem/consistent_charges.hpp"
#include "trill/linalg/newton.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double hold_conductance = 1e6;  // with which .ic holds its nodes while the operating point is computed
constexpr double first_shunt = 1e-2, last_shunt = 1e-13;
constexpr double smallest_increment = 1e-7;  // of the share of the sources

// current(t, x) = 0: nothing changes, capacitors carry no current and inductors no voltage.
class OperatingPoint final : public MatrixSystem {
 public:
  OperatingPoint(const CircuitProblem& problem, double t)
      : MatrixSystem(problem.jacobian_pattern()),
        problem_(problem),
        t_(t),
        dcharge_(problem.jacobian_pattern()),
        wanted_(Vec::Zero(dcharge_.rows())) {}
  void residual(In x, Out r) override { problem_.current(t_, x, r); }
  void jacobian(In x, MatrixSlot& j) override { problem_.jacobians(t_, x, dcharge_, j); }
  bool limit(In x, Out step) override {
    wanted_ = x + step;
    problem_.limit(x, wanted_);
    const Vec limited = wanted_ - x;
    if ((x + step - wanted_).cwiseAbs().maxCoeff() > 0) step = limited;
    return true;
  }

 private:
  const CircuitProblem& problem_;
  double t_;
  MatrixSlot dcharge_;
  Vec wanted_;
};

class StartSearch {
 public:
  StartSearch(const CircuitProblem& problem, CircuitEquations& equations, double t)
      : problem_(problem), equations_(equations), t_(t), circuit_(equations.circuit()), normal_(equations.setting) {}
  ~StartSearch() { equations_.setting = normal_; }
  StartSearch(const StartSearch&) = delete;
  StartSearch& operator=(const StartSearch&) = delete;

  Vec operating_point() {
    Vec x = Vec::Zero(equations_.size());
    equations_.setting.hold = circuit_.given_voltages.empty() ? 0 : hold_conductance;
    for (const auto& [node, value] : circuit_.given_voltages) x[node] = value;
    const Vec guess = x;
    if (solve(x) || (x = guess, lower_shunt(x)) || (x = guess, raise_sources(x))) return x;
    equations_.setting.sources = 1;
    if (x = guess; come_to_rest(problem_, equations_, t_, x)) return x;
    OperatingPoint system(problem_, t_);
    Vec r = x;
    system.residual(x, r);
    Index worst = 0;
    r.cwiseAbs().maxCoeff(&worst);
    throw failure(fmt::format(
        "no operating point was found, neither directly nor by steps of conductances or of the sources nor as the "
        "state in which the circuit comes to rest; the largest error is in {}. Give voltages near it by '.ic', or "
        "begin the run with 'uic'",
        problem_.equation_name(worst)));
  }

  Vec given_start() {
    const Vec guess = given_values();
    Vec x = guess;
    auto status = settle(x);
    for (double shunt = first_shunt; status != ConsistentCharges::Status::ok && shunt > last_shunt; shunt *= 0.1) {
      equations_.setting.shunt = shunt;
      settle(x);
      equations_.setting.shunt = 0;
      if (shunt <= 1e-6) status = settle(x);
    }
    if (status == ConsistentCharges::Status::ok) return x;
    ConsistentCharges charges(problem_, t_, guess);
    throw failure(describe_failure(problem_, charges, status, t_, guess));
  }

 private:
  ModelError failure(const std::string& message) const {
    if (circuit_.transient.card) return circuit_.transient.card->error(0, message);
    return ModelError(message);
  }

  bool solve(Vec& x) {
    OperatingPoint system(problem_, t_);
    Newton newton(x.size(), {.tolerance = 1e-3, .max_iterations = 200, .max_rate = 1e3, .rounding = 1, .stalls = 2});
    Vec weights = Vec::Constant(x.size(), 1e6);
    Vec trial = x;
    if (!newton.solve(system, trial, weights).converged) return false;
    weights = (1e-9 + 1e-9 * trial.cwiseAbs().array()).inverse();
    newton.set_options({.tolerance = 1e-3, .max_iterations = 20, .max_rate = 1e3, .rounding = 1e3, .stalls = 2});
    newton.solve(system, trial, weights);  // what it cannot improve is rounding
    x = trial;
    return true;
  }
  bool lower_shunt(Vec& x) {
    for (double shunt = first_shunt; shunt > last_shunt; shunt *= 0.1) {
      equations_.setting.shunt = shunt;
      if (!solve(x)) break;
    }
    equations_.setting.shunt = 0;
    return solve(x);
  }
  bool raise_sources(Vec& x) {
    double share = 0, increment = 0.1;
    equations_.setting.sources = 0;
    if (!solve(x)) return false;
    while (share < 1) {
      const double next = std::min(1.0, share + increment);
      equations_.setting.sources = next;
      if (solve(x)) {
        share = next;
        increment *= 2;
      } else if ((increment *= 0.25) < smallest_increment) {
        equations_.setting.sources = 1;
        return false;
      }
    }
    return true;
  }

  ConsistentCharges::Status settle(Vec& x) { return ConsistentCharges(problem_, t_, x).settle(t_, x); }

  // Voltages of nodes such that capacitors have their given voltages: first the nodes whose voltage is known, then
  // along voltage sources, capacitors with a given voltage, and the other capacitors, which begin without charge.
  Vec given_values() {
    Vec x = Vec::Zero(equations_.size());
    std::vector<bool> known(circuit_.nodes.size() + 1, false);
    known[0] = true;
    for (const auto& [node, value] : circuit_.given_voltages) {
      x[node] = value;
      known[static_cast<std::size_t>(node + 1)] = true;
    }
    const auto along = [&](int a, int b, double voltage) {
      const auto i = static_cast<std::size_t>(a + 1), j = static_cast<std::size_t>(b + 1);
      if (known[i] == known[j]) return false;
      if (known[i])
        x[b] = (a < 0 ? 0 : x[a]) - voltage;
      else
        x[a] = (b < 0 ? 0 : x[b]) + voltage;
      known[i] = known[j] = true;
      return true;
    };
    const auto spread = [&](bool along_uncharged) {
      for (bool found = true; found;) {
        found = false;
        for (const VoltageSource& v : circuit_.voltages) found = along(v.a, v.b, v.wave(t_)) || found;
        for (const Capacitor& c : circuit_.capacitors)
          if (c.start || along_uncharged) found = along(c.a, c.b, c.start.value_or(0)) || found;
      }
    };
    spread(false);
    // As in SPICE, '.ic' gives a capacitor the difference of the voltages of its nodes, of which one may not be given.
    for (const Capacitor& c : circuit_.capacitors)
      for (const auto& [here, there] : {std::pair(c.a, c.b), std::pair(c.b, c.a)})
        if (!c.start && circuit_.given_voltages.count(here) > 0) known[static_cast<std::size_t>(there + 1)] = true;
    spread(true);
    // Capacitors that nothing else ties to ground.
    for (const Capacitor& c : circuit_.capacitors)
      if (c.start && !known[static_cast<std::size_t>(c.b + 1)]) {
        known[static_cast<std::size_t>(c.b + 1)] = true;
        spread(true);
      }
    for (const Inductor& l : circuit_.inductors) x[circuit_.unknown_of_branch(l.branch)] = l.start.value_or(0);
    return x;
  }

  const CircuitProblem& problem_;
  CircuitEquations& equations_;
  double t_;
  const Circuit& circuit_;
  CircuitEquations::Setting normal_;
};
}  // namespace

Vec circuit_start(const CircuitProblem& problem, CircuitEquations& equations, double t) {
  StartSearch search(problem, equations, t);
  return equations.circuit().transient.uses_given_start ? search.given_start() : search.operating_point();
}
}  // namespace trill
