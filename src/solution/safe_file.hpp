// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/whole_file.hpp"

namespace trill {
std::string read_whole(const std::filesystem::path& path);
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);
}  // namespace trill
