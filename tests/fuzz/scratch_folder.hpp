// SPDX-License-Identifier: BSD-3-Clause
// A folder for readers that need files, in memory if the machine has such a folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace trill::fuzz {
inline const std::filesystem::path& scratch_folder() {
  static const std::filesystem::path path = [] {
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    const auto base = std::filesystem::is_directory(memory, error) ? memory : std::filesystem::temp_directory_path();
    const auto made = base / ("trill-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] { std::filesystem::remove_all(scratch_folder()); });
    return made;
  }();
  return path;
}

inline std::filesystem::path write_scratch(const std::string& name, std::string_view content) {
  const std::filesystem::path path = scratch_folder() / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}
}  // namespace trill::fuzz
