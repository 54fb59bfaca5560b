// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/parser.hpp"
#include "model/expression/routine.hpp"
#include "model/text/model_space.hpp"

namespace trill {
// The names as seen by the terms over one set, or by the terms over no set. Every coordinate that occurs gets a slot: a
// symbol of the graph and a column of the table that says which entry of q it is for each element.
class KernelScope final : public NameScope {
 public:
  KernelScope(ModelSpace& space, const IndexSet* over) : space_(space), over_(over) {}
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

  ParsedValue find(const NameUse& use) override;
  std::shared_ptr<const LookupTable> find_table(const TableUse& use) override { return space_.find_table(use); }
  std::vector<std::string> names() const override;
  bool knows(std::string_view dotted) const override;

  ExpressionGraph& graph() { return graph_; }
  const ExpressionGraph& graph() const { return graph_; }
  const IndexSet* over() const { return over_; }
  Index instances() const { return over_ ? over_->size : 1; }
  int slots() const { return static_cast<int>(slots_.size()); }
  Index unknowns() const { return space_.unknowns(); }  // number in the whole model

  Expression parse(const FileValue& value, int depth = 0);
  // The same, and the value may depend on accelerations.
  Expression parse_measure(const FileValue& value);
  ParsedValue parse_any(const SourcePiece& piece) { return parse_value(piece, graph_, *this); }
  // The value may depend only on parameters and columns and must be finite. Returns one value for each element.
  std::vector<double> parse_constants(const FileValue& value, std::string_view what);
  double parse_constant(const FileValue& value, std::string_view what) { return parse_constants(value, what)[0]; }

  // A coordinate that occurs: entry `index` of an array, or no_expression if the array is over no set.
  struct Place {
    const CoordinateArray* array = nullptr;
    Expression index = no_expression;
    int part = 0;
  };
  Place place(int slot) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    return {s.array, s.index, s.part};
  }
  const ModelSpace& space() const { return space_; }
  bool is_common(Expression e) const;  // the same for all elements

  // The table of everything that has occurred so far. Indices are computed and checked here.
  KernelTable make_table() const;

 private:
  struct Slot {
    const CoordinateArray* array = nullptr;
    Expression index = no_expression;
    int part = 0;
    SourcePiece piece;  // where it first occurs
    std::size_t offset = 0;
  };
  struct Derived {
    ParsedValue value;
    bool open = false;  // it is being parsed
  };
  ParsedValue find_array(const NameUse& use, const CoordinateArray& array, SymbolKind kind);
  ParsedValue find_derived(const NameUse& use, const FileDerived& derived);
  ParsedValue find_acceleration(const NameUse& use, const ModelSpace::Meaning& meaning);
  ParsedValue parse_derived(const NameUse& use, const FileDerived& derived);
  Expression sum_over(const IndexSet& set, const FileValue& value, int depth);
  ParsedValue find_reaction(const NameUse& use, const FileReaction& reaction);
  int slot(const NameUse& use, const CoordinateArray& array, int part);
  Expression column(std::string_view name);
  std::string circle(std::string_view name) const;
  std::vector<double> values_of(Expression e, std::size_t offset) const;  // e must not depend on coordinates or time
  IndexTable table_of(const Slot& slot) const;

  ModelSpace& space_;
  const IndexSet* over_;
  Index element_ = -1;  // at least 0 while parsing one term of a sum over a set: the element it is for
  bool knows_accelerations_ = false;
  bool hidden_ = false;  // true while parsing a derived name without a set, which does not see the names of our set
  ExpressionGraph graph_;
  std::vector<Slot> slots_;
  std::map<std::string, Derived, std::less<>> derived_;
  std::vector<std::string> chain_;  // derived names being parsed, the outermost first
};
}  // namespace trill
