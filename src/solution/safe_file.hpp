// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A file that appears whole or not at all. Bytes go to PATH.tmp-PID in the same directory; commit() makes them safe on
// disk and gives them their name. Without commit the temporary file is removed. All trouble is an IoError that names
// the file; `when_full` is the advice added when the disk is full.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path, std::string when_full = {});
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();
  void write(std::string_view bytes);  // buffered
  void commit();
  // For a writer of its own: the temporary file, open for reading and writing. It does not mix with write().
  const std::filesystem::path& temporary() const { return temporary_; }
  int descriptor() const { return file_; }

 private:
  void flush();
  void put(std::string_view bytes);
  std::filesystem::path path_, temporary_;
  std::string when_full_, buffer_;
  int file_ = -1;
};

void write_whole(const std::filesystem::path& path, std::string_view bytes, const std::string& when_full = {});
std::string read_whole(const std::filesystem::path& path);

// Removes PATH.tmp-PID of processes that are gone.
void remove_stale_temporaries(const std::filesystem::path& path);

std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);
void remove_file(const std::filesystem::path& path);  // nothing happens when it does not exist

// Makes creations, renames and removals in a directory safe on disk.
void sync_directory(const std::filesystem::path& directory);

// "cannot write run.h5: No space left on device; free space and run again"
[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path, int error,
                           std::string_view when_full = {});

// An exclusive lock that ends with the process, however it ends. Holds the number of the owning process as text.
class FileLock {
 public:
  // nullptr when another process (or another lock of this one) holds it.
  static std::shared_ptr<FileLock> take(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_;
};
}  // namespace trill
