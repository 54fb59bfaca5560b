// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_shape.hpp"

#include "base/text.hpp"
#include "model/expression/parser.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view part_names = "xyz";

// A target such as "y[i + 1]", "r[i].x", "x", or for a body "crank.angle", "bar[i].angle".
struct TargetShape {
  std::string base;
  bool indexed = false;
  std::size_t part = std::string_view::npos;  // 0, 1 or 2; npos for a whole coordinate
};

std::optional<TargetShape> shape_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of("[."));
  TargetShape shape;
  shape.base = word;
  std::string_view rest = text.substr(word.size());
  if (const std::size_t dot = rest.rfind('.'); dot != std::string_view::npos) {
    const std::string_view last = rest.substr(dot + 1);
    if (last.size() == 1) shape.part = part_names.find(last[0]);
    const bool is_part = shape.part != std::string_view::npos;
    if (!is_part && is_identifier(last)) shape.base.append(".").append(last);
    if (is_part || is_identifier(last)) rest = rest.substr(0, dot);
  }
  shape.indexed = rest.starts_with('[') && rest.ends_with(']');
  if (!is_identifier(word) || !(rest.empty() || shape.indexed)) return std::nullopt;
  return shape;
}

class ShapeCheck {
 public:
  ShapeCheck(const ModelFile& file, const SourceText& source) : file_(file), source_(source) {
    for (const FileParameter& p : file.parameters) take(p.name);
    for (const FileSet& s : file.sets) take(s.name);
    for (const FileCoordinate& c : file.coordinates) take(c.name);
    for (const FileCoordinate& c : file.coordinates) take_velocity(c.name);
    for (const FileDerived& d : file.derived) take(d.name);
    for (const FileReaction& r : file.reactions) take(r.name);
    for (const FileCoordinate& c : file.coordinates) coordinates_.emplace(c.name.text, &c);
    for (const FileSet& s : file.sets) sets_.insert(s.name.text);
  }

  void check() const {
    check_company();
    for (const FileParameter& p : file_.parameters) check_parameter(p);
    for (const FileSet& s : file_.sets) {
      check_size(s);
      check_set_columns(s);
    }
    check_sets_named();
    for (const FileCoordinate& c : file_.coordinates) check_coordinate(c);
    for (const FileForce& f : file_.forces) check_force(f);
    check_rates();
    check_labels();
    for (const FileEvent& e : file_.events) check_event(e);
  }

  void check_set_columns(const FileSet& set) const {
    for (const std::string& name : set.table.names)
      if (taken_.contains(name))
        throw ModelError(fmt::format("{}: the name of the column '{}' is already used in {}; choose another",
                                     set.table.file, name, source_.file()));
    const FileColumn* first = nullptr;
    for (const FileColumn& column : set.columns) {
      if (taken_.contains(column.name.text) ||
          std::find(set.table.names.begin(), set.table.names.end(), column.name.text) != set.table.names.end())
        throw source_.error(column.name.offset,
                            fmt::format("the name '{}' is already used; choose another", column.name.text));
      if (column.value) continue;
      if (!first) first = &column;
      const std::size_t length = column.numbers.size();
      if (length != first->numbers.size())
        throw source_.error(
            column.name.offset,
            fmt::format("all lists of a set must be equally long, but '{}' has {} numbers and '{}' has {}",
                        first->name.text, first->numbers.size(), column.name.text, length));
      if (!set.table.names.empty() && length != set.table.rows())
        throw source_.error(column.name.offset,
                            fmt::format("this list has {} numbers, but {} has {} rows; they must be equally many",
                                        length, set.table.file, set.table.rows()));
    }
  }

 private:
  void take(const FileText& name) {
    if (!taken_.insert(name.text).second)
      throw source_.error(name.offset, fmt::format("the name '{}' is already used; choose another", name.text));
  }
  void take_velocity(const FileText& name) {
    if (!file_.rates.empty()) return;
    if (!taken_.insert("v" + name.text).second)
      throw source_.error(
          name.offset,
          fmt::format("the velocity of '{}' is called 'v{}', and that name is already used; rename one of them",
                      name.text, name.text));
  }

  struct Section {
    const char* name;
    std::optional<std::size_t> place;
  };
  template <class Item, class Place>
  static Section section(const char* name, const std::vector<Item>& items, Place place) {
    if (items.empty()) return {name, std::nullopt};
    return {name, place(items[0])};
  }
  std::vector<Section> mechanical_sections() const {
    const auto begin = [](const FileValue& value) { return value.piece.begin; };
    return {section("[[stiff]]", file_.stiff, [&](const FileStiff& s) { return begin(s.gap); }),
            section("[[potential]]", file_.potentials, [&](const FilePotential& p) { return begin(p.energy); }),
            section("[[kinetic]]", file_.kinetic, [&](const FileKinetic& k) { return begin(k.energy); }),
            section("[[force]]", file_.forces, [](const FileForce& f) { return f.on.offset; }),
            section("[[constraint]]", file_.constraints, begin),
            {"[heat_bath]", file_.heat_bath ? std::optional(file_.heat_bath->friction.piece.begin) : std::nullopt}};
  }
  void refuse(const std::vector<Section>& sections, const char* beside) const {
    for (const Section& s : sections)
      if (s.place) throw source_.error(*s.place, fmt::format("{} cannot be combined with {}", s.name, beside));
  }

  // Checks which sections may be used together.
  void check_company() const {
    const std::vector<Section> mechanical = mechanical_sections();
    if (file_.structure) {
      refuse({section("[sets]", file_.sets, [](const FileSet& s) { return s.name.offset; }),
              section("[coordinates]", file_.coordinates, [](const FileCoordinate& c) { return c.name.offset; }),
              section("[rate]", file_.rates, [](const FileRate& r) { return r.on.offset; }),
              section("[[event]]", file_.events, [](const FileEvent& e) { return e.offset; }),
              section("[[measure]]", file_.measures, [](const FileMeasure& m) { return m.name.offset; })},
             "[structure], which describes the whole model");
      refuse(mechanical, "[structure], which describes the whole model");
      return;
    }
    if (file_.coordinates.empty())
      throw source_.error(
          "a model needs coordinates; write [coordinates] and a line such as x = { start = 1, velocity = 0 }");
    if (!file_.rates.empty()) {
      refuse(mechanical, "[rate] and [algebraic], which describe the whole motion");
      return;
    }
    if (std::none_of(mechanical.begin(), mechanical.end(), [](const Section& s) { return s.place.has_value(); }))
      throw source_.error(
          "nothing acts on the coordinates; add a [[potential]], [[stiff]], [[force]] or [[constraint]]");
  }

  void check_parameter(const FileParameter& p) const {
    const Range& range = p.range;
    if (range.min > range.max || (range.open_min && range.min == range.max))
      throw source_.error(p.name.offset, fmt::format("parameter '{}' has {} = {}, which is not below max = {}",
                                                     p.name.text, range.open_min ? "above" : "min",
                                                     format_number(range.min), format_number(range.max)));
    if (p.whole && *p.value.number != std::floor(*p.value.number))
      throw p.value.error(fmt::format("parameter '{}' must be a whole number", p.name.text));
    if (!range.holds(*p.value.number))
      throw p.value.error(
          fmt::format("parameter '{}' is out of range; the allowed range is {}", p.name.text, range.text()));
  }

  void check_size(const FileSet& set) const {
    const bool listed = set.listed().has_value();
    if (!set.size && !set.file && !listed)
      throw source_.error(
          set.name.offset,
          fmt::format("set '{}' does not say how many elements it has; give it a size, a file or a list",
                      set.name.text));
    if (set.size && (set.file || listed))
      throw set.size->error(
          fmt::format("the {} already gives the number of elements; leave out 'size'", set.file ? "file" : "list"));
    if (set.size && set.size->number && !(*set.size->number >= 0 && *set.size->number == std::floor(*set.size->number)))
      throw set.size->error(fmt::format("set '{}' needs a whole number of elements", set.name.text));
  }

  void check_over(const std::optional<FileText>& over) const {
    if (over && !sets_.contains(over->text))
      throw source_.error(over->offset, fmt::format("there is no set '{}'{}", over->text,
                                                    suggest(over->text, std::vector(sets_.begin(), sets_.end()))));
  }
  void check_sets_named() const {
    for (const FileCoordinate& c : file_.coordinates) check_over(c.over);
    for (const FileDerived& d : file_.derived) check_over(d.over);
    for (const FileStiff& s : file_.stiff) check_over(s.over);
    for (const FilePotential& p : file_.potentials) check_over(p.over);
    for (const FileKinetic& k : file_.kinetic) check_over(k.over);
    for (const FileForce& f : file_.forces) check_over(f.over);
    for (const FileConstraint& c : file_.constraints) check_over(c.over);
    for (const FileMeasure& m : file_.measures) check_over(m.over);
  }

  static void check_parts(const FileValues& values, int point, std::string_view what) {
    const std::size_t parts = values.parts.size();
    if (parts == static_cast<std::size_t>(point)) return;
    if (point == 0)
      throw values.error(fmt::format(
          "{} is a list, which only a point can have; add point = {} if this coordinate is a point", what, parts));
    throw values.error(fmt::format("{} must be a list of {} values, one for each part of the point", what, point));
  }

  void check_coordinate(const FileCoordinate& c) const {
    check_parts(c.start, c.point, "'start'");
    if (c.velocity) check_parts(*c.velocity, c.point, "'velocity'");
    if (c.exact) check_parts(*c.exact, c.point, "'exact'");
    if (file_.rates.empty()) return;
    if (c.velocity)
      throw c.velocity->error(
          "a model with [rate] is of first order, and its coordinates have no velocities of their own; leave this out");
    if (c.mass)
      throw c.mass->error("a model with [rate] is of first order, and its coordinates have no masses; leave this out");
  }

  const FileCoordinate& find_coordinate(const FileText& name, const std::string& base) const {
    if (const auto it = coordinates_.find(base); it != coordinates_.end()) return *it->second;
    std::vector<std::string> known;
    for (const FileCoordinate& c : file_.coordinates) known.push_back(c.name.text);
    throw source_.error(name.offset, fmt::format("there is no coordinate '{}'{}", base, suggest(base, known)));
  }

  TargetShape read_target(const FileTarget& target) const {
    if (const auto shape = shape_of(target.text)) return *shape;
    throw source_.error(target.offset,
                        fmt::format("'{}' is not a coordinate; write one as x, y[i] or r[i].x", target.text));
  }

  void check_target(const FileTarget& target, const TargetShape& shape, const FileCoordinate& c) const {
    if (shape.indexed && !c.over)
      throw source_.error(target.offset, fmt::format("'{}' is a single coordinate and takes no index", c.name.text));
    if (!shape.indexed && c.over)
      throw source_.error(target.offset,
                          fmt::format("'{}' has one entry for each element of the set '{}'; say which one you mean: {}",
                                      c.name.text, c.over->text, indexed_name(shape.base, "...")));
    if (shape.part == std::string_view::npos) return;
    if (c.point == 0)
      throw source_.error(target.offset, fmt::format("'{}' is not a point and has no parts", c.name.text));
    if (shape.part >= static_cast<std::size_t>(c.point))
      throw source_.error(target.offset, fmt::format("'{}' is a point with {} parts and has no part .{}", c.name.text,
                                                     c.point, part_names[shape.part]));
  }

  void check_force(const FileForce& f) const {
    if (f.along) return;
    const TargetShape shape = read_target(f.on);
    const FileCoordinate& c = find_coordinate(f.on, shape.base);
    check_target(f.on, shape, c);
    check_parts(f.value, shape.part == std::string_view::npos ? c.point : 0, "'value'");
  }

  void check_rates() const {
    if (file_.rates.empty()) return;
    std::set<std::string, std::less<>> rates;
    for (const FileRate& r : file_.rates) {
      const int point = find_coordinate(r.on, r.on.text).point;
      check_parts(r.value, point, fmt::format("the {} of '{}'", r.algebraic ? "equation" : "rate", r.on.text));
      if (r.of) check_parts(*r.of, point, "'of'");
      if (!rates.insert(r.on.text).second)
        throw source_.error(
            r.on.offset, fmt::format("'{}' already has a rate in [rate]; it cannot be algebraic as well", r.on.text));
    }
    for (const FileCoordinate& c : file_.coordinates)
      if (!rates.contains(c.name.text))
        throw source_.error(
            c.name.offset,
            fmt::format("coordinate '{}' has no rate; give one in [rate], or an expression that is zero in [algebraic]",
                        c.name.text));
    if (std::all_of(file_.rates.begin(), file_.rates.end(), [](const FileRate& r) { return r.algebraic; }))
      throw source_.error(file_.rates[0].on.offset,
                          "[algebraic] stands beside [rate]; a model without any rate does not move");
  }

  void check_label(const FileText& name, const char* what, std::set<std::string, std::less<>>& labels) const {
    if (name.text.empty() || spoils_a_heading(name.text))
      throw source_.error(name.offset,
                          fmt::format("{} needs a name, which must not contain commas, quotes or line breaks", what));
    if (!labels.insert(name.text).second)
      throw source_.error(name.offset, fmt::format("there is already {} with the name '{}'", what, name.text));
  }
  std::set<std::string, std::less<>> measured_anyway() const {
    std::set<std::string, std::less<>> taken{"t", "h", "error", "lambda", "constraint"};
    for (const FileCoordinate& c : file_.coordinates) taken.insert({c.name.text, "v" + c.name.text});
    if (file_.heat_bath) taken.insert({"kinetic_temperature", "potential_energy"});
    if (file_.rates.empty() && !file_.heat_bath) taken.insert("energy");
    return taken;
  }
  void check_labels() const {
    std::set<std::string, std::less<>> measures = measured_anyway(), events;
    for (const FileMeasure& m : file_.measures) check_label(m.name, "a measure", measures);
    for (const FileEvent& e : file_.events)
      if (e.name) check_label(*e.name, "an event", events);
  }

  void check_event(const FileEvent& e) const {
    if (e.then.empty() && !e.stop)
      throw source_.error(e.offset, "this event does nothing; give it 'then' with what it changes, or stop = true");
    for (const FileChange& change : e.then) check_change(change);
  }

  void check_change(const FileChange& change) const {
    const TargetShape shape = read_target(change.target);
    const FileCoordinate* c = moved_by(shape.base);
    if (!c) {
      check_parameter_named(change.target);
      return;
    }
    check_target(change.target, shape, *c);
    if (c->point > 0 && shape.part == std::string_view::npos)
      throw source_.error(change.target.offset,
                          fmt::format("'{0}' is a point; change its parts one by one, as in {0}.x", shape.base));
  }

  // The coordinate that has this name or whose velocity has this name.
  const FileCoordinate* moved_by(std::string_view name) const {
    if (const auto it = coordinates_.find(name); it != coordinates_.end()) return it->second;
    if (!name.starts_with('v') || !file_.rates.empty()) return nullptr;
    const auto it = coordinates_.find(name.substr(1));
    return it == coordinates_.end() ? nullptr : it->second;
  }

  void check_parameter_named(const FileText& name) const {
    std::vector<std::string> known;
    for (const FileParameter& p : file_.parameters) {
      if (p.name.text == name.text) return;
      known.push_back(p.name.text);
    }
    for (const FileCoordinate& c : file_.coordinates) {
      known.push_back(c.name.text);
      if (file_.rates.empty()) known.push_back("v" + c.name.text);
    }
    throw source_.error(name.offset,
                        fmt::format("an event cannot change '{}'{}", name.text, suggest(name.text, known)));
  }

  const ModelFile& file_;
  const SourceText& source_;
  std::set<std::string, std::less<>> taken_, sets_;
  std::map<std::string, const FileCoordinate*, std::less<>> coordinates_;
};
}  // namespace

std::optional<std::size_t> FileSet::listed() const {
  for (const FileColumn& column : columns)
    if (!column.value) return column.numbers.size();
  return std::nullopt;
}

void check_model_shape(const ModelFile& file, const SourceText& source) { ShapeCheck(file, source).check(); }

void check_columns(const ModelFile& file, const FileSet& set, const SourceText& source) {
  ShapeCheck(file, source).check_set_columns(set);
}
}  // namespace trill
