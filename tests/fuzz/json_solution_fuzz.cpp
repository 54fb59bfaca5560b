// SPDX-License-Identifier: BSD-3-Clause
// Whatever a solution in JSON contains, it is read or refused. The files of the corpus have "none" as their checksum,
// so that changes are not found by it.
#include "read_solution.hpp"
#include "scratch_folder.hpp"
#include "time_limit.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = trill::fuzz::write_scratch("run.json", {reinterpret_cast<const char*>(data), size});
  const trill::fuzz::TimeLimit limit;
  try {
    trill::fuzz::read_solution(path);
  } catch (const trill::IoError&) {
  }
  return 0;
}
