// SPDX-License-Identifier: BSD-3-Clause
// Whatever a solution in CSV contains, it is read or refused. An input is the table, a line "####", and the second
// file of the solution, with "none" as its checksum.
#include "read_solution.hpp"
#include "scratch_folder.hpp"
#include "time_limit.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view mark = "####\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t at = text.find(mark);
  const auto path = trill::fuzz::write_scratch("run.csv", text.substr(0, at));
  trill::fuzz::write_scratch("run.csv.meta.json", at == text.npos ? "" : text.substr(at + mark.size()));
  const trill::fuzz::TimeLimit limit;
  try {
    trill::fuzz::read_solution(path);
  } catch (const trill::IoError&) {
  }
  return 0;
}
