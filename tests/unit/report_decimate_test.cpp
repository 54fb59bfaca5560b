// SPDX-License-Identifier: BSD-3-Clause
#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace {
using trill::Decimated;
using trill::Index;
using trill::PhasePoints;
using trill::SeriesPick;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Noise with rare spikes, at uneven times, as one column for each series.
struct Noise {
  std::vector<double> t;
  std::vector<std::vector<double>> columns;

  Noise(Index rows, std::size_t series, unsigned seed) : columns(series) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0, 1);
    double now = 0;
    for (Index r = 0; r < rows; ++r) {
      t.push_back(now);
      now += 0.01 + uniform(random);
      for (auto& column : columns) column.push_back(normal(random) + (uniform(random) < 0.002 ? 100 : 0));
    }
  }
  std::vector<double> row(std::size_t r) const {
    std::vector<double> y;
    for (const auto& column : columns) y.push_back(column[r]);
    return y;
  }
  Decimated decimate(Index most, SeriesPick pick = {}) const {
    std::vector<SeriesPick> picks(columns.size(), pick);
    for (std::size_t i = 0; i < picks.size(); ++i) picks[i].column = static_cast<Index>(i);
    trill::Decimator decimator(static_cast<Index>(t.size()), most, picks);
    for (std::size_t r = 0; r < t.size(); ++r) decimator.row(t[r], row(r).data(), nullptr);
    return decimator.finish();
  }
};

TEST(ReportDecimate, KeepsEveryExtremeOfEverySeries) {
  for (const Index rows : {41, 100, 1000, 20'003}) {
    const Noise noise(rows, 5, static_cast<unsigned>(rows));
    const Decimated d = noise.decimate(40);
    EXPECT_TRUE(d.thinned());
    ASSERT_EQ(d.t.size(), 40u);
    EXPECT_TRUE(std::is_sorted(d.t.begin(), d.t.end(), std::less_equal<>())) << rows;
    const Index inner = rows - 2, buckets = 19;
    for (std::size_t s = 0; s < 5; ++s) {
      const auto& column = noise.columns[s];
      ASSERT_EQ(d.series[s].data.size(), 40u);
      EXPECT_EQ(d.series[s].offset, column.front());
      EXPECT_EQ(d.series[s].value(0), column.front());
      EXPECT_NEAR(d.series[s].value(39), column.back(), 1e-5);
      std::size_t begin = 1;
      for (std::size_t b = 0; b < 19; ++b) {
        const std::size_t end =
            begin + static_cast<std::size_t>(inner / buckets + (static_cast<Index>(b) < inner % buckets));
        const auto [low, high] =
            std::minmax_element(column.begin() + static_cast<Index>(begin), column.begin() + static_cast<Index>(end));
        const double first = d.series[s].value(1 + 2 * b), second = d.series[s].value(2 + 2 * b);
        EXPECT_NEAR(first, low < high ? *low : *high, 1e-4);
        EXPECT_NEAR(second, low < high ? *high : *low, 1e-4);
        EXPECT_GE(d.t[1 + 2 * b], noise.t[begin]);
        EXPECT_LE(d.t[2 + 2 * b], noise.t[end - 1]);
        begin = end;
      }
      EXPECT_EQ(begin, static_cast<std::size_t>(rows - 1));
    }
  }
}

TEST(ReportDecimate, KeepsFewRowsAsTheyAre) {
  for (const Index rows : {0, 1, 2, 3, 39, 40}) {
    const Noise noise(rows, 2, 7);
    const Decimated d = noise.decimate(40);
    EXPECT_FALSE(d.thinned());
    EXPECT_EQ(d.t, noise.t);
    for (std::size_t r = 0; r < noise.t.size(); ++r) EXPECT_NEAR(d.series[1].value(r), noise.columns[1][r], 1e-5);
  }
}

TEST(ReportDecimate, ShowsDriftsFarBelowTheValue) {
  Noise noise(3000, 1, 1);
  for (std::size_t r = 0; r < 3000; ++r) noise.columns[0][r] = 1234.5 + 1e-9 * std::sin(0.1 * static_cast<double>(r));
  const Decimated d = noise.decimate(100);
  EXPECT_EQ(d.series[0].offset, 1234.5);
  const auto [low, high] = std::minmax_element(d.series[0].data.begin(), d.series[0].data.end());
  EXPECT_NEAR(*low, -1e-9, 1e-12);
  EXPECT_NEAR(*high, 1e-9, 1e-12);
}

TEST(ReportDecimate, KeepsSmallValuesOfLogarithmicSeries) {
  Noise noise(3000, 1, 1);
  for (std::size_t r = 0; r < 3000; ++r) noise.columns[0][r] = r == 0 ? 1e3 : 1e-14;
  const Decimated d = noise.decimate(100, {0, false, true, false});
  EXPECT_EQ(d.series[0].offset, 0);
  EXPECT_NEAR(d.series[0].value(50), 1e-14, 1e-20);
}

TEST(ReportDecimate, TurnsNonFiniteValuesIntoGapsAndKeepsTheRest) {
  Noise noise(1000, 1, 3);
  auto& column = noise.columns[0];
  column[0] = nan;
  for (std::size_t r = 500; r < 700; ++r) column[r] = r % 2 ? nan : std::numeric_limits<double>::infinity();
  column[801] = nan;  // at the beginning of a bucket
  column[805] = std::numeric_limits<double>::infinity();
  column[810] = 5000;
  const Decimated d = noise.decimate(52);
  EXPECT_TRUE(std::isnan(d.series[0].data[0]));
  EXPECT_EQ(d.series[0].offset, d.series[0].value(1));  // the first finite value is the offset
  EXPECT_TRUE(std::any_of(d.series[0].data.begin() + 1, d.series[0].data.end(), [](float v) { return std::isnan(v); }));
  double most = 0;
  for (std::size_t i = 0; i < d.t.size(); ++i) {
    EXPECT_FALSE(std::isinf(d.series[0].data[i]));
    most = std::max(most, std::isnan(d.series[0].data[i]) ? 0 : d.series[0].value(i));
  }
  EXPECT_NEAR(most, 5000, 1e-3);
}

TEST(ReportDecimate, LeavesOutStepMeasuresBeforeTheFirstStep) {
  Noise noise(10, 1, 3);
  noise.columns[0][0] = 0;
  EXPECT_TRUE(std::isnan(noise.decimate(52, {0, false, true, true}).series[0].data[0]));
  EXPECT_EQ(noise.decimate(52).series[0].data[0], 0);
}

PhasePoints phase_of(const Noise& noise, Index most) {
  std::vector<Index> columns;
  for (std::size_t i = 0; i < noise.columns.size(); ++i) columns.push_back(static_cast<Index>(i));
  trill::PhaseCollector collector(static_cast<Index>(noise.t.size()), most, columns);
  for (std::size_t r = 0; r < noise.t.size(); ++r) collector.row(noise.row(r).data());
  return collector.finish();
}

TEST(ReportDecimate, PhasePointsAreTrueStatesInOrder) {
  for (const std::size_t k : {1u, 2u, 8u}) {
    const Noise noise(30'000, k, 11);
    const PhasePoints phase = phase_of(noise, 600);
    ASSERT_EQ(phase.data.size(), static_cast<std::size_t>(phase.points) * k);
    EXPECT_LE(phase.points, 600);
    EXPECT_GE(phase.points, 200);
    std::size_t r = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(phase.points); ++p) {
      const auto matches = [&] {
        for (std::size_t c = 0; c < k; ++c)
          if (static_cast<float>(noise.columns[c][r]) != phase.data[p * k + c]) return false;
        return true;
      };
      while (r < noise.t.size() && !matches()) ++r;
      ASSERT_LT(r, noise.t.size()) << "point " << p << " is no state of the run, or out of order";
      EXPECT_TRUE(p > 0 || r == 0);
      ++r;
    }
    EXPECT_EQ(r, noise.t.size());
    for (std::size_t c = 0; c < k; ++c) {
      const auto most = *std::max_element(noise.columns[c].begin(), noise.columns[c].end());
      bool found = false;
      for (std::size_t p = 0; p < static_cast<std::size_t>(phase.points); ++p)
        found = found || phase.data[p * k + c] == static_cast<float>(most);
      EXPECT_TRUE(found);
    }
  }
}

TEST(ReportDecimate, PhaseCoversAnOrbitFasterThanTheBuckets) {
  Noise circle(100'000, 2, 1);
  for (std::size_t r = 0; r < circle.t.size(); ++r) {
    circle.columns[0][r] = std::cos(0.1 * static_cast<double>(r));
    circle.columns[1][r] = std::sin(0.1 * static_cast<double>(r));
  }
  const PhasePoints phase = phase_of(circle, 800);
  std::vector<int> sector(16);
  for (std::size_t p = 0; p < static_cast<std::size_t>(phase.points); ++p) {
    const double angle = std::atan2(phase.data[2 * p + 1], phase.data[2 * p]) + 3.1415926;
    ++sector[static_cast<std::size_t>(angle / 6.2832 * 16) % 16];
  }
  EXPECT_GE(*std::min_element(sector.begin(), sector.end()), 10);
}

TEST(ReportDecimate, PhaseKeepsFewRowsAsTheyAre) {
  EXPECT_EQ(phase_of(Noise(100, 3, 1), 600).points, 100);
  EXPECT_EQ(phase_of(Noise(0, 3, 1), 600).points, 0);
  EXPECT_EQ(phase_of(Noise(5, 0, 1), 600).points, 0);
  EXPECT_GE(phase_of(Noise(10, 8, 1), 4).points, 2);
}

TEST(ReportDecimate, ExtremePointsKeepEndsAndExtremesOfBothAxes) {
  const Noise noise(5000, 2, 5);
  const auto &x = noise.columns[0], &y = noise.columns[1];
  const auto kept = trill::extreme_points(x, y, 300);
  EXPECT_LE(kept.size(), 300u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), std::less_equal<>()));
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 4999u);
  const std::set<std::size_t> set(kept.begin(), kept.end());
  for (const auto* v : {&x, &y}) {
    const auto [low, high] = std::minmax_element(v->begin(), v->end());
    EXPECT_TRUE(set.contains(static_cast<std::size_t>(low - v->begin())));
    EXPECT_TRUE(set.contains(static_cast<std::size_t>(high - v->begin())));
  }
  EXPECT_EQ(trill::extreme_points({1, 2}, {1, 2}, 100).size(), 2u);
  EXPECT_TRUE(trill::extreme_points({}, {}, 100).empty());
  EXPECT_LE(trill::extreme_points(std::vector<double>(100, nan), std::vector<double>(100, nan), 30).size(), 30u);
}
}  // namespace
