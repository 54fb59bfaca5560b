// SPDX-License-Identifier: BSD-3-Clause
// Methods that combine kicks with the exact linear fast motion, as a user calls them.
#include "support/mentions.hpp"
#include "tool.hpp"

#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;

Ended tool(const std::string& line) {
  const Directory directory;
  return trill_in(directory.path(), words_of(line));
}

json resonance_of(const std::string& line) {
  const Ended r = tool("stability " + line + " --json");
  EXPECT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  return j.contains("resonance") ? j["resonance"] : json();
}

TEST(Filters, StabilityNamesUnstableIntervals) {
  const json unstable = resonance_of("mollified_impulse --set phi=short psi=short")["unstable"];
  for (const json& row : unstable)
    if (row["h2_eps"] == 0.1) {
      ASSERT_EQ(row["intervals"].size(), 2u);  // at pi and 3 pi
      // In the scan of an independent program, the first interval begins between these points of its grid.
      EXPECT_NEAR(row["intervals"][0]["from"].get<double>() / std::numbers::pi, 0.995845, 1e-5);
      EXPECT_NEAR(row["intervals"][0]["to"].get<double>() / std::numbers::pi, 1, 1e-7);
    }
  for (const json& row : resonance_of("mollified_impulse")["unstable"]) EXPECT_TRUE(row["intervals"].empty());
  EXPECT_TRUE(resonance_of("verlet").is_null());
  const Ended text = tool("stability impulse");
  EXPECT_THAT(text.out, mentions("energy exchange"));
  EXPECT_THAT(text.out, mentions("1 to 1.0"));
}

TEST(Filters, AreNamedInTheReportOfARun) {
  const Ended r = tool("run fermi_pasta_ulam --method mollified_impulse --h 0.03 --to 1");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, mentions("filters"));
  EXPECT_THAT(r.out, mentions("h omega/pi = 0.4775"));  // this is 1.5/pi
  EXPECT_THAT(r.out, mentions("0.549"));
}
}  // namespace
}  // namespace trill::testing_cli
