// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/beside.hpp"
#include "support/mentions.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace {
using namespace trill;
namespace fs = std::filesystem;

class ModelFolderTest : public testing::Test {
 protected:
  ModelFolderTest()
      : root_(fs::path(testing::TempDir()) /
              (std::string("beside_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "models/data");
    write("models/atoms.csv", "m\n1\n");
    write("models/data/bonds.csv", "i\n0\n");
    write("secret.csv", "i\n7\n");
  }
  ~ModelFolderTest() override { fs::remove_all(root_); }
  void write(const char* name, const char* text) const { std::ofstream(root_ / name) << text; }

  std::string complaint(const std::string& name, std::size_t most = 100) const {
    try {
      ModelFolder(root_ / "models").read(name, model_, 6, most);
    } catch (const ModelError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path root_;
  SourceText model_{"m.toml", "bond = \"...\"\n"};
};

TEST_F(ModelFolderTest, ReadsFilesBesideAndBelow) {
  const ModelFolder folder(root_ / "models");
  EXPECT_EQ(folder.read("atoms.csv", model_, 0, 100), "m\n1\n");
  EXPECT_EQ(folder.read("data/bonds.csv", model_, 0, 4), "i\n0\n");
  EXPECT_EQ(folder.read("./data//bonds.csv", model_, 0, 4), "i\n0\n");
  fs::create_symlink("data/bonds.csv", root_ / "models/link.csv");
  EXPECT_EQ(folder.read("link.csv", model_, 0, 100), "i\n0\n");
  write("models/empty.csv", "");
  EXPECT_EQ(folder.read("empty.csv", model_, 0, 0), "");
}

TEST_F(ModelFolderTest, AFolderMayItselfBeALinkOrTheCurrentOne) {
  fs::create_directory_symlink(root_ / "models", root_ / "alias");
  EXPECT_EQ(ModelFolder(root_ / "alias").read("atoms.csv", model_, 0, 100), "m\n1\n");
  const fs::path before = fs::current_path();
  fs::current_path(root_ / "models");
  EXPECT_EQ(ModelFolder("").read("atoms.csv", model_, 0, 100), "m\n1\n");
  fs::current_path(before);
}

TEST_F(ModelFolderTest, RemembersWhatItRead) {
  const ModelFolder folder(root_ / "models"), other(root_ / "models");
  EXPECT_TRUE(folder.files_read().empty());
  folder.read("atoms.csv", model_, 0, 100);
  folder.read("data/bonds.csv", model_, 0, 100);
  ASSERT_EQ(folder.files_read().size(), 2u);
  write("models/atoms.csv", "m\n2\n");
  other.read("atoms.csv", model_, 0, 100);
  other.read("data/bonds.csv", model_, 0, 100);
  EXPECT_NE(folder.files_read().at("atoms.csv"), other.files_read().at("atoms.csv"));
  EXPECT_EQ(folder.files_read().at("data/bonds.csv"), other.files_read().at("data/bonds.csv"));
}

TEST_F(ModelFolderTest, SaysWhyAFileIsNotRead) {
  fs::create_symlink(root_ / "secret.csv", root_ / "models/out.csv");
  fs::create_symlink("/dev/zero", root_ / "models/zero.csv");
  fs::create_symlink("round.csv", root_ / "models/round.csv");
  fs::create_directory_symlink(root_, root_ / "models/up");
  ASSERT_EQ(mkfifo((root_ / "models/pipe").c_str(), 0600), 0);
  EXPECT_EQ(complaint("atom.csv"),
            "m.toml:1:7: there is no file 'atom.csv' in the folder of the model\n  bond = \"...\"\n        ^");
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {"", {"m.toml:1:7", "name", "empty"}},
      {"/etc/passwd", {"m.toml:1:7", "'/etc/passwd'", "absolute"}},
      {"../secret.csv", {"m.toml:1:7", "'../secret.csv'", "'..'", "folder"}},
      {"data/../atoms.csv", {"m.toml:1:7", "'data/../atoms.csv'", "'..'", "folder"}},
      {"out.csv", {"m.toml:1:7", "'out.csv'", "link"}},
      {"up/secret.csv", {"m.toml:1:7", "'up/secret.csv'", "link"}},
      {"zero.csv", {"m.toml:1:7", "'zero.csv'", "link"}},
      {"round.csv", {"m.toml:1:7", "'round.csv'", "read"}},
      {"data", {"m.toml:1:7", "'data'", "folder", "file"}},
      {"pipe", {"m.toml:1:7", "'pipe'", "ordinary file"}},
      {"atoms.csv/x", {"m.toml:1:7", "'atoms.csv/x'", "file"}},
      {std::string(5000, 'x'), {"m.toml:1:7", "'xxx", "read"}}};
  for (const auto& [name, told] : table) EXPECT_THAT(complaint(name), tells(told)) << name;
  EXPECT_THAT(complaint("atoms.csv", 3), tells({"m.toml:1:7", "'atoms.csv'", "4 bytes", "3"}));
}

TEST_F(ModelFolderTest, WithoutAFolderNothingIsRead) {
  try {
    ModelFolder().read("atoms.csv", model_, 6, 100);
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_THAT(e.what(), tells({"m.toml:1:7", "other files"}));
  }
}
}  // namespace
