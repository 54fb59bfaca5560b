// SPDX-License-Identifier: BSD-3-Clause
// The slow motion as a user asks for it.
#include "tool.hpp"

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
  EXPECT_NE(j["choice"].get<std::string>().find("stiff gap"), std::string::npos);
  EXPECT_LT(j["steps"], 100) << "steps of the slow motion, while the oscillation has 45,000 periods";
  EXPECT_EQ(j["trust"]["verdict"], "green");
}

TEST(Slow, SaysWhyItIsNotChosen) {
  const Ended none = tool("run kepler --want slow");
  EXPECT_NE(none.code, 0);
  EXPECT_NE(none.err.find("names its stiff gaps"), std::string::npos) << none.err;
  const Ended meeting = tool("run chain --want slow");
  EXPECT_EQ(meeting.code, 0) << meeting.err;
  EXPECT_NE(meeting.out.find("with radau"), std::string::npos) << meeting.out;
  EXPECT_NE(meeting.out.find("frequencies meet"), std::string::npos) << meeting.out;
  EXPECT_NE(meeting.out.find("t = "), std::string::npos) << meeting.out;
  const Ended both = tool("run wire --want slow --method verlet");
  EXPECT_NE(both.code, 0);
  EXPECT_NE(both.err.find("not both"), std::string::npos) << both.err;
  EXPECT_NE(tool("run wire --method slwo").err.find("did you mean 'slow'"), std::string::npos);
  const Ended mistyped = tool("run wire --want slwo");
  EXPECT_NE(mistyped.code, 0);
  EXPECT_NE(mistyped.err.find("did you mean 'slow'"), std::string::npos) << mistyped.err;
}

// The rough run of a chain is refused on the way, as above; without it nobody knows yet.
TEST(Slow, IsNotTriedOutInADryRun) {
  const Ended r = tool("run chain --want slow --dry-run");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("slow would be tried in a rough run"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("frequencies meet"), std::string::npos) << r.out;
}

// Two springs of one stiffness: the ratio of their frequencies passes 2 (case iii of SAT09 sec. 4).
TEST(Slow, WarnsOfAResonance) {
  const Ended r = tool("run two_springs --param omega1=1000 omega2=1000 --method slow --rtol 1e-4");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("passed a resonance"), std::string::npos) << r.out;
  const Ended back = tool("run two_springs --param omega1=1000 omega2=1000 --method slow --rtol 1e-4 --to -10");
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_NE(back.out.find("passed a resonance"), std::string::npos) << back.out;
}

TEST(Slow, TakesAnotherMethodAndItsOptions) {
  EXPECT_EQ(tool("run wire --method slow --set macro=dopri5 --rtol 1e-5").code, 0);
  EXPECT_EQ(tool("run wire --formulation slow --method rk4 --h 0.1").code, 0);
  const Ended unknown = tool("run wire --method slow --set macro=dopri6");
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("dopri5"), std::string::npos) << unknown.err;
  const Ended wrong = tool("run wire --method slow --set order=2");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.err.find("auto | 0 | 1"), std::string::npos) << wrong.err;
}

TEST(Slow, IsDescribedAndListed) {
  EXPECT_NE(tool("describe slow").out.find("fast_energy"), std::string::npos);
  EXPECT_NE(tool("list methods").out.find("slow motion"), std::string::npos);
  EXPECT_NE(tool("inspect wire").out.find("recommended: slow"), std::string::npos);
}
}  // namespace
}  // namespace trill::testing_cli
