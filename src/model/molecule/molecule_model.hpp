// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/text_problem.hpp"

namespace trill {
// Does the name of a file say that it is a LAMMPS data file?
bool is_molecule_file(const std::string& file);

TextModel read_molecule(const std::string& file, const std::string& name, const std::string& text,
                        const OptionSet& parameters, double begin);
ModelDescription describe_molecule(const std::string& file, const std::string& name, const std::string& text);
}  // namespace trill
