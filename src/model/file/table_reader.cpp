// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/table_reader.hpp"

#include "base/text.hpp"
#include "model/expression/parser.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// The text between the quotes, with the place where it begins; not verbatim if escapes make it differ from the file.
SourcePiece piece_at(const SourceText& source, std::size_t begin, const std::string& text) {
  const std::string_view rest = std::string_view(source.text()).substr(begin);
  for (const std::string_view quote : {"\"\"\"\r\n", "\"\"\"\n", "\"\"\"", "'''\r\n", "'''\n", "'''", "\"", "'"})
    if (rest.starts_with(quote) && rest.substr(quote.size()).starts_with(text))
      return {&source, begin + quote.size(), text, true};
  return {&source, begin, text, false};
}

FileTarget key_target(const SourceText& source, const toml::key& key) {
  const std::size_t offset = offset_of(source, key.source().begin);
  const std::string text(key.str());
  if (is_identifier(text)) return {{text, offset}, {&source, offset, text}};
  return {{text, offset}, piece_at(source, offset, text)};
}
}  // namespace

std::size_t offset_of(const SourceText& source, const toml::source_position& at) {
  return source.offset({static_cast<std::size_t>(at.line), static_cast<std::size_t>(at.column)});
}
std::size_t offset_of(const SourceText& source, const toml::node& node) {
  return offset_of(source, node.source().begin);
}

FileValue read_value(const SourceText& source, const toml::node& node, std::string_view key) {
  const std::size_t begin = offset_of(source, node);
  if (const auto* text = node.as_string()) return {piece_at(source, begin, text->get()), std::nullopt};
  const auto number = node.is_number() ? node.value<double>() : std::nullopt;
  if (!number) throw source.error(begin, fmt::format("'{}' must be a number or an expression in quotes", key));
  if (!std::isfinite(*number)) throw source.error(begin, fmt::format("'{}' must be finite", key));
  return {{&source, begin, ""}, number};
}

FileValues read_values(const SourceText& source, const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  if (!list) return {read_value(source, node, key), {}};
  const std::size_t begin = offset_of(source, node);
  if (list->size() != 2 && list->size() != 3)
    throw source.error(begin, fmt::format("'{}' is a list of {} values; a point has 2 or 3 parts", key, list->size()));
  FileValues values{{{&source, begin, ""}, std::nullopt}, {}};
  for (const toml::node& part : *list) values.parts.push_back(read_value(source, part, key));
  return values;
}

std::vector<TableEntry> entries_in_order(const SourceText& source, const toml::table& table) {
  std::vector<TableEntry> entries;
  for (const auto& [key, node] : table) entries.push_back({key_target(source, key), &node});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const TableEntry& a, const TableEntry& b) { return a.key.offset < b.key.offset; });
  return entries;
}

void check_own_name(const SourceText& source, const FileText& name) {
  if (!is_identifier(name.text))
    throw source.error(name.offset,
                       fmt::format("'{}' is not a valid name; a name consists of letters, digits and _", name.text));
  if (is_reserved(name.text))
    throw source.error(name.offset,
                       fmt::format("the name '{}' has a meaning in formulas already; choose another", name.text));
}

const toml::node* TableReader::find(const char* key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return table_.get(key);
}

const toml::table* TableReader::table(const char* key) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  if (const toml::table* found = node->as_table()) return found;
  throw source_.error(offset_of(source_, *node),
                      fmt::format("'{}' must be a section, which begins with a line [{}]", key, key));
}

std::vector<const toml::table*> TableReader::tables(const char* section) {
  const toml::node* node = find(section);
  if (!node) return {};
  const toml::array* array = node->as_array();
  if (!array)
    throw source_.error(
        offset_of(source_, *node),
        fmt::format("write [[{}]] with double brackets, because there may be several such sections", section));
  std::vector<const toml::table*> found;
  for (const toml::node& element : *array) {
    if (!element.is_table())
      throw source_.error(
          offset_of(source_, element),
          fmt::format("'{}' must be given in sections, each of which begins with a line [[{}]]", section, section));
    found.push_back(element.as_table());
  }
  return found;
}

const toml::node& TableReader::needed_node(const char* key) {
  if (const toml::node* node = find(key)) return *node;
  throw source_.error(offset_, fmt::format("{} needs '{}'", where_, key));
}

std::optional<FileValue> TableReader::value(const char* key) {
  const toml::node* node = find(key);
  return node ? std::optional(read_value(source_, *node, key)) : std::nullopt;
}

std::optional<FileValues> TableReader::values(const char* key) {
  const toml::node* node = find(key);
  return node ? std::optional(read_values(source_, *node, key)) : std::nullopt;
}

FileValue TableReader::needed_value(const char* key) { return read_value(source_, needed_node(key), key); }

FileValues TableReader::needed_values(const char* key) { return read_values(source_, needed_node(key), key); }

std::optional<double> TableReader::number(const char* key) {
  const auto found = value(key);
  if (found && !found->number) throw found->error(fmt::format("'{}' must be a number", key));
  return found ? found->number : std::nullopt;
}

std::optional<int> TableReader::choice(const char* key, std::initializer_list<int> allowed) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto* number = node->as_integer();
  for (const int value : allowed)
    if (number && number->get() == value) return value;
  throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be {}", key, fmt::join(allowed, " or ")));
}

bool TableReader::flag(const char* key, bool otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto* found = node->as_boolean()) return found->get();
  throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be true or false", key));
}

std::optional<FileText> TableReader::text(const char* key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto* text = node->as_string();
  if (!text) throw source_.error(offset_of(source_, *node), fmt::format("'{}' must be text in quotes", key));
  return FileText{text->get(), offset_of(source_, *node)};
}

FileText TableReader::needed_text(const char* key) {
  needed_node(key);
  return *text(key);
}

FileTarget TableReader::needed_target(const char* key) {
  const FileText found = needed_text(key);
  return {found, piece_at(source_, found.offset, found.text)};
}

std::string TableReader::optional_text(const char* key) {
  const auto found = text(key);
  return found ? found->text : "";
}

std::string TableReader::optional_unit(const char* key) {
  const auto found = text(key);
  if (found && spoils_a_heading(found->text))
    throw source_.error(found->offset, fmt::format("'{}' must not contain commas, quotes or line breaks", key));
  return found ? found->text : "";
}

std::optional<FileText> TableReader::name(const char* key) {
  auto found = text(key);
  if (found && !is_identifier(found->text))
    throw source_.error(found->offset,
                        fmt::format("'{}' must be a name, which consists of letters, digits and _", key));
  return found;
}

void TableReader::finish(std::initializer_list<std::pair<std::string_view, const char*>> better) const {
  for (const TableEntry& entry : entries_in_order(source_, table_)) {
    const std::string& key = entry.key.text;
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    for (const auto& [name, message] : better)
      if (key == name) throw source_.error(entry.key.offset, message);
    throw source_.error(entry.key.offset, fmt::format("{} has no key '{}'{}", where_, key, suggest(key, known_)));
  }
}
}  // namespace trill
