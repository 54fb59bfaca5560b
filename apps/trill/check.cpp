// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "formulation/constraint_check.hpp"
#include "linalg/row_rank.hpp"
#include "problem/consistent_charges.hpp"
#include "terminal.hpp"
#include "trill/problem/langevin.hpp"
#include "words.hpp"

#include <fmt/format.h>

namespace trill::cli {
namespace {
using Rows = std::vector<std::vector<std::string>>;

void list_forces(const MechanicalProblem& problem, const State& s, Rows& rows) {
  Groups bit = 1;
  for (const GroupInfo& group : problem.groups()) {
    const auto energy = problem.potential(bit, s.t, s.q());
    rows.push_back({"forces '" + group.name + "'",
                    fmt::format("{}, {}", group.fast ? "fast" : "slow",
                                energy ? fmt::format("energy {:.6g}", *energy) : "without a potential energy")});
    bit <<= 1;
  }
  if (const StrongPotential* strong = problem.strong_potential())
    rows.push_back({"stiff gaps", fmt::format("{}", strong->map->count())});
}

// Lists which multiplier belongs to which constraint.
void list_multipliers(const Problem& problem, const ConstraintMap& map, Rows& rows) {
  constexpr Index most = 30;
  const auto components = problem.components();
  const Index first = problem.layout().nq + problem.layout().nv;
  for (Index k = 0; k < std::min(map.count(), most); ++k)
    rows.push_back({components[static_cast<std::size_t>(first + k)].name, "multiplier of " + map.name(k)});
  if (map.count() > most) rows.push_back({"...", fmt::format("and {} more", map.count() - most)});
}

void list_constraints(const ConstraintMap& map, const State& s, Rows& rows) {
  MatrixSlot slot = map.pattern();
  map.jacobian(s.t, s.q(), slot);
  const Index rank = row_rank(slot, ConstraintCheck::dependent);
  rows.push_back({"constraints", fmt::format("{}, of which {} are independent", map.count(), rank)});
}

// Refuses what a run would refuse as well.
void check_constraints(const MechanicalProblem& problem, const State& s) {
  if (!problem.constraints()) return;
  ConstraintCheck check(problem);
  for (const std::string& wrong : {check.dependence(s.t, s.q()), check.missing_inertia(s.t, s.q())})
    if (!wrong.empty()) throw UsageError(wrong);
}

// A heat bath is described by its own quantities.
const MechanicalProblem* described_mechanics(const Problem& problem) {
  return dynamic_cast<const LangevinProblem*>(&problem) ? nullptr : mechanics_of(problem);
}

void list_algebraic(const Problem& problem, const State& s, Rows& rows) {
  if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem))
    rows.push_back({"algebraic equations", fmt::format("{}", ConsistentCharges(*circuit, s.t, s.y).algebraic())});
}

std::string frequencies(const Inspection& in, bool fast) {
  std::vector<std::string> found;
  for (const Mode& mode : in.modes)
    if (mode.fast == fast) found.push_back(fmt::format("{:.4g}", mode.omega));
  constexpr std::size_t shown = 8;
  if (found.size() > shown) found = {found.front(), "...", found.back()};
  return join(found, ", ");
}
}  // namespace

int check(const CheckArguments& a) {
  const TextModel model = make_model(a.model, a.parameters);
  const auto& [info, file, text, problem, warnings, inputs, remarks] = model;
  const State start = problem->initial_state();
  Rows rows{{"at the start", info.title}, {"coordinates", fmt::format("{}", start.layout.nq)}};
  list_algebraic(*problem, start, rows);
  for (const Parameter& p : problem->parameters())
    rows.push_back({"parameter " + p.name, with_unit(value_text(p), p.unit)});
  if (const MechanicalProblem* mechanical = described_mechanics(*problem)) {
    list_forces(*mechanical, start, rows);
    if (const ConstraintMap* map = mechanical->constraints()) {
      list_constraints(*map, start, rows);
      list_multipliers(*problem, *map, rows);
    }
  }
  for (const EventInfo& event : problem->events())
    if (!event.restarts) rows.push_back({"event", event.name + (event.stops ? ", which ends the run" : "")});
  const auto quantities = problem->quantities();
  Vec values(static_cast<Index>(quantities.size()));
  problem->measure(start, values);
  for (std::size_t k = 0; k < quantities.size(); ++k)
    rows.push_back(
        {quantities[k].name, with_unit(fmt::format("{:.6g}", values[static_cast<Index>(k)]), quantities[k].unit)});
  const Inspection in = inspect_modes(*problem, start, info.run.to);
  // For large systems only the largest frequency is computed, by an iteration that stops early.
  const bool largest_only = in.modes.size() == 1 && start.layout.nq - start.layout.nl > 1;
  if (largest_only) rows.push_back({"largest frequency", fmt::format("about {:.2g}", in.modes[0].omega)});
  for (const bool fast : {true, false})
    if (const std::string list = frequencies(in, fast); !largest_only && !list.empty())
      rows.push_back({fast ? "fast frequencies" : "slow frequencies", list});
  if (!info.run.method.empty()) default_technique(model);  // throws on an unknown one
  rows.push_back(
      {"default run", fmt::format("method {}, to t = {}", info.run.method.empty() ? "chosen by trill" : info.run.method,
                                  info.run.to)});
  for (const std::string& warning : warnings) rows.push_back({"warning", warning});
  for (const std::string& remark : remarks) rows.push_back({"note", remark});
  print(text_table(rows));
  if (const MechanicalProblem* mechanical = described_mechanics(*problem)) check_constraints(*mechanical, start);
  return ExitCode::ok;
}
}  // namespace trill::cli
