// SPDX-License-Identifier: BSD-3-Clause
// The folder of compiled models. Every file is a shared library followed by the whole key it was made from and a
// checksum, so that a damaged or foreign file is detected before anything in it is run.
#pragma once

#include <filesystem>
#include <string>

namespace trill {
class NativeCache {
 public:
  static constexpr std::size_t most_files = 500;
  static constexpr std::uintmax_t most_bytes = 200'000'000;

  // Throws NativeFailure if the folder belongs to other users or they may write to it, or if it does not exist and is
  // not to be made.
  explicit NativeCache(bool makes_folder);
  const std::filesystem::path& folder() const { return folder_; }

  std::filesystem::path path_of(const std::string& key) const;
  // Whether the file of the key exists and is complete; it then counts as used now.
  bool holds(const std::string& key) const;
  // Appends key and checksum to a new library and moves it to its place in one step. Throws NativeFailure if it cannot
  // be written.
  void install(const std::filesystem::path& library, const std::string& key) const;
  // While there are too many files, removes those unused for longest; also removes what killed compilers left behind.
  void trim(std::size_t files = most_files, std::uintmax_t bytes = most_bytes) const;

 private:
  std::filesystem::path folder_;
};

// A folder inside the cache for the files of one compilation, removed at the end.
class BuildFolder {
 public:
  explicit BuildFolder(const NativeCache& cache);
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder();
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};
}  // namespace trill
