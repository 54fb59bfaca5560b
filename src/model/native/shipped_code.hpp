// SPDX-License-Identifier: BSD-3-Clause
// Machine code of the models that ship with trill, made by the build from the C that they would be compiled to.
#pragma once

#include "model/expression/routine.hpp"

#include <string_view>

namespace trill {
struct ShippedCode {
  std::uint64_t key[2];  // of the C source
  const NativeFunction* functions;
  std::size_t count;
};
struct SourceKey {
  std::uint64_t key[2];
};
SourceKey source_key(std::string_view c_source);

std::span<const ShippedCode> all_shipped_code();  // written by the build
// Of the source with these functions, or nullptr.
const ShippedCode* find_shipped_code(std::string_view c_source, std::size_t count);
}  // namespace trill
