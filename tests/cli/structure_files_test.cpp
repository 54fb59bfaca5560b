// SPDX-License-Identifier: BSD-3-Clause
// Structures and bodies from files: `trill reduce`, and messages about matrices and loads that cannot be used.
#include "support/mentions.hpp"
#include "tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
class StructureFiles : public testing::Test {
 protected:
  void SetUp() override {
    write_text(directory_ / "M.mtx", symmetric("1 1 1\n2 2 1\n3 3 1\n", 3));
    write_text(directory_ / "K.mtx", symmetric("1 1 2\n2 2 2\n3 3 1\n2 1 -1\n3 2 -1\n", 5));
    write_text(directory_ / "blade.toml",
               "[strip]\nlength = 10\nheight = 0.1\nthickness = 1\nmodulus = 7e7\ndensity = 12\nelements = 4\n");
  }
  static std::string symmetric(const std::string& entries, int count) {
    return "%%MatrixMarket matrix coordinate real symmetric\n3 3 " + std::to_string(count) + "\n" + entries;
  }
  Ended trill(const std::string& line) { return trill_in(directory_.path(), words_of(line)); }
  // The messages of a run of the three masses with another stiffness matrix or another load.
  std::string said(const std::string& stiffness, const std::string& load = "{ on = \"u3\" }") {
    write_text(directory_ / "s.toml", "[structure]\nmass = \"M.mtx\"\nstiffness = \"" + stiffness + "\"\nload = " +
                                          load + "\n[structure.outputs]\ntip = \"u3\"\n[run]\nto = 10\n");
    const Ended ended = trill("run s.toml --method ritz --check off");
    EXPECT_EQ(ended.code, 2) << ended.out;
    return ended.err;
  }

  Directory directory_;
};

TEST_F(StructureFiles, ABodyIsReducedForAMechanism) {
  const Ended reduced = trill("reduce blade.toml --interface left,tip --modes 2 --out blade.body");
  EXPECT_EQ(reduced.code, 0) << reduced.err;
  EXPECT_THAT(reduced.out, testing::HasSubstr("blade.body"));
  write_text(directory_ / "spin.toml", R"toml([bodies]
blade = { kind = "reduced", file = "blade.body" }
[[joint]]
kind = "revolute"
to = "blade.left"
[run]
to = 0.1
)toml");
  const Ended run = trill("run spin.toml --check off");
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST_F(StructureFiles, BodiesThatCannotBeReducedAreRefused) {
  const auto refused = [&](const std::string& line) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "b.body")) << line;
    return ended.err;
  };
  EXPECT_THAT(refused("reduce blade.toml --interface lft --out b.body"), mentions("'lft'", "left"));
  EXPECT_THAT(refused("reduce blade.toml --interface left --method rubn --out b.body"), mentions("rubn", "rubin"));
  write_text(directory_ / "blade.toml", "[strip]\nlength = -10\nheight = 0.1\n");
  EXPECT_THAT(refused("reduce blade.toml --interface left --out b.body"), mentions("blade.toml:2", "length"));
  EXPECT_EQ(trill("reduce none.toml --interface left --out b.body").code, 3);
}

TEST_F(StructureFiles, MatricesThatRitzCannotUseAreNamedWithTheirLine) {
  write_text(directory_ / "free.mtx", symmetric("1 1 1\n2 2 2\n3 3 1\n2 1 -1\n3 2 -1\n", 5));
  EXPECT_THAT(said("free.mtx"), mentions("s.toml:3", "singular", "not held"));
  write_text(directory_ / "turned.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 2 2\n3 3 1\n"
             "2 1 -1\n1 2 -1.5\n");
  EXPECT_THAT(said("turned.mtx"), mentions("s.toml:3", "symmetric", "row 2", "-1.5"));
  write_text(directory_ / "nan.mtx", symmetric("1 1 nan\n", 1));
  EXPECT_THAT(said("nan.mtx"), mentions("nan.mtx:3", "finite"));
  write_text(directory_ / "lies.mtx", symmetric("1 1 2\n2 2 2\n3 3 1\n1 2 -1\n", 4));
  EXPECT_THAT(said("lies.mtx"), mentions("lies.mtx:6", "above the diagonal"));
}

TEST_F(StructureFiles, LoadsThatCannotBeFollowedAreNamedWithTheirLine) {
  EXPECT_THAT(said("K.mtx", "{ on = \"u3\", factor = \"1/(t - 5)\" }"), mentions("s.toml:4", "near t = 5", "bound"));
  EXPECT_THAT(said("K.mtx", "{ on = \"u7\" }"), mentions("s.toml:4", "'u7'", "u1 to u3"));
}
// With equal steps the matrix is always the same. There may be a second factorisation where the method restarts, at a
// kink of the load.
TEST_F(StructureFiles, EqualStepsOfALinearStructureShareOneFactorisation) {
  const Ended ended =
      trill("run plate --param elements=6 --method generalized_alpha --h 0.01 --check off --out run.json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto counters = nlohmann::json::parse(read_text(directory_ / "run.json"))["outcome"]["counters"];
  EXPECT_EQ(counters["steps"], 200);
  EXPECT_LE(counters["factorisations"], 2);
}
}  // namespace
}  // namespace trill::testing_cli
