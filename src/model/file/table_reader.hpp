// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/model_file.hpp"
#include "model/file/toml_parser.hpp"

#include <functional>
#include <initializer_list>
#include <utility>

namespace trill {
// Hands over the root table. ModelError at the place of a mistake.
void parse_toml(const SourceText& source, const std::function<void(const toml::table&)>& use);

std::size_t offset_of(const SourceText& source, const toml::source_position& at);
std::size_t offset_of(const SourceText& source, const toml::node& node);

// The key is used in messages only.
FileValue read_value(const SourceText& source, const toml::node& node, std::string_view key);
FileValues read_values(const SourceText& source, const toml::node& node, std::string_view key);

// A key of a table with its node.
struct TableEntry {
  FileTarget key;
  const toml::node* node = nullptr;
};
// toml++ sorts keys by name; this returns them in the order of the file.
std::vector<TableEntry> entries_in_order(const SourceText& source, const toml::table& table);

// Throws ModelError if the file may not use this name for something of its own.
void check_own_name(const SourceText& source, const FileText& name);

// Reads the keys of one table; finish() refuses those that nobody asked for.
class TableReader {
 public:
  TableReader(const SourceText& source, const toml::table& table, std::string where, std::size_t offset)
      : source_(source), table_(table), where_(std::move(where)), offset_(offset) {}

  std::size_t offset() const { return offset_; }
  const toml::node* find(const char* key);
  const toml::node& needed_node(const char* key);
  const toml::table* table(const char* key);  // the section [key]

  std::optional<FileValue> value(const char* key);
  std::optional<FileValues> values(const char* key);
  FileValue needed_value(const char* key);
  FileValues needed_values(const char* key);
  std::optional<double> number(const char* key);
  std::optional<int> choice(const char* key, std::initializer_list<int> allowed);
  bool flag(const char* key, bool otherwise = false);
  std::optional<FileText> text(const char* key);
  FileText needed_text(const char* key);
  FileTarget needed_target(const char* key);
  std::string optional_text(const char* key);
  std::string optional_unit(const char* key);
  std::optional<FileText> name(const char* key);  // consists of letters, digits and _

  // Calls use(name, node) for every line of [section] after checking the name.
  template <class Use>
  void each_entry(const char* section, Use use) {
    const toml::table* found = table(section);
    if (!found) return;
    for (const TableEntry& entry : entries_in_order(source_, *found)) {
      check_own_name(source_, entry.key);
      use(entry.key, *entry.node);
    }
  }
  // Calls use(reader) for every [[section]].
  template <class Use>
  void each_table(const char* section, Use use) {
    for (const toml::table* found : tables(section)) {
      TableReader reader(source_, *found, std::string("[[") + section + "]]", offset_of(source_, *found));
      use(reader);
      reader.finish();
    }
  }
  // Calls use(reader) for [name], if it is there.
  template <class Use>
  void section(const char* name, Use use) {
    const toml::table* found = table(name);
    if (!found) return;
    TableReader reader(source_, *found, std::string("[") + name + "]", offset_of(source_, *found));
    use(reader);
    reader.finish();
  }

  // `better` has special messages for some unknown keys.
  void finish(std::initializer_list<std::pair<std::string_view, const char*>> better = {}) const;

 private:
  std::vector<const toml::table*> tables(const char* section);

  const SourceText& source_;
  const toml::table& table_;
  std::string where_;
  std::size_t offset_;
  std::vector<std::string> known_;
};
}  // namespace trill
