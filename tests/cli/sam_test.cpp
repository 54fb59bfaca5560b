// SPDX-License-Identifier: BSD-3-Clause
// Stroboscopic averaging, as a user calls it.
#include "support/mentions.hpp"
#include "tool.hpp"

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

TEST(Sam, WorkDoesNotGrowWithTheFrequency) {
  std::vector<double> forces;
  for (const char* omega : {"10000", "100000"}) {
    const bool checks = forces.empty();  // in the second run it would take too long to follow all periods
    const Ended r = tool(fmt::format("run weakly_coupled --method sam --rtol 1e-4 --json --check {} --param omega={}",
                                     checks ? "full" : "off", omega));
    ASSERT_EQ(r.code, 0) << r.err;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["formulation"], "sam");
    if (checks) {
      EXPECT_EQ(j["trust"]["verdict"], "green") << j["trust"];
    }
    forces.push_back(j["forces"]);
  }
  EXPECT_LT(forces[1], 1.2 * forces[0]);
  EXPECT_LT(forces[1], 20000) << "the run has 160,000 periods";
}

TEST(Sam, TakesAnotherMethodAndItsOptions) {
  const Ended r = tool("run weakly_coupled --method sam --set macro=rk4 steps=4 order=2 --h 0.25");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, mentions("4 micro-steps of order 2", "differences of order 2"));
}

TEST(Sam, SaysWhyItRefuses) {
  const Ended springs = tool("run two_springs --method sam --rtol 1e-4");
  EXPECT_EQ(springs.code, 2);
  EXPECT_THAT(springs.err, mentions("sam", "linear"));
  const Ended apart = tool("run normal_modes --param kappa2=1.37 --method sam --rtol 1e-4");
  EXPECT_EQ(apart.code, 2);
  EXPECT_THAT(apart.err, mentions("50, 68.5", "common period"));
}
}  // namespace
}  // namespace trill::testing_cli
