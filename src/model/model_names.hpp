// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model_file.hpp"
#include "trill/base/options.hpp"
#include "trill/model/parser.hpp"
#include "trill/problem/problem.hpp"

#include <map>

namespace trill {
// The names of one model: parameters, coordinates, their velocities (v and the name), derived names. A derived name
// is parsed when it is first met, so that the order in the file does not matter.
class ModelNames final : public NameScope {
 public:
  ModelNames(const SourceText& source, const ModelFile& file, const OptionSet& given, ExpressionGraph& graph);

  ParsedValue find(const NameUse& use) override;
  std::vector<std::string> names() const override;

  Expression parse(const FileValue& value, int depth = 0);
  double parse_constant(const FileValue& value, std::string_view what);  // of parameters alone, and finite
  int coordinate(const FileText& name) const;                            // its number; unknown: error with the nearest
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  struct Meaning {
    Expression expression = no_expression;
    const FileDerived* derived = nullptr;
    bool open = false;  // its expression is being parsed
  };
  void define(const FileText& name, const Meaning& meaning);
  void read_parameters(const OptionSet& given);
  void define_velocity(const FileCoordinate& coordinate, int index);
  std::string circle(std::string_view name) const;

  const SourceText& source_;
  const ModelFile& file_;
  ExpressionGraph& graph_;
  std::map<std::string, Meaning, std::less<>> meanings_;
  std::map<std::string, int, std::less<>> coordinates_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> chain_;  // derived names being parsed, the outermost first
};
}  // namespace trill
