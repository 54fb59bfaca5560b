// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/measure_laws.hpp"

#include "model/file/table_reader.hpp"

namespace trill {
std::vector<FileLaw> read_measure_laws(const SourceText& source) {
  std::vector<FileLaw> laws;
  const toml::parse_result parsed = toml::parse(std::string_view(source.text()));
  const toml::array* measures = parsed ? parsed.table()["measure"].as_array() : nullptr;
  if (!measures) return laws;
  for (const toml::node& node : *measures) {
    const toml::table* table = node.as_table();
    const toml::node* law = table ? table->get("law") : nullptr;
    if (!law) continue;
    FileLaw found{(*table)["name"].value_or(std::string()), read_value(source, *law, "law"), {}};
    const toml::node* range = table->get("range");
    if (range) found.range = read_values(source, *range, "range");
    if (found.range.parts.size() != 2)
      throw found.density.error("a law needs the range of its measure, as in range = [\"-pi\", \"pi\"]");
    laws.push_back(std::move(found));
  }
  return laws;
}
}  // namespace trill
