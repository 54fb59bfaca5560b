// SPDX-License-Identifier: BSD-3-Clause
#include "base/whole_file.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"

#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
class WholeFileTest : public testing::Test {
 protected:
  std::vector<std::string> names() const { return names_in(dir.path()); }
  std::string trouble(const fs::path& path) const {
    return message_of<IoError>([&] { write_whole(path, "new"); });
  }
  TemporaryDirectory dir;
};

TEST_F(WholeFileTest, ReplacesAFileAtOnceOrNotAtAll) {
  spill(dir / "a.txt", "old");
  {
    WholeFile file(dir / "a.txt");
    file.write("new");
    EXPECT_EQ(slurp(dir / "a.txt"), "old");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(slurp(dir / "a.txt"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
  write_whole(dir / "a.txt", "new");
  EXPECT_EQ(slurp(dir / "a.txt"), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST_F(WholeFileTest, WritesThroughNoLink) {
  spill(dir / "precious.txt", "mine");
  fs::create_symlink("precious.txt", dir / "link.txt");
  fs::create_symlink("nothing", dir / "dangling.txt");
  for (const char* name : {"link.txt", "dangling.txt"}) {
    EXPECT_THAT(trouble(dir / name), mentions(name, "link")) << name;
    EXPECT_THAT(message_of<IoError>([&] { check_output(dir / name); }), mentions(name, "link")) << name;
    EXPECT_TRUE(fs::is_symlink(dir / name));
  }
  EXPECT_EQ(slurp(dir / "precious.txt"), "mine");
  EXPECT_FALSE(fs::exists(dir / "nothing"));
}

TEST_F(WholeFileTest, WritesOverNothingButFiles) {
  fs::create_directory(dir / "folder");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "pipe"}) {
    EXPECT_THAT(trouble(dir / name), mentions(name)) << name;
    EXPECT_THROW(check_output(dir / name), IoError) << name;
  }
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
}

TEST_F(WholeFileTest, AFolderMayBeReachedByALink) {
  fs::create_directory(dir / "folder");
  fs::create_directory_symlink("folder", dir / "alias");
  write_whole(dir / "alias/a.txt", "new");
  EXPECT_EQ(slurp(dir / "folder/a.txt"), "new");
}

TEST_F(WholeFileTest, AFolderThatIsSwappedStaysTheOneThatWasOpened) {
  fs::create_directory(dir / "mine");
  fs::create_directory(dir / "other");
  {
    WholeFile file(dir / "mine/a.txt");
    file.write("new");
    fs::rename(dir / "mine", dir / "moved");
    fs::create_directory_symlink("other", dir / "mine");
    file.commit();
  }
  EXPECT_TRUE(names_in(dir / "other").empty());
  EXPECT_EQ(names_in(dir / "moved"), std::vector<std::string>{"a.txt"});
}

TEST_F(WholeFileTest, NamesThatLeaveNoRoomForEndingsAreRefused) {
  const auto long_name = [&](std::size_t bytes) { return dir.path() / std::string(bytes, 'n'); };
  EXPECT_NO_THROW(check_output(long_name(235)));
  for (const std::size_t bytes : {236u, 244u, 250u, 255u, 256u, 300u})
    EXPECT_THAT(message_of<IoError>([&] { check_output(long_name(bytes)); }), mentions("235", std::to_string(bytes)));
  fs::path deep = dir.path();
  while (deep.string().size() < 3900) deep /= std::string(100, 'd');
  fs::create_directories(deep);
  EXPECT_NO_THROW(check_output(deep / "a"));
  while (deep.string().size() < 4040) deep /= "dddddddddddddddddddd";
  fs::create_directories(deep);
  EXPECT_THAT(message_of<IoError>([&] { check_output(deep / "a"); }),
              mentions(std::to_string(deep.string().size() + 2)));
}

TEST_F(WholeFileTest, OnlyOwnNamesAreTemporary) {
  const std::string name = temporary_name();
  EXPECT_TRUE(is_temporary_name(name));
  EXPECT_NE(temporary_name(), name);
  for (std::string other : {name + "0", name.substr(0, name.size() - 1), "x" + name, std::string(".trill.tmp-")})
    EXPECT_FALSE(is_temporary_name(other)) << other;
  for (std::size_t i = 11; i < name.size(); ++i) {
    std::string other = name;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_FALSE(is_temporary_name(other)) << other;
  }
}

TEST_F(WholeFileTest, WhatAKilledProcessLeftIsRemovedAndNothingElse) {
  const pid_t child = ::fork();
  if (child == 0) {
    WholeFile one(dir / "a.txt"), two(dir / "b.txt");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(names().size(), 2u);
  const std::string folder = temporary_name();
  fs::create_directory(dir.path() / folder);
  spill(dir.path() / folder / "lock", "");
  spill(dir.path() / folder / "segment-00000000.bin", "x");
  spill(dir / "a.txt.tmp-99999999", "of a user");
  spill(dir / ".trill.tmp-0123456789abcdef", "of a user");
  const std::string link = temporary_name();
  fs::create_symlink("a.txt.tmp-99999999", dir.path() / link);
  const WholeFile held(dir / "c.txt");
  remove_stale_temporaries(dir.path());
  std::vector<std::string> left{".trill.tmp-0123456789abcdef", held.temporary().filename().string(),
                                "a.txt.tmp-99999999", link};
  std::sort(left.begin(), left.end());
  EXPECT_EQ(names(), left);
}
}  // namespace
}  // namespace trill::testing_files
