// SPDX-License-Identifier: BSD-3-Clause
// Whatever a LAMMPS data file contains, it gives molecules whose forces can be evaluated, or it is refused.
#include "molecule_forces.hpp"
#include "time_limit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  try {
    const trill::DataFile file("fuzz.data", {reinterpret_cast<const char*>(data), size});
    trill::fuzz::evaluate(trill::MoleculeReader(file, trill::MoleculeSettings()).read());
  } catch (const trill::UsageError&) {
  }
  return 0;
}
