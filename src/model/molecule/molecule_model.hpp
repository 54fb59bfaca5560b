// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/beside.hpp"
#include "trill/model/text_problem.hpp"

#include <array>

namespace trill {
// Does the name of a file say that it holds molecules: a LAMMPS data file, or a PSF file of CHARMM?
bool is_molecule_file(const std::string& file);

// A PSF file names no other files: positions and parameters are beside it, under its name or those of two parameters.
TextModel read_molecule(const ModelFolder& folder, const std::string& file, const std::string& name,
                        const std::string& text, const OptionSet& parameters);
// Which atoms are bonded, by their numbers from 0 on, as the text of a model says; empty if it does not.
std::vector<std::array<int, 2>> bonds_in(const std::string& name, const std::string& text, const OptionSet& parameters);
ModelDescription describe_molecule(const ModelFolder& folder, const std::string& file, const std::string& name,
                                   const std::string& text);
}  // namespace trill
