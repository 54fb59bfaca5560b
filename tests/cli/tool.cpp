// SPDX-License-Identifier: BSD-3-Clause
#include "tool.hpp"

#include "solution/run_json.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
std::string content_of(int file) {
  std::string text;
  char piece[65536];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  ::close(file);
  return text;
}

std::string outcome_text(const SolutionFile& file) {
  RunOutcome outcome = file.outcome();
  outcome.counters.seconds = 0;
  return to_json(outcome);
}

std::vector<double> numbers_of(const SolutionFile& file) {
  std::vector<double> all;
  const std::size_t n_y = file.info().components.size(), n_measured = file.info().quantities.size();
  all.reserve(static_cast<std::size_t>(file.rows()) * (1 + n_y + n_measured));
  file.visit([&](double t, const double* y, const double* measured) {
    all.push_back(t);
    all.insert(all.end(), y, y + n_y);
    all.insert(all.end(), measured, measured + n_measured);
  });
  return all;
}
}  // namespace

Directory::Directory() {
  std::string name = (fs::temp_directory_path() / "trill-cli-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
  path_ = fs::canonical(name);
}
Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}
Words Directory::names() const {
  Words names;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    names.push_back(fs::relative(entry.path(), path_).string());
  std::sort(names.begin(), names.end());
  return names;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Process::Process(const Words& command, Surroundings surroundings) : around_(std::move(surroundings)) {
  out_ = ::memfd_create("stdout", MFD_CLOEXEC);
  err_ = ::memfd_create("stderr", MFD_CLOEXEC);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::string path =
      "PATH=" + fs::path(TRILL_TOOL).parent_path().string() + ":" + (getenv("PATH") ? getenv("PATH") : "");
  began_ = now_seconds();
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int out = around_.standard_output.empty() ? out_ : ::open(around_.standard_output.c_str(), O_WRONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err_, STDERR_FILENO);
  if (!around_.directory.empty() && ::chdir(around_.directory.c_str()) != 0) ::_exit(126);
  if (around_.tool_on_path) ::putenv(path.data());
  if (around_.before_run) around_.before_run();
  ::execvp(words[0], words.data());
  ::_exit(127);
}

Process::~Process() {
  if (!ended_) {
    send(SIGKILL);
    wait();
  }
}

void Process::send(int signal) const {
  if (!ended_) ::kill(id_, signal);
}

void Process::collect(int status) {
  Ended& e = ended_.emplace();
  e.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  e.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  e.seconds = now_seconds() - began_;
  e.out = content_of(out_);
  e.err = content_of(err_);
}

bool Process::running(double wait_seconds) {
  const double until = now_seconds() + wait_seconds;
  while (!ended_) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      collect(status);
      break;
    }
    const double left = until - now_seconds();
    if (left <= 0) return true;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 1e-3)));
  }
  return false;
}

Ended Process::wait() {
  if (running(around_.timeout)) {
    ::kill(-id_, SIGKILL);
    running(10);
    if (ended_) ended_->timed_out = true;
  }
  return ended_.value_or(Ended{});
}

Words tool_command(const Words& words) {
  Words command{TRILL_TOOL};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

Ended run(const Words& command, const Surroundings& surroundings) { return Process(command, surroundings).wait(); }

Ended trill_in(const fs::path& directory, const Words& words) {
  Surroundings around;
  around.directory = directory;
  return run(tool_command(words), around);
}

Words words_of(const std::string& line) {
  Words words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (const char c : line) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? '\0' : c;
      begun = true;
    } else if (!quote && c == ' ') {
      if (begun) words.push_back(std::exchange(word, ""));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string page_data(const fs::path& page) {
  const std::string text = read_text(page), begin = "<script id=\"trill-data\" type=\"application/json\">";
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find("</script>", from) - from);
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

int newest_checkpoint(const fs::path& part) {
  int newest = -1;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(part, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("checkpoint-") && name.ends_with(".bin"))
      newest = std::max(newest, std::stoi(name.substr(11)));
  }
  return newest;
}

bool wait_until(Process& process, const std::function<bool()>& holds) {
  const double until = now_seconds() + 60;
  while (!holds())
    if (!process.running(0.001) || now_seconds() > until) return false;
  return true;
}

bool wait_until_it_handles(Process& process, int signal) {
  return wait_until(process, [&] {
    std::ifstream status(fmt::format("/proc/{}/status", process.id()));
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:") || line.starts_with("SigBlk:"))
        if (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) return true;
    return false;
  });
}

std::string difference_of_files(const fs::path& a, const fs::path& b) {
  const SolutionFile one(a), two(b);
  if (const auto d = difference(one.info(), two.info())) return *d;
  if (outcome_text(one) != outcome_text(two))
    return fmt::format("outcomes differ:\n{}\n{}", outcome_text(one), outcome_text(two));
  const auto words_on_trust = [](Trust trust) {
    trust.remedy.clear();  // it contains a predicted duration, which depends on measured times
    return to_json(trust);
  };
  if (words_on_trust(one.trust()) != words_on_trust(two.trust())) return "the words on trust differ";
  const std::vector<double> x = numbers_of(one), y = numbers_of(two);
  if (x.size() != y.size()) return fmt::format("{} rows against {}", one.rows(), two.rows());
  if (std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0) return "";
  const std::size_t width = x.size() / static_cast<std::size_t>(one.rows());
  std::size_t i = 0;
  while (std::memcmp(&x[i], &y[i], sizeof(double)) == 0) ++i;
  return fmt::format("row {} of {}, column {}: {} against {}", i / width, one.rows(), i % width, x[i], y[i]);
}
}  // namespace trill::testing_cli
