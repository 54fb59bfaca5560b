// SPDX-License-Identifier: BSD-3-Clause
// A model file on the command line: run, checked, refused.
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;
using testing::StartsWith;

class ModelFile : public testing::Test {
 protected:
  ModelFile() { fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/two_springs.toml", directory_ / "my.toml"); }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  void write(const std::string& text) const { std::ofstream(directory_ / "my.toml") << text; }

  Directory directory_;
};

TEST_F(ModelFile, RunsAndItsTextIsInTheSolution) {
  const Ended ended = trill("run my.toml --to 0.5 --param omega2=100 --out run.json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("my with dopri5: "));
  const SolutionFile file(directory_ / "run.json");
  EXPECT_EQ(file.info().problem_title, "Two masses on a soft and a stiff spring");
  EXPECT_EQ(file.info().problem_reference, "SAT09 sec. 4");
  EXPECT_EQ(file.info().parameters.at("omega2"), "100");
  EXPECT_EQ(file.info().model_text, read_text(directory_ / "my.toml"));
}

TEST_F(ModelFile, IsFoundByItsPathWhateverItsEnding) {
  fs::rename(directory_ / "my.toml", directory_ / "springs");
  EXPECT_EQ(trill("run ./springs --to 0.1").code, 0);
  EXPECT_EQ(trill("run springs --to 0.1").code, 2);
}

TEST_F(ModelFile, CheckSaysWhatItIs) {
  const Ended ended = trill("check my.toml --param omega2=100");
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* part : {"coordinates", "parameter omega2  100", "forces 'fast'", "stiff gaps",
                           "fast frequencies  141.4", "angular_momentum"})
    EXPECT_THAT(ended.out, HasSubstr(part));
  EXPECT_THAT(trill("check rigid").out, HasSubstr("1, rank 1"));
  EXPECT_EQ(trill("inspect my.toml").code, 0);
  EXPECT_EQ(trill("order verlet --on my.toml --param omega2=2").code, 0);
}

TEST_F(ModelFile, MistakesAreShownAtTheirPlace) {
  write("[coordinates]\nx = 1\n[[potential]]\nenergy = \"xx^2\"\n");
  for (const char* line : {"run my.toml", "check my.toml", "inspect my.toml"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, StartsWith("trill: my.toml:4:11: unknown name 'xx'; did you mean 'vx' or 'x'"));
    EXPECT_THAT(ended.err, HasSubstr("\n  energy = \"xx^2\"\n            ^\n"));
  }
  EXPECT_EQ(trill("run other.toml").code, 3);
}

TEST_F(ModelFile, UnknownParametersOfferTheNearest) {
  const Ended ended = trill("run my.toml --param omga2=3");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("my.toml has no parameter 'omga2'; did you mean 'omega2'"));
}
}  // namespace
}  // namespace trill::testing_cli
