// SPDX-License-Identifier: BSD-3-Clause
// Runs the command-line tool, and other programs, as a user does: in a directory of their own, with what they print.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace trill::testing_cli {
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Removed at the end, with all that is in it.
class Directory {
 public:
  Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory();
  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  Words names() const;  // of everything inside, sorted; below a directory as DIR/NAME

 private:
  fs::path path_;
};

struct Ended {
  int code = -1;   // exit code; -1 when a signal ended it
  int signal = 0;  // that ended it
  bool timed_out = false;
  std::string out, err;
  double seconds = 0;
};

struct Surroundings {
  fs::path directory{};                // empty: the current one
  double timeout = 120;                // seconds, then it is killed
  std::string standard_output{};       // a file to open in place of the collected output
  std::function<void()> before_run{};  // in the child
  bool tool_on_path = false;
};

class Process {
 public:
  Process(const Words& command, Surroundings surroundings);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what is still running
  pid_t id() const { return id_; }
  bool running(double wait_seconds = 0);  // waits so long for the end
  void send(int signal) const;
  Ended wait();

 private:
  void collect(int status);
  Surroundings around_;
  pid_t id_ = -1;
  int out_ = -1, err_ = -1;
  double began_ = 0;
  std::optional<Ended> ended_;
};

double now_seconds();
Words tool_command(const Words& words);  // the tool's path in front
Ended run(const Words& command, const Surroundings& surroundings);
Ended trill_in(const fs::path& directory, const Words& words);

Words words_of(const std::string& line);  // split at spaces, quotes kept together as in a shell
std::string read_text(const fs::path& path);
void write_text(const fs::path& path, const std::string& text);
std::string page_data(const fs::path& page);  // the JSON that a report page was made of

// The number of the newest checkpoint in a part directory, -1 when there is none.
int newest_checkpoint(const fs::path& part);
// Waits until the condition holds; false when the process ends before, or a minute passes.
bool wait_until(Process& process, const std::function<bool()>& holds);
// The program has begun and handles this signal, or has a thread that waits for it. On a busy machine that takes a
// while.
bool wait_until_it_handles(Process& process, int signal);

// What differs between two solution files: rows bit by bit, what was run, how it ended, counters but the seconds.
// Empty: nothing.
std::string difference_of_files(const fs::path& a, const fs::path& b);
}  // namespace trill::testing_cli
