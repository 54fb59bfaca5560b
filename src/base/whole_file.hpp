// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/folder.hpp"
#include "base/leftovers.hpp"

#include <memory>

namespace trill {
// Names of files and folders that are not yet, or no longer, under the name that a user knows: ".trill.tmp-" and 16
// digits, the last 8 of which are computed from the others. Nobody else has such names: they mark what trill made.
std::string temporary_name();
bool is_temporary_name(std::string_view name);

// The file in a temporary folder, and in the folder of a run, that is locked while somebody uses the folder.
inline constexpr const char* lock_name = "lock";

// Removes temporary files and folders that no process holds any more: a file is locked while it is written, a folder
// while the file `lock` in it is locked. Does nothing if the folder cannot be read.
void remove_stale_temporaries(const std::filesystem::path& folder);

// To be called before a long computation: IoError if a file cannot be written there, because of its folder, because its
// name or path is too long for the endings that trill adds, or because something else than a file is there. Links are
// not followed.
void check_output(const std::filesystem::path& file);
// The part of it that concerns the length of name and path; the folder need not exist.
void check_length(const std::filesystem::path& file);

// A file that is written completely or not at all. Bytes go to a temporary file in the same folder; commit() makes sure
// that they are on disk and gives the file its name. Without commit the temporary file is removed. Every failure is an
// IoError that names the file; `when_full` is the advice added to it when the disk is full.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& path, std::string when_full = {});
  WholeFile(std::shared_ptr<const Folder> folder, std::string name, std::string when_full = {});
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();
  void write(std::string_view bytes);  // buffered
  void commit();
  // For code that writes to the temporary file itself (open for reading and writing). Do not combine with write().
  std::filesystem::path temporary() const { return folder_->path() / temporary_; }
  int descriptor() const { return file_.get(); }

 private:
  void open();
  void flush();
  void put(std::string_view bytes);
  [[noreturn]] void refuse() const;  // because of errno
  std::shared_ptr<const Folder> folder_;
  std::filesystem::path path_;
  std::string name_, temporary_, when_full_, buffer_;
  Descriptor file_;
  std::optional<Leftover> leftover_;  // the temporary file
};

void write_whole(const std::filesystem::path& path, std::string_view bytes, const std::string& when_full = {});
void write_whole(const std::shared_ptr<const Folder>& folder, const std::string& name, std::string_view bytes,
                 const std::string& when_full = {});
}  // namespace trill
