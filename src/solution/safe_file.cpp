// SPDX-License-Identifier: BSD-3-Clause
#include "solution/safe_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>

namespace trill {
namespace fs = std::filesystem;

std::string read_whole(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto bytes = file ? read_all(file) : std::nullopt;
  if (!bytes) throw_io("cannot read", path, errno);
  return std::move(*bytes);
}

std::vector<fs::path> list_directory(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(directory, error); !error && it != fs::directory_iterator(); it.increment(error))
    paths.push_back(it->path());
  if (error) throw_io("cannot read", directory, error.value());
  return paths;
}
}  // namespace trill
