// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>

namespace trill {
// A message is told by the names, numbers and places in it, not by its wording.
template <class... Words>
auto mentions(const Words&... words) {
  return testing::AllOf(testing::HasSubstr(words)...);
}
}  // namespace trill
