// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <string>
#include <string_view>

namespace trill {
// "bonds+angles" -> the bits of those groups of forces; a UsageError of `asker` lists the names that exist.
Groups named_groups(const MechanicalProblem& problem, std::string_view text, std::string_view asker);
std::string names_of(const MechanicalProblem& problem, Groups groups);
}  // namespace trill
