// SPDX-License-Identifier: BSD-3-Clause
#include "base/whole_file.hpp"

#include "trill/base/archive.hpp"

#include <cerrno>
#include <climits>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t buffer_size = 256 * 1024;
constexpr std::string_view temporary_prefix = ".trill.tmp-";
constexpr std::size_t mark_digits = 8;

// Room for the longest ending of a name (.meta.json; .part) and of a path (.part/ and a temporary name in it).
constexpr std::size_t most_ending = 20, most_path_ending = 60;

std::string mark_of(std::string_view digits) {
  const std::string text = fmt::format("temporary file of trill {}", digits);
  return fmt::format("{:08x}", static_cast<std::uint32_t>(checksum(text.data(), text.size())));
}

// What stands in the way of a file of this name, or "".
std::string trouble_of_target(const Folder& folder, const std::string& name) {
  const auto there = folder.status(name);
  if (!there || S_ISREG(there->st_mode)) return "";
  if (S_ISDIR(there->st_mode)) return "it is a directory";
  if (!S_ISLNK(there->st_mode)) return "it is not an ordinary file";
  std::error_code none;
  return fmt::format(
      "it is a symbolic link to {}, and trill does not write through links; give the name of the file itself",
      fs::read_symlink(folder.path() / name, none).string());
}

void check_target(const Folder& folder, const std::string& name, const fs::path& path) {
  if (const std::string trouble = trouble_of_target(folder, name); !trouble.empty())
    throw IoError(fmt::format("cannot write {}: {}", path.string(), trouble));
}

// The lock is held until the file or folder is gone, so that nobody begins to use it meanwhile. A folder without its
// lock is being made or was emptied: if it is not empty, it is being made.
void remove_if_unheld(const Folder& folder, const std::string& name) {
  if (const Descriptor file = folder.open(name, O_RDWR)) {
    if (S_ISREG(status_of(file).st_mode) && try_lock(file)) folder.remove(name);
    return;
  }
  const auto inner = folder.folder(name);
  if (!inner) return;
  const Descriptor lock = inner->open(lock_name, O_RDWR);
  if (lock && try_lock(lock)) folder.remove_folder(name, lock_name);
  if (!lock && errno == ENOENT) folder.remove_empty_folder(name);
}
}  // namespace

std::string temporary_name() {
  std::random_device random;
  const std::string digits = fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return fmt::format("{}{}{}", temporary_prefix, digits, mark_of(digits));
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(temporary_prefix) || name.size() != temporary_prefix.size() + 2 * mark_digits) return false;
  name.remove_prefix(temporary_prefix.size());
  return name.substr(mark_digits) == mark_of(name.substr(0, mark_digits));
}

void remove_stale_temporaries(const fs::path& path) {
  try {
    const Folder folder = Folder::with(path / "any");
    for (const std::string& name : folder.names())
      if (is_temporary_name(name)) remove_if_unheld(folder, name);
  } catch (const IoError&) {
    // A process that wants to write there gets the error itself.
  }
}

void check_length(const fs::path& file) {
  const std::string name = file.filename().string();
  const long limit = ::pathconf(folder_of(file).c_str(), _PC_NAME_MAX);
  const std::size_t most = (limit > 0 ? static_cast<std::size_t>(limit) : NAME_MAX) - most_ending;
  if (name.size() > most)
    throw IoError(
        fmt::format("cannot write {}: its name has {} bytes, and at most {} are possible there, because trill writes "
                    "files beside it with longer names",
                    file.string(), name.size(), most));
  if (file.string().size() + most_path_ending > PATH_MAX)
    throw IoError(fmt::format("cannot write {}: its path has {} bytes, and at most {} are possible", file.string(),
                              file.string().size(), PATH_MAX - most_path_ending));
}

void check_output(const fs::path& file) {
  const fs::path path = folder_of(file);
  std::error_code error;
  check_length(file);
  if (!fs::is_directory(path, error)) {
    if (error && error.value() != ENOENT && error.value() != ENOTDIR) throw_io("cannot write", file, error.value());
    throw IoError(fmt::format("cannot write {}: there is no directory {}", file.string(), path.string()));
  }
  if (::access(path.c_str(), W_OK) != 0) throw_io("cannot write", file, errno);
  const Folder folder = Folder::with(file);
  check_target(folder, file.filename().string(), file);
  if (!file.has_filename()) throw IoError(fmt::format("cannot write {}: it is a directory", file.string()));
}

WholeFile::WholeFile(const fs::path& path, std::string when_full)
    : folder_(std::make_shared<Folder>(Folder::with(path, when_full))),
      path_(path),
      name_(path.filename().string()),
      when_full_(std::move(when_full)) {
  open();
}

WholeFile::WholeFile(std::shared_ptr<const Folder> folder, std::string name, std::string when_full)
    : folder_(std::move(folder)),
      path_(folder_->path() / name),
      name_(std::move(name)),
      when_full_(std::move(when_full)) {
  open();
}

// Whoever removes stale files may see the new one before it is locked; then there is another try.
void WholeFile::open() {
  check_target(*folder_, name_, path_);
  buffer_.reserve(buffer_size);
  while (true) {
    temporary_ = temporary_name();
    file_ = folder_->create(temporary_);
    if (!file_ && errno == EEXIST) continue;
    if (!file_) refuse();
    const bool is_refused = !try_lock(file_) && errno == EWOULDBLOCK;
    if (!is_refused && folder_->status(temporary_)) {
      leftover_.emplace(temporary());
      return;
    }
    file_.close();
  }
}

WholeFile::~WholeFile() {
  if (file_) folder_->remove(temporary_);
}

void WholeFile::refuse() const { throw_io("cannot write", path_, errno, when_full_); }

void WholeFile::put(std::string_view bytes) {
  if (!write_all(file_, bytes)) refuse();
}

void WholeFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void WholeFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() >= buffer_size)
    put(bytes);
  else
    buffer_.append(bytes);
}

void WholeFile::commit() {
  flush();
  if (!sync(file_)) refuse();
  if (!folder_->rename(temporary_, name_)) refuse();
  file_.close();
  leftover_.reset();
  if (!folder_->sync()) refuse();
}

void write_whole(const fs::path& path, std::string_view bytes, const std::string& when_full) {
  WholeFile file(path, when_full);
  file.write(bytes);
  file.commit();
}

void write_whole(const std::shared_ptr<const Folder>& folder, const std::string& name, std::string_view bytes,
                 const std::string& when_full) {
  WholeFile file(folder, name, when_full);
  file.write(bytes);
  file.commit();
}
}  // namespace trill
