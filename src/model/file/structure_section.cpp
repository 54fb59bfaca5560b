// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/structure_section.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
class StructureSection {
 public:
  StructureSection(const SourceText& source, TableReader& section) : source_(source), section_(section) {}

  FileStructure read() {
    FileStructure s;
    s.offset = section_.offset();
    s.generate = read_generate();
    if (s.generate) {
      s.mass = section_.text("mass");
      s.stiffness = section_.text("stiffness");
      if (const auto& given = s.mass ? s.mass : s.stiffness; given)
        throw source_.error(given->offset,
                            "[structure] has 'generate', which makes both matrices, so that it cannot "
                            "name a file for one of them");
    } else {
      s.mass = section_.needed_text("mass");
      s.stiffness = section_.needed_text("stiffness");
    }
    s.damping = read_damping();
    each_of("dashpot", [&](TableReader& r) { s.dashpots.push_back({r.needed_text("on"), r.needed_value("value")}); });
    s.start = section_.text("start");
    s.velocity = section_.text("velocity");
    each_of("load", [&](TableReader& r) { s.loads.push_back(read_load(r)); });
    read_outputs(s);
    s.nodes = section_.text("nodes");
    s.lines = section_.text("lines");
    if (s.lines && !s.nodes)
      throw source_.error(s.lines->offset, "'lines' join nodes, so that 'nodes' is needed as well");
    return s;
  }

 private:
  std::optional<FileGenerate> read_generate() {
    const toml::table* table = inline_table("generate", "generate = { shape = \"plate\", elements = 20 }");
    if (!table) return std::nullopt;
    TableReader reader(source_, *table, "'generate'", offset_of(source_, *table));
    FileGenerate made{reader.needed_text("shape"), {}};
    for (const TableEntry& entry : entries_in_order(source_, *table))
      if (entry.key.text != "shape")
        made.numbers.emplace_back(entry.key, read_value(source_, *entry.node, entry.key.text));
    return made;
  }

  std::optional<FileDamping> read_damping() {
    const toml::node* node = section_.find("damping");
    if (!node) return std::nullopt;
    FileDamping damping;
    damping.offset = offset_of(source_, *node);
    if (!node->is_table()) {
      damping.matrix = section_.text("damping");
      return damping;
    }
    TableReader reader(source_, *node->as_table(), "'damping'", damping.offset);
    damping.matrix = reader.text("matrix");
    damping.mass = reader.value("mass");
    damping.stiffness = reader.value("stiffness");
    damping.ratio = reader.value("ratio");
    if (const toml::node* between = reader.find("between")) {
      const toml::array* pair = between->as_array();
      if (!pair || pair->size() != 2)
        throw source_.error(offset_of(source_, *between), "'between' must be two frequencies: between = [10, 50]");
      for (const toml::node& frequency : *pair) damping.between.push_back(read_value(source_, frequency, "between"));
    }
    reader.finish();
    if (damping.ratio.has_value() != !damping.between.empty())
      throw source_.error(damping.offset,
                          "a damping ratio needs the two frequencies, in radians per time, at which it "
                          "holds: damping = { ratio = 0.02, between = [10, 50] }");
    if (damping.ratio && (damping.mass || damping.stiffness))
      throw source_.error(damping.offset,
                          "give either the shares 'mass' and 'stiffness' of a damping or its 'ratio', not both");
    return damping;
  }

  FileLoad read_load(TableReader& r) const {
    FileLoad load;
    load.offset = r.offset();
    load.vector = {r.text("vector"), r.text("on")};
    if (const std::optional<FileText> ground = r.text("ground")) {
      if (load.vector.file || load.vector.on)
        throw source_.error(ground->offset, "a load has one of 'vector', 'on' and 'ground', not two of them");
      load.ground = true;
      load.vector.file = ground;
    }
    check_one(load.vector, r.offset(),
              "'load' needs 'vector' (a file), 'on' (an unknown such as \"u3\") or 'ground' "
              "(a file with the motion of the ground)");
    load.value = r.value("value");
    load.factor = r.value("factor");
    load.table = r.text("table");
    if (load.factor && load.table)
      throw source_.error(load.table->offset, "a load has either a 'factor' or a 'table', not both");
    return load;
  }

  void read_outputs(FileStructure& s) {
    section_.each_entry("outputs", [&](const FileText& name, const toml::node& node) {
      FileOutput output{name, {}, {}, ""};
      if (const auto text = node.value<std::string>()) {
        output.vector.on = FileText{*text, offset_of(source_, node)};
      } else if (const toml::table* table = node.as_table()) {
        TableReader reader(source_, *table, fmt::format("output '{}'", name.text), name.offset);
        output.vector = {reader.text("vector"), reader.text("on")};
        output.value = reader.value("value");
        output.unit = reader.optional_unit("unit");
        reader.finish();
      }
      check_one(output.vector, name.offset,
                "an output is the name of an unknown, or a table with a file of weights: tip = \"u7\" or moment = { "
                "vector = \"m.mtx\" }");
      s.outputs.push_back(std::move(output));
    });
  }

  void check_one(const FileVector& vector, std::size_t offset, const char* expected) const {
    if (vector.file.has_value() == vector.on.has_value()) throw source_.error(offset, expected);
  }

  const toml::table* inline_table(const char* key, const char* example) {
    const toml::node* node = section_.find(key);
    if (node && !node->is_table())
      throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be a table: {}", key, example));
    return node ? node->as_table() : nullptr;
  }

  // One table, or a list of tables.
  template <class Use>
  void each_of(const char* key, Use use) {
    const toml::node* node = section_.find(key);
    if (!node) return;
    const auto one = [&](const toml::node& item) {
      if (!item.is_table())
        throw source_.error(
            offset_of(source_, item),
            fmt::format("'{}' must be a table or a list of tables: {} = {{ on = \"u1\", value = 2 }}", key, key));
      TableReader reader(source_, *item.as_table(), fmt::format("'{}'", key), offset_of(source_, item));
      use(reader);
      reader.finish();
    };
    if (const toml::array* list = node->as_array())
      for (const toml::node& item : *list) one(item);
    else
      one(*node);
  }

  const SourceText& source_;
  TableReader& section_;
};
}  // namespace

FileStructure read_structure_section(const SourceText& source, TableReader& section) {
  return StructureSection(source, section).read();
}
}  // namespace trill
