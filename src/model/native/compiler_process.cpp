// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/compiler_process.hpp"

#include "base/leftovers.hpp"
#include "base/text.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace trill {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr const char* messages_name = "messages";

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// The program's absolute path, or empty. Relative folders in PATH are skipped: what they contain depends on where trill
// was started.
fs::path search_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return is_program(program) ? fs::absolute(program) : fs::path();
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':'))
    if (folder.starts_with('/') && is_program(fs::path(folder) / program)) return fs::path(folder) / program;
  return {};
}

std::string first_complaint(const Folder& folder) {
  const Descriptor log = folder.open(messages_name, O_RDONLY);
  std::string first;
  for (const std::string& line : split(log ? read_all(log).value_or("") : "", '\n')) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos) return line;
  }
  return first;
}

class SpawnActions {
 public:
  explicit SpawnActions(const Folder& folder) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addfchdir_np(&files, folder.descriptor().get());
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    // A process group of its own, so that the compiler's children end with it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    // Signals that trill ignores, or that wait for a thread of trill, have their usual meaning for the compiler.
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

pid_t spawn(const std::vector<std::string>& command, const Folder& folder) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const SpawnActions actions(folder);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, words[0], &actions.files, &actions.attributes, words.data(), environ);
  if (error != 0) throw NativeFailure(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
  return child;
}

// False when the time is over.
bool wait_for(pid_t child, int& status, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR)
      throw NativeFailure(fmt::format("cannot wait for the compiler: {}", std::strerror(errno)));
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}
}  // namespace

std::vector<std::string> find_compiler() {
  std::vector<std::string> words;
  if (const char* wanted = std::getenv("CC"); wanted && *wanted) {
    for (const std::string& word : split(wanted, ' '))
      if (!word.empty()) words.push_back(word);
    if (words.empty()) throw NativeFailure("the environment variable CC is blank");
    const fs::path found = search_path(words[0]);
    if (found.empty()) throw NativeFailure(fmt::format("the compiler '{}' named by CC was not found", words[0]));
    words[0] = found.string();
    return words;
  }
  for (const char* name : {"cc", "gcc", "clang"})
    if (const fs::path found = search_path(name); !found.empty()) return {found.string()};
  throw NativeFailure("no C compiler was found: none of cc, gcc, clang is in PATH, and CC is not set");
}

void run_compiler(const std::vector<std::string>& command, const Folder& folder, double seconds) {
  const Leftover compiler([&] { return spawn(command, folder); });
  const pid_t child = compiler.program();
  int status = 0;
  if (!wait_for(child, status, seconds)) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, &status, 0);
    throw NativeFailure(fmt::format("{} took longer than {} s and was stopped", command[0], seconds));
  }
  if (WIFSIGNALED(status))
    throw NativeFailure(fmt::format("{} was stopped by signal {}", command[0], WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) {
    const std::string complaint = first_complaint(folder);
    throw NativeFailure(fmt::format("{} failed with exit code {}{}{}", command[0], WEXITSTATUS(status),
                                    complaint.empty() ? "" : ": ", complaint));
  }
}
}  // namespace trill
