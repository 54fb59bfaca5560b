// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace trill::cli {
// From now on SIGINT, SIGTERM and SIGHUP end the program within a second: at once, with the exit code 130, unless an
// Interruptible asks for some time. A second signal ends it at once with 128 + its number. A limit on the size of files
// (SIGXFSZ) and a closed pipe (SIGPIPE) become errors of writing, after which open files are closed properly.
void listen_to_signals();
// The command line has been read. Until then a signal waits for what the command makes of it.
void begin_command();
// Set by the first signal.
const std::atomic<bool>& stop_requested();

// While this object exists, somebody looks at stop_requested() and ends the program in order. If that takes too long
// (inside a factorisation, for instance), it is ended with these last words, which another thread finds.
class Interruptible {
 public:
  explicit Interruptible(std::function<std::string()> last_words);
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();
};

// What is said to somebody who interrupted a run or a sweep (`what`) that writes this file, or none.
std::string how_to_continue(const std::string& file, const std::string& what);
}  // namespace trill::cli
