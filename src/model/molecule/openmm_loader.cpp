// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_library.hpp"
#include "model/molecule/force_provider.hpp"

#include <stdexcept>

namespace trill {
#ifndef TRILL_OPENMM_MODULE
#define TRILL_OPENMM_MODULE ""
#endif
// The module is built where OpenMM is installed (src/model/molecule/openmm).
std::unique_ptr<ForceProvider> make_openmm_forces(const Molecule& molecule) {
  const SharedLibrary module({TRILL_OPENMM_MODULE, "libtrill_openmm.so"},
                             "forces=openmm needs OpenMM (Debian: apt install libopenmm-dev libopenmm-plugins, then "
                             "build trill again)");
  const auto make = module.find<ForceProvider* (*)(const Molecule&)>("trill_openmm_forces");
  try {
    return std::unique_ptr<ForceProvider>(make(molecule));
  } catch (const std::exception& e) {
    throw UsageError(fmt::format("forces=openmm: {}", e.what()));
  }
}
}  // namespace trill
