// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"
#include "model/netlist/card.hpp"

#include <optional>

namespace trill {
// What the names in a formula of a netlist mean.
class SpiceNames {
 public:
  virtual ~SpiceNames() = default;
  virtual std::optional<double> parameter(const std::string& name) const = 0;
  virtual std::vector<std::string> known() const = 0;  // for suggestions
  // The number of an unknown of the circuit: the voltage of a node (-1 for ground) or the current of a source or
  // inductor; empty: there is none of this name. `allowed` is false where formulas may not depend on the circuit.
  virtual bool allows_unknowns() const { return false; }
  virtual std::optional<int> voltage(const std::string& /*node*/) const { return std::nullopt; }
  virtual std::optional<int> current(const std::string& /*element*/) const { return std::nullopt; }
};

// A formula with its place in a card.
struct SpiceFormula {
  const Card* card = nullptr;
  std::size_t at = 0;
  std::string text;
  ModelError error(std::string_view message) const { return card->error(at, message); }
};

// Formulas of netlists are those of text models with other spellings: V(a,b), I(source), time, 4.7k, **, && || !, c ? a
// : b and some more functions. They are rewritten and given to the parser of text models. Unknowns become coordinates.
Expression parse_spice(const SpiceFormula& formula, ExpressionGraph& graph, const SpiceNames& names);
// A formula of parameters alone; ModelError if its value is not finite.
double evaluate_spice(const SpiceFormula& formula, const SpiceNames& names);
}  // namespace trill
