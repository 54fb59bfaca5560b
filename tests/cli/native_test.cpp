// SPDX-License-Identifier: BSD-3-Clause
// Compiled models on the command line: they give the same numbers, the choice is reported and stored, and exported
// sources can be compiled.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_cli {
namespace {
using testing::HasSubstr;

class NativeCode : public testing::Test {
 protected:
  NativeCode() { fs::copy_file(fs::path(TRILL_SOURCE_DIR) / "examples/two_springs.toml", directory_ / "my.toml"); }
  Surroundings surroundings() const {
    Surroundings around;
    around.directory = directory_.path();
    around.before_run = [this] {
      ::setenv("XDG_CACHE_HOME", (directory_ / cache_).c_str(), 1);
      compiler_.empty() ? ::unsetenv("CC") : ::setenv("CC", compiler_.c_str(), 1);
    };
    return around;
  }
  Ended trill(const std::string& line) const { return run(tool_command(words_of(line)), surroundings()); }
  std::string code_of(const char* file) const { return SolutionFile(directory_ / file).info().code; }

  Directory directory_;
  std::string cache_ = "cache", compiler_;
};

TEST_F(NativeCode, GivesTheSameRowsBitByBit) {
  const std::string rest = " my.toml --to 0.5 --method implicit_midpoint --h 1e-4 --trust never --out ";
  const Ended interpreted = trill("run --native never" + rest + "a.json");
  ASSERT_EQ(interpreted.code, 0) << interpreted.err;
  EXPECT_THAT(interpreted.out, HasSubstr("model interpreted"));
  const Ended compiled = trill("run --native always" + rest + "b.json");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("model compiled"));
  EXPECT_EQ(difference_of_files(directory_ / "a.json", directory_ / "b.json"), "");
  EXPECT_EQ(code_of("a.json"), "interpreted");
  EXPECT_EQ(code_of("b.json"), "compiled");
}

TEST_F(NativeCode, AutoCompilesWhatPaysAndUsesWhatIsThere) {
  const std::string brief = "run my.toml --to 0.01 --trust never --out ";
  ASSERT_EQ(trill(brief + "a.json").code, 0);
  EXPECT_EQ(code_of("a.json"), "interpreted");
  EXPECT_FALSE(fs::exists(directory_ / "cache"));
  // For a billion steps compilation pays, so that even a dry run compiles the model.
  trill("run my.toml --to 1000 --method verlet --h 1e-6 --trust never --every 1000 --dry-run");
  EXPECT_TRUE(fs::exists(directory_ / "cache"));
  ASSERT_EQ(trill(brief + "b.json").code, 0);
  EXPECT_EQ(code_of("b.json"), "compiled");
}

TEST_F(NativeCode, WithoutACompilerAutoGoesOnAndAlwaysIsRefused) {
  compiler_ = "no_such_compiler";
  const Ended refused = trill("run my.toml --to 0.01 --native always");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, mentions("'no_such_compiler'", "CC"));
  const Ended ended = trill("run my.toml --to 2 --method verlet --h 2e-6 --trust never --every 100000");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("model interpreted"));
  EXPECT_EQ(trill("run my.toml --to 0.01 --native sometimes").code, 2);
}

TEST_F(NativeCode, AResumedRunKeepsItsChoiceOrSaysWhyNot) {
  const std::string rest =
      " my.toml --to 60 --method verlet --h 1e-5 --trust never --every 1000 --checkpoint-seconds 0 --checkpoint-every "
      "200000";
  const std::string start = "run --native always" + rest + " --out run.json";
  {
    Process process(tool_command(words_of(start)), surroundings());
    ASSERT_TRUE(wait_until(process, [&] { return newest_checkpoint(directory_ / "run.json.part") >= 2; }));
    process.send(SIGINT);
    EXPECT_EQ(process.wait().code, 130);
  }
  cache_ = "empty";
  compiler_ = "no_such_compiler";
  const Ended ended = trill("run" + rest + " --resume run.json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, mentions("note: ", "interpreted", "compiler"));
}

TEST_F(NativeCode, ShippedModelsAreMachineCodeWithoutACompiler) {
  cache_ = "empty";
  compiler_ = "no_such_compiler";
  for (const char* model : {"stiff_spring", "two_springs", "rigid", "alkane"}) {
    const Ended ended = trill(std::string("run ") + model + " --to 0.1 --native always --trust never");
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("model compiled"));
  }
}

TEST_F(NativeCode, ShippedModelsGiveTheSameBitsInterpreted) {
  for (const std::string model : {"stiff_spring_polar", "two_springs", "alkane", "fermi_pasta_ulam"}) {
    for (const std::string native : {"always", "never"}) {
      const std::string out = model + "_" + native + ".json";
      ASSERT_EQ(trill("run " + model + " --to 0.5 --trust never --native " + native + " --out " + out).code, 0) << out;
    }
    EXPECT_EQ(difference_of_files(directory_ / (model + "_always.json"), directory_ / (model + "_never.json")), "");
  }
}

TEST_F(NativeCode, ExportedCCompilesWithoutWarnings) {
  ASSERT_EQ(trill("export my.toml --to c -o my.c").code, 0);
  EXPECT_THAT(read_text(directory_ / "my.c"), HasSubstr("index 0: x1"));
  const Ended ended = run({"/usr/bin/env", "cc", "-std=c11", "-Wall", "-Wextra", "-Wno-builtin-declaration-mismatch",
                           "-Werror", "-c", "my.c", "-o", "my.o"},
                          surroundings());
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(NativeCode, ExportRefusesWhatItCannotDo) {
  const Ended target = trill("export my.toml --to latx");
  EXPECT_EQ(target.code, 2);
  EXPECT_THAT(target.err, mentions("'latex'"));
  const Ended model = trill("export beam --to c");
  EXPECT_EQ(model.code, 2);
  EXPECT_THAT(model.err, mentions("C++"));
  EXPECT_THAT(trill("export my.toml --to latex").out, HasSubstr("\\begin{align*}"));
}
}  // namespace
}  // namespace trill::testing_cli
