// SPDX-License-Identifier: BSD-3-Clause
#include "not_yet.hpp"

namespace trill {
void refuse_what_is_not_built_yet(const ModelFile& file, const SourceText& source) {
  for (const FileEvent& e : file.events) throw source.error(e.offset, "events in text models are not supported yet");
  if (file.heat_bath) throw file.heat_bath->friction.error("heat baths in text models are not supported yet");
  if (!file.rates.empty()) throw source.error(file.rates[0].on.offset, "first-order text models are not supported yet");
  if (file.structure)
    throw source.error(file.structure->offset, "structures by files of matrices are not supported yet");
}
}  // namespace trill
