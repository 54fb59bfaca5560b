// SPDX-License-Identifier: BSD-3-Clause
#include "not_yet.hpp"

namespace trill {
void refuse_what_is_not_built_yet(const ModelFile& file, const SourceText& source) {
  const auto refuse_over = [&](const std::optional<FileText>& over) {
    if (over) throw source.error(over->offset, "index sets are not supported yet; write one term for each element");
  };
  for (const FileSet& set : file.sets)
    throw source.error(set.name.offset, "index sets are not supported yet; write one coordinate and one term for each");
  for (const FileCoordinate& c : file.coordinates) {
    refuse_over(c.over);
    if (c.point) throw c.start.error("points are not supported yet; write one coordinate for each part");
    if (c.exact) throw c.exact->error("exact solutions in text models are not supported yet");
  }
  for (const FileDerived& d : file.derived) refuse_over(d.over);
  for (const FileStiff& s : file.stiff) refuse_over(s.over);
  for (const FilePotential& p : file.potentials) refuse_over(p.over);
  for (const FileForce& f : file.forces) refuse_over(f.over);
  for (const FileConstraint& c : file.constraints) refuse_over(c.over);
  for (const FileMeasure& m : file.measures) refuse_over(m.over);
  for (const FileKinetic& k : file.kinetic)
    throw k.energy.error("kinetic energies are not supported yet; give masses to coordinates");
  for (const FileEvent& e : file.events) throw source.error(e.offset, "events in text models are not supported yet");
  if (file.heat_bath) throw file.heat_bath->friction.error("heat baths in text models are not supported yet");
  if (!file.rates.empty()) throw source.error(file.rates[0].on.offset, "first-order text models are not supported yet");
  if (file.structure)
    throw source.error(file.structure->offset, "structures by files of matrices are not supported yet");
}
}  // namespace trill
