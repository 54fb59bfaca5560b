// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/box.hpp"
#include "trill/model/source_text.hpp"

#include <array>
#include <vector>

namespace trill {
// The atoms of the first model in a PDB file, and its box (wwPDB format 3.3: columns have fixed places).
struct PdbAtom {
  std::string name;
  std::array<double, 3> at{};
  std::size_t offset = 0;  // of its line
};
struct PdbFile {
  PdbFile(const std::string& file, const std::string& text);
  SourceText source;
  std::vector<PdbAtom> atoms;
  Box box;
  std::size_t box_offset = 0;
};
}  // namespace trill
