// SPDX-License-Identifier: BSD-3-Clause
// Linear structures that tests share with figures of papers.
#pragma once

#include "papers/given_structure.hpp"

namespace trill::testing_structures {
using papers::GivenStructure;
using papers::RandomStructures;
}  // namespace trill::testing_structures
