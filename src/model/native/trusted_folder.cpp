// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/trusted_folder.hpp"

#include "model/native/compiler_process.hpp"

#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace trill {
namespace {
namespace fs = std::filesystem;
constexpr int most_links = 40;  // as in the kernel

bool is_trusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

void check_folder(const struct stat& status, const fs::path& path) {
  if (!is_trusted(status.st_uid)) throw NativeFailure(fmt::format("{} belongs to another user", path.string()));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) && !(status.st_mode & S_ISVTX))
    throw NativeFailure(
        fmt::format("other users may write to {0}; run `chmod go-w {0}` to make it safe", path.string()));
}

void check_own(const struct stat& status, const fs::path& path) {
  if (status.st_uid != ::geteuid()) throw NativeFailure(fmt::format("{} belongs to another user", path.string()));
  struct stat strict = status;
  strict.st_mode &= ~static_cast<mode_t>(S_ISVTX);
  check_folder(strict, path);
}

// Walks from the root to a folder, one name after the other, and looks at every folder on the way.
class TrustedWalk {
 public:
  explicit TrustedWalk(const fs::path& path, Missing missing) : wanted_(path), missing_(missing) {
    push(path);
    to_root();
  }

  Folder end() {
    while (!left_.empty()) {
      const std::string name = std::move(left_.back());
      left_.pop_back();
      if (!name.empty() && name != "/" && name != ".") enter(name);
    }
    check_own(status_of(at_), where_);
    Descriptor readable(::openat(at_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable) refuse();
    return {std::move(readable), where_};
  }

 private:
  [[noreturn]] void refuse() const {
    throw NativeFailure(fmt::format("cannot use {}: {}", where_.string(), std::strerror(errno)));
  }

  void push(const fs::path& path) {
    const std::vector<fs::path> names(path.begin(), path.end());
    for (auto name = names.rbegin(); name != names.rend(); ++name) left_.push_back(name->string());
  }

  void to_root() {
    where_ = "/";
    at_ = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!at_) refuse();
    check_folder(status_of(at_), where_);
  }

  Descriptor next(const std::string& name) const {
    return Descriptor(::openat(at_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }

  void enter(const std::string& name) {
    Descriptor folder = next(name);
    if (!folder && errno == ENOTDIR) return follow(name);
    if (!folder && errno == ENOENT && missing_ == Missing::is_made) {
      if (::mkdirat(at_.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
        throw NativeFailure(fmt::format("cannot make the folder {}: {}", wanted_.string(), std::strerror(errno)));
      folder = next(name);
    }
    where_ = name == ".." ? where_.parent_path() : where_ / name;
    if (!folder) refuse();
    check_folder(status_of(folder), where_);
    at_ = std::move(folder);
  }

  void follow(const std::string& name) {
    struct stat link {};
    char target[PATH_MAX];
    const bool is_link = ::fstatat(at_.get(), name.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode);
    const ssize_t length = is_link ? ::readlinkat(at_.get(), name.c_str(), target, sizeof target) : 0;
    if (!is_link || length <= 0 || length == sizeof target)
      throw NativeFailure(fmt::format("{} is not a folder", (where_ / name).string()));
    if (!is_trusted(link.st_uid) || ++links_ > most_links)
      throw NativeFailure(fmt::format("{} is a link that cannot be trusted", (where_ / name).string()));
    const fs::path path(std::string(target, static_cast<std::size_t>(length)));
    push(path);
    if (path.is_absolute()) to_root();
  }

  fs::path wanted_;
  Missing missing_;
  Descriptor at_;
  fs::path where_;
  std::vector<std::string> left_;  // the next name is the last
  int links_ = 0;
};
}  // namespace

Folder trusted_folder(const fs::path& path, Missing missing) { return TrustedWalk(path, missing).end(); }
}  // namespace trill
