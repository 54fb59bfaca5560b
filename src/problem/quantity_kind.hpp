// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <string_view>
#include <vector>

namespace trill {
const char* to_text(QuantityKind kind);
QuantityKind quantity_kind_from(std::string_view text);  // IoError for an unknown text

// Components without a kind get it from their place in the state.
void give_kinds(std::vector<Quantity>& components, const Layout& layout);

// problem.quantities(), where quantities without a kind are recognised as energies by their names.
std::vector<Quantity> measures_of(const Problem& problem);

// Kind of a quantity in a solution file of an earlier version, which stored names but no kinds.
QuantityKind kind_of_older_quantity(std::string_view name);
}  // namespace trill
