// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/beside.hpp"
#include "trill/model/text_problem.hpp"

namespace trill {
// Does the name of a file say that it is a netlist?
bool is_netlist(const std::string& file);

TextModel read_netlist(const ModelFolder& folder, const std::string& file, const std::string& name,
                       const std::string& text, const OptionSet& parameters, double begin);
ModelDescription describe_netlist(const ModelFolder& folder, const std::string& file, const std::string& name,
                                  const std::string& text);
}  // namespace trill
