// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/model_registry.hpp"

namespace trill::test {
// Shipped text models written a second time in C++, by hand: what the derivation from the text is measured against.
const ModelRegistry& twins();
}  // namespace trill::test
