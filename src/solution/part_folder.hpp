// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/whole_file.hpp"

namespace trill {
// Another run is writing this solution, or was killed while it did.
struct Occupied : UsageError {
  using UsageError::UsageError;
};

// The folder PATH.part of a run, held by this process until the object is destroyed, even by a crash. The file `lock`
// in it says that trill made it; it appears and disappears together with the folder. trill writes only to folders that
// are marked like this, and removes only the files in them that have the names of its own.
class PartFolder {
 public:
  // Holds the folder that is there, after making it if there is none. UsageError if something else has the name.
  static std::shared_ptr<PartFolder> make(const std::filesystem::path& part, const std::string& when_full);
  // The same, but nullptr if there is none.
  static std::shared_ptr<PartFolder> find(const std::filesystem::path& part);

  void write(const std::string& name, std::string_view bytes, const std::string& when_full) const;
  void remove(const std::string& name) const;  // does nothing if it does not exist
  void sync() const;
  std::vector<std::string> names() const { return folder_->names(); }
  void clear() const;  // removes the files of a run, but keeps the folder
  void vanish();       // removes the folder with all files of a run; what is not of trill stays

 private:
  PartFolder(Folder folder, Descriptor lock)
      : folder_(std::make_shared<const Folder>(std::move(folder))), lock_(std::move(lock)) {}
  std::shared_ptr<const Folder> folder_;
  Descriptor lock_;
};

// Is another process writing the run of this solution?
bool is_in_use(const std::filesystem::path& path);
}  // namespace trill
