// SPDX-License-Identifier: BSD-3-Clause
// Whatever a model file holds, it loads or is refused.
#include "trill/model/text_problem.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    trill::read_model("fuzz.toml", std::string(reinterpret_cast<const char*>(data), size));
  } catch (const trill::UsageError&) {
  }
  return 0;
}
