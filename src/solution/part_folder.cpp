// SPDX-License-Identifier: BSD-3-Clause
#include "solution/part_folder.hpp"

#include "solution/part_directory.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr std::string_view lock_text = "trill: the folder of a run that is not finished\n";

[[noreturn]] void refuse_foreign(const fs::path& part, std::string_view what) {
  throw UsageError(
      fmt::format("{} {}, so it is left alone; rename it, or give the solution another name", part.string(), what));
}

// Whoever owns the folder around it could replace everything in it anyway.
void check_owner(const Folder& folder, const fs::path& part) {
  struct stat around {};
  const uid_t owner = status_of(folder.descriptor()).st_uid;
  if (owner != ::geteuid() && (::stat(folder_of(part).c_str(), &around) != 0 || owner != around.st_uid))
    refuse_foreign(part, "belongs to another user");
}

bool has_header(const fs::path& part) {
  try {
    read_header(part);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

bool has_mark(const Descriptor& lock) {
  return S_ISREG(status_of(lock).st_mode) && status_of(lock).st_size < 1000 && read_all(lock) == lock_text;
}

Descriptor make_lock(const Folder& folder, const std::string& when_full) {
  Descriptor lock = folder.create(lock_name);
  if (!lock && errno == ENOENT) return lock;
  if (!lock || !write_all(lock, lock_text)) throw_io("cannot write", folder.path() / lock_name, errno, when_full);
  return lock;
}

// The header, too, says that trill made the folder: somebody may have removed the lock.
Descriptor marked_lock(const Folder& folder, const fs::path& part) {
  Descriptor lock = folder.open(lock_name, O_RDWR);
  if (!lock && errno == ENOENT && has_header(part)) return make_lock(folder, "");
  if (!lock || (!has_mark(lock) && !has_header(part))) lock.close();
  return lock;
}

// False: somebody else holds it.
bool locked(const Descriptor& lock, const Folder& folder) {
  if (try_lock(lock)) return true;
  if (errno == EWOULDBLOCK) return false;
  throw_io("cannot lock", folder.path() / lock_name, errno);
}

bool is_of_a_run(const std::string& name) {
  const auto is_numbered = [&](std::string_view kind) { return name.starts_with(kind) && name.ends_with(".bin"); };
  return name == "header.json" || name == "outcome.json" || is_numbered("segment-") || is_numbered("checkpoint-") ||
         is_temporary_name(name);
}
}  // namespace

std::shared_ptr<PartFolder> PartFolder::find(const fs::path& part) {
  while (true) {
    auto folder = Folder::itself(part);
    if (!folder && errno == ENOENT) return nullptr;
    if (!folder && (errno == ELOOP || errno == ENOTDIR)) refuse_foreign(part, "is not a folder that trill made");
    if (!folder) throw_io("cannot read", part, errno);
    check_owner(*folder, part);
    Descriptor lock = marked_lock(*folder, part);
    if (!folder->is(part)) continue;  // its run was published in the meantime
    if (!lock) refuse_foreign(part, "was not made by trill");
    if (!locked(lock, *folder))
      throw Occupied(fmt::format("{} is being written by another run", without_part(part).string()));
    if (folder->is(part)) return std::shared_ptr<PartFolder>(new PartFolder(std::move(*folder), std::move(lock)));
  }
}

std::shared_ptr<PartFolder> PartFolder::make(const fs::path& part, const std::string& when_full) {
  const auto around = std::make_shared<Folder>(Folder::with(part, when_full));
  while (true) {
    if (auto there = find(part)) return there;
    const std::string temporary = temporary_name();
    if (!around->make_folder(temporary)) throw_io("cannot write", part, errno, when_full);
    auto folder = around->folder(temporary);
    if (!folder && errno != ENOENT) throw_io("cannot write", part, errno, when_full);
    // Whoever removes stale folders may see the new one before it is locked; then there is another try.
    Descriptor lock = folder ? make_lock(*folder, when_full) : Descriptor();
    if (lock && locked(lock, *folder) && folder->status(lock_name) &&
        around->give_name(temporary, part.filename().string())) {
      if (!around->sync()) throw_io("cannot write", part, errno, when_full);
      return std::shared_ptr<PartFolder>(new PartFolder(std::move(*folder).renamed(part), std::move(lock)));
    }
    const int error = errno;
    around->remove_folder(temporary, lock_name);
    if (error != EEXIST && error != ENOTEMPTY && error != ENOENT && error != EWOULDBLOCK)
      throw_io("cannot write", part, error, when_full);
  }
}

void PartFolder::write(const std::string& name, std::string_view bytes, const std::string& when_full) const {
  write_whole(folder_, name, bytes, when_full);
}

void PartFolder::remove(const std::string& name) const {
  if (!folder_->remove(name) && errno != ENOENT) throw_io("cannot remove", folder_->path() / name, errno);
}

void PartFolder::sync() const {
  if (!folder_->sync()) throw_io("cannot write", folder_->path(), errno);
}

void PartFolder::clear() const {
  for (const std::string& name : names())
    if (is_of_a_run(name)) remove(name);
}

// Under another name first, so that nobody finds a folder without its mark.
void PartFolder::vanish() {
  const auto is_own = [](const std::string& name) { return name == lock_name || is_of_a_run(name); };
  const auto found = names();
  const Folder around = Folder::with(folder_->path());
  const std::string name = folder_->path().filename().string(), temporary = temporary_name();
  const bool is_own_alone = folder_->is(folder_->path()) && std::all_of(found.begin(), found.end(), is_own);
  if (is_own_alone && around.rename(name, temporary)) {
    around.remove_folder(temporary, lock_name);  // if that fails, the next run removes it
  } else {
    clear();
    remove(lock_name);
    if (is_own_alone) around.remove_folder(name);
  }
  around.sync();
}

bool is_in_use(const fs::path& path) {
  try {
    PartFolder::find(part_of(path));
    return false;
  } catch (const Occupied&) {
    return true;
  }
}
}  // namespace trill
