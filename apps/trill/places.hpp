// SPDX-License-Identifier: BSD-3-Clause
// Where the verbs write: to be looked at before a long computation.
#pragma once

#include "trill/base/options.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace trill::cli {
using Paths = std::vector<std::filesystem::path>;

// IoError if a file cannot be written there. Removes what killed processes left beside it. An empty path is accepted.
void check_place(const std::string& path);
// UsageError if the name of a page is that of a solution, which it would overwrite.
void check_page_name(const std::string& path);
void check_page(const std::string& path);  // name and place
// The places of pictures PREFIX-1.svg, ...
void check_pictures(const std::string& prefix);

// UsageError if one of the outputs is one of the inputs, also by another name (a link), or if two outputs are the same
// file. Empty paths are skipped.
void check_apart(const Paths& outputs, const Paths& inputs);

Paths files_of_solution(const std::filesystem::path& path);   // that are written for a solution of this name
Paths files_read_for(const std::filesystem::path& solution);  // also those of a run that is not finished
// The files that a model is read from: its own, unless it is part of trill, and its inputs.
Paths files_of_model(const std::string& model, const OptionSet& inputs);
// PREFIX-1.svg, ...; none if the prefix is empty.
Paths svg_files(const std::string& prefix, std::size_t count);
}  // namespace trill::cli
