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

TEST(Verify, SaysWhatItCannotCheck) {
  const Directory directory;
  EXPECT_EQ(trill_in(directory.path(), words_of("verify nothing.h5")).code, 3);
  EXPECT_EQ(trill_in(directory.path(), words_of("verify nothing.h5 --check off")).code, 3);
}
}  // namespace
}  // namespace trill::testing_cli
