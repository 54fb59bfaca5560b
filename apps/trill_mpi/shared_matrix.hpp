// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <filesystem>
#include <string>

namespace trill {
// The own rows of a Matrix Market file. Every process reads its part of the text and sends the entries to the processes
// whose rows they are in, so that none of them has the whole matrix. ModelError for what is wrong with the file.
SpMat read_shared_matrix(const std::filesystem::path& file, const std::string& name);
}  // namespace trill
