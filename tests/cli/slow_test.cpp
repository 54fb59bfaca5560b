// SPDX-License-Identifier: BSD-3-Clause
// The slow motion, as a user asks for it.
#include "support/mentions.hpp"
#include "tool.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;

Ended tool(const std::string& line) {
  const Directory directory;
  return trill_in(directory.path(), words_of(line));
}

TEST(Slow, IsChosenWhereTheModelNamesItsGaps) {
  const Ended r = tool("run two_springs --param omega2=20000 --want slow --rtol 1e-6 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["formulation"], "slow");
  EXPECT_THAT(j["choice"].get<std::string>(), mentions("stiff gap"));
  EXPECT_LT(j["steps"], 100) << "steps of the slow motion, while the oscillation has 45,000 periods";
  EXPECT_EQ(j["trust"]["verdict"], "green");
}

// Apart from its oscillation, with an amplitude of 3e-5, the length of the stiff spring is constant. An accuracy of
// 1e-6 of the positions must not be judged relative to this small range, with little or much time for the check.
TEST(Slow, LengthsOfStiffSpringsAreJudgedByTheirSize) {
  for (const char* check : {"0.04", "full"}) {
    const Ended r =
        tool(fmt::format("run two_springs --param omega2=20000 --want slow --rtol 1e-6 --check {} --json", check));
    ASSERT_EQ(r.code, 0) << r.err;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["trust"]["verdict"], "green") << check << j["trust"]["headline"];
    EXPECT_EQ(j["formulation"], "slow");
  }
}

TEST(Slow, SaysWhyItIsNotChosen) {
  const Ended none = tool("run kepler --want slow");
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.out, mentions("the full motion is computed", "no slow motion"));
  const Ended meeting = tool("run chain --want slow");
  EXPECT_EQ(meeting.code, 0) << meeting.err;
  EXPECT_THAT(meeting.out, mentions("two fast frequencies meet"));
  EXPECT_THAT(meeting.out, mentions("t = "));
  const Ended both = tool("run wire --want slow --method verlet");
  EXPECT_NE(both.code, 0);
  EXPECT_THAT(both.err, mentions("--want"));
  EXPECT_THAT(tool("run wire --method slwo").err, mentions("'slow'"));
  const Ended mistyped = tool("run wire --want slwo");
  EXPECT_NE(mistyped.code, 0);
  EXPECT_THAT(mistyped.err, mentions("'slow'"));
}

// For this chain slow is refused by a rough trial run, as above. A dry run makes no trial, so the refusal is not yet
// known.
TEST(Slow, IsNotTriedOutInADryRun) {
  const Ended r = tool("run chain --want slow --dry-run");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, mentions("slow", "if that fails, these would be tried"));
  EXPECT_EQ(r.out.find("frequencies meet"), std::string::npos) << r.out;
}

// Two springs of equal stiffness: the ratio of their frequencies passes 2 (case iii of SAT09 sec. 4).
TEST(Slow, WarnsOfAResonance) {
  for (const char* to : {"10", "-10"}) {
    const Ended r = tool(
        fmt::format("run two_springs --param omega1=1000 omega2=1000 --method slow --rtol 1e-4 --json --to {}", to));
    ASSERT_EQ(r.code, 0) << r.err;
    const json run = json::parse(r.out);
    std::set<std::string> warnings;
    for (const json& notice : run["notices"])
      if (notice["severity"] == "warning") warnings.insert(notice["code"]);
    EXPECT_TRUE(warnings.contains("resonance")) << r.out;
  }
}

TEST(Slow, TakesAnotherMethodAndItsOptions) {
  EXPECT_EQ(tool("run wire --method slow --set macro=dopri5 --rtol 1e-5").code, 0);
  EXPECT_EQ(tool("run wire --formulation slow --method rk4 --h 0.1").code, 0);
  const Ended unknown = tool("run wire --method slow --set macro=dopri6");
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.err, mentions("dopri5"));
  const Ended wrong = tool("run wire --method slow --set order=2");
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.err, mentions("auto | 0 | 1"));
}

TEST(Slow, IsDescribedAndListed) {
  EXPECT_THAT(tool("describe slow").out, mentions("fast_energy"));
  EXPECT_THAT(tool("list methods").out, mentions("slow motion"));
  EXPECT_THAT(tool("inspect two_springs --param omega2=20000 --want slow").out,
              mentions("recommended: trill run two_springs --param omega2=20000 --method slow"));
}
}  // namespace
}  // namespace trill::testing_cli
