// SPDX-License-Identifier: BSD-3-Clause
// The folder of an unfinished run among files of other people: files that trill did not make are never written or
// removed.
#include "solution/part_folder.hpp"
#include "support/mentions.hpp"
#include "support/recorded_map.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
class ForeignFolder : public Record {
 protected:
  std::string refusal() {
    return message_of<UsageError>([&] {
      SegmentRecorder recorder(file, 0);
      recorder.begin(sample_info());
    });
  }
  void expect_refused() {
    EXPECT_THAT(refusal(), mentions(part.string()));
    EXPECT_THAT(message_of<UsageError>([&] { find_resume_point(file); }), mentions(part.string()));
    EXPECT_FALSE(fs::exists(file));
  }
};

TEST_F(ForeignFolder, WithFilesOfAUser) {
  fs::create_directory(part);
  spill(part / "thesis.tex", "text");
  spill(part / "checkpoint-000000.bin", "not of trill");
  expect_refused();
  EXPECT_EQ(names_in(part), (std::vector<std::string>{"checkpoint-000000.bin", "thesis.tex"}));
}

TEST_F(ForeignFolder, Empty) {
  fs::create_directory(part);
  expect_refused();
  EXPECT_TRUE(fs::is_directory(part));
}

TEST_F(ForeignFolder, WithALockThatIsALink) {
  spill(dir / "precious", "mine");
  fs::create_directory(part);
  for (const bool hard : {false, true}) {
    fs::remove(part / "lock");
    hard ? fs::create_hard_link(dir / "precious", part / "lock") : fs::create_symlink("../precious", part / "lock");
    expect_refused();
    EXPECT_EQ(slurp(dir / "precious"), "mine");
  }
}

TEST_F(ForeignFolder, BehindALink) {
  fs::create_directory(dir / "elsewhere");
  spill(dir / "elsewhere/thesis.tex", "text");
  fs::create_directory_symlink("elsewhere", part);
  expect_refused();
  EXPECT_EQ(names_in(dir / "elsewhere"), std::vector<std::string>{"thesis.tex"});
}

TEST_F(ForeignFolder, ALinkToARunIsNotARun) {
  start(dir / "other.csv", {.stop_at = 300});
  const auto before = names_in(dir / "other.csv.part");
  fs::create_directory_symlink("other.csv.part", part);
  expect_refused();
  EXPECT_EQ(names_in(dir / "other.csv.part"), before);
}

TEST_F(ForeignFolder, AFileOfThatName) {
  spill(part, "mine");
  expect_refused();
  EXPECT_EQ(slurp(part), "mine");
}

TEST_F(ForeignFolder, FilesOfAUserInARunStay) {
  start(file, {.stop_at = 300});
  spill(part / "notes.txt", "mine");
  run_or_resume(file, {});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
  EXPECT_EQ(names_in(part), std::vector<std::string>{"notes.txt"});
}

TEST_F(ForeignFolder, OfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "files can be given away by the superuser only";
  start(file, {.stop_at = 300});
  ASSERT_EQ(::chown(part.c_str(), 65534, 65534), 0);
  EXPECT_THAT(message_of<UsageError>([&] { find_resume_point(file); }), mentions(part.string(), "another user"));
  ASSERT_EQ(::chown(dir.path().c_str(), 65534, 65534), 0);  // the owner of the folder above may do anything anyway
  EXPECT_TRUE(find_resume_point(file));
}

TEST_F(ForeignFolder, ARunWithoutItsLockGoesOn) {
  start(file, {.stop_at = 300});
  fs::remove(part / "lock");
  run_or_resume(file, {});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{main_file});
}

TEST_F(ForeignFolder, ASolutionThatIsALinkIsRefusedBeforeTheRun) {
  spill(dir / "target.h5", "mine");
  fs::create_symlink("target.h5", file);
  EXPECT_THAT(message_of<IoError>([&] { SegmentRecorder(file, 0).begin(sample_info()); }), mentions("target.h5"));
  EXPECT_EQ(slurp(dir / "target.h5"), "mine");
  EXPECT_FALSE(fs::exists(part));
}

// Processes are killed soon after they begin. They may leave the folder of a run or nothing, but no empty folder.
TEST_F(ForeignFolder, KilledAtTheBeginningAndTheEndNoEmptyFolderStays) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        try {
          run_or_resume(file, {.steps = 3, .checkpoint_every = 2});
          fs::remove(file);
        } catch (const UsageError&) {  // the run was finished, but its file not yet removed
          fs::remove(file);
        }
      }
    }
    ::usleep(static_cast<useconds_t>(2000 + random() % 20000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(!fs::exists(part) || fs::exists(part / "lock")) << i;
  }
  fs::remove(file);
  run_or_resume(file, {});
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{main_file});
}

// Makes and removes the folder of a run many times. The result is 1 if another process damaged it meanwhile.
int make_and_remove(const fs::path& part, int times) {
  for (int i = 0; i < times; ++i) {
    try {
      const auto folder = PartFolder::make(part, "");
      if (!fs::exists(part / lock_name)) return 1;
      folder->write("header.json", "{}", "");
      folder->vanish();
    } catch (const Occupied&) {
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  return 0;
}

// A process that removes what killed processes left must not remove a folder or file that another process is just
// making.
TEST_F(ForeignFolder, IsNotSpoiltByOthersThatTidyUp) {
  std::vector<pid_t> makers;
  for (int k = 0; k < 4; ++k) {
    makers.push_back(::fork());
    if (makers.back() == 0) ::_exit(make_and_remove(k < 2 ? part : dir.path() / ("own" + std::to_string(k)), 400));
  }
  while (!makers.empty()) {
    remove_stale_temporaries(dir.path());
    int status = 0;
    if (::waitpid(makers.back(), &status, WNOHANG) == 0) continue;
    EXPECT_EQ(status, 0);
    makers.pop_back();
  }
  remove_stale_temporaries(dir.path());
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{});
}
}  // namespace
}  // namespace trill::testing_files
