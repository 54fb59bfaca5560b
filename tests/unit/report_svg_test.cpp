// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.hpp"
#include "report/ticks.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string_view>

#include <gtest/gtest.h>

namespace {
using trill::AxisTicks;
using trill::Chart;
using trill::ChartStyle;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void expect_good(const AxisTicks& axis, double lo, double hi) {
  SCOPED_TRACE(testing::Message() << "[" << lo << ", " << hi << "] log " << axis.log);
  EXPECT_LE(axis.lo, lo);
  EXPECT_GE(axis.hi, hi);
  EXPECT_LT(axis.lo, axis.hi);
  ASSERT_GE(axis.major.size(), 2u);
  EXPECT_LE(axis.major.size(), 12u);
  EXPECT_EQ(axis.labels.size(), axis.major.size());
  EXPECT_TRUE(std::is_sorted(axis.major.begin(), axis.major.end(), std::less_equal<>()));
  std::vector<std::string> labels = axis.labels;
  std::sort(labels.begin(), labels.end());
  EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end()) << "two ticks with one label";
  double widest = 0;
  for (std::size_t i = 1; i < axis.major.size(); ++i)
    widest = std::max(widest, axis.position(axis.major[i]) - axis.position(axis.major[i - 1]));
  EXPECT_GE(axis.position(axis.major.front()), -1e-12);
  EXPECT_LE(axis.position(axis.major.back()), 1 + 1e-12);
  const double free = axis.log ? 0.5 : 1.0001 * widest;  // on a log axis the distances differ
  EXPECT_LE(axis.position(axis.major.front()), free);
  EXPECT_LE(1 - axis.position(axis.major.back()), free);
  for (const double tick : axis.minor) {
    EXPECT_GE(axis.position(tick), -1e-6);
    EXPECT_LE(axis.position(tick), 1 + 1e-6);
    EXPECT_EQ(std::count(axis.major.begin(), axis.major.end(), tick), 0);
  }
}

TEST(ReportTicks, LinearTicksCoverRandomRanges) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-12, 12);
  for (int i = 0; i < 4000; ++i) {
    const double size = std::pow(10, exponent(random));
    double lo = mantissa(random) * size, hi = lo + std::abs(mantissa(random)) * std::pow(10, exponent(random));
    if (hi - lo < 1e-11 * std::max(std::abs(lo), std::abs(hi))) continue;
    expect_good(trill::linear_axis(lo, hi, 5 + i % 6), lo, hi);
  }
}

TEST(ReportTicks, LogTicksCoverRandomRanges) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> start(-20, 20), width(-2, 1.5);
  for (int i = 0; i < 4000; ++i) {
    const double lo = std::pow(10, start(random)), hi = lo * std::pow(10, std::pow(10, width(random)));
    const AxisTicks axis = trill::log_axis(lo, hi, 5 + i % 6);
    EXPECT_TRUE(axis.log);
    expect_good(axis, lo, hi);
  }
}

TEST(ReportTicks, MeetsOddRanges) {
  const double big = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::pair<double, double>> ranges{{0, 0},       {5, 5},    {-3, -3},          {2, 1},
                                                      {-big, big},  {0, tiny}, {not_a_number, 1}, {1, 1 + 3e-16},
                                                      {1e300, big}, {0, big},  {-1e-9, 0},        {1e6, 1e6 + 1e-5}};
  for (const auto& [lo, hi] : ranges) {
    for (const AxisTicks& axis : {trill::linear_axis(lo, hi), trill::log_axis(lo, hi)}) {
      EXPECT_LT(axis.lo, axis.hi);
      EXPECT_GE(axis.major.size(), 2u) << lo << " " << hi;
      EXPECT_LE(axis.major.size(), 12u) << lo << " " << hi;
    }
  }
}

TEST(ReportTicks, LabelsAreThoseOfTheTrade) {
  EXPECT_EQ(trill::linear_axis(0, 10).labels, (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(trill::linear_axis(0, 1, 5).labels.at(1), "0.2");
  EXPECT_EQ(trill::linear_axis(5, 5).labels.front(), "4.6");
  EXPECT_EQ(trill::linear_axis(-3e-7, 3e-7).factor, "10^{\u22127}");
  EXPECT_EQ(trill::linear_axis(1234.5 - 4e-9, 1234.5 + 5e-9).offset, "1234.5");
  EXPECT_EQ(trill::log_axis(1, 1000).labels, (std::vector<std::string>{"1", "10", "100", "1000"}));
  EXPECT_EQ(trill::log_axis(1e-6, 1e-3).labels.front(), "10^{\u22126}");
  EXPECT_EQ(trill::log_axis(1, 9).major, (std::vector<double>{1, 2, 5}));
}

// Checks that elements are nested and closed, attributes quoted and entities known. This distinguishes XML from text
// that only looks like it.
std::string xml_trouble(std::string_view text) {
  std::vector<std::string> open;
  bool root = false;
  while (!text.empty()) {
    const auto tag = text.find('<');
    std::string_view content = text.substr(0, tag);
    while (content.find('&') != std::string_view::npos) {
      content.remove_prefix(content.find('&'));
      bool known = false;
      for (const std::string_view entity : {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"})
        known = known || content.starts_with(entity);
      if (!known) return "unknown entity " + std::string(content.substr(0, 8));
      content.remove_prefix(1);
    }
    if (tag == std::string_view::npos) break;
    text.remove_prefix(tag + 1);
    std::size_t end = 0;
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
      if (text[end] == '<') return "< inside a tag";
      if (quote == 0 && (text[end] == '"' || text[end] == '\''))
        quote = text[end];
      else if (text[end] == quote)
        quote = 0;
    }
    if (end == text.size()) return "a tag does not end";
    const std::string_view inside = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (inside.starts_with('?')) continue;
    const std::string name(inside.substr(0, inside.find_first_of(" /", 1)));
    if (inside.starts_with('/')) {
      if (open.empty() || "/" + open.back() != name) return "unexpected <" + name + ">";
      open.pop_back();
    } else if (!inside.ends_with('/')) {
      if (open.empty() && root) return "two roots";
      root = true;
      open.push_back(name);
    }
  }
  if (!open.empty()) return "<" + open.back() + "> is not closed";
  return root ? "" : "no element";
}

TEST(ReportSvg, TheCheckerFindsTrouble) {
  EXPECT_EQ(xml_trouble("<a b=\"1\"><c/>x &lt; y</a>"), "");
  for (const char* bad : {"<a><b></a></b>", "<a>", "<a b=\"<\"/>", "<a>& </a>", "<a/><a></a></a>", "text"})
    EXPECT_NE(xml_trouble(bad), "") << bad;
}

// Every point x, y of the paths within the clipped group.
std::vector<std::pair<double, double>> curve_points(const std::string& svg) {
  std::vector<std::pair<double, double>> points;
  const std::string group = svg.substr(svg.find("<g clip-path"), svg.find("</g>") - svg.find("<g clip-path"));
  for (std::size_t at = 0; (at = group.find_first_of("ML", at)) != std::string::npos; ++at) {
    double x = 0, y = 0;
    if (std::isdigit(static_cast<unsigned char>(group[at + 1])) || group[at + 1] == '-') {
      std::istringstream(group.substr(at + 1, 40)) >> x >> y;
      points.emplace_back(x, y);
    }
  }
  return points;
}

Chart wave(std::size_t n) {
  Chart chart{"Wave", "", {"t", "s"}, {"x", "m"}, ChartStyle::line, {{"x", {}, {}}}};
  for (std::size_t i = 0; i < n; ++i) {
    chart.series[0].x.push_back(1e-3 * static_cast<double>(i));
    chart.series[0].y.push_back(std::sin(0.7 * static_cast<double>(i)));
  }
  return chart;
}

TEST(ReportSvg, KeepsTheExtremesOfManyPoints) {
  Chart chart = wave(300'000);
  chart.series[0].y[123'457] = 10;
  chart.series[0].y[234'561] = -10;
  const std::string svg = trill::svg_chart(chart);
  EXPECT_EQ(xml_trouble(svg), "");
  EXPECT_LT(svg.size(), 100'000u);
  const auto points = curve_points(svg);
  EXPECT_LT(points.size(), 5000u);
  const auto lower = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [top, bottom] = std::minmax_element(points.begin(), points.end(), lower);
  // Both spikes are as high as in the data: twenty times half the amplitude of the rest.
  std::vector<double> heights;
  for (const auto& p : points) heights.push_back(p.second);
  std::sort(heights.begin(), heights.end());
  const double band = heights[heights.size() - 2] - heights[1];
  EXPECT_NEAR((bottom->second - top->second) / band, 10, 0.2);
  const double width = points.back().first - points.front().first;
  EXPECT_NEAR((top->first - points.front().first) / width, 123'457.0 / 299'999, 2e-3);
  EXPECT_NEAR((bottom->first - points.front().first) / width, 234'561.0 / 299'999, 2e-3);
}

TEST(ReportSvg, IsWellFormedForOddData) {
  const double huge = std::numeric_limits<double>::max();
  std::vector<Chart> charts{wave(0), wave(1), wave(2), wave(100)};
  charts.push_back({});
  charts.push_back(wave(50));
  std::fill(charts.back().series[0].y.begin(), charts.back().series[0].y.end(), 3.0);
  charts.push_back(wave(50));
  charts.back().series[0].y[20] = not_a_number;
  charts.back().series[0].y[22] = not_a_number;
  charts.back().series[0].x[40] = std::numeric_limits<double>::infinity();
  charts.push_back(wave(50));
  charts.back().series[0].y = std::vector<double>(50, not_a_number);
  charts.push_back(wave(50));
  charts.back().series[0].y[7] = huge;
  charts.back().series[0].y[8] = -huge;
  charts.push_back(wave(50));
  charts.back().series[0].y.resize(10);
  charts.push_back(wave(50));
  charts.back().title = "a < b & \"c\" </svg><script>alert(1)</script> \x01\xff ^ ^{ x^2 m^-1";
  charts.back().series[0].label = charts.back().x.label = charts.back().y.unit = charts.back().note =
      charts.back().title;
  charts.push_back(wave(20));
  for (int i = 0; i < 50; ++i) charts.back().series.push_back(charts.back().series[0]);
  for (Chart chart : charts)
    for (const ChartStyle style : {ChartStyle::line, ChartStyle::points, ChartStyle::both})
      for (const bool log : {false, true})
        for (const double width : {720.0, 200.0, 1.0}) {
          chart.style = style;
          chart.x.log = chart.y.log = log;
          const std::string svg = trill::svg_chart(chart, {width, 0.6 * width, 13});
          EXPECT_EQ(xml_trouble(svg), "") << chart.title;
          EXPECT_EQ(svg.find("<script"), std::string::npos);
          for (const char* word : {"nan", "inf"}) EXPECT_EQ(svg.find(word), std::string::npos) << word << " in " << svg;
        }
}

TEST(ReportSvg, BreaksTheLineAtGaps) {
  Chart chart = wave(60);
  const auto moves = [](const std::string& svg) {
    const std::string group = svg.substr(svg.find("<g clip-path"), svg.find("</g>") - svg.find("<g clip-path"));
    return std::count(group.begin(), group.end(), 'M');
  };
  EXPECT_EQ(moves(trill::svg_chart(chart)), 1);
  chart.series[0].y[30] = not_a_number;
  EXPECT_EQ(moves(trill::svg_chart(chart)), 2);
}

TEST(ReportSvg, LeavesOutAndCountsWhatALogAxisCannotShow) {
  Chart chart = wave(100);
  chart.y.log = true;
  std::size_t not_positive = 0;
  for (double& y : chart.series[0].y) {
    y = y < -0.9 ? 0 : y < -0.8 ? -1 : std::abs(y) + 1e-9;
    not_positive += y <= 0;
  }
  const std::string svg = trill::svg_chart(chart);
  EXPECT_NE(svg.find(std::to_string(not_positive) + " points are not positive"), std::string::npos);
  EXPECT_EQ(trill::svg_chart(wave(100)).find("not positive"), std::string::npos);
}

TEST(ReportSvg, DrawsOneMarkerPerPointAndStaysSmall) {
  Chart chart = wave(50);
  chart.style = ChartStyle::points;
  EXPECT_EQ(curve_points(trill::svg_chart(chart)).size(), 50u);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  chart.series[0].x.clear();
  chart.series[0].y.clear();
  for (int i = 0; i < 200'000; ++i) {
    chart.series[0].x.push_back(normal(random));
    chart.series[0].y.push_back(normal(random));
  }
  EXPECT_LT(trill::svg_chart(chart).size(), 600'000u);
}

TEST(ReportSvg, NamesAxesSeriesAndUnits) {
  Chart chart = wave(50);
  chart.y.unit = "m/s^2";
  chart.series.push_back({"second", chart.series[0].x, chart.series[0].x});
  const std::string svg = trill::svg_chart(chart);
  for (const char* text : {">Wave<", ">t (s)<", ">x (m/s<tspan", ">second<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}
}  // namespace
