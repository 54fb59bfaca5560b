// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/topology.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace trill {
namespace {
using Kind = Connection::Kind;
constexpr std::size_t most_named = 8;

// Nodes joined into groups; ground is number 0.
class NodeGroups {
 public:
  explicit NodeGroups(const Circuit& circuit) : next_(circuit.nodes.size() + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  // false: both were in one group already.
  bool join(int a, int b) {
    const std::size_t i = head(a), j = head(b);
    next_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }
  bool together(int a, int b) { return head(a) == head(b); }

 private:
  std::size_t head(int node) {
    auto i = static_cast<std::size_t>(node + 1);
    while (next_[i] != i) i = next_[i] = next_[next_[i]];
    return i;
  }
  std::vector<std::size_t> next_;
};

NodeGroups joined_by(const Circuit& circuit, std::initializer_list<Kind> kinds) {
  NodeGroups groups(circuit);
  for (const Connection& c : circuit.connections)
    if (std::find(kinds.begin(), kinds.end(), c.kind) != kinds.end()) groups.join(c.a, c.b);
  return groups;
}

const ElementOrigin& origin_of(const Circuit& circuit, const Connection& c) {
  return circuit.origins[static_cast<std::size_t>(c.element)];
}

std::string listed(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const bool more = names.size() > most_named;
  if (more) names.resize(most_named);
  return join(names, ", ") + (more ? ", ..." : "");
}

// The first node that is not in the group of ground, or nothing.
std::optional<int> node_apart(const Circuit& circuit, NodeGroups& groups) {
  for (int n = 0; n < static_cast<int>(circuit.nodes.size()); ++n)
    if (!groups.together(n, ground)) return n;
  return std::nullopt;
}

// The elements of some kinds between the group of a node and the rest.
std::string border(const Circuit& circuit, NodeGroups& groups, int node) {
  std::vector<std::string> names;
  for (const Connection& c : circuit.connections)
    if (groups.together(c.a, node) != groups.together(c.b, node)) names.push_back(origin_of(circuit, c).name);
  return listed(std::move(names));
}

void refuse_apart(const Circuit& circuit, NodeGroups groups, const char* message) {
  const auto node = node_apart(circuit, groups);
  if (!node) return;
  const auto n = static_cast<std::size_t>(*node);
  throw circuit.node_cards[n]->error(
      0, fmt::format(fmt::runtime(message), circuit.nodes[n], border(circuit, groups, *node)));
}

// The elements on the way from a to b among the first `count` connections of these kinds.
std::vector<std::string> way_between(const Circuit& circuit, std::size_t count, std::initializer_list<Kind> kinds,
                                     int a, int b) {
  const auto place = [](int node) { return static_cast<std::size_t>(node + 1); };
  std::vector<std::vector<std::size_t>> at_node(circuit.nodes.size() + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Connection& c = circuit.connections[i];
    if (std::find(kinds.begin(), kinds.end(), c.kind) == kinds.end()) continue;
    at_node[place(c.a)].push_back(i);
    at_node[place(c.b)].push_back(i);
  }
  std::vector<std::size_t> from(circuit.nodes.size() + 1, circuit.connections.size());
  std::vector<int> open{a};
  for (std::size_t k = 0; k < open.size(); ++k)
    for (const std::size_t i : at_node[place(open[k])]) {
      const Connection& c = circuit.connections[i];
      const int there = c.a == open[k] ? c.b : c.a;
      if (there == a || from[place(there)] < circuit.connections.size()) continue;
      from[place(there)] = i;
      open.push_back(there);
    }
  std::vector<std::string> names;
  for (int at = b; at != a && from[place(at)] < circuit.connections.size();) {
    const Connection& c = circuit.connections[from[place(at)]];
    names.push_back(origin_of(circuit, c).name);
    at = c.a == at ? c.b : c.a;
  }
  return names;
}

void refuse_loops(const Circuit& circuit, std::initializer_list<Kind> kinds, const char* message) {
  NodeGroups groups(circuit);
  for (std::size_t i = 0; i < circuit.connections.size(); ++i) {
    const Connection& c = circuit.connections[i];
    if (std::find(kinds.begin(), kinds.end(), c.kind) == kinds.end() || groups.join(c.a, c.b)) continue;
    const ElementOrigin& origin = origin_of(circuit, c);
    const std::string others = c.a == c.b ? "" : listed(way_between(circuit, i, kinds, c.a, c.b));
    throw origin.card->error(0, c.a == c.b ? fmt::format("both ends of '{}' are at the same node", origin.name)
                                           : fmt::format(fmt::runtime(message), origin.name, others));
  }
}
}  // namespace

void check_topology(const Circuit& circuit) {
  const bool grounded = std::any_of(circuit.connections.begin(), circuit.connections.end(),
                                    [](const Connection& c) { return c.a == ground || c.b == ground; });
  if (!circuit.connections.empty() && circuit.nodes.empty())
    throw origin_of(circuit, circuit.connections[0]).card->error(0, "this circuit has no node but ground");
  if (!circuit.connections.empty() && !grounded)
    throw origin_of(circuit, circuit.connections[0]).card->error(0, "no element is connected to ground, the node 0");
  refuse_apart(circuit,
               joined_by(circuit, {Kind::resistive, Kind::capacitive, Kind::inductive, Kind::voltage, Kind::current}),
               "the node '{}' floats: no element connects it with ground");
  refuse_loops(circuit, {Kind::voltage}, "'{}' closes a loop of voltage sources with {}");
  refuse_apart(circuit, joined_by(circuit, {Kind::resistive, Kind::capacitive, Kind::inductive, Kind::voltage}),
               "the node '{}' is connected with ground by current sources alone: {}");
  refuse_apart(
      circuit, joined_by(circuit, {Kind::resistive, Kind::capacitive, Kind::voltage}),
      "the node '{}' is connected with ground by inductors alone: {}; a large resistor in parallel to one of them "
      "determines its voltage");
  if (circuit.transient.uses_given_start) return;
  refuse_apart(
      circuit, joined_by(circuit, {Kind::resistive, Kind::inductive, Kind::voltage}),
      "the node '{}' has no path for direct current to ground, beyond {}; connect it by a resistor, or begin the "
      "run with 'uic'");
  refuse_loops(circuit, {Kind::voltage, Kind::inductive},
               "'{}' closes a loop of voltage sources and inductors with {}, in which the direct current is not "
               "determined; add a resistor, or begin the run with 'uic'");
}

std::vector<int> branches_across_capacitors(const Circuit& circuit) {
  NodeGroups groups = joined_by(circuit, {Kind::capacitive});
  std::vector<int> found;
  for (const Connection& c : circuit.connections)
    if (c.kind == Kind::voltage && !groups.join(c.a, c.b))
      found.push_back(circuit.branch_numbers.at(origin_of(circuit, c).name));
  return found;
}
}  // namespace trill
