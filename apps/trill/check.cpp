// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "terminal.hpp"
#include "trill/analysis/inspection.hpp"
#include "trill/base/text.hpp"
#include "trill/problem/mechanical.hpp"

#include <fmt/format.h>

namespace trill::cli {
namespace {
using Rows = std::vector<std::vector<std::string>>;

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

void list_forces(const MechanicalProblem& problem, const State& s, Rows& rows) {
  Groups bit = 1;
  for (const GroupInfo& group : problem.groups()) {
    const auto energy = problem.potential(bit, s.t, s.q());
    rows.push_back({"forces '" + group.name + "'",
                    fmt::format("{}, {}", group.fast ? "fast" : "slow",
                                energy ? fmt::format("energy {:.6g}", *energy) : "not of a potential")});
    bit <<= 1;
  }
  if (const StrongPotential* strong = problem.strong_potential())
    rows.push_back({"stiff gaps", fmt::format("{}", strong->map->count())});
}

void list_constraints(const ConstraintMap& map, const State& s, Rows& rows) {
  MatrixSlot slot = map.pattern();
  map.jacobian(s.t, s.q(), slot);
  Mat G(slot.rows(), slot.cols());
  for (Index j = 0; j < G.cols(); ++j)
    for (Index i = 0; i < G.rows(); ++i) G(i, j) = slot.value(i, j);
  rows.push_back({"constraints", fmt::format("{}, rank {}", map.count(), Eigen::ColPivHouseholderQR<Mat>(G).rank())});
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
  const auto [info, text, problem] = make_model(a.model, a.parameters);
  const State start = problem->initial_state();
  Rows rows{{"at the start", info.title}, {"coordinates", fmt::format("{}", start.layout.nq)}};
  for (const Parameter& p : problem->parameters())
    rows.push_back({"parameter " + p.name, with_unit(format_number(p.value), p.unit)});
  if (const auto* mechanical = dynamic_cast<const MechanicalProblem*>(problem.get())) {
    list_forces(*mechanical, start, rows);
    if (mechanical->constraints()) list_constraints(*mechanical->constraints(), start, rows);
  }
  const auto quantities = problem->quantities();
  Vec values(static_cast<Index>(quantities.size()));
  problem->measure(start, values);
  for (std::size_t k = 0; k < quantities.size(); ++k)
    rows.push_back(
        {quantities[k].name, with_unit(fmt::format("{:.6g}", values[static_cast<Index>(k)]), quantities[k].unit)});
  const Inspection in = inspect_problem(*problem, start);
  for (const bool fast : {true, false})
    if (const std::string list = frequencies(in, fast); !list.empty())
      rows.push_back({fast ? "fast frequencies" : "slow frequencies", list});
  rows.push_back({"run", fmt::format("{} to t = {}", info.run.method, info.run.to)});
  print(text_table(rows));
  return ExitCode::ok;
}
}  // namespace trill::cli
