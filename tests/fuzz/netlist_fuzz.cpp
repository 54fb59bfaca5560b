// SPDX-License-Identifier: BSD-3-Clause
// Whatever a netlist contains, it gives a circuit whose functions can be evaluated, or it is refused.
#include "model/netlist/circuit_builder.hpp"
#include "model/netlist/netlist_problem.hpp"
#include "model/netlist/topology.hpp"
#include "time_limit.hpp"

#include <cstdlib>

namespace {
using namespace trill;
constexpr int most_unknowns = 40;  // largest circuit whose start is computed

void evaluate(const NetlistProblem& p) {
  const State s = p.initial_state();
  const Index n = p.layout().nq;
  if (s.y.size() != n || static_cast<Index>(p.components().size()) != n) std::abort();
  Vec charge(n), current(n);
  MatrixSlot dcharge = p.jacobian_pattern(), dcurrent = p.jacobian_pattern();
  p.charge(s.y, charge);
  p.current(s.t, s.y, current);
  p.jacobians(s.t, s.y, dcharge, dcurrent);
  for (int k = 0; k < static_cast<int>(p.events().size()); ++k) p.event_value(k, s);
  p.clock_period();
  p.breakpoints(0, 1e-6);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TimeLimit limit;
  try {
    const CardDeck deck = read_cards(ModelFolder(), "fuzz.cir", {reinterpret_cast<const char*>(data), size});
    NetlistStatements statements;
    sort_cards(deck, statements);
    const std::map<std::string, double> given;
    const auto circuit = std::make_shared<const Circuit>(CircuitBuilder(statements, given).build());
    check_topology(*circuit);
    if (circuit->unknowns() <= most_unknowns && !circuit->connections.empty())
      evaluate(NetlistProblem("fuzz", circuit, 0));
  } catch (const UsageError&) {
  }
  return 0;
}
