// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include <petscksp.h>

namespace trill {
void need(PetscErrorCode code);  // throws for the errors of PETSc and SLEPc
}  // namespace trill
