// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_space.hpp"

#include "base/text.hpp"
#include "model/text/kernel_scope.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index numbers_each_coordinate = 8;  // start, velocity, mass; the vectors of the first state and its forces

std::string rate_unit(const std::string& unit, const std::string& time_unit) {
  return unit.empty() || time_unit.empty() ? "" : unit + "/" + time_unit;
}
}  // namespace

std::string IndexSet::element_text(Index element) const {
  std::string text = fmt::format("element {} of '{}'", element, name());
  if (file->file)
    text += fmt::format(" ({}:{})", file->table.file, file->table.lines[static_cast<std::size_t>(element)]);
  return text;
}

std::string FileParameter::complaint(double number) const {
  if (whole && number != std::floor(number))
    return fmt::format("parameter '{}' must be a whole number, not {}", name.text, number);
  if (range.holds(number)) return "";
  return fmt::format("parameter '{}' must be {}, not {}", name.text, range.text(), number);
}

ModelSpace::ModelSpace(const SourceText& source, const ModelFile& file, const OptionSet& given)
    : source_(source), file_(file) {
  read_parameters(given);
  for (const FileSet& s : file.sets) read_set(s);
  read_coordinates();
  for (const FileDerived& d : file.derived) {
    if (d.over) set(d.over);
    define(d.name, {.kind = Kind::derived, .derived = &d});
  }
  for (const FileReaction& r : file.reactions) define(r.name, {.kind = Kind::reaction, .reaction = &r});
  define_accelerations();
}

int ModelSpace::row_of(std::size_t constraint) const {
  const IndexSet* over = set(set_of(constraint));
  const auto gaps = gaps_over_.find(over);
  int row = gaps == gaps_over_.end() ? 0 : gaps->second;
  for (std::size_t k = 0; k < constraint; ++k) row += set(file_.constraints[k].over) == over ? 1 : 0;
  return row;
}

void ModelSpace::define(const FileText& name, const Meaning& meaning) {
  if (!meanings_.emplace(name.text, meaning).second)
    throw source_.error(name.offset, fmt::format("the name '{}' is already used; choose another", name.text));
}

void ModelSpace::define_velocity(const CoordinateArray& array) {
  const FileText& name = array.file->name;
  if (!meanings_.emplace("v" + name.text, Meaning{.kind = Kind::velocity, .array = &array}).second)
    throw source_.error(
        name.offset,
        fmt::format("the velocity of '{}' is called 'v{}', and that name is already used; rename one of them",
                    name.text, name.text));
}

// Every velocity vx has an acceleration ax, unless the model uses that name for something else.
void ModelSpace::define_accelerations() {
  std::map<std::string, Meaning, std::less<>> found;
  for (const auto& [name, meaning] : meanings_) {
    if (name[0] != 'v') continue;
    const std::string acceleration = "a" + name.substr(1);
    if (meaning.kind == Kind::velocity)
      found[acceleration] = {.kind = Kind::acceleration, .array = meaning.array};
    else if (meaning.kind == Kind::derived && meanings_.contains(name.substr(1)))
      found[acceleration] = {.kind = Kind::derived_acceleration, .derived = meaning.derived};
  }
  if (file_.rates.empty()) meanings_.merge(found);
}

const ModelSpace::Meaning* ModelSpace::find(std::string_view name) const {
  const auto it = meanings_.find(name);
  return it == meanings_.end() ? nullptr : &it->second;
}

const IndexSet* ModelSpace::set(const std::optional<FileText>& name) const {
  if (!name) return nullptr;
  for (const IndexSet& s : sets_)
    if (s.name() == name->text) return &s;
  throw source_.error(name->offset, fmt::format("there is no set '{}'", name->text));
}

void ModelSpace::take_memory(Index numbers, std::size_t offset) {
  numbers_ += numbers;
  if (numbers_ > most_numbers)
    throw source_.error(offset, fmt::format("the tables of this model contain {} numbers up to here; the limit is {}",
                                            numbers_, most_numbers));
}

void ModelSpace::take_time(Index operations, std::size_t offset) {
  operations_ += operations;
  if (operations_ > most_operations)
    throw source_.error(offset, fmt::format("reading this model takes {} operations up to here; the limit is {}",
                                            operations_, most_operations));
}

void ModelSpace::read_parameters(const OptionSet& given) {
  OptionReader reader(given, source_.file(), "parameter");
  for (const FileParameter& p : file_.parameters) {
    double value = *p.value.number;
    if (p.whole) {
      int number = static_cast<int>(value);
      reader.integer(p.name.text, number, p.range, p.what);
      value = number;
    } else {
      reader.number(p.name.text, value, p.range, p.what);
    }
    define(p.name, {.kind = Kind::parameter, .parameter = static_cast<int>(parameters_.size())});
    parameters_.push_back({p.name.text, p.unit, p.what, value});
    values_.push_back(value);
  }
  reader.finish();
}

void ModelSpace::read_set(const FileSet& file) {
  IndexSet& set = sets_.emplace_back();
  set.file = &file;
  define(file.name, {.kind = Kind::set, .set = &set});
  if (file.file) {
    set.size = static_cast<Index>(file.table.rows());
    set.columns = file.table.names;
    for (const auto& column : file.table.columns)
      set.values.push_back(std::make_shared<const std::vector<double>>(column));
  } else if (file.size) {
    const double size = KernelScope(*this, nullptr).parse_constant(*file.size, "the size of a set");
    if (size != std::floor(size) || size < 0 || size > static_cast<double>(most_elements))
      throw file.size->error(
          fmt::format("the size of a set must be a whole number from 0 to {}, not {}", most_elements, size));
    set.size = static_cast<Index>(size);
    fix_parameters_of(*file.size, nullptr);
  } else {
    set.size = static_cast<Index>(file.listed().value_or(0));
  }
  // Columns become known one after another, so that an expression may use those before it.
  for (const FileColumn& c : file.columns) {
    take_memory(set.size, c.name.offset);
    auto values = c.value ? KernelScope(*this, &set).parse_constants(*c.value, "a column") : c.numbers;
    if (c.value) fix_parameters_of(*c.value, &set);
    set.columns.push_back(c.name.text);
    set.values.push_back(std::make_shared<const std::vector<double>>(std::move(values)));
  }
}

void ModelSpace::fix_parameters_of(const FileValue& value, const IndexSet* over) {
  KernelScope scope(*this, over);
  const Expression e = scope.parse(value);
  fix_parameters_of(scope.graph(), e);
}

void ModelSpace::fix_parameters_of(const ExpressionGraph& graph, Expression e) {
  const Expression roots[] = {e};
  for (const Expression x : graph.needed(roots))
    if (const ExpressionNode& node = graph[x]; node.op == Op::symbol && node.kind == SymbolKind::parameter)
      fixed_.insert(node.index);
}

void ModelSpace::read_coordinates() {
  for (const FileCoordinate& c : file_.coordinates) {
    CoordinateArray& array = arrays_.emplace_back();
    array = {&c, set(c.over), std::max(c.point, 1), unknowns_};
    unknowns_ += array.size();
    take_memory(numbers_each_coordinate * array.size(), c.name.offset);
    define(c.name, {.kind = Kind::coordinate, .array = &array});
  }
  if (!file_.rates.empty()) return;
  for (const CoordinateArray& array : arrays_) define_velocity(array);
}

// There may be millions of names, and a run of few steps should not have to wait for them.
void ModelSpace::add_components(Kind kind, std::vector<Quantity>& all) const {
  const bool velocity = kind == Kind::velocity;
  std::string name;
  for (const CoordinateArray& a : arrays_) {
    const std::string base = velocity ? "v" + a.file->name.text : a.file->name.text;
    const std::string unit = velocity ? rate_unit(a.file->unit, file_.time_unit) : a.file->unit;
    const std::size_t dot = std::min(base.find('.'), base.size());
    for (Index element = 0; element < a.elements(); ++element) {
      name.assign(base, 0, dot);
      if (a.over) {
        char digits[24];
        name += '[';
        name.append(digits, std::to_chars(digits, digits + sizeof digits, element).ptr);
        name += ']';
      }
      name.append(base, dot);
      for (int part = 0; a.parts > 1 && part < a.parts; ++part) {
        all.push_back({name, unit});
        all.back().name += {'.', "xyz"[part]};
      }
      if (a.parts == 1) all.push_back({name, unit});
    }
  }
}
}  // namespace trill
