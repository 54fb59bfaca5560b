// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/registry.hpp"

namespace trill {
// The methods that step cycle maps. They are a catalogue of their own, because none of them runs a model as it is: a
// formulation has to make its cycles a map first.
const Catalogue& cycle_methods();
}  // namespace trill
