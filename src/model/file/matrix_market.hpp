// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"
#include "trill/model/source_text.hpp"

#include <string>
#include <vector>

namespace trill {
inline constexpr std::size_t most_matrix_bytes = 100'000'000;
inline constexpr Index most_matrix_rows = 1'000'000;  // the limit for columns as well

// Matrix Market files (Boisvert, Pozo, Remington, NISTIR 5935): coordinate or array, real or integer, general,
// symmetric or skew-symmetric; one entry per line. A symmetric matrix is returned with both triangles. Throws
// ModelError with line and column for anything else, for entries that occur twice and for numbers that are not finite.
SpMat read_matrix_market(const std::string& file, std::string_view text);
// The beginning of such a file, up to its line of sizes, and the entries of any later piece that consists of whole
// lines: for programs of which every process reads a part of the file.
struct MatrixHead {
  bool is_coordinate = true, has_whole_numbers = false;
  int across = 0;  // an entry counts across the diagonal as well: 1, with the opposite sign: -1, not: 0
  Index rows = 0, columns = 0;
  long long entries = 0;
  std::size_t end = 0;  // where the entries begin
};
struct MatrixEntry {
  int row = 0, column = 0;
  double value = 0;
};
MatrixHead read_matrix_head(const std::string& file, std::string_view text);
std::vector<MatrixEntry> read_matrix_entries(const std::string& file, std::string_view piece, const MatrixHead& head);
// The same for a matrix of one column.
Vec read_vector_market(const std::string& file, std::string_view text);
}  // namespace trill
