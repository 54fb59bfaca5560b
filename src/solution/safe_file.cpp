// SPDX-License-Identifier: BSD-3-Clause
#include "solution/safe_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>

namespace trill {
namespace fs = std::filesystem;

// Not blocking: a pipe of that name would be waited for without end.
std::string read_start(const fs::path& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw_io("cannot read", path, errno);
  if (const mode_t mode = status_of(file).st_mode; !S_ISREG(mode) && !S_ISDIR(mode))
    throw IoError(path.string() + " is not a regular file");
  auto bytes = read_up_to(file, most);
  if (!bytes) throw_io("cannot read", path, errno);
  return std::move(*bytes);
}

std::string read_whole(const fs::path& path) { return read_start(path, std::string().max_size()); }

std::vector<fs::path> list_directory(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(directory, error); !error && it != fs::directory_iterator(); it.increment(error))
    paths.push_back(it->path());
  if (error) throw_io("cannot read", directory, error.value());
  return paths;
}
}  // namespace trill
