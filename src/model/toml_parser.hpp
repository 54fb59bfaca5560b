// SPDX-License-Identifier: BSD-3-Clause
// toml++ asserts what some malformed files violate, and in release builds assumes it. Here a failed assertion is an
// error like any other, in every build.
#pragma once

namespace trill {
struct FailedTomlAssertion {};
constexpr void require_in_toml(bool condition) {
  if (!condition) throw FailedTomlAssertion();
}
}  // namespace trill

#undef NDEBUG
#define TOML_ASSERT(condition) ::trill::require_in_toml(static_cast<bool>(condition))
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
