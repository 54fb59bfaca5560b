// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/native_cache.hpp"

#include "model/native/compiler_process.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trill {
namespace {
namespace fs = std::filesystem;
constexpr const char* build_prefix = "build-";

// The end of every file, after library and key.
struct Footer {
  char magic[8] = {'t', 'r', 'i', 'l', 'l', 'n', 'a', '1'};
  std::uint64_t library_bytes = 0, key_bytes = 0, checksum = 0;
};

std::uint64_t checksum_of(const std::string& bytes) { return checksum(bytes.data(), bytes.size()); }

fs::path user_cache() {
  // A relative XDG_CACHE_HOME is to be ignored (XDG base directory specification).
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') return cache;
  if (const char* home = std::getenv("HOME"); home && *home == '/') return fs::path(home) / ".cache";
  throw NativeFailure("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set");
}

[[noreturn]] void refuse(const char* action, const fs::path& path) {
  throw NativeFailure(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

void make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) < 0 && errno != EEXIST) refuse("make the folder", folder);
}

// Code from a folder that others may write to would run with the user's rights.
void check_owner(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) < 0) refuse("use", folder);
  if (!S_ISDIR(status.st_mode)) throw NativeFailure(fmt::format("{} is not a folder", folder.string()));
  if (status.st_uid != ::geteuid()) throw NativeFailure(fmt::format("{} belongs to another user", folder.string()));
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    throw NativeFailure(
        fmt::format("other users may write to {0}; run `chmod go-w {0}` to make it safe", folder.string()));
}

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_older_than(const fs::path& path, std::chrono::hours age) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && written < fs::file_time_type::clock::now() - age;
}

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes;
};
}  // namespace

NativeCache::NativeCache(bool makes_folder) {
  const fs::path cache = user_cache();
  std::error_code ignored;  // make_folder reports it
  if (makes_folder) fs::create_directories(cache, ignored);
  folder_ = cache / "trill" / "native";
  for (const fs::path& folder : {folder_.parent_path(), folder_}) {
    if (makes_folder) make_folder(folder);
    check_owner(folder);
  }
}

fs::path NativeCache::path_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}.so", checksum_of(key));
}

bool NativeCache::holds(const std::string& key) const {
  const fs::path path = path_of(key);
  const std::string bytes = read_bytes(path);
  Footer footer;
  if (bytes.size() < key.size() + sizeof footer) return false;
  std::memcpy(&footer, bytes.data() + bytes.size() - sizeof footer, sizeof footer);
  const std::size_t library_bytes = bytes.size() - sizeof footer - key.size();
  const bool whole = std::equal(footer.magic, footer.magic + 8, Footer{}.magic) &&
                     footer.library_bytes == library_bytes && footer.key_bytes == key.size() &&
                     bytes.compare(library_bytes, key.size(), key) == 0 &&
                     footer.checksum == checksum(bytes.data(), library_bytes);
  std::error_code ignored;  // the cache may be read-only
  if (whole) fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return whole;
}

void NativeCache::install(const fs::path& library, const std::string& key) const {
  const std::string bytes = read_bytes(library);
  Footer footer;
  footer.library_bytes = bytes.size();
  footer.key_bytes = key.size();
  footer.checksum = checksum_of(bytes);
  std::ofstream out(library, std::ios::binary | std::ios::app);
  out.write(key.data(), static_cast<std::streamsize>(key.size()));
  out.write(reinterpret_cast<const char*>(&footer), sizeof footer);
  out.close();
  if (!out) refuse("write", library);
  if (::rename(library.c_str(), path_of(key).c_str()) < 0) refuse("write", path_of(key));
}

void NativeCache::trim(std::size_t most, std::uintmax_t most_together) const {
  std::vector<CachedFile> files;
  std::uintmax_t together = 0;
  std::error_code error, gone;  // another process may be trimming
  for (fs::directory_iterator it(folder_, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    if (path.filename().string().starts_with(build_prefix)) {
      if (is_older_than(path, std::chrono::hours(1))) fs::remove_all(path, gone);
      continue;
    }
    files.push_back({path, fs::last_write_time(path, gone), fs::file_size(path, gone)});
    if (gone)
      files.pop_back();
    else
      together += files.back().bytes;
  }
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  std::size_t left = files.size();
  for (const CachedFile& file : files) {
    if (left <= most && together <= most_together) return;
    fs::remove(file.path, gone);
    --left;
    together -= file.bytes;
  }
}

BuildFolder::BuildFolder(const NativeCache& cache) {
  std::string name = (cache.folder() / (std::string(build_prefix) + "XXXXXX")).string();
  if (!::mkdtemp(name.data())) refuse("write in", cache.folder());
  path_ = name;
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
}  // namespace trill
