// SPDX-License-Identifier: BSD-3-Clause
// Whatever a matrix file contains, it gives a well-formed matrix of finite numbers, or is refused.
#include "model/file/matrix_market.hpp"
#include "time_limit.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  try {
    const trill::SpMat matrix = trill::read_matrix_market("fuzz.mtx", {reinterpret_cast<const char*>(data), size});
    if (!matrix.isCompressed()) std::abort();
    for (trill::Index column = 0; column < matrix.outerSize(); ++column) {
      trill::Index before = -1;
      for (trill::SpMat::InnerIterator it(matrix, column); it; ++it) {
        if (it.row() <= before || it.row() >= matrix.rows() || !std::isfinite(it.value())) std::abort();
        before = it.row();
      }
    }
  } catch (const trill::ModelError&) {
  }
  return 0;
}
