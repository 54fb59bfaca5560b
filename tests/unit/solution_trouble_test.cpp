// SPDX-License-Identifier: BSD-3-Clause
// Recording when the system fails: a full disk, missing permissions, a killed process.
#include "support/recorded_map.hpp"

#include <functional>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
class RecordThroughTrouble : public Record {};

// The exit code of a child process that runs `body`: 0 if it returns, 3 if it throws an IoError that contains `text`.
enum class Leave { at_once, with_clean_up };  // the second also runs the exit functions of libraries
int in_child(const std::function<void()>& body, const std::string& text, Leave leave = Leave::at_once) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      body();
    } catch (const IoError& error) {
      code = std::string(error.what()).find(text) != std::string::npos ? 3 : 4;
      if (code == 4) fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      code = 5;
    }
    if (leave == Leave::with_clean_up) std::exit(code);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void limit_file_size(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// A limit on the size of files replaces the full disk. Writes fail in the same way and take the same path in the code.
TEST_F(RecordThroughTrouble, FullDiskKeepsTheSegments) {
  for (const char* name : all_files) {
    const fs::path path = dir / name;
    const Plan plan{4000, 1000};
    start(path, plan);
    const int code = in_child(
        [&] {
          limit_file_size(60'000);
          run_or_resume(path, plan);
        },
        "cannot write " + path.string() + ": File too large; free some space on the disk and run again with --resume " +
            path.string(),
        Leave::with_clean_up);
    EXPECT_EQ(code, 3) << name;
    EXPECT_FALSE(fs::exists(path));
    for (const std::string& left : names_in(dir.path())) EXPECT_EQ(left.find(".tmp"), std::string::npos) << left;
    run_or_resume(path, plan);
    EXPECT_EQ(bits_of(SolutionFile(path)), unbroken_bits(plan));
  }
}

TEST_F(RecordThroughTrouble, FullDiskDuringTheRun) {
  const Plan plan{4000, 1000};
  const int code = in_child(
      [&] {
        limit_file_size(30'000);
        run_or_resume(file, plan);
      },
      "segment-00000000.bin: File too large; free some space on the disk and run again with --resume " + file.string());
  EXPECT_EQ(code, 3);
  for (const std::string& left : names_in(part)) EXPECT_EQ(left.find(".tmp"), std::string::npos) << left;
  run_or_resume(file, plan);
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits(plan));
}

TEST_F(RecordThroughTrouble, UnwritableDirectory) {
  const fs::path closed = dir / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  fs::permissions(dir.path(), fs::perms::owner_all | fs::perms::others_exec);
  const auto as_nobody = [&](const std::function<void()>& body) {
    return in_child(
        [&] {
          if (geteuid() == 0 && seteuid(65534) != 0) _exit(6);
          body();
        },
        "Permission denied");
  };
  EXPECT_EQ(as_nobody([&] { start(closed / main_file, {}); }), 3);
  EXPECT_EQ(as_nobody([&] { save_solution(random_solution(3), closed / main_file); }), 3);
  EXPECT_EQ(as_nobody([&] { save_solution(random_solution(3), closed / "run.csv"); }), 3);
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_F(RecordThroughTrouble, ShortOfDescriptorsIsAnIoError) {
  EXPECT_EQ(in_child(
                [&] {
                  const rlimit limit{3, 3};
                  setrlimit(RLIMIT_NOFILE, &limit);
                  start(file, {});
                },
                "Too many open files"),
            3);
}

// The run is killed at random moments and resumed, many times. The numbers are those of an uninterrupted run.
TEST_F(RecordThroughTrouble, KilledFiftyTimes) {
  const Plan plan{800, 50};
  const auto wanted = unbroken_bits(plan);
  std::mt19937_64 random(11);
  const auto is_done = [](fs::path path) {
    const fs::path left = fs::path(path) += ".part";
    return fs::exists(path) && !fs::exists(left / "header.json");
  };
  int killed = 0, resumable = 0;
  double longest = 1e5;  // microseconds before the kill; adapts to the machine
  for (int i = 0; killed < 50 && i < 400; ++i) {
    const fs::path path = dir / (i % 2 ? main_file : "run.csv");
    const pid_t child = fork();
    if (child == 0) {
      try {
        run_or_resume(path, plan);
      } catch (const std::exception& error) {
        fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    usleep(static_cast<useconds_t>(random() % static_cast<std::uint64_t>(longest)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    longest *= WIFSIGNALED(status) ? 1.05 : 0.8;
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      ASSERT_TRUE(is_done(path));
    }
    if (is_done(path)) {
      EXPECT_EQ(bits_of(SolutionFile(path)), wanted);
      EXPECT_THROW(find_resume_point(path), UsageError);
      EXPECT_FALSE(fs::exists(fs::path(path) += ".part"));
      fs::remove(path);
      fs::remove(fs::path(path) += ".meta.json");
    } else if (fs::exists((fs::path(path) += ".part") / "header.json")) {
      const auto bits = bits_of(SolutionFile(fs::path(path) += ".part"));  // the rows that are there are right
      EXPECT_TRUE(bits.size() <= wanted.size() && std::equal(bits.begin(), bits.end(), wanted.begin()));
      ++resumable;
    }
  }
  EXPECT_EQ(killed, 50);
  EXPECT_GT(resumable, 10);
  for (const char* name : {main_file, "run.csv"}) {
    run_or_resume(dir / name, plan);
    EXPECT_EQ(bits_of(SolutionFile(dir / name)), wanted);
  }
  EXPECT_EQ(names_in(dir.path()), (std::vector<std::string>{"run.csv", "run.csv.meta.json", main_file}));
}
}  // namespace
}  // namespace trill::testing_files
