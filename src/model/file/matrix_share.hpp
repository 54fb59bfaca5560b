// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace trill {
// Which rows of the matrices of structures this process keeps, where several processes share a structure. Matrices have
// their full size in each of them, but only these rows have entries; vectors are whole.
struct MatrixShare {
  Index process = 0, processes = 1;
  // Reads the own rows of a Matrix Market file of which every process reads a part; `name` is for messages.
  std::function<SpMat(const std::filesystem::path& file, const std::string& name)> read;

  bool is_shared() const { return processes > 1; }
  Index first_row(Index rows) const { return rows * process / processes; }
  Index end_row(Index rows) const { return rows * (process + 1) / processes; }
  SpMat own_rows(const SpMat& whole) const;
};

// The share of this process: all rows, unless the program has said otherwise before it read a model.
const MatrixShare& matrix_share();
void share_matrices(MatrixShare share);
}  // namespace trill
