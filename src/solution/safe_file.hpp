// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/whole_file.hpp"

namespace trill {
// The files read are regular ones; a pipe or a device is an IoError.
std::string read_whole(const std::filesystem::path& path);
std::string read_start(const std::filesystem::path& path, std::size_t most_bytes);
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);
}  // namespace trill
