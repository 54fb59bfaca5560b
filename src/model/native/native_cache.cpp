// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/native_cache.hpp"

#include "base/whole_file.hpp"
#include "model/native/compiler_process.hpp"
#include "model/native/trusted_folder.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
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

bool is_own_file(const Descriptor& file) {
  const struct stat status = status_of(file);
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

bool is_whole(const std::string& bytes, const std::string& key) {
  Footer footer;
  if (bytes.size() < key.size() + sizeof footer) return false;
  std::memcpy(&footer, bytes.data() + bytes.size() - sizeof footer, sizeof footer);
  const std::size_t library_bytes = bytes.size() - sizeof footer - key.size();
  return std::equal(footer.magic, footer.magic + 8, Footer{}.magic) && footer.library_bytes == library_bytes &&
         footer.key_bytes == key.size() && bytes.compare(library_bytes, key.size(), key) == 0 &&
         footer.checksum == checksum(bytes.data(), library_bytes);
}

struct CachedFile {
  std::string name;
  std::time_t used;
  std::uintmax_t bytes;
};
constexpr std::time_t an_hour = 3600;
}  // namespace

NativeCache::NativeCache(bool makes_folder)
    : folder_(
          trusted_folder(user_cache() / "trill" / "native", makes_folder ? Missing::is_made : Missing::is_refused)) {}

std::string NativeCache::name_of(const std::string& key) const { return fmt::format("{:016x}.so", checksum_of(key)); }

Descriptor NativeCache::find(const std::string& key) const {
  Descriptor file = folder_.open(name_of(key), O_RDONLY);
  if (!file || !is_own_file(file)) return {};
  const auto bytes = read_all(file);
  if (!bytes || !is_whole(*bytes, key)) return {};
  ::futimens(file.get(), nullptr);  // fails if the cache is read-only
  return file;
}

void NativeCache::install(const Descriptor& library, const std::string& key) const {
  auto bytes = library ? read_all(library) : std::nullopt;
  if (!bytes) refuse("read the compiled", folder_.path() / name_of(key));
  Footer footer;
  footer.library_bytes = bytes->size();
  footer.key_bytes = key.size();
  footer.checksum = checksum_of(*bytes);
  bytes->append(key);
  bytes->append(reinterpret_cast<const char*>(&footer), sizeof footer);
  const std::string temporary = temporary_name();
  const Descriptor file = folder_.create(temporary);
  if (file && ::fchmod(file.get(), 0600) == 0 && write_all(file, *bytes) && folder_.rename(temporary, name_of(key)))
    return;
  const int error = errno;
  folder_.remove(temporary);
  errno = error;
  refuse("write", folder_.path() / name_of(key));
}

void NativeCache::trim(std::size_t most, std::uintmax_t most_together) const {
  std::vector<CachedFile> files;
  std::uintmax_t together = 0;
  const std::time_t now = std::time(nullptr);
  for (const std::string& name : folder_.names()) {
    const auto status = folder_.status(name);
    if (!status) continue;  // another process may be trimming
    if (name.starts_with(build_prefix) || is_temporary_name(name)) {
      if (status->st_mtime < now - an_hour) folder_.remove(name) || folder_.remove_folder(name);
      continue;
    }
    files.push_back({name, status->st_mtime, static_cast<std::uintmax_t>(status->st_size)});
    together += files.back().bytes;
  }
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  std::size_t left = files.size();
  for (const CachedFile& file : files) {
    if (left <= most && together <= most_together) return;
    folder_.remove(file.name);
    --left;
    together -= file.bytes;
  }
}

BuildFolder::BuildFolder(const NativeCache& cache)
    : around_(cache.folder()), name_(build_prefix + temporary_name().substr(1)) {
  if (around_.make_folder(name_, 0700)) folder_ = around_.folder(name_);
  if (!folder_) refuse("write in", around_.path());
}

BuildFolder::~BuildFolder() { around_.remove_folder(name_); }
}  // namespace trill
