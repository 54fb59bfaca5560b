// SPDX-License-Identifier: BSD-3-Clause
// Whatever a PDB file contains, its atoms have finite positions, or it is refused.
#include "model/molecule/pdb_file.hpp"
#include "time_limit.hpp"
#include "trill/base/errors.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  try {
    const trill::PdbFile file("fuzz.pdb", {reinterpret_cast<const char*>(data), size});
    for (const trill::PdbAtom& atom : file.atoms)
      for (const double x : atom.at)
        if (!std::isfinite(x)) std::abort();
  } catch (const trill::UsageError&) {
  }
  return 0;
}
