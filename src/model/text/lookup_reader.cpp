// SPDX-License-Identifier: BSD-3-Clause
// Tables that expressions name: table("road.csv", x).
#include "base/text.hpp"
#include "model/text/model_space.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
std::size_t value_column(const CsvTable& csv, const TableUse& use) {
  const auto fail = [&](const std::string& message) { throw use.piece.error(use.offset, message); };
  if (csv.names.size() < 2)
    fail(fmt::format("'{}' has one column; a table needs two, the places and the values", use.file));
  if (use.column.empty()) {
    if (csv.names.size() > 2)
      fail(fmt::format("'{0}' has {1} columns; say which one has the values: table(\"{0}\", ..., \"{2}\")", use.file,
                       csv.names.size(), csv.names[1]));
    return 1;
  }
  const auto found = std::find(csv.names.begin() + 1, csv.names.end(), use.column);
  if (found == csv.names.end())
    fail(fmt::format("'{}' has no column '{}' of values{}; the interpolation is \"linear\" or \"cubic\"", use.file,
                     use.column, suggest(use.column, std::span(csv.names).subspan(1))));
  return static_cast<std::size_t>(found - csv.names.begin());
}

void check_places(const CsvTable& csv, const TableUse& use) {
  if (csv.rows() < 2)
    throw use.piece.error(use.offset, fmt::format("'{}' has {} row{} of numbers; a table needs at least two", use.file,
                                                  csv.rows(), csv.rows() == 1 ? "" : "s"));
  const std::vector<double>& x = csv.columns[0];
  for (std::size_t row = 1; row < x.size(); ++row)
    if (!(x[row] > x[row - 1]))
      throw csv.error(row, 0,
                      fmt::format("{} comes after {}; the places in the first column must ascend", x[row], x[row - 1]));
}
}  // namespace

std::shared_ptr<const LookupTable> ModelSpace::find_table(const TableUse& use) {
  const bool cubic = use.interpolation == Interpolation::cubic;
  const std::string key = fmt::format("{}\n{}\n{}", use.file, use.column, cubic);
  if (const auto known = lookup_tables_.find(key); known != lookup_tables_.end()) return known->second;
  if (!lookup_files_.contains(use.file)) {
    const std::size_t place = use.piece.verbatim ? use.piece.begin + use.offset : use.piece.begin;
    const std::string text = file_.folder.read(use.file, source_, place, lookup_bytes_left_);
    lookup_bytes_left_ -= text.size();
    CsvTable csv = read_csv(use.file, text, CsvHeader::texts);
    take_memory(static_cast<Index>(csv.rows() * csv.names.size()), place);
    check_places(csv, use);
    lookup_files_.emplace(use.file, std::move(csv));
  }
  const CsvTable& csv = lookup_files_.find(use.file)->second;
  const std::size_t column = value_column(csv, use);
  constexpr Index numbers_each_row = 6;
  take_memory(numbers_each_row * static_cast<Index>(csv.rows()), use.piece.begin);
  const std::string stem = use.file.substr(0, use.file.find('.'));
  const std::string name = is_identifier(stem) ? stem : "table";
  auto table = std::make_shared<const LookupTable>(name, csv.columns[0], csv.columns[column], use.interpolation);
  if (!std::all_of(table->data.begin(), table->data.end(), [](double x) { return std::isfinite(x); }))
    throw use.piece.error(use.offset,
                          fmt::format("the numbers of '{}' are too large or too close to be interpolated", use.file));
  return lookup_tables_.emplace(key, std::move(table)).first->second;
}
}  // namespace trill
