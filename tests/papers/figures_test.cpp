// SPDX-License-Identifier: BSD-3-Clause
// Every published figure and table that trill recomputes, compared cell by cell. TRILL_LONG=1 runs the full grids.
#include "papers/figure.hpp"
#include "trill/base/errors.hpp"

#include <cstdlib>

namespace trill::test {
namespace {
class Figures : public testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const FigureEntry& entry : FigureRegistry::all().entries()) all.push_back(entry.name);
  return all;
}

TEST_P(Figures, IsWithinItsTolerance) {
  const FigureEntry& entry = FigureRegistry::all().find(GetParam());
  const FigureResult result = entry.compute(std::getenv("TRILL_LONG") != nullptr);
  ASSERT_FALSE(result.cells.empty());
  for (const FigureCell& cell : result.cells)
    EXPECT_TRUE(cell.ok()) << cell.label << ": ours " << cell.ours << ", compared with " << cell.expected
                           << ", deviation " << cell.deviation() << ", tolerance " << cell.tolerance;
  for (const Chart& chart : result.charts)
    for (const ChartSeries& series : chart.series) EXPECT_EQ(series.x.size(), series.y.size()) << chart.title;
}

INSTANTIATE_TEST_SUITE_P(Registry, Figures, testing::ValuesIn(names()));

// The verdict must be able to fail: a wrong number, a NaN and an empty figure are all out of tolerance.
TEST(FigureResult, KnowsBadFromGood) {
  FigureCell cell{.label = "x", .ours = 1.02, .expected = 1, .tolerance = 0.01, .relative = true, .origin = {}};
  EXPECT_FALSE(cell.ok());
  cell.ours = std::nan("");
  EXPECT_FALSE(cell.ok());
  cell.ours = 1.005;
  EXPECT_TRUE(cell.ok());
  cell.ours = 5;
  cell.gated = false;
  EXPECT_TRUE(cell.ok());
  EXPECT_FALSE(FigureResult{}.ok());
  FigureCell error{.label = "x", .ours = 1.4e-9, .expected = 1e-9, .tolerance = 1.5, .origin = {}, .factor = true};
  EXPECT_TRUE(error.ok());
  error.ours = 1e-9 / 1.4;
  EXPECT_TRUE(error.ok());
  for (const double bad : {1e-9 / 1.6, 1.6e-9, 0.0, -1e-9, std::nan("")}) {
    error.ours = bad;
    EXPECT_FALSE(error.ok()) << bad;
  }
}

TEST(FigureResult, MoreMayBeBetter) {
  FigureCell cell{.label = "x", .ours = 9, .expected = 4, .tolerance = 1, .origin = {}, .more_is_better = true};
  EXPECT_TRUE(cell.ok());
  EXPECT_EQ(cell.deviation(), 0);
  cell.ours = 3.5;
  EXPECT_TRUE(cell.ok());
  EXPECT_EQ(cell.deviation(), 0.5);
  for (const double bad : {2.9, -HUGE_VAL, std::nan("")}) {
    cell.ours = bad;
    EXPECT_FALSE(cell.ok()) << bad;
  }
}

TEST(FigureRegistry, OffersNearNames) {
  try {
    FigureRegistry::all().find("pjy97_fig9");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("pjy97_fig1"), std::string::npos);
  }
}
}  // namespace
}  // namespace trill::test
