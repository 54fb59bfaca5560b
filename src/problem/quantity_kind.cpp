// SPDX-License-Identifier: BSD-3-Clause
#include "problem/quantity_kind.hpp"

#include "base/words.hpp"

namespace trill {
namespace {
constexpr std::array<EnumWord<QuantityKind>, 19> kind_words{{{QuantityKind::other, "other"},
                                                             {QuantityKind::position, "position"},
                                                             {QuantityKind::velocity, "velocity"},
                                                             {QuantityKind::multiplier, "multiplier"},
                                                             {QuantityKind::auxiliary, "auxiliary"},
                                                             {QuantityKind::energy, "energy"},
                                                             {QuantityKind::energy_part, "energy_part"},
                                                             {QuantityKind::frequency, "frequency"},
                                                             {QuantityKind::action, "action"},
                                                             {QuantityKind::amplitude, "amplitude"},
                                                             {QuantityKind::middle, "middle"},
                                                             {QuantityKind::bound, "bound"},
                                                             {QuantityKind::cycles, "cycles"},
                                                             {QuantityKind::constraint, "constraint"},
                                                             {QuantityKind::step_size, "step_size"},
                                                             {QuantityKind::step_error, "step_error"},
                                                             {QuantityKind::model_error, "model_error"},
                                                             {QuantityKind::newton_iterations, "newton_iterations"},
                                                             {QuantityKind::newton_rate, "newton_rate"}}};

bool has_number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  return name.find_first_not_of("0123456789", prefix.size()) == name.npos;
}

QuantityKind energy_by_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (name == "hamiltonian" || name == "energy") return QuantityKind::energy;
  if (!has("energy")) return QuantityKind::other;
  return has("total") ? QuantityKind::energy : QuantityKind::energy_part;
}
}  // namespace

const char* to_text(QuantityKind kind) { return word_for(kind, kind_words); }

QuantityKind quantity_kind_from(std::string_view text) {
  if (const auto kind = meaning_of(text, kind_words)) return *kind;
  throw IoError("'" + std::string(text) + "' is not a kind of quantity");
}

void give_kinds(std::vector<Quantity>& components, const Layout& layout) {
  auto next = components.begin();
  const auto give = [&](Index count, QuantityKind kind) {
    for (; count > 0 && next != components.end(); --count, ++next)
      if (next->kind == QuantityKind::other) next->kind = kind;
  };
  give(layout.nq, QuantityKind::position);
  give(layout.nv, QuantityKind::velocity);
  give(layout.nl, QuantityKind::multiplier);
  give(layout.nx, QuantityKind::auxiliary);
}

std::vector<Quantity> measures_of(const Problem& problem) {
  std::vector<Quantity> all = problem.quantities();
  for (Quantity& q : all)
    if (q.kind == QuantityKind::other) q.kind = energy_by_name(q.name);
  return all;
}

QuantityKind kind_of_older_quantity(std::string_view name) {
  if (name.starts_with("constraint")) return QuantityKind::constraint;
  if (name == "h") return QuantityKind::step_size;
  if (name == "error") return QuantityKind::step_error;
  if (name == "model_error") return QuantityKind::model_error;
  if (name == "newton_iterations") return QuantityKind::newton_iterations;
  if (name == "newton_rate") return QuantityKind::newton_rate;
  if (has_number_after(name, "frequency_") || name.ends_with("_frequency")) return QuantityKind::frequency;
  if (has_number_after(name, "action_")) return QuantityKind::action;
  if (name.starts_with("amplitude_")) return QuantityKind::amplitude;
  return energy_by_name(name);
}
}  // namespace trill
