// SPDX-License-Identifier: BSD-3-Clause
// A model file on the command line is run, checked or refused.
#include "support/mentions.hpp"
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
  EXPECT_THAT(trill("check rigid").out, mentions("1, of which 1 are independent"));
  EXPECT_THAT(trill("check four_bar").out, mentions("joint 'elbow' along x (multibody/four_bar:8)"));
  EXPECT_EQ(trill("inspect my.toml").code, 0);
  EXPECT_EQ(trill("order verlet --on my.toml --param omega2=2").code, 0);
}

// What a run refuses is also found by `trill check`, with the same words.
TEST_F(ModelFile, CheckTellsOfConstraintsThatAreNoneMore) {
  const std::string point = "[coordinates]\nx = 1\ny = 0\n[[constraint]]\nequation = \"x^2 + y^2 - 1\"\n";
  write(point + "[[constraint]]\nequation = \"2*x^2 + 2*y^2 - 2\"\n");
  const Ended checked = trill("check my.toml");
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.out, mentions("2, of which 1 are independent"));
  EXPECT_THAT(checked.err, mentions("'my'", "redundant", "constraint '2*x^2 + 2*y^2 - 2' (my.toml:7)"));
  EXPECT_EQ(checked.err, trill("run my.toml").err);
  write(point);
  EXPECT_EQ(trill("check my.toml").code, 0);
}

TEST_F(ModelFile, SwitchesAreWrittenAsTheyAre) {
  write("[coordinates]\nx = 1\ny = 0\n[[constraint]]\nequation = \"y - max(0, x - 2)\"\n");
  const Ended latex = trill("export my.toml --to latex");
  EXPECT_EQ(latex.code, 0) << latex.err;
  EXPECT_THAT(latex.out, HasSubstr("y - \\max\\left(x - 2, 0\\right)"));
  write("[coordinates]\nx = 1\ny = 0\n[[constraint]]\nequation = \"y - if(0 < x - 2, x - 2, 0)\"\n");
  EXPECT_THAT(trill("export my.toml --to latex").out, HasSubstr("\\max\\left(x - 2, 0\\right)"));
  write("[coordinates]\nx = 1\ny = 0\n[[constraint]]\nequation = \"y - if(0 < x - 2, (x - 2)^3, 0)\"\n");
  EXPECT_THAT(trill("export my.toml --to latex").out, HasSubstr("\\text{if } 0 < x - 2"));
}

TEST_F(ModelFile, IsDescribedAndCited) {
  const Ended described = trill("describe my.toml");
  ASSERT_EQ(described.code, 0) << described.err;
  for (const char* part : {"my: Two masses on a soft and a stiff spring\nSAT09 sec. 4\n", "omega2",
                           "frequency of the spring from mass 1 to mass 2", "solves it to t = 10 with dopri5"})
    EXPECT_THAT(described.out, HasSubstr(part));
  const Ended cited = trill("cite my.toml");
  ASSERT_EQ(cited.code, 0) << cited.err;
  EXPECT_THAT(cited.out, HasSubstr("SAT09 sec. 4\nSAT09: J. M. Sanz-Serna, G. Ariel, R. Tsai"));
  EXPECT_EQ(trill("describe missing.toml").code, 3);
  ASSERT_EQ(trill("run my.toml --to 0.1 -q --out out.json").code, 0);
  fs::create_directory(directory_ / "runs");
  fs::rename(directory_ / "out.json", directory_ / "runs/out.json");
  EXPECT_THAT(trill("cite runs/out.json").out, HasSubstr("SAT09"));
}

TEST_F(ModelFile, MatricesComeFromFilesBesideIt) {
  const fs::path folder = fs::path(TRILL_SOURCE_DIR) / "examples/from_files";
  const Ended ended = trill("run " + (folder / "from_files.toml").string() + " --to 1 --param nu=3");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("from_files with implicit_midpoint: "));
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

TEST_F(ModelFile, ItsMethodIsShownAtItsPlaceWhereItIsUnknown) {
  write("coordinates.x = 1\n[[potential]]\nenergy = \"x^2/2\"\n[run]\nmethod = \"verlt\"\n");
  for (const char* line : {"run my.toml", "check my.toml"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.err, StartsWith("trill: my.toml:5:10: unknown method 'verlt'; did you mean 'verlet'")) << line;
    EXPECT_THAT(ended.err, HasSubstr("\n  method = \"verlt\"\n           ^\n")) << line;
  }
  EXPECT_EQ(trill("run my.toml --method verlet --to 1").code, 0);
  EXPECT_THAT(trill("run my.toml --method verlt").err, mentions("method 'verlt'"));
}

TEST_F(ModelFile, ItsStartIsCheckedWhereTheRunBegins) {
  write(
      "parameters.k = 1\ncoordinates.x = { start = 5, velocity = 1 }\ncoordinates.y = 1\n"
      "[[potential]]\nenergy = \"k*y^2/2\"\n[[constraint]]\nequation = \"x - t\"\n");
  const Ended later = trill("run my.toml --from 5 --to 6 --out later.json");
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(trill("run my.toml --from 5 --to 6 --sweep k=1,2").code, 0);
  for (const char* line : {"run my.toml --to 1", "run my.toml --from 4 --to 5"}) {
    const Ended ended = trill(line);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.err, mentions("trill: my.toml:7:13: ", "start", "constraint")) << line;
  }
}

TEST_F(ModelFile, UnknownParametersOfferTheNearest) {
  const Ended ended = trill("run my.toml --param omga2=3");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, mentions("my.toml", "parameter", "'omga2'", "'omega2'"));
}
}  // namespace
}  // namespace trill::testing_cli
