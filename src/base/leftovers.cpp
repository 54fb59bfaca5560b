// SPDX-License-Identifier: BSD-3-Clause
#include "base/leftovers.hpp"

#include <csignal>
#include <mutex>

#include <unistd.h>

namespace trill {
namespace {
struct Leftovers {
  std::mutex mutex;
  std::list<Leftover::Entry> entries;
  // Never destroyed: a thread may end the process while static objects are being destroyed.
  static Leftovers& all() {
    static Leftovers& leftovers = *new Leftovers;
    return leftovers;
  }
};

void clear(const Leftover::Entry& entry) {
  if (const auto* file = std::get_if<std::filesystem::path>(&entry))
    ::unlink(file->c_str());
  else
    ::kill(-std::get<pid_t>(entry), SIGKILL);
}
}  // namespace

Leftover::Leftover(std::filesystem::path file) {
  const std::lock_guard lock(Leftovers::all().mutex);
  entry_ = Leftovers::all().entries.emplace(Leftovers::all().entries.end(), std::move(file));
}

Leftover::Leftover(const std::function<pid_t()>& start) {
  const std::lock_guard lock(Leftovers::all().mutex);  // the process cannot end between the start and the entry
  entry_ = Leftovers::all().entries.emplace(Leftovers::all().entries.end(), start());
}

Leftover::~Leftover() {
  const std::lock_guard lock(Leftovers::all().mutex);
  Leftovers::all().entries.erase(entry_);
}

void end_process(int exit_code) {
  Leftovers::all().mutex.lock();  // for good: nothing new may be left over
  for (const Leftover::Entry& entry : Leftovers::all().entries) clear(entry);
  ::_exit(exit_code);
}
}  // namespace trill
