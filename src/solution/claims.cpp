// SPDX-License-Identifier: BSD-3-Clause
#include "solution/claims.hpp"

#include "base/text.hpp"
#include "base/whole_file.hpp"

#include <cerrno>
#include <chrono>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr const char* claims_name = ".trill.claims";
constexpr std::size_t most_claim_bytes = 4096;
constexpr const char* claim_ending = ".claim";

std::string first_line(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  return line;
}

// The time of its start and the state of a process, by /proc. A number of a process may be given again to another.
std::string start_of(pid_t process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return "";
  const std::vector<std::string> words = split(line.substr(std::min(line.size(), end_of_name + 2)), ' ');
  if (words.size() < 20 || words[0] == "Z" || words[0] == "X") return "";
  return words[19];
}

// Numbers of processes mean the same processes where this is the same: since one start of one machine, in one
// container.
std::string machine() {
  std::error_code none;
  return first_line("/proc/sys/kernel/random/boot_id") + " " + fs::read_symlink("/proc/self/ns/pid", none).string();
}

// The last line makes every claim different.
std::string own_text() {
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  return fmt::format("trill claim\n{}\n{} {}\n{}\n{}\n", machine(), ::getpid(), start_of(::getpid()), host,
                     temporary_name());
}

enum class Life { alive, gone, elsewhere };
Life life_of(const std::string& text) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() < 5 || lines[0] != "trill claim" || lines[1] != machine()) return Life::elsewhere;
  const std::vector<std::string> process = split(lines[2], ' ');
  const auto id = process.size() == 2 ? parse_integer(process[0]) : std::nullopt;
  if (!id || *id <= 0) return Life::elsewhere;
  return start_of(static_cast<pid_t>(*id)) == process[1] ? Life::alive : Life::gone;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double changed_ns(const struct stat& status) {
  return static_cast<double>(status.st_mtim.tv_sec) * 1e9 + static_cast<double>(status.st_mtim.tv_nsec);
}
}  // namespace

Claims::Claims(const fs::path& folder_of_files, ClaimTimes times) : around_(folder_of_files), times_(std::move(times)) {
  if (!times_.now) times_.now = steady_seconds;
  beating_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      ends_.wait_for(lock, stop, std::chrono::duration<double>(times_.beat), [] { return false; });
      beat();
    }
  });
}

Claims::~Claims() {
  beating_.request_stop();
  beating_.join();
  try {
    if (!folder()) return;
    remove_stale_temporaries(around_ / claims_name);
    Folder::with(around_ / claims_name).remove_empty_folder(claims_name);
  } catch (const IoError&) {
    // The folder is gone: there is nothing to remove.
  }
}

void Claims::beat() {
  for (const auto& [name, file] : held_) ::futimens(file.get(), nullptr);
}

std::shared_ptr<const Folder> Claims::folder() const {
  auto found = Folder::with(around_ / claims_name).folder(claims_name);
  return found ? std::make_shared<const Folder>(std::move(*found)) : nullptr;
}

std::shared_ptr<const Folder> Claims::made_folder() const {
  while (true) {
    const Folder around = Folder::with(around_ / claims_name);
    if (auto found = around.folder(claims_name)) return std::make_shared<const Folder>(std::move(*found));
    if (errno == ENOENT && (around.make_folder(claims_name) || errno == EEXIST)) continue;
    throw_io("cannot write", around_ / claims_name, errno);
  }
}

// No descriptor: there is a file of that name. Whoever ends removes the folder if it is empty; then it is made again.
// The text is written under another name, since a process may be killed in the middle, and a claim without text would
// look like one of another machine, for which others wait.
Descriptor Claims::create(const std::string& name, const std::string& text) const {
  while (true) {
    const auto folder = made_folder();
    errno = EEXIST;
    if (folder->status(name)) return {};
    const std::string aside = temporary_name();
    Descriptor file = folder->create(aside);
    if (!file && (errno == ENOENT || errno == EEXIST)) continue;
    if (!file || !write_all(file, text)) throw_io("cannot write", folder->path() / name, errno);
    if (folder->give_name(aside, name)) return file;
    const int why = errno;
    folder->remove(aside);
    if (why == EEXIST) return {};
    if (why != ENOENT) throw_io("cannot write", folder->path() / name, why);  // ENOENT: another one tidied up
  }
}

bool Claims::is_claimed(const std::string& name) const {
  const auto claims = folder();
  return claims && claims->status(name + claim_ending);
}

bool Claims::is_abandoned(const std::string& name, std::string& text) {
  const auto claims = folder();
  const Descriptor file = claims ? claims->open(name, O_RDONLY) : Descriptor();
  if (!file) return false;
  text = read_up_to(file, most_claim_bytes).value_or("");
  const Life life = life_of(text);
  if (life == Life::elsewhere) {
    const double changed = changed_ns(status_of(file));
    const auto seen = seen_.find(name);
    if (seen == seen_.end() || seen->second.text != text || seen->second.changed_ns != changed) {
      seen_[name] = {text, changed, times_.now()};
      return false;
    }
    return times_.now() - seen->second.since > times_.patience;
  }
  return life == Life::gone;
}

// Another process may have replaced the claim since it was looked at: then it gets it back.
bool Claims::remove_that(const std::string& name, const std::string& text) const {
  const auto claims = folder();
  const std::string aside = temporary_name();
  if (!claims || !claims->rename(name, aside)) return false;
  const Descriptor file = claims->open(aside, O_RDONLY);
  if (file && read_up_to(file, most_claim_bytes) != text) {
    claims->give_name(aside, name);
    return false;
  }
  claims->remove(aside);
  return true;
}

Claims::Taken Claims::take(const std::string& of) {
  const std::string name = of + claim_ending;
  const std::lock_guard lock(mutex_);
  if (held_.contains(name)) return Taken::fresh;
  Taken taken = Taken::fresh;
  Descriptor file = create(name, own_text());
  if (!file) {
    std::string text;
    if (!is_abandoned(name, text)) {
      sees_others_ = true;
      return Taken::not_at_all;
    }
    if (!remove_that(name, text)) return Taken::not_at_all;
    file = create(name, own_text());
    taken = Taken::from_a_dead_process;
  }
  if (!file) return Taken::not_at_all;
  held_[name] = std::move(file);
  return taken;
}

void Claims::release(const std::string& of) {
  const std::string name = of + claim_ending;
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(name);
  if (held == held_.end()) return;
  const auto claims = folder();
  const auto there = claims ? claims->status(name) : std::nullopt;
  if (there && there->st_ino == status_of(held->second).st_ino) claims->remove(name);
  held_.erase(held);
}

std::string Claims::agree(const std::string& name, const std::string& text) const {
  const auto claims = made_folder();
  // Written elsewhere first, so that nobody reads half of it.
  const std::string own = temporary_name();
  write_whole(claims, own, text);
  if (claims->give_name(own, name)) return text;
  claims->remove(own);
  const Descriptor file = claims->open(name, O_RDONLY);
  return file ? read_up_to(file, 1 << 20).value_or(text) : text;
}

void Claims::forget(const std::string& name) const {
  if (const auto claims = folder()) claims->remove(name);
}
}  // namespace trill
