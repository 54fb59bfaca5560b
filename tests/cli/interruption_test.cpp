// SPDX-License-Identifier: BSD-3-Clause
// Signals to commands that do not check for them: long computations, a compiler that hangs, limits on the size of
// files.
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

// Each of them would take minutes, longer than the test waits.
const char* const long_commands[] = {
    "compare kepler --methods verlet,dop853 --to 1e7",
    "figure sat09_table1 --full",
    "check fermi_pasta_ulam --param m=300000",
    "inspect fermi_pasta_ulam --param m=300000",
    "run fermi_pasta_ulam --param m=100000 --method radau --trust never",
    "run kepler --sweep e=0.1:0.6:4 --method verlet --h 1e-4 --to 1e6 --every 1000000 --trust never",
};

class Interruption : public testing::TestWithParam<std::tuple<int, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Commands, Interruption,
                         testing::Combine(testing::Values(SIGINT, SIGTERM, SIGHUP), testing::ValuesIn(long_commands)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", words_of(std::get<1>(info.param)).front(), info.index);
                         });

TEST_P(Interruption, EndsTheCommand) {
  const auto [signal, line] = GetParam();
  const Directory directory;
  Process process(tool_command(words_of(line)), {.directory = directory.path(), .timeout = 60});
  ASSERT_TRUE(wait_until_it_handles(process, signal));
  ASSERT_TRUE(process.running(0.1));
  process.send(signal);
  const Ended ended = process.wait();
  EXPECT_FALSE(ended.timed_out);
  EXPECT_EQ(ended.code, 130);
  EXPECT_TRUE(ended.err.starts_with("trill: ")) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_TRUE(directory.names().empty());
}

// Both signals arrive while the process is stopped. The second one must end it at once, whatever the first one
// started.
TEST(Interruption, ASecondSignalEndsAtOnce) {
  const Directory directory;
  Process process(tool_command(words_of("run kepler --method verlet --h 1e-4 --to 1e6 --every 1000 --out run.h5")),
                  {.directory = directory.path()});
  ASSERT_TRUE(wait_until(process, [&] { return fs::exists(directory / "run.h5.part/header.json"); }));
  for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) process.send(signal);
  const Ended ended = process.wait();
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(ended.code, 128 + SIGTERM);
}

TEST(Interruption, AClosedTerminalStopsARunThatCanBeResumed) {
  const std::string line = "run kepler --method verlet --h 1e-3 --to 1500 --every 10 --trust never -q ";
  const Directory whole, broken;
  ASSERT_EQ(trill_in(whole.path(), words_of(line + "--out run.h5")).code, 0);
  {
    Process process(tool_command(words_of(line + "--out run.h5")), {.directory = broken.path()});
    ASSERT_TRUE(wait_until(process, [&] { return fs::exists(broken / "run.h5.part/header.json"); }));
    process.send(SIGHUP);
    EXPECT_EQ(process.wait().code, 130);
  }
  ASSERT_EQ(trill_in(broken.path(), words_of(line + "--resume run.h5")).code, 0);
  EXPECT_EQ(difference_of_files(whole / "run.h5", broken / "run.h5"), "");
}

TEST(Interruption, UnderNohupAClosedTerminalIsIgnored) {
  const Directory directory;
  Process process(
      tool_command(words_of("run kepler --method verlet --h 1e-3 --to 1500 --every 10 --trust never -q --out run.h5")),
      {.directory = directory.path(), .before_run = [] { ::signal(SIGHUP, SIG_IGN); }});
  ASSERT_TRUE(wait_until(process, [&] { return fs::exists(directory / "run.h5.part/header.json"); }));
  process.send(SIGHUP);
  EXPECT_EQ(process.wait().code, 0);
}

TEST(Interruption, KillsACompilerThatHangs) {
  const Directory directory;
  fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/two_springs.toml", directory / "my.toml");
  write_text(directory / "hang",
             fmt::format("#!/bin/sh\nsleep 1000 &\necho $! >'{}'\nwait\n", (directory / "child").string()));
  ::chmod((directory / "hang").c_str(), 0755);
  const auto with_that_compiler = [&] {
    ::setenv("XDG_CACHE_HOME", (directory / "cache").c_str(), 1);
    ::setenv("CC", (directory / "hang").c_str(), 1);
  };
  for (const char* line : {"run my.toml --native always", "compare my.toml --methods verlet --native always"}) {
    Process process(tool_command(words_of(line)), {.directory = directory.path(), .before_run = with_that_compiler});
    const auto child = [&] {
      return fs::exists(directory / "child") ? std::atoi(read_text(directory / "child").c_str()) : 0;
    };
    ASSERT_TRUE(wait_until(process, [&] { return child() > 0; })) << line;
    const pid_t sleeper = child();
    process.send(SIGTERM);
    EXPECT_EQ(process.wait().code, 130) << line;
    Process watch({"sleep", "60"}, {});
    EXPECT_TRUE(wait_until(watch, [&] { return ::kill(sleeper, 0) != 0; })) << line;
    fs::remove(directory / "child");
  }
}

// The limit is set as by the shell's `ulimit -f`, where the signal is not ignored.
TEST(Interruption, ALimitOnTheSizeOfFilesIsAFullDisk) {
  const auto limited = [] {
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_DFL);
  };
  const std::string line =
      "run stiff_spring --method verlet --h 1e-3 --to 30 --checkpoint-seconds 0 --checkpoint-every 400 -q --trust "
      "never ";
  const Directory whole;
  ASSERT_EQ(trill_in(whole.path(), words_of(line + "--out run.csv")).code, 0);
  const Directory directory;
  const Ended full =
      run(tool_command(words_of(line + "--out run.csv")), {.directory = directory.path(), .before_run = limited});
  EXPECT_EQ(full.signal, 0);
  EXPECT_EQ(full.code, 3);
  EXPECT_THAT(full.err, HasSubstr("--resume run.csv"));
  EXPECT_FALSE(fs::exists(directory / "run.csv"));
  for (const std::string& left : directory.names()) EXPECT_THAT(left, testing::Not(HasSubstr(".tmp-")));
  ASSERT_EQ(trill_in(directory.path(), words_of(line + "--resume run.csv")).code, 0);
  EXPECT_EQ(difference_of_files(whole / "run.csv", directory / "run.csv"), "");
}

// The tests with 200,000 coordinates run with TRILL_LONG=1. They measure seconds, which mean nothing on a busy
// machine.
bool is_busy() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 && load > 2.0 * std::thread::hardware_concurrency();
}

TEST(LargeRun, IsStoredEveryTwoSecondsAndStopsWithinOne) {
  if (!std::getenv("TRILL_LONG")) GTEST_SKIP() << "needs minutes";
  if (is_busy()) GTEST_SKIP() << "needs a machine that is not busy";
  for (const std::string method : {"radau", "cvode_bdf", "cvode_adams", "gauss --h 0.02", "implicit_midpoint --h 0.01",
                                   "sdirk --h 0.02", "dopri5", "verlet --h 1e-3"}) {
    const Directory directory;
    Process process(tool_command(words_of("run fermi_pasta_ulam --param m=100000 --every 1000000 --trust never -q "
                                          "--out run.h5 --method " +
                                          method)),
                    {.directory = directory.path()});
    const auto newest = [&] { return newest_checkpoint(directory / "run.h5.part"); };
    ASSERT_TRUE(wait_until(process, [&] { return fs::exists(directory / "run.h5.part/header.json"); }));
    double last = now_seconds(), longest = 0;
    for (int number = 0; number < 8; ++number) {
      ASSERT_TRUE(wait_until(process, [&] { return newest() >= number; })) << method;
      longest = std::max(longest, now_seconds() - last);
      last = now_seconds();
    }
    process.send(SIGTERM);
    const double asked = now_seconds();
    EXPECT_EQ(process.wait().code, 130) << method;
    const double answered = now_seconds() - asked;
    fmt::print("{}: at most {:.2f} s between checkpoints, ended {:.2f} s after the signal\n", method, longest,
               answered);
    EXPECT_LE(longest, 2) << method;
    EXPECT_LE(answered, 1) << method;
  }
}

TEST(LargeRun, GoesOnBitForBit) {
  if (!std::getenv("TRILL_LONG")) GTEST_SKIP() << "needs minutes";
  for (const std::string method :
       {"radau --max-steps 14", "cvode_bdf --max-steps 115", "newmark --h 0.02 --max-steps 80"}) {
    const std::string line =
        "run fermi_pasta_ulam --param m=100000 --every 9 --trust never -q --checkpoint-seconds 0.2 "
        "--method " +
        method;
    const Directory whole, broken;
    const auto code_of = [&](const Directory& directory, const char* where) {
      return run(tool_command(words_of(line + where)), {.directory = directory.path(), .timeout = 1000}).code;
    };
    ASSERT_EQ(code_of(whole, " --out run.h5"), 1);
    for (const int number : {0, 2}) {
      Process process(tool_command(words_of(line + (number ? " --resume run.h5" : " --out run.h5"))),
                      {.directory = broken.path()});
      ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(broken / "run.h5.part") >= number; })) << method;
      process.send(number ? SIGTERM : SIGKILL);
      process.wait();
    }
    EXPECT_EQ(code_of(broken, " --resume run.h5"), 1) << method;
    EXPECT_EQ(difference_of_files(whole / "run.h5", broken / "run.h5"), "") << method;
  }
}
}  // namespace
}  // namespace trill::testing_cli
