// SPDX-License-Identifier: BSD-3-Clause
#include "base/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

template <class Call>
auto retry(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}
}  // namespace

void throw_io(std::string_view action, const fs::path& path, int error, std::string_view when_full) {
  std::string text = fmt::format("{} {}: {}", action, path.string(), std::generic_category().message(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    text += fmt::format("; {}", when_full.empty() ? "free some space on the disk and try again" : when_full);
  throw IoError(text);
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}
Descriptor::~Descriptor() { close(); }
void Descriptor::close() {
  const int error = errno;  // of what came before
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  errno = error;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool sync(const Descriptor& file) {
  return retry([&] { return ::fsync(file.get()); }) == 0;
}

std::optional<std::string> read_all(const Descriptor& file) { return read_up_to(file, std::string().max_size()); }

std::optional<std::string> read_up_to(const Descriptor& file, std::size_t most) {
  std::string bytes;
  bytes.reserve(std::min(most, static_cast<std::size_t>(status_of(file).st_size) + 1));
  while (true) {
    const std::size_t at = bytes.size(), room = std::min(most - at, std::max<std::size_t>(4096, bytes.capacity() - at));
    bytes.resize(at + room);
    const ssize_t got = retry([&] { return ::pread(file.get(), bytes.data() + at, room, static_cast<off_t>(at)); });
    bytes.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return std::nullopt;
    if (got == 0) return bytes;
  }
}

bool try_lock(const Descriptor& file) {
  return retry([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0;
}

struct stat status_of(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) status = {};
  return status;
}

Folder Folder::with(const fs::path& file, std::string_view when_full) {
  const fs::path path = folder_of(file);
  Descriptor opened(retry([&] { return ::open(path.c_str(), folder_flags); }));
  if (!opened) throw_io("cannot write", file, errno, when_full);
  return {std::move(opened), path};
}

std::optional<Folder> Folder::itself(const fs::path& path) {
  Descriptor opened(retry([&] { return ::open(path.c_str(), folder_flags | O_NOFOLLOW); }));
  if (!opened) return std::nullopt;
  return Folder(std::move(opened), path);
}

Descriptor Folder::create(const std::string& name) const {
  return Descriptor(retry(
      [&] { return ::openat(file_.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); }));
}

Descriptor Folder::open(const std::string& name, int flags) const {
  return Descriptor(
      retry([&] { return ::openat(file_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }));
}

std::optional<Folder> Folder::folder(const std::string& name) const {
  Descriptor opened = open(name, O_RDONLY | O_DIRECTORY);
  if (!opened) return std::nullopt;
  return Folder(std::move(opened), path_ / name);
}

bool Folder::make_folder(const std::string& name, mode_t mode) const {
  return ::mkdirat(file_.get(), name.c_str(), mode) == 0;
}

std::optional<struct stat> Folder::status(const std::string& name) const {
  struct stat found {};
  if (::fstatat(file_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return found;
}

bool Folder::rename(const std::string& from, const std::string& to) const {
  return ::renameat(file_.get(), from.c_str(), file_.get(), to.c_str()) == 0;
}

bool Folder::give_name(const std::string& from, const std::string& to) const {
  if (::renameat2(file_.get(), from.c_str(), file_.get(), to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // Network file systems do not offer renaming without replacing, but a hard link never replaces an existing file.
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::linkat(file_.get(), from.c_str(), file_.get(), to.c_str(), 0) == 0) {
    remove(from);  // unless somebody else, who tidies up, has removed it already
    return true;
  }
  if (errno == EEXIST) return false;
  if (!status(to)) return rename(from, to);
  errno = EEXIST;
  return false;
}

bool Folder::remove(const std::string& name) const { return ::unlinkat(file_.get(), name.c_str(), 0) == 0; }

bool Folder::remove_folder(const std::string& name, std::string_view last) const {
  const auto inner = folder(name);
  if (!inner) return false;
  for (const std::string& file : inner->names())
    if (file != last) inner->remove(file);
  if (!last.empty()) inner->remove(std::string(last));
  return remove_empty_folder(name);
}

bool Folder::remove_empty_folder(const std::string& name) const {
  return ::unlinkat(file_.get(), name.c_str(), AT_REMOVEDIR) == 0;
}

bool Folder::sync() const {
  // EINVAL: this file system does not support it.
  return trill::sync(file_) || errno == EINVAL;
}

std::vector<std::string> Folder::names() const {
  // A descriptor of its own, since reading moves its place.
  const int again = retry([&] { return ::openat(file_.get(), ".", folder_flags); });
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (!entries) {
    const int error = errno;
    if (again >= 0) ::close(again);
    throw_io("cannot read", path_, error);
  }
  std::vector<std::string> found;
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") found.push_back(name);
  }
  if (errno != 0) throw_io("cannot read", path_, errno);
  return found;
}

bool Folder::is(const fs::path& path) const {
  struct stat named {};
  const struct stat opened = status_of(file_);
  return ::lstat(path.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}
}  // namespace trill
