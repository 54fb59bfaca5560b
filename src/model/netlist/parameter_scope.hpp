// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/spice_expression.hpp"
#include "model/netlist/words.hpp"

#include <map>

namespace trill {
// The parameters that a place of a netlist sees: those of its subcircuit, then those around it. A value is computed
// when it is first needed, so that the order of definitions does not matter.
class ParameterScope final : public SpiceNames {
 public:
  explicit ParameterScope(const ParameterScope* outer = nullptr) : outer_(outer) {}
  ParameterScope(const ParameterScope&) = delete;
  ParameterScope& operator=(const ParameterScope&) = delete;

  // Its names are looked up in `in`. A second definition replaces the first.
  void define(const std::string& name, SpiceFormula formula, const ParameterScope& in);
  void set(const std::string& name, double value) { own_[name] = {{}, nullptr, value, false}; }
  bool has(const std::string& name) const { return own_.contains(name); }

  std::optional<double> parameter(const std::string& name) const override;
  std::vector<std::string> known() const override;

  // The next word as a number: written as one, a formula in braces or quotes, or the name of a parameter.
  double number(WordReader& words, const std::string& what) const;
  std::optional<double> number_if(WordReader& words) const;  // empty: the next word is none of these

 private:
  struct Definition {
    SpiceFormula formula;
    const ParameterScope* in = nullptr;
    std::optional<double> value;
    bool being_computed = false;
  };
  static double compute(Definition& definition);

  const ParameterScope* outer_;
  mutable std::map<std::string, Definition, std::less<>> own_;
};
}  // namespace trill
