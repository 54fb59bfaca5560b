// SPDX-License-Identifier: BSD-3-Clause
#include "model_file.hpp"

#include "trill/base/text.hpp"
#include "trill/model/parser.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

// toml++ asserts what some malformed files violate, and in release builds assumes it. Here a failed assertion is an
// error like any other, in every build.
namespace {
struct FailedTomlAssertion {};
constexpr void require_in_toml(bool condition) {
  if (!condition) throw FailedTomlAssertion();
}
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) require_in_toml(static_cast<bool>(condition))
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace trill {
namespace {
constexpr const char* no_sets = "index sets are not supported yet; write one coordinate and one term for each";

std::size_t offset_of(const SourceText& source, const toml::source_position& at) {
  return source.offset({static_cast<std::size_t>(at.line), static_cast<std::size_t>(at.column)});
}
std::size_t offset_of(const SourceText& source, const toml::node& node) {
  return offset_of(source, node.source().begin);
}
std::size_t offset_of(const SourceText& source, const toml::key& key) { return offset_of(source, key.source().begin); }

// Where the text between the quotes begins; nothing where escapes make it differ from the file.
SourcePiece piece_of(const SourceText& source, const toml::node& node, const std::string& text) {
  const std::size_t begin = offset_of(source, node);
  const std::string_view rest = std::string_view(source.text()).substr(begin);
  for (const std::string_view quote : {"\"\"\"\r\n", "\"\"\"\n", "\"\"\"", "'''\r\n", "'''\n", "'''", "\"", "'"})
    if (rest.starts_with(quote) && rest.substr(quote.size()).starts_with(text))
      return {&source, begin + quote.size(), text, true};
  return {&source, begin, text, false};
}

// Reads the keys of one table; finish() refuses those that nobody asked for.
class TableReader {
 public:
  TableReader(const SourceText& source, const toml::table& table, std::string where, std::size_t offset)
      : source_(source), table_(table), where_(std::move(where)), offset_(offset) {}

  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }
  std::optional<FileValue> value(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    return value(*node, key);
  }
  FileValue needed_value(const char* key) {
    if (auto found = value(key)) return *found;
    throw source_.error(offset_, fmt::format("{} needs '{}'", where_, key));
  }
  std::optional<FileText> text(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto* text = node->as_string();
    if (!text) throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be a text in quotes", key));
    return FileText{text->get(), offset_of(source_, *node)};
  }
  FileText needed_text(const char* key) {
    if (auto found = text(key)) return *found;
    throw source_.error(offset_, fmt::format("{} needs '{}'", where_, key));
  }
  std::string optional_text(const char* key) {
    const auto found = text(key);
    return found ? found->text : "";
  }

  FileValue value(const toml::node& node, std::string_view key) const {
    const std::size_t begin = offset_of(source_, node);
    if (const auto* text = node.as_string()) return {piece_of(source_, node, text->get()), std::nullopt};
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number) throw source_.error(begin, fmt::format("'{}' must be a number or an expression in quotes", key));
    if (!std::isfinite(*number)) throw source_.error(begin, fmt::format("'{}' must be finite", key));
    return {{&source_, begin, ""}, number};
  }

  void finish(std::initializer_list<std::pair<std::string_view, const char*>> later = {{"over", no_sets}}) const {
    for (const auto& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      for (const auto& [name, message] : later)
        if (key.str() == name) throw source_.error(offset_of(source_, key), message);
      throw source_.error(offset_of(source_, key),
                          fmt::format("{} has no key '{}'{}", where_, key.str(), suggest(key.str(), known_)));
    }
  }

 private:
  const SourceText& source_;
  const toml::table& table_;
  std::string where_;
  std::size_t offset_;
  std::vector<std::string> known_;
};

class FileReader {
 public:
  FileReader(const SourceText& source, const toml::table& root) : source_(source), root_(source, root, "a model", 0) {}

  ModelFile read() {
    file_.title = root_.optional_text("title");
    file_.reference = root_.optional_text("reference");
    read_parameters();
    read_coordinates();
    read_derived();
    read_terms();
    read_run();
    root_.finish({{"sets", no_sets},
                  {"event", "events in text models are not supported yet"},
                  {"heat_bath", "heat baths in text models are not supported yet"},
                  {"rate", "first-order text models are not supported yet"},
                  {"mass", "a mass belongs to a coordinate: x = { start = 1, mass = 2 }"}});
    if (file_.coordinates.empty())
      throw source_.error(
          "a model needs coordinates: [coordinates] and a line such as x = { start = 1, velocity = 0 }");
    if (file_.stiff.empty() && file_.potentials.empty() && file_.forces.empty() && file_.constraints.empty())
      throw source_.error(
          "nothing acts on the coordinates; give a [[potential]], [[stiff]], [[force]] or [[constraint]]");
    return std::move(file_);
  }

 private:
  // Keys come sorted by name; a model has them as they stand in the file.
  template <class Use>
  void each_entry(const char* section, Use use) {
    const toml::node* node = root_.find(section);
    if (!node) return;
    const toml::table* table = node->as_table();
    if (!table)
      throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be a section [{}]", section, section));
    std::vector<std::pair<std::size_t, std::pair<std::string, const toml::node*>>> entries;
    for (const auto& [key, value] : *table)
      entries.push_back({offset_of(source_, key), {std::string(key.str()), &value}});
    std::stable_sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
    const TableReader reader(source_, *table, section, offset_of(source_, *node));
    for (const auto& [offset, entry] : entries) {
      check_name({entry.first, offset});
      use(reader, FileText{entry.first, offset}, *entry.second);
    }
  }

  template <class Use>
  void each_table(const char* section, Use use) {
    const toml::node* node = root_.find(section);
    if (!node) return;
    const toml::array* array = node->as_array();
    if (!array)
      throw source_.error(offset_of(source_, *node),
                          fmt::format("write [[{}]] with two brackets: there may be several", section));
    for (const toml::node& element : *array) {
      const toml::table* table = element.as_table();
      if (!table)
        throw source_.error(offset_of(source_, element), fmt::format("'{}' must be sections [[{}]]", section, section));
      TableReader reader(source_, *table, fmt::format("[[{}]]", section), offset_of(source_, element));
      use(reader);
      reader.finish();
    }
  }

  void check_name(const FileText& name) const {
    if (!is_identifier(name.text))
      throw source_.error(name.offset, fmt::format("'{}' is no name; a name has letters, digits and _", name.text));
    if (is_reserved(name.text))
      throw source_.error(name.offset, fmt::format("'{}' is already a name of trill; choose another", name.text));
  }

  std::optional<FileText> group(TableReader& reader) const {
    auto found = reader.text("group");
    if (found && !is_identifier(found->text))
      throw source_.error(found->offset, "a group needs a name of letters, digits and _");
    return found;
  }

  void read_parameters() {
    each_entry("parameters", [&](const TableReader& section, const FileText& name, const toml::node& node) {
      FileParameter p{name, {}, "", ""};
      if (const toml::table* table = node.as_table()) {
        TableReader reader(source_, *table, fmt::format("parameter '{}'", name.text), name.offset);
        p.value = reader.needed_value("value");
        p.unit = reader.optional_text("unit");
        p.what = reader.optional_text("what");
        reader.finish();
      } else {
        p.value = section.value(node, name.text);
      }
      if (!p.value.number) throw p.value.error("a parameter must be a number; an expression belongs into [derived]");
      file_.parameters.push_back(std::move(p));
    });
  }

  void read_coordinates() {
    each_entry("coordinates", [&](const TableReader& section, const FileText& name, const toml::node& node) {
      FileCoordinate c{name, {}, std::nullopt, std::nullopt, ""};
      if (const toml::table* table = node.as_table()) {
        TableReader reader(source_, *table, fmt::format("coordinate '{}'", name.text), name.offset);
        reader.find("start");
        c.velocity = reader.value("velocity");
        c.mass = reader.value("mass");
        c.unit = reader.optional_text("unit");
        reader.finish();
        c.start = reader.needed_value("start");
      } else {
        c.start = section.value(node, name.text);
      }
      file_.coordinates.push_back(std::move(c));
    });
  }

  void read_derived() {
    each_entry("derived", [&](const TableReader& section, const FileText& name, const toml::node& node) {
      file_.derived.push_back({name, section.value(node, name.text)});
    });
  }

  void read_terms() {
    each_table("stiff", [&](TableReader& r) {
      file_.stiff.push_back({r.needed_value("gap"), r.needed_value("stiffness"), group(r)});
    });
    each_table("potential", [&](TableReader& r) { file_.potentials.push_back({r.needed_value("energy"), group(r)}); });
    each_table("force", [&](TableReader& r) {
      file_.forces.push_back({r.needed_text("on"), r.needed_value("value"), group(r)});
    });
    each_table("constraint", [&](TableReader& r) { file_.constraints.push_back(r.needed_value("equation")); });
    each_table("measure", [&](TableReader& r) {
      file_.measures.push_back({r.needed_text("name"), r.needed_value("value"), r.optional_text("unit")});
    });
  }

  void read_run() {
    const toml::node* node = root_.find("run");
    if (!node) return;
    const toml::table* table = node->as_table();
    if (!table) throw source_.error(offset_of(source_, *node), "'run' must be a section [run]");
    TableReader reader(source_, *table, "[run]", offset_of(source_, *node));
    file_.run.to = reader.value("to");
    file_.run.h = reader.value("h");
    file_.run.rtol = reader.value("rtol");
    file_.run.method = reader.optional_text("method");
    reader.finish();
    if (file_.run.h && file_.run.rtol)
      throw file_.run.rtol->error("[run] has a step size h as well; give either h or rtol");
  }

  const SourceText& source_;
  TableReader root_;
  ModelFile file_;
};
}  // namespace

ModelFile read_model_file(const SourceText& source) {
  const std::size_t nul = source.text().find('\0');
  if (nul != std::string::npos) throw source.error(nul, "a NUL byte; this is not a text file");
  try {
    const toml::parse_result result = toml::parse(std::string_view(source.text()));
    if (!result) throw source.error(offset_of(source, result.error().source().begin), result.error().description());
    return FileReader(source, result.table()).read();
  } catch (const FailedTomlAssertion&) {
    throw source.error("this is not TOML; look for keys that are not followed by = and a value");
  }
}
}  // namespace trill
