// SPDX-License-Identifier: BSD-3-Clause
// Solutions as CCSDS orbit ephemeris messages (OEM).
#include "solution/file_formats.hpp"
#include "solution/oem_labels.hpp"
#include "trill/driver/plan.hpp"
#include "trill/solution/solution_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
std::string message_of(const Solution& s, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  save_solution(s, path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Solution orbit(const OptionSet& labels, double to) {
  RunPlan plan;
  plan.model = "satellite";
  plan.method = "dop853";
  plan.rtol = 1e-9;
  plan.to = to;
  plan.output = Grid{60};
  plan.oem = labels;
  return prepare(plan).run();
}

TEST(OrbitMessages, HoldEveryRowWithItsTime) {
  const Solution s = orbit({{"epoch", "2024-02-28T23:59:30.25"}, {"object", "TEST"}, {"object_id", "2024-001A"}}, 120);
  const std::string text = message_of(s, "orbit.oem");
  EXPECT_EQ(text.substr(0, 21), "CCSDS_OEM_VERS = 2.0\n");
  for (const char* line :
       {"\nOBJECT_NAME = TEST\n", "\nOBJECT_ID = 2024-001A\n", "\nCENTER_NAME = EARTH\n", "\nREF_FRAME = EME2000\n",
        "\nTIME_SYSTEM = TT\n", "\nSTART_TIME = 2024-02-28T23:59:30.250000000\n",
        "\nSTOP_TIME = 2024-02-29T00:01:30.250000000\nMETA_STOP\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  std::istringstream lines(text.substr(text.find("COMMENT")));
  std::string line;
  std::getline(lines, line);
  for (Index k = 0; k < s.rows(); ++k) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream row(line);
    std::string at;
    row >> at;
    if (k == 1) {
      EXPECT_EQ(at, "2024-02-29T00:00:30.250000000");
    }
    for (Index i = 0; i < 6; ++i) {
      double value = 0;
      ASSERT_TRUE(row >> value);
      EXPECT_NEAR(value, s.y()(i, k), 1e-9);
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(OrbitMessages, RefuseWhatIsNoOrbitAndWrongLabels) {
  RunPlan plan;
  plan.model = "kepler";
  plan.to = 1;
  const Solution plane = prepare(plan).run();
  EXPECT_THROW(message_of(plane, "plane.oem"), UsageError);
  EXPECT_THROW(message_of(orbit({}, -100), "back.oem"), UsageError);
  for (const char* epoch : {"yesterday", "2024-02-30T00:00:00", "2024-01-01T24:00:00", "2024-01-01T00:00:00x"})
    EXPECT_THROW(orbit({{"epoch", epoch}}, 60), UsageError) << epoch;
  EXPECT_THROW(orbit({{"color", "red"}}, 60), UsageError);
  const Solution s = orbit({}, 60);
  message_of(s, "written.oem");
  EXPECT_THROW(SolutionFile(std::filesystem::path(testing::TempDir()) / "written.oem"), IoError);
}
}  // namespace
}  // namespace trill::test
