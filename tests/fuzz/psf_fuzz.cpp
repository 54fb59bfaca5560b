// SPDX-License-Identifier: BSD-3-Clause
// Whatever a PSF file and its PDB and parameter files contain, they give molecules whose forces can be evaluated, or
// they are refused. The three files follow each other in one input, separated by lines "#### ".
#include "model/molecule/psf_reader.hpp"
#include "molecule_forces.hpp"
#include "time_limit.hpp"

#include <string>

namespace {
std::string cut(std::string& text) {
  constexpr std::string_view mark = "#### \n";
  const auto at = text.find(mark);
  std::string first = text.substr(0, at);
  text = at == text.npos ? "" : text.substr(at + mark.size());
  return first;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trill::fuzz::TimeLimit limit;
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::string psf = cut(text), pdb = cut(text);
  try {
    trill::CharmmParameters parameters;
    parameters.read("fuzz.prm", text);
    trill::fuzz::evaluate(trill::molecule_of(trill::PsfFile("fuzz.psf", psf), trill::PdbFile("fuzz.pdb", pdb),
                                             parameters, trill::charmm_settings()));
  } catch (const trill::UsageError&) {
  }
  return 0;
}
