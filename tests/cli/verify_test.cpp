// SPDX-License-Identifier: BSD-3-Clause
// trill verify: the check of a stored run.
#include "tool.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

TEST(Verify, ChecksAStoredRunOfEveryFormat) {
  const Directory directory;
  for (const std::string file : {"run.h5", "run.csv", "run.json"}) {
    const auto run = [&](const std::string& line) { return trill_in(directory.path(), words_of(line)); };
    ASSERT_EQ(run("run kepler --method verlet --h 0.1 --to 10 --check off -q --out " + file).code, 0);
    const Ended ended = run("verify " + file);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("red. Do not trust this run"));
    EXPECT_THAT(ended.out, HasSubstr("better: trill run"));
    EXPECT_EQ(run("verify " + file + " --strict").code, 4);
    const auto json = nlohmann::json::parse(run("verify --json " + file).out);
    EXPECT_EQ(json["trust"]["verdict"], "red");
    EXPECT_GT(json["trust"]["error"].get<double>(), 0.1);
  }
}

TEST(Verify, AGoodRunIsGreenAlsoStrictly) {
  const Directory directory;
  ASSERT_EQ(
      trill_in(directory.path(), words_of("run kepler --method dop853 --rtol 1e-9 --to 10 --check off -q --out run.h5"))
          .code,
      0);
  const Ended ended = trill_in(directory.path(), words_of("verify run.h5 --strict --check full"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("green."));
}

// The same components are judged as in the run, and the recommended command can be typed as it is printed.
TEST(Verify, KnowsTheQuestionAndTheNameOfTheModel) {
  const Directory directory;
  write_text(directory / "pair.toml", R"toml(
[coordinates]
x = 1
y = 1
[[potential]]
energy = "x^2/2 + 50*y^2"
[run]
to = 20
)toml");
  const auto run = [&](const std::string& line) { return trill_in(directory.path(), words_of(line)); };
  ASSERT_EQ(run("run pair.toml --method verlet --h 0.01 --of x --check off -q --out run.h5").code, 0);
  EXPECT_THAT(run("verify run.h5").out, HasSubstr("green."));
  ASSERT_EQ(run("run pair.toml --method verlet --h 0.01 --check off -q --out run.h5").code, 0);
  const Ended all = run("verify run.h5");
  EXPECT_THAT(all.out, HasSubstr("better: trill run pair.toml "));
}

// The model is searched in the folder of the solution and in the current folder.
TEST(Verify, FindsTheFilesThatAModelReads) {
  const Directory directory;
  fs::create_directory(directory / "model");
  write_text(directory / "model/springs.csv", "i,k\n0,1\n1,4\n2,2\n");
  write_text(directory / "model/chain.toml",
             "[sets]\nmass = 4\nspring = { file = \"springs.csv\" }\n"
             "[coordinates]\nx = { over = \"mass\", start = \"mass^2\" }\n"
             "[[potential]]\nover = \"spring\"\nenergy = \"k/2*(x[i + 1] - x[i])^2\"\n[run]\nto = 4\n");
  const auto in = [&](const char* folder, const std::string& line) {
    return trill_in(directory / folder, words_of(line));
  };
  ASSERT_EQ(in(".", "run model/chain.toml --check off -q --out run.h5").code, 0);
  const Ended away = in(".", "verify run.h5");
  EXPECT_EQ(away.code, 2);
  EXPECT_THAT(away.err, testing::AllOf(HasSubstr("springs.csv"), HasSubstr("folder of the model")));
  const Ended there = in("model", "verify ../run.h5");
  EXPECT_EQ(there.code, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("green."));
  ASSERT_EQ(in("model", "run chain.toml --check off -q --out beside.h5").code, 0);
  EXPECT_EQ(in(".", "verify model/beside.h5").code, 0);
  write_text(directory / "model/springs.csv", "i,k\n0,1\n1,5\n2,2\n");
  const Ended changed = in("model", "verify ../run.h5");
  EXPECT_EQ(changed.code, 2);
  EXPECT_THAT(changed.err, HasSubstr("springs.csv, which the model reads, has changed"));
}

TEST(Verify, SaysWhatItCannotCheck) {
  const Directory directory;
  EXPECT_EQ(trill_in(directory.path(), words_of("verify nothing.h5")).code, 3);
  EXPECT_EQ(trill_in(directory.path(), words_of("verify nothing.h5 --check off")).code, 3);
}
}  // namespace
}  // namespace trill::testing_cli
