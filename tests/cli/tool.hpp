// SPDX-License-Identifier: BSD-3-Clause
// Runs the tool and other programs as a user does, in a directory of their own, and returns what they print.
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

// A temporary directory, which is removed at the end with all its contents.
class Directory {
 public:
  Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory();
  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  Words names() const;  // everything inside, sorted, with files below a directory as DIR/NAME

 private:
  fs::path path_;
};

struct Ended {
  int code = -1;   // exit code, or -1 if a signal ended the program
  int signal = 0;  // the signal that ended it
  bool timed_out = false;
  std::string out, err;
  double seconds = 0;
};

struct Surroundings {
  fs::path directory{};                // if empty, the current one
  double timeout = 120;                // seconds after which it is killed
  std::string standard_output{};       // a file to which the output goes instead of being collected
  std::function<void()> before_run{};  // called in the child process
  bool tool_on_path = false;
};

class Process {
 public:
  Process(const Words& command, Surroundings surroundings);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what is still running
  pid_t id() const { return id_; }
  bool running(double wait_seconds = 0);  // waits at most this long for the end
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
Words tool_command(const Words& words);  // the path of the tool, followed by the words
Ended run(const Words& command, const Surroundings& surroundings);
Ended trill_in(const fs::path& directory, const Words& words);

Words words_of(const std::string& line);  // splits at spaces and keeps quoted parts together, as a shell does
std::string read_text(const fs::path& path);
void write_text(const fs::path& path, const std::string& text);
std::string page_data(const fs::path& page);  // the JSON from which a report page was made

// The number of the newest checkpoint in a .part directory, or -1 if there is none.
int newest_checkpoint(const fs::path& part);
// Waits until the condition holds. Returns false if the process ends before, or after a minute.
bool wait_until(Process& process, const std::function<bool()>& holds);
// Waits until the program handles this signal, or has a thread that waits for it. On a busy machine this takes a
// while.
bool wait_until_it_handles(Process& process, int signal);

// Describes how two solution files differ: in the bits of their rows, what was run, how it ended, or the counters (not
// their seconds). Empty if they do not differ.
std::string difference_of_files(const fs::path& a, const fs::path& b);
}  // namespace trill::testing_cli
