// SPDX-License-Identifier: BSD-3-Clause
// Machine code of the models that ship with trill, compiled by the build from the same C that trill would write for
// them.
#pragma once

#include "model/expression/routine.hpp"

#include <string_view>

namespace trill {
struct ShippedCode {
  std::uint64_t key[2];  // hash of the C source
  const NativeFunction* functions;
  std::size_t count;
};
struct SourceKey {
  std::uint64_t key[2];
};
SourceKey source_key(std::string_view c_source);

std::span<const ShippedCode> all_shipped_code();  // written by the build
// The code for this source with this number of functions, or nullptr.
const ShippedCode* find_shipped_code(std::string_view c_source, std::size_t count);
}  // namespace trill
