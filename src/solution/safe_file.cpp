// SPDX-License-Identifier: BSD-3-Clause
#include "solution/safe_file.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t buffer_size = 256 * 1024;

template <class Call>
auto retry(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

fs::path directory_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }
}  // namespace

void throw_io(std::string_view action, const fs::path& path, int error, std::string_view when_full) {
  std::string text = fmt::format("{} {}: {}", action, path.string(), std::generic_category().message(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    text += fmt::format("; {}", when_full.empty() ? "free some space on the disk and try again" : when_full);
  throw IoError(text);
}

void sync_directory(const fs::path& directory) {
  const int file = retry([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (file < 0) throw_io("cannot write", directory, errno);
  const int result = retry([&] { return ::fsync(file); });
  const int error = errno;
  ::close(file);
  // EINVAL: this file system does not support it.
  if (result < 0 && error != EINVAL) throw_io("cannot write", directory, error);
}

WholeFile::WholeFile(fs::path path, std::string when_full) : path_(std::move(path)), when_full_(std::move(when_full)) {
  temporary_ = path_;
  temporary_ += fmt::format(".tmp-{}", ::getpid());
  buffer_.reserve(buffer_size);
  file_ = retry([&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
  if (file_ < 0) throw_io("cannot write", path_, errno, when_full_);
  leftover_.emplace(temporary_);
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void WholeFile::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return ::write(file_, bytes.data(), bytes.size()); });
    if (written < 0) throw_io("cannot write", path_, errno, when_full_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void WholeFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void WholeFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() >= buffer_size)
    put(bytes);
  else
    buffer_.append(bytes);
}

void WholeFile::commit() {
  flush();
  if (retry([&] { return ::fsync(file_); }) < 0) throw_io("cannot write", path_, errno, when_full_);
  if (::rename(temporary_.c_str(), path_.c_str()) < 0) throw_io("cannot write", path_, errno, when_full_);
  ::close(file_);
  file_ = -1;
  leftover_.reset();
  sync_directory(directory_of(path_));
}

void write_whole(const fs::path& path, std::string_view bytes, const std::string& when_full) {
  WholeFile file(path, when_full);
  file.write(bytes);
  file.commit();
}

// Not blocking: a pipe of that name would be waited for without end.
std::string read_start(const fs::path& path, std::size_t most) {
  const int file = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (file < 0) throw_io("cannot read", path, errno);
  struct stat status {};
  std::string bytes;
  ssize_t got = ::fstat(file, &status);
  if (got == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    ::close(file);
    throw IoError(path.string() + " is not a regular file");
  }
  if (got == 0) {
    bytes.reserve(std::min(most, static_cast<std::size_t>(status.st_size) + 1));
    do {
      const std::size_t at = bytes.size();
      const std::size_t room = std::min(most - at, std::max<std::size_t>(4096, bytes.capacity() - at));
      bytes.resize(at + room);
      got = retry([&] { return ::read(file, bytes.data() + at, room); });
      bytes.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    } while (got > 0);
  }
  const int error = errno;
  ::close(file);
  if (got < 0) throw_io("cannot read", path, error);
  return bytes;
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

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw_io("cannot remove", path, error.value());
}

void remove_stale_temporaries(const fs::path& path) {
  const std::string prefix = path.filename().string() + ".tmp-";
  for (const fs::path& entry : list_directory(directory_of(path))) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto owner = parse_integer(std::string_view(name).substr(prefix.size()));
    if (owner && *owner > 0 && ::kill(static_cast<pid_t>(*owner), 0) < 0 && errno == ESRCH) remove_file(entry);
  }
}

std::shared_ptr<FileLock> FileLock::take(const fs::path& path) {
  while (true) {
    const int file = retry([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
    if (file < 0) throw_io("cannot write", path, errno);
    std::shared_ptr<FileLock> lock(new FileLock(file));
    if (retry([&] { return ::flock(file, LOCK_EX | LOCK_NB); }) < 0) {
      if (errno == EWOULDBLOCK) return nullptr;
      throw_io("cannot lock", path, errno);
    }
    // The previous owner may have removed the file between our open and our lock: then the lock protects nothing.
    struct stat opened {
    }, named{};
    if (::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
        opened.st_dev == named.st_dev) {
      const std::string owner = std::to_string(::getpid()) + "\n";
      if (::ftruncate(file, 0) == 0) (void)!::write(file, owner.data(), owner.size());  // for messages only
      return lock;
    }
  }
}

FileLock::~FileLock() { ::close(file_); }
}  // namespace trill
