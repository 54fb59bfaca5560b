// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"
#include "trill/model/source_text.hpp"

#include <string>

namespace trill {
inline constexpr std::size_t most_matrix_bytes = 100'000'000;
inline constexpr Index most_matrix_rows = 1'000'000;  // the limit for columns as well

// Matrix Market files (Boisvert, Pozo, Remington, NISTIR 5935): coordinate or array, real or integer, general,
// symmetric or skew-symmetric; one entry per line. A symmetric matrix is returned with both triangles. Throws
// ModelError with line and column for anything else, for entries that occur twice and for numbers that are not finite.
SpMat read_matrix_market(const std::string& file, std::string_view text);
// The same for a matrix of one column.
Vec read_vector_market(const std::string& file, std::string_view text);
}  // namespace trill
