// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_file.hpp"

#include "model/bodies/body_file.hpp"
#include "model/file/model_shape.hpp"
#include "model/file/structure_section.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_key_parts = 32;

class FileReader {
 public:
  FileReader(const SourceText& source, const toml::table& root, const ModelFolder& folder)
      : source_(source), root_(source, root, "a model", 0), folder_(folder) {}

  ModelFile read() {
    file_.title = root_.optional_text("title");
    file_.reference = root_.optional_text("reference");
    file_.equations = root_.optional_text("equations");
    file_.time_unit = root_.optional_unit("time_unit");
    read_parameters();
    read_sets();
    read_coordinates();
    read_derived();
    read_terms();
    read_events();
    read_heat_bath();
    read_rates();
    read_structure();
    read_run();
    file_.picture.stated = read_picture(source_, root_);
    read_bodies();
    constexpr auto unknowns =
        "unknowns belong in [coordinates]: x = { start = 1 }; their rates, if it is a first-order system, in [rate]";
    root_.finish({{"mass", "a mass belongs to a coordinate: x = { start = 1, mass = 2 }"},
                  {"unknowns", unknowns},
                  {"variables", unknowns},
                  {"states", unknowns}});
    return std::move(file_);
  }

 private:
  void read_parameters() {
    root_.each_entry("parameters", [&](const FileText& name, const toml::node& node) {
      FileParameter p{name, {}, "", "", {}, false};
      if (const toml::table* table = node.as_table()) {
        TableReader reader(source_, *table, fmt::format("parameter '{}'", name.text), name.offset);
        p.value = reader.needed_value("value");
        p.unit = reader.optional_unit("unit");
        p.what = reader.optional_text("what");
        p.range = read_range(reader);
        p.whole = reader.flag("whole");
        reader.finish();
      } else {
        p.value = read_value(source_, node, name.text);
      }
      if (!p.value.number)
        throw p.value.error("a parameter must be a number; put an expression into [derived] instead");
      file_.parameters.push_back(std::move(p));
    });
  }

  static Range read_range(TableReader& reader) {
    Range range;
    range.min = reader.number("min").value_or(range.min);
    range.max = reader.number("max").value_or(range.max);
    if (const std::optional<FileValue> above = reader.value("above")) {
      if (std::isfinite(range.min))
        throw above->error(
            "give either 'min' (the smallest allowed value) or 'above' (a bound that is not allowed itself), not both");
      range.min = reader.number("above").value();
      range.open_min = true;
    }
    return range;
  }

  void read_sets() {
    root_.each_entry("sets", [&](const FileText& name, const toml::node& node) {
      FileSet set;
      set.name = name;
      const toml::table* table = node.as_table();
      if (!table) {
        set.size = read_value(source_, node, name.text);
      } else {
        TableReader reader(source_, *table, fmt::format("set '{}'", name.text), name.offset);
        set.size = reader.value("size");
        set.file = reader.text("file");
        for (const TableEntry& entry : entries_in_order(source_, *table))
          if (entry.key.text != "size" && entry.key.text != "file") set.columns.push_back(read_column(entry));
      }
      file_.sets.push_back(std::move(set));
    });
  }

  FileColumn read_column(const TableEntry& entry) const {
    check_own_name(source_, entry.key);
    FileColumn column{entry.key, {}, {}, std::nullopt};
    const toml::array* list = entry.node->as_array();
    if (!list) {
      column.value = read_value(source_, *entry.node, entry.key.text);
      return column;
    }
    column.numbers.reserve(list->size());
    column.offsets.reserve(list->size());
    for (const toml::node& node : *list) {
      const auto number = node.is_number() ? node.value<double>() : std::nullopt;
      const std::size_t offset = offset_of(source_, node);
      if (!number || !std::isfinite(*number))
        throw source_.error(offset, fmt::format("the list '{}' must contain finite numbers only", entry.key.text));
      column.numbers.push_back(*number);
      column.offsets.push_back(offset);
    }
    return column;
  }

  void read_coordinates() {
    root_.each_entry("coordinates", [&](const FileText& name, const toml::node& node) {
      FileCoordinate c;
      c.name = name;
      if (const toml::table* table = node.as_table()) {
        TableReader reader(source_, *table, fmt::format("coordinate '{}'", name.text), name.offset);
        reader.find("start");
        c.velocity = reader.values("velocity");
        c.open_velocity = !c.velocity;
        c.mass = reader.value("mass");
        c.unit = reader.optional_unit("unit");
        c.over = reader.name("over");
        c.point = reader.choice("point", {2, 3}).value_or(0);
        c.exact = reader.values("exact");
        reader.finish();
        c.start = reader.needed_values("start");
      } else {
        c.start = read_values(source_, node, name.text);
      }
      file_.coordinates.push_back(std::move(c));
    });
  }

  void read_derived() {
    root_.each_entry("derived", [&](const FileText& name, const toml::node& node) {
      const toml::table* table = node.as_table();
      if (!table) {
        file_.derived.push_back({name, read_value(source_, node, name.text), std::nullopt});
        return;
      }
      TableReader reader(source_, *table, fmt::format("derived name '{}'", name.text), name.offset);
      file_.derived.push_back({name, reader.needed_value("value"), reader.name("over")});
      reader.finish();
    });
  }

  void read_terms() {
    root_.each_table("stiff", [&](TableReader& r) {
      file_.stiff.push_back({r.needed_value("gap"), r.needed_value("stiffness"), r.name("group"), r.name("over")});
    });
    root_.each_table("potential", [&](TableReader& r) {
      file_.potentials.push_back({r.needed_value("energy"), r.name("group"), r.name("over")});
    });
    root_.each_table("kinetic", [&](TableReader& r) {
      file_.kinetic.push_back({r.needed_value("energy"), r.name("over")});
    });
    root_.each_table("force", [&](TableReader& r) {
      if (r.find("at"))
        forces_at_.push_back(read_force_at(source_, r, forces_at_.size()));
      else
        file_.forces.push_back(
            {r.needed_target("on"), r.needed_values("value"), r.name("group"), r.name("over"), std::nullopt});
    });
    root_.each_table("constraint", [&](TableReader& r) {
      if (const std::optional<FileText> name = r.name("name"))
        file_.reactions.push_back({*name, {file_.constraints.size()}, false});
      file_.constraints.push_back({r.needed_value("equation"), r.name("over")});
    });
    root_.each_table("measure", [&](TableReader& r) {
      if (r.find("law")) r.find("range");  // read_measure_laws reads them
      file_.measures.push_back(
          {r.needed_text("name"), r.needed_value("value"), r.optional_unit("unit"), r.name("over")});
    });
  }

  void read_bodies() {
    BodyFile bodies = read_body_file(source_, root_, folder_);
    bodies.forces = std::move(forces_at_);
    expand_bodies(bodies, source_, file_);
  }

  void read_events() {
    root_.each_table("event", [&](TableReader& r) {
      FileEvent event;
      event.offset = r.offset();
      event.name = r.text("name");
      event.when = r.needed_value("when");
      event.direction = r.choice("direction", {-1, 0, 1}).value_or(0);
      event.stop = r.flag("stop");
      if (const toml::node* then = r.find("then")) {
        if (!then->is_table())
          throw source_.error(offset_of(source_, *then), "'then' must be a table: then = { x = 0, vy = \"-vy\" }");
        for (const TableEntry& entry : entries_in_order(source_, *then->as_table()))
          event.then.push_back({entry.key, read_value(source_, *entry.node, entry.key.text)});
      }
      file_.events.push_back(std::move(event));
    });
  }

  void read_heat_bath() {
    root_.section("heat_bath", [&](TableReader& r) {
      file_.heat_bath = FileHeatBath{r.needed_value("friction"), r.needed_value("temperature")};
    });
  }

  void read_rates() {
    root_.each_entry("rate", [&](const FileText& name, const toml::node& node) {
      const toml::table* table = node.as_table();
      if (!table) {
        file_.rates.push_back({name, read_values(source_, node, name.text)});
        return;
      }
      TableReader reader(source_, *table, fmt::format("the rate of '{}'", name.text), name.offset);
      const std::optional<FileValues> of = reader.values("of"), value = reader.values("value");
      reader.finish();
      if (!of) read_values(source_, node, name.text);  // throws: a table is for rates of expressions
      file_.rates.push_back({name, reader.needed_values("value"), of});
    });
    root_.each_entry("algebraic", [&](const FileText& name, const toml::node& node) {
      file_.rates.push_back({name, read_values(source_, node, name.text), std::nullopt, true});
    });
  }

  void read_structure() {
    root_.section("structure", [&](TableReader& r) { file_.structure = read_structure_section(source_, r); });
  }

  void read_run() {
    root_.section("run", [&](TableReader& r) {
      file_.run.to = r.value("to");
      file_.run.h = r.value("h");
      file_.run.rtol = r.value("rtol");
      file_.run.method = r.text("method");
    });
    if (file_.run.h && file_.run.rtol)
      throw file_.run.rtol->error("[run] has both a step size h and a tolerance rtol; give one of them");
  }

  const SourceText& source_;
  TableReader root_;
  const ModelFolder& folder_;
  ModelFile file_;
  std::vector<FileLoadOnBody> forces_at_;
};

// toml++ makes a nested table for each part of a key such as a.b.c and destroys them by recursion, so that very long
// keys would exhaust the stack.
class KeyLengths {
 public:
  explicit KeyLengths(const SourceText& source) : source_(source), text_(source.text()) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        count(c);
    }
  }

 private:
  void count(char c) {
    if (c == '.' && ++dots_ >= most_key_parts)
      throw source_.error(at_, fmt::format("this key has more than {} parts, which is the limit", most_key_parts));
    if (c != '.' && c != ' ' && c != '\t' && !is_bare(c)) dots_ = 0;
    ++at_;
  }
  static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

  void skip_string(char quote) {
    const std::string fence(3, quote);
    const bool lines = text_.substr(at_).starts_with(fence);
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      if (lines ? text_.substr(at_).starts_with(fence) : text_[at_] == quote || text_[at_] == '\n') break;
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + (lines ? 3 : 1), text_.size());
    // Up to two quotes before the closing three belong to the string.
    for (int k = 0; lines && k < 2 && at_ < text_.size() && text_[at_] == quote; ++k) ++at_;
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  int dots_ = 0;
};
}  // namespace

void parse_toml(const SourceText& source, const std::function<void(const toml::table&)>& use) {
  const std::size_t nul = source.text().find('\0');
  if (nul != std::string::npos)
    throw source.error(nul, "there is a byte with the value zero here, so this is not a text file");
  KeyLengths(source).check();
  try {
    const toml::parse_result result = toml::parse(std::string_view(source.text()));
    if (!result) throw source.error(offset_of(source, result.error().source().begin), result.error().description());
    use(result.table());
  } catch (const FailedTomlAssertion&) {
    throw source.error("this is not valid TOML; look for a key that is not followed by = and a value");
  }
}

ModelFile read_model_file(const SourceText& source, const ModelFolder& folder) {
  ModelFile file;
  parse_toml(source, [&](const toml::table& root) {
    file = FileReader(source, root, folder).read();
    check_model_shape(file, source);
  });
  return file;
}
}  // namespace trill
