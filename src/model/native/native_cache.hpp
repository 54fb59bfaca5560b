// SPDX-License-Identifier: BSD-3-Clause
// The folder of compiled models. Every file is a shared library followed by the whole key it was made from and a
// checksum, so that a damaged or foreign file is detected before anything in it is run.
#pragma once

#include "base/folder.hpp"

namespace trill {
class NativeCache {
 public:
  static constexpr std::size_t most_files = 500;
  static constexpr std::uintmax_t most_bytes = 200'000'000;

  // Throws NativeFailure if others could put files into the folder or another folder in its place (trusted_folder), or
  // if it does not exist and is not to be made.
  explicit NativeCache(bool makes_folder);
  const Folder& folder() const { return folder_; }

  std::string name_of(const std::string& key) const;
  // The file of the key, if it is there and complete; it then counts as used now.
  Descriptor find(const std::string& key) const;
  // Takes a new library with key and checksum into the cache, in one step. Throws NativeFailure if it cannot be
  // written.
  void install(const Descriptor& library, const std::string& key) const;
  // While there are too many files, removes those unused for longest; also removes what killed compilers left behind.
  void trim(std::size_t files = most_files, std::uintmax_t bytes = most_bytes) const;

 private:
  Folder folder_;
};

// A folder inside the cache for the files of one compilation, removed at the end.
class BuildFolder {
 public:
  explicit BuildFolder(const NativeCache& cache);
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder();
  const Folder& folder() const { return *folder_; }

 private:
  const Folder& around_;
  std::string name_;
  std::optional<Folder> folder_;
};
}  // namespace trill
