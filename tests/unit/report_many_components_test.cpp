// SPDX-License-Identifier: BSD-3-Clause
// Models with more components than the page has room for.
#include "report/run_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
// Component k oscillates with the amplitude k, except for the middle one, which hardly moves.
Solution many(Index count, const std::string& text = "") {
  Solution s;
  s.info.layout = {count, 0, 0, 0};
  s.info.model_text = text;
  for (Index k = 0; k < count; ++k) s.info.components.push_back({fmt::format("q[{}]", k), ""});
  Vec y(count);
  for (int i = 0; i < 500; ++i) {
    for (Index k = 0; k < count; ++k) y[k] = std::sin(0.05 * i) * static_cast<double>(k == count / 2 ? 0 : k);
    s.append(0.1 * i, y, Vec());
  }
  return s;
}

bool holds(const std::vector<ViewSeries>& series, const std::string& name) {
  return std::any_of(series.begin(), series.end(), [&](const ViewSeries& s) { return s.name == name; });
}

TEST(ManyComponents, ThoseThatMoveMostAreShownAndTheRestCanBeFound) {
  const Solution s = many(300);
  const RunView view = view_of(report_run(s));
  EXPECT_EQ(view.series.size() + view.others.size(), 300u);
  EXPECT_EQ(view.hidden, 0);
  EXPECT_EQ(view.series.front().name, "q[299]");
  EXPECT_TRUE(holds(view.others, "q[0]"));
  EXPECT_TRUE(holds(view.others, "q[150]"));
  EXPECT_FALSE(holds(view.series, "q[150]"));
  for (std::size_t i = 0; i < view.others.size(); ++i) {
    const std::vector<float>& data = view.others_data.series[i].data;
    const double range = static_cast<double>(*std::max_element(data.begin(), data.end())) -
                         static_cast<double>(*std::min_element(data.begin(), data.end()));
    const double amplitude = std::stod(view.others[i].name.substr(2));
    EXPECT_NEAR(range, amplitude == 150 ? 0 : 2 * amplitude, 1e-2 * (1 + amplitude)) << view.others[i].name;
  }
}

TEST(ManyComponents, ThoseThatMeasuresNameAreShown) {
  const Solution s = many(300, "[[measure]]\nname = \"middle\"\nvalue = \"2*q[150]\"\n\n[run]\nto = 50\n");
  const RunView view = view_of(report_run(s));
  EXPECT_EQ(view.series.front().name, "q[150]");
  EXPECT_FALSE(holds(view.series, "q[15]"));
}

TEST(ManyComponents, FewStayInTheirOrder) {
  const Solution s = many(5);
  const RunView view = view_of(report_run(s));
  EXPECT_TRUE(view.others.empty());
  EXPECT_EQ(view.series.front().name, "q[0]");
}

TEST(ManyComponents, WhatIsNotOnThePageIsCounted) {
  const Solution s = many(5000);
  const RunView view = view_of(report_run(s));
  EXPECT_EQ(static_cast<Index>(view.series.size() + view.others.size()) + view.hidden, 5000);
  EXPECT_GT(view.hidden, 0);
  const std::string page =
      report_json({.title = "", .generated = "", .version = "", .runs = {report_run(s)}, .charts = {}, .tables = {}});
  EXPECT_LT(page.size(), 4'500'000u);
}
}  // namespace
}  // namespace trill
