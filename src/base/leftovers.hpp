// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <variant>

#include <sys/types.h>

namespace trill {
// Something that must not stay behind when the process ends in the middle of its work: a file that is not whole yet, or
// a program that was started. Nothing stays behind of it once this object is gone.
class Leftover {
 public:
  explicit Leftover(std::filesystem::path file);
  // `start` starts a program in a process group of its own and returns its id.
  explicit Leftover(const std::function<pid_t()>& start);
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  ~Leftover();
  pid_t program() const { return std::get<pid_t>(*entry_); }

  using Entry = std::variant<std::filesystem::path, pid_t>;

 private:
  std::list<Entry>::iterator entry_;
};

// Ends the process at once, from any thread whatever the others are doing: unfinished files are removed, programs that
// were started are killed, and nothing else is tidied up. Not for signal handlers.
[[noreturn]] void end_process(int exit_code);
}  // namespace trill
