// SPDX-License-Identifier: BSD-3-Clause
// Where files are opened for writing. Names are looked up in a folder that is open, so that it stays the same folder
// whatever happens to its path; a new file is never one that was there before, and a link is never followed.
#pragma once

#include "trill/base/errors.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace trill {
// "cannot write run.h5: No space left on device; free space and run again"
[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path, int error,
                           std::string_view when_full = {});

std::filesystem::path folder_of(const std::filesystem::path& file);  // "." for a name alone

// An open file, or none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(Descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  explicit operator bool() const { return file_ >= 0; }
  int get() const { return file_; }
  void close();

 private:
  int file_ = -1;
};

bool write_all(const Descriptor& file, std::string_view bytes);  // false: errno says why
bool sync(const Descriptor& file);                               // the same
std::optional<std::string> read_all(const Descriptor& file);     // from its beginning; the same
std::optional<std::string> read_up_to(const Descriptor& file, std::size_t most_bytes);
bool try_lock(const Descriptor& file);  // false: errno is EWOULDBLOCK if somebody else has locked it
struct stat status_of(const Descriptor& file);

class Folder {
 public:
  // The folder that contains this file. Its path may lead through links. An IoError says that the file cannot be
  // written.
  static Folder with(const std::filesystem::path& file, std::string_view when_full = {});
  // The folder of this path, which is not a link; nullopt when it cannot be opened: errno says why.
  static std::optional<Folder> itself(const std::filesystem::path& path);
  Folder(Descriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  Folder renamed(std::filesystem::path path) && { return {std::move(file_), std::move(path)}; }

  const std::filesystem::path& path() const { return path_; }  // for messages
  const Descriptor& descriptor() const { return file_; }

  // These return no descriptor, no folder, nullopt or false when it does not work: errno says why.
  Descriptor create(const std::string& name) const;           // for writing; fails if there is something of that name
  Descriptor open(const std::string& name, int flags) const;  // what is there; fails if it is a link
  std::optional<Folder> folder(const std::string& name) const;
  bool make_folder(const std::string& name, mode_t mode = 0777) const;
  std::optional<struct stat> status(const std::string& name) const;      // of a link, not of what it leads to
  bool rename(const std::string& from, const std::string& to) const;     // replaces a file of that name
  bool give_name(const std::string& from, const std::string& to) const;  // fails if there is something of that name
  bool remove(const std::string& name) const;
  // With the files in it, but nothing further below. The file `last` is removed after all others.
  bool remove_folder(const std::string& name, std::string_view last = {}) const;
  bool remove_empty_folder(const std::string& name) const;
  bool sync() const;

  std::vector<std::string> names() const;            // IoError when it cannot be read
  bool is(const std::filesystem::path& path) const;  // does the path still lead here, and not by a link?

 private:
  Descriptor file_;
  std::filesystem::path path_;
};
}  // namespace trill
