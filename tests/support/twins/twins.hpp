// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/model_registry.hpp"

namespace trill::test {
// Shipped text models written a second time by hand in C++. What is derived from the text is compared with them.
const ModelRegistry& twins();
}  // namespace trill::test
