// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <string_view>
#include <vector>

namespace trill {
const char* to_text(QuantityKind kind);
QuantityKind quantity_kind_from(std::string_view text);  // IoError for an unknown text

// Components that do not say what they are get it from their place in the state.
void give_kinds(std::vector<Quantity>& components, const Layout& layout);

// problem.quantities(); those that do not say what they are may be energies by their name.
std::vector<Quantity> measures_of(const Problem& problem);

// Of a quantity in a solution file of earlier versions, which held names and no kinds.
QuantityKind kind_of_older_quantity(std::string_view name);
}  // namespace trill
