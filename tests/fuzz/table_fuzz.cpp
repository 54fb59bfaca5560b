// SPDX-License-Identifier: BSD-3-Clause
// Whatever a table contains, it gives rows of finite numbers, or is refused.
#include "model/file/csv_table.hpp"
#include "time_limit.hpp"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  try {
    const trill::CsvTable table = trill::read_csv("fuzz.csv", {reinterpret_cast<const char*>(data), size});
    if (table.names.empty() || table.columns.size() != table.names.size()) std::abort();
    for (const auto& column : table.columns) {
      if (column.size() != table.rows()) std::abort();
      for (const double x : column)
        if (!std::isfinite(x)) std::abort();
    }
  } catch (const trill::ModelError&) {
  }
  return 0;
}
