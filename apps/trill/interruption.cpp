// SPDX-License-Identifier: BSD-3-Clause
#include "interruption.hpp"

#include "base/leftovers.hpp"
#include "commands.hpp"

#include <csignal>
#include <ctime>
#include <mutex>

#include <pthread.h>
#include <unistd.h>

namespace trill::cli {
namespace {
constexpr timespec time_to_end{0, 600'000'000};

std::atomic<bool> stop{false};
sigset_t heard;  // the signals that end the program; blocked everywhere but in the thread that waits for them

struct LastWords {
  std::mutex mutex;
  std::function<std::string()> say = [] { return "interrupted"; };  // empty: nobody looks at the flag
  bool said = false;  // the program is ending in an orderly way and has said so
  // Never destroyed: the thread that waits for signals outlives static objects.
  static LastWords& get() {
    static LastWords& words = *new LastWords;
    return words;
  }
};

bool is_ended_in_order() {
  const std::lock_guard lock(LastWords::get().mutex);
  return static_cast<bool>(LastWords::get().say);
}

// Not through stdio: another thread may hold its lock.
void say_last_words() {
  const std::lock_guard lock(LastWords::get().mutex);
  const auto& [mutex, say, said] = LastWords::get();
  if (said) return;
  // A progress bar may be there.
  const std::string line = (::isatty(STDERR_FILENO) ? "\r\033[K" : "") + std::string("trill: ") +
                           (say ? say() : std::string("interrupted")) + "\n";
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

void* wait_for_signals(void*) {
  int signal = 0;
  while (sigwait(&heard, &signal) != 0) {
  }
  stop.store(true);
  if (is_ended_in_order()) {
    const int second = sigtimedwait(&heard, nullptr, &time_to_end);
    if (second > 0) end_process(128 + second);
  }
  say_last_words();
  end_process(ExitCode::interrupted);
}

// `nohup` ignores this signal on purpose.
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool start_thread() {
  constexpr std::size_t stack = 256 * 1024;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, wait_for_signals, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}
}  // namespace

const std::atomic<bool>& stop_requested() { return stop; }

void listen_to_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&heard);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (signal != SIGHUP || !is_ignored(signal)) sigaddset(&heard, signal);
  pthread_sigmask(SIG_BLOCK, &heard, nullptr);
  if (!start_thread()) pthread_sigmask(SIG_UNBLOCK, &heard, nullptr);  // then they end the program as usual
}

void begin_command() {
  const std::lock_guard lock(LastWords::get().mutex);
  LastWords::get().say = nullptr;
}

std::string how_to_continue(const std::string& file, const std::string& what) {
  if (file.empty()) return "nothing was recorded; use --out to be able to continue an interrupted " + what;
  return "to continue, use the same command with --resume " + file + " instead of --out";
}

Interruptible::Interruptible(std::function<std::string()> last_words) {
  const std::lock_guard lock(LastWords::get().mutex);
  LastWords::get().say = std::move(last_words);
}

Interruptible::~Interruptible() {
  const std::lock_guard lock(LastWords::get().mutex);
  LastWords::get().say = nullptr;
  LastWords::get().said = stop.load();
}
}  // namespace trill::cli
