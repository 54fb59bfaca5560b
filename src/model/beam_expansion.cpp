// SPDX-License-Identifier: BSD-3-Clause
#include "body_expansion.hpp"

namespace trill {
void expand_beam(const FileBeam&, const std::optional<GravityTexts>&, ModelWriter&) {}
}  // namespace trill
