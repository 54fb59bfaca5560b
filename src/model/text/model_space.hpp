// SPDX-License-Identifier: BSD-3-Clause
// What the names of a model stand for: parameters with their values, index sets with their columns, coordinates with
// their places in q.
#pragma once

#include "model/expression/expression.hpp"
#include "model/expression/parser.hpp"
#include "model/expression/routine.hpp"
#include "model/file/model_file.hpp"
#include "trill/base/options.hpp"
#include "trill/base/types.hpp"
#include "trill/problem/problem.hpp"

#include <deque>
#include <map>
#include <set>

namespace trill {
// A set with its elements 0 .. size-1 and numbers for each of them.
struct IndexSet {
  const FileSet* file = nullptr;
  Index size = 0;
  std::vector<std::string> columns;
  std::vector<Column> values;  // one for each column

  const std::string& name() const { return file->name.text; }
  std::string element_text(Index element) const;  // "element 3 of 'bond' (bonds.csv:5)"
};

// One line of [coordinates]: a number or a point, for each element of a set or once.
struct CoordinateArray {
  const FileCoordinate* file = nullptr;
  const IndexSet* over = nullptr;
  int parts = 1;
  Index first = 0;  // where it begins in q

  Index elements() const { return over ? over->size : 1; }
  Index size() const { return elements() * parts; }
  Index place(Index element, int part) const { return first + element * parts + part; }
};

class ModelSpace {
 public:
  // A small file can ask for huge tables: these limits stand for half a gigabyte and a second. Sanitizers need more of
  // both, so fuzzing has lower limits.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  static constexpr Index most_numbers = 300'000, most_operations = 3'000'000;
#else
  static constexpr Index most_numbers = 64'000'000, most_operations = 1'000'000'000;
#endif
  static constexpr Index most_elements = 20'000'000;

  ModelSpace(const SourceText& source, const ModelFile& file, const OptionSet& given);
  ModelSpace(const ModelSpace&) = delete;
  ModelSpace& operator=(const ModelSpace&) = delete;

  const SourceText& source() const { return source_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<double>& parameter_values() const { return values_; }
  const std::deque<CoordinateArray>& arrays() const { return arrays_; }
  Index unknowns() const { return unknowns_; }
  const IndexSet* set(const std::optional<FileText>& name) const;  // nullptr if no name is given

  // The table that an expression names, read once. Throws ModelError if there is none or its file is no table of
  // ascending places.
  std::shared_ptr<const LookupTable> find_table(const TableUse& use);

  // Count the numbers in tables and the operations on their elements before they are made. Throw ModelError at the
  // offset if there are too many in total.
  void take_memory(Index numbers, std::size_t offset);
  void take_time(Index operations, std::size_t offset);

  // Marks parameters as fixed: something that is computed once, when the model is read, depends on them.
  void fix_parameters_of(const FileValue& value, const IndexSet* over);
  void fix_parameters_of(const ExpressionGraph& graph, Expression e);
  bool is_fixed(int parameter) const { return fixed_.contains(parameter); }

  enum class Kind { parameter, set, coordinate, velocity, acceleration, derived, derived_acceleration, reaction };
  struct Meaning {
    Kind kind = Kind::parameter;
    int parameter = 0;
    const IndexSet* set = nullptr;
    const CoordinateArray* array = nullptr;
    const FileDerived* derived = nullptr;
    const FileReaction* reaction = nullptr;
  };
  const Meaning* find(std::string_view name) const;
  // The number of a constraint among the rows of all terms over its set: gaps come before constraints.
  int row_of(std::size_t constraint) const;
  void count_gap(const IndexSet* over) { ++gaps_over_[over]; }  // all gaps are counted before row_of() is asked
  const std::optional<FileText>& set_of(std::size_t constraint) const { return file_.constraints[constraint].over; }
  void add_components(Kind kind, std::vector<Quantity>& all) const;  // for all coordinates or all velocities
  const std::map<std::string, Meaning, std::less<>>& meanings() const { return meanings_; }

 private:
  void define(const FileText& name, const Meaning& meaning);
  void define_velocity(const CoordinateArray& array);
  void define_accelerations();
  void read_parameters(const OptionSet& given);
  void read_set(const FileSet& file);
  void read_coordinates();

  const SourceText& source_;
  const ModelFile& file_;
  std::vector<Parameter> parameters_;
  std::vector<double> values_;
  std::set<int> fixed_;
  std::deque<IndexSet> sets_;
  std::deque<CoordinateArray> arrays_;
  Index unknowns_ = 0, numbers_ = 0, operations_ = 0;
  std::map<std::string, CsvTable, std::less<>> lookup_files_;
  std::size_t lookup_bytes_left_ = most_csv_bytes;
  std::map<std::string, std::shared_ptr<const LookupTable>, std::less<>> lookup_tables_;
  std::map<std::string, Meaning, std::less<>> meanings_;
  std::map<const IndexSet*, int> gaps_over_;
};
}  // namespace trill
