// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/leftovers.hpp"
#include "trill/base/errors.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A file that is written completely or not at all. Bytes go to PATH.tmp-PID in the same directory; commit() makes sure
// that they are on disk and renames the file to PATH. Without commit the temporary file is removed. Every failure is an
// IoError that names the file; `when_full` is the advice added to it when the disk is full.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path, std::string when_full = {});
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();
  void write(std::string_view bytes);  // buffered
  void commit();
  // For code that writes to the temporary file itself (open for reading and writing). Do not combine with write().
  const std::filesystem::path& temporary() const { return temporary_; }
  int descriptor() const { return file_; }

 private:
  void flush();
  void put(std::string_view bytes);
  std::filesystem::path path_, temporary_;
  std::string when_full_, buffer_;
  int file_ = -1;
  std::optional<Leftover> leftover_;  // the temporary file
};

void write_whole(const std::filesystem::path& path, std::string_view bytes, const std::string& when_full = {});
// The files read are regular ones; a pipe or a device is an IoError.
std::string read_whole(const std::filesystem::path& path);
std::string read_start(const std::filesystem::path& path, std::size_t most_bytes);

// Removes PATH.tmp-PID of processes that no longer exist.
void remove_stale_temporaries(const std::filesystem::path& path);

std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);
void remove_file(const std::filesystem::path& path);  // does nothing if it does not exist

// Makes sure that files created, renamed and removed in a directory are so on disk, too (fsync).
void sync_directory(const std::filesystem::path& directory);

// "cannot write run.h5: No space left on device; free space and run again"
[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path, int error,
                           std::string_view when_full = {});

// An exclusive lock that is released when the process ends, even if it crashes. The file contains the id of the owning
// process as text.
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
