// SPDX-License-Identifier: BSD-3-Clause
// Full disks, closed pipes, and signals that end a run.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

void expect_disk_sentence(const Ended& ended) {
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(lines_of(ended.err), 1) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("trill: cannot write ")) << ended.err;
}

// Limits the size of files. Writing more fails as on a full disk.
auto file_limit(rlim_t bytes) {
  return [bytes] {
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  };
}

class FullDisk : public testing::TestWithParam<const char*> {};

// The smaller limit is exceeded by a segment (40 kB), the larger one only by the final file (600 kB).
TEST_P(FullDisk, KeepsWhatWasRecordedAndResumes) {
  const std::string name = GetParam();
  const Words run_words = words_of(
      "run stiff_spring --method verlet --h 1e-3 --to 40 --checkpoint-seconds 0 --checkpoint-every 400 -q --trust "
      "never");
  const auto command = [&](const char* where) {
    Words words = run_words;
    words.insert(words.end(), {where, name});
    return tool_command(words);
  };
  const Directory whole;
  ASSERT_EQ(run(command("--out"), {.directory = whole.path()}).code, 0);
  ASSERT_GT(fs::file_size(whole / name), 400'000u);
  for (const rlim_t limit : {rlim_t{20'000}, rlim_t{400'000}}) {
    const Directory directory;
    const Ended full = run(command("--out"), {.directory = directory.path(), .before_run = file_limit(limit)});
    expect_disk_sentence(full);
    EXPECT_THAT(full.err, HasSubstr("--resume " + name));
    EXPECT_FALSE(fs::exists(directory / name));
    for (const std::string& left : directory.names()) EXPECT_THAT(left, testing::Not(HasSubstr(".tmp-")));
    EXPECT_EQ(fs::exists(directory / (name + ".part/segment-00000000.bin")), limit > 100'000);
    EXPECT_TRUE(fs::exists(directory / (name + ".part/header.json")));
    // While the disk is still full, a resumed run says so again and loses nothing.
    if (limit > 100'000)
      expect_disk_sentence(run(command("--resume"), {.directory = directory.path(), .before_run = file_limit(limit)}));
    const Ended resumed = run(command("--resume"), {.directory = directory.path()});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(difference_of_files(whole / name, directory / name), "");
    EXPECT_EQ(directory.names(), whole.names());
  }
}
INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::Values("run.h5", "run.csv", "run.json"),
                         [](const auto& info) { return std::string(info.param).substr(4); });

TEST(FullDisk, OfASmallFileSystem) {
  const Directory directory;
  const fs::path mount = directory / "small";
  fs::create_directory(mount);
  // Mounted in a name space of this process, so that nothing stays mounted however the test ends.
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", mount.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "a file system cannot be mounted here";
  const struct Unmount {
    const fs::path& path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{mount};
  const Words words = words_of("run kepler --method verlet --h 1e-2 --to 400 --checkpoint-seconds 0 -q --trust never");
  const auto command = [&](const char* where, const fs::path& file) {
    Words all = words;
    all.insert(all.end(), {where, file.string()});
    return tool_command(all);
  };
  const Ended full = run(command("--out", mount / "run.h5"), {});
  expect_disk_sentence(full);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
  EXPECT_FALSE(fs::exists(mount / "run.h5"));
  EXPECT_TRUE(newest_checkpoint(mount / "run.h5.part") >= 0);
  ASSERT_EQ(::mount("none", mount.c_str(), "tmpfs", MS_REMOUNT, "size=32m"), 0);
  const Ended resumed = run(command("--resume", mount / "run.h5"), {});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  ASSERT_EQ(run(command("--out", directory / "whole.h5"), {}).code, 0);
  ASSERT_TRUE(fs::exists(mount / "run.h5"));
  EXPECT_EQ(difference_of_files(directory / "whole.h5", mount / "run.h5"), "");
}

TEST(FullDisk, ForPages) {
  const Directory directory;
  const Ended page = run(tool_command(words_of("run stiff_spring --to 1 --report run.html")),
                         {.directory = directory.path(), .before_run = file_limit(20'000)});
  expect_disk_sentence(page);
  EXPECT_TRUE(directory.names().empty());
}

TEST(FullDisk, OfStandardOutput) {
  for (const char* line :
       {"list methods", "list methods --json", "--help", "run --help", "--version", "describe verlet",
        "run stiff_spring --to 1", "run stiff_spring --to 1 --json", "inspect stiff_spring", "cite verlet"}) {
    const Ended ended = run(tool_command(words_of(line)), {.standard_output = "/dev/full"});
    EXPECT_EQ(ended.code, 3) << line;
    EXPECT_EQ(lines_of(ended.err), 1) << line << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("standard output")) << line;
  }
}

// The reader of the pipe ends early, as with `| head -1`.
TEST(ClosedPipe, EndsInPeace) {
  for (const char* line : {"list models", "list methods --json", "--help", "run --help", "stability verlet --json",
                           "run stiff_spring --to 1"})
    for (const bool errors_too : {false, true}) {
      const auto closed_pipe = [errors_too] {
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(125);
        ::dup2(ends[1], STDOUT_FILENO);
        if (errors_too) ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
      };
      const Ended ended = run(tool_command(words_of(line)), {.before_run = closed_pipe});
      EXPECT_EQ(ended.signal, 0) << line;
      EXPECT_EQ(ended.code, 128 + SIGPIPE) << line;
      EXPECT_EQ(ended.err, "") << line;
    }
}

TEST(ClosedPipe, ForErrorsChangesNoExitCode) {
  for (const char* where : {"/dev/full", ""}) {
    const auto no_errors = [where] {
      ::close(STDERR_FILENO);
      if (*where) ::open(where, O_WRONLY);
    };
    const Ended ended = run(tool_command({"list", "nothing"}), {.before_run = no_errors});
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.code, 2);
  }
}

class Signal : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(Signal, StopsAtACheckpointAndResumesBitForBit) {
  const auto [signal, line] = GetParam();
  const auto command = [&](const char* where) {
    Words words = words_of(line);
    words.insert(words.end(), {"--trust", "never", where, "run.h5"});
    return tool_command(words);
  };
  const Directory whole, broken;
  ASSERT_EQ(run(command("--out"), {.directory = whole.path()}).code, 0);
  int stopped = 0;
  const char* where = "--out";
  for (int i = 0; i < 4; ++i) {
    Process process(command(where), {.directory = broken.path()});
    ASSERT_TRUE(wait_until(process, [&] { return fs::exists(broken / "run.h5.part/header.json"); }));
    // The history of CVODE cannot be stored between checkpoints, so it goes back to its last regular checkpoint.
    const bool regular_only = std::string_view(line).find("cvode") != std::string_view::npos;
    if (regular_only) wait_until(process, [&] { return newest_checkpoint(broken / "run.h5.part") >= 0; });
    process.running(0.03 + 0.02 * i);
    process.send(signal);
    const Ended ended = process.wait();
    if (ended.code == 0) break;
    // It had not yet installed its signal handler.
    if (ended.signal == signal && std::string_view(where) == "--resume") continue;
    ++stopped;
    ASSERT_EQ(ended.code, 130) << ended.err;
    EXPECT_EQ(lines_of(ended.err), 1) << ended.err;
    EXPECT_THAT(ended.err, mentions("at t = "));
    EXPECT_THAT(ended.err, HasSubstr("--resume run.h5"));
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(fs::exists(broken / "run.h5"));
    EXPECT_TRUE(newest_checkpoint(broken / "run.h5.part") >= 0);
    // The rows recorded so far can be shown.
    EXPECT_EQ(trill_in(broken.path(), {"report", "run.h5", "-o", "sofar.html"}).code, 0);
    fs::remove(broken / "sofar.html");
    where = "--resume";
  }
  EXPECT_GE(stopped, 1);
  if (!fs::exists(broken / "run.h5")) {
    const Ended last = run(command("--resume"), {.directory = broken.path()});
    ASSERT_EQ(last.code, 0) << last.err;
  }
  EXPECT_EQ(difference_of_files(whole / "run.h5", broken / "run.h5"), "");
  EXPECT_EQ(broken.names(), whole.names());
}
INSTANTIATE_TEST_SUITE_P(
    Runs, Signal,
    testing::Combine(
        testing::Values(SIGINT, SIGTERM),
        testing::Values("run kepler --method verlet --h 1e-3 --to 1500 --every 10",
                        "run kepler --method dop853 --rtol 1e-10 --to 20000 --dt 0.37",
                        "run stiff_spring --method implicit_midpoint --h 1e-3 --to -300 --every 20",
                        "run stiff_spring --method cvode_adams --rtol 1e-8 --to 200 --checkpoint-every 100 "
                        "--checkpoint-seconds 0.02",
                        "run langevin --method langevin_splitting --h 1e-3 --to 60 --every 10")),
    [](const auto& info) {
      const Words words = words_of(std::get<1>(info.param));
      return words[3] + (std::get<0>(info.param) == SIGINT ? "_SIGINT" : "_SIGTERM");
    });

TEST(Signal, WithoutAFileSaysThatNothingWasRecorded) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Directory directory;
    Process process(tool_command(words_of("run kepler --method verlet --h 1e-4 --to 1e6 --every 100000")),
                    {.directory = directory.path()});
    ASSERT_TRUE(wait_until_it_handles(process, signal));
    ASSERT_TRUE(process.running(0.1));
    process.send(signal);
    const Ended ended = process.wait();
    EXPECT_EQ(ended.code, 130);
    EXPECT_EQ(lines_of(ended.err), 1) << ended.err;
    EXPECT_THAT(ended.err, mentions("--out"));
    EXPECT_TRUE(directory.names().empty());
  }
}

// The signal comes during the check, which takes much longer than this run. The run is complete and must be kept.
TEST(Signal, InTheCheckKeepsTheRun) {
  const Directory directory;
  Process process(tool_command(words_of("run kepler --method verlet --h 0.05 --to 2e5 --every 100000 --accuracy 1e-8 "
                                        "--json --check full --out run.h5")),
                  {.directory = directory.path()});
  ASSERT_TRUE(wait_until(process, [&] { return fs::exists(directory / "run.h5.part/outcome.json"); }));
  process.send(SIGINT);
  const Ended ended = process.wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["status"], "reached_end");
  EXPECT_THAT(SolutionFile(directory / "run.h5").trust().headline, HasSubstr("interrupted"));
}
}  // namespace
}  // namespace trill::testing_cli
