// SPDX-License-Identifier: BSD-3-Clause
// Reports of slow motions: bands of the fast oscillation, frequencies, actions, and the error of the model.
#include "report/decimate.hpp"
#include "report/svg.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using nlohmann::json;
using trill::Chart;
using trill::Index;
using trill::Solution;
using Kind = trill::QuantityKind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double swing(double t) { return std::sin(t); }
double width(double t) { return 0.01 * (2 + std::cos(3 * t)); }

Solution slow_motion(Index rows) {
  Solution s;
  s.info.layout = {2, 2, 0, 0};
  s.info.components = {{"x1", "m"}, {"y[0]", "m"}, {"vx1", "m/s"}, {"vy[0]", "m/s"}};
  s.info.quantities = {{"energy", "J", Kind::energy},
                       {"frequency_1", "1/s", Kind::frequency},
                       {"frequency_2", "1/s", Kind::frequency},
                       {"action_1", "J s", Kind::action},
                       {"action_2", "J s", Kind::action},
                       {"fast_energy", "J", Kind::energy_part},
                       {"model_error", "", Kind::model_error},
                       {"amplitude_x1", "m", Kind::amplitude},
                       {"h", "s", Kind::step_size},
                       {"amplitude_y[0]", "m", Kind::amplitude},
                       {"error", "", Kind::step_error},
                       {"amplitude_z", "m", Kind::amplitude},
                       {"action_3", ""},
                       {"binding_energy", "J"}};
  s.reserve(rows);
  for (Index i = 0; i < rows; ++i) {
    const double t = 10 * static_cast<double>(i) / static_cast<double>(rows - 1);
    const trill::Vec y{{swing(t), std::cos(t), std::cos(t), -std::sin(t)}};
    const trill::Vec m{{1, 1000, 2000, 5e-4, 3e-4, 0.5, 1e-4, width(t), 0.05, 2, 0.4, 7, 8e-4, 1}};
    s.append(t, y, m);
  }
  return s;
}

json run_json(const trill::ReportRun& run) {
  return json::parse(trill::report_json({"", "", "", {run}, {}, {}}))["runs"][0];
}

const json* series(const json& run, const std::string& name) {
  for (const json& s : run["series"])
    if (s["name"] == name) return &s;
  return nullptr;
}

const Chart* chart_with(const std::vector<Chart>& charts, const std::string& curve) {
  const auto holds = [&](const Chart& c) {
    return std::any_of(c.series.begin(), c.series.end(), [&](const auto& s) { return s.label == curve; });
  };
  const auto found = std::find_if(charts.begin(), charts.end(), holds);
  return found == charts.end() ? nullptr : &*found;
}

std::vector<std::string> labels(const Chart* chart) {
  std::vector<std::string> all;
  for (std::size_t i = 0; chart && i < chart->series.size(); ++i) all.push_back(chart->series[i].label);
  return all;
}
using Labels = std::vector<std::string>;

TEST(ReportSlow, GroupsWhatIsKnownOfTheFastMotion) {
  const Solution s = slow_motion(50);
  const json run = run_json(trill::report_run(s));
  const std::vector<std::array<std::string, 2>> groups{
      {"frequency_1", "frequency"}, {"frequency_2", "frequency"}, {"action_1", "action"},
      {"action_2", "action"},       {"fast_energy", "energy"},    {"model_error", "step"},
      {"amplitude_z", "quantity"},  {"action_3", "quantity"},     {"binding_energy", "quantity"}};
  for (const auto& [name, group] : groups) {
    ASSERT_NE(series(run, name), nullptr) << name;
    EXPECT_EQ((*series(run, name))["group"], group) << name;
  }
  EXPECT_EQ((*series(run, "model_error"))["log"], true);
  EXPECT_EQ(run["hidden_components"], 0);
  for (const char* band : {"amplitude_x1", "amplitude_y[0]"}) EXPECT_EQ(series(run, band), nullptr) << band;
  for (const char* with : {"x1", "y[0]"}) EXPECT_TRUE(series(run, with)->contains("band")) << with;
  for (const char* without : {"vx1", "energy", "amplitude_z"})
    EXPECT_FALSE(series(run, without)->contains("band")) << without;
}

TEST(ReportSlow, ChartsCarryBandsAndPanels) {
  const Solution s = slow_motion(500);
  const auto charts = trill::charts_of(trill::report_run(s));
  const Chart* coordinates = chart_with(charts, "x1");
  ASSERT_EQ(labels(coordinates), (Labels{"x1", "y[0]"}));
  EXPECT_EQ(coordinates->band_label, "band: fast oscillation");
  EXPECT_NE(coordinates->note.find("Fast oscillation up to 2 m to either side."), std::string::npos);
  const trill::ChartSeries& x = coordinates->series[0];
  ASSERT_EQ(x.band.size(), 500u);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_NEAR(x.band[i], width(x.x[i]), 1e-8);
  EXPECT_EQ(labels(chart_with(charts, "frequency_1")), (Labels{"frequency_1", "frequency_2"}));
  EXPECT_EQ(chart_with(charts, "frequency_1")->title, "Fast frequencies");
  EXPECT_EQ(labels(chart_with(charts, "action_2")), (Labels{"action_1", "action_2"}));
  const Chart* errors = chart_with(charts, "error");
  EXPECT_EQ(labels(errors), (Labels{"model_error", "error"}));
  EXPECT_EQ(errors->title, "Error estimates");
  EXPECT_TRUE(errors->y.log);
  for (const char* band : {"amplitude_x1", "amplitude_y[0]"}) EXPECT_EQ(chart_with(charts, band), nullptr) << band;
  EXPECT_EQ(chart_with(charts, "vx1")->band_label, "");
}

// The bound of an error is drawn as the band of its measure or component, not as a curve.
TEST(ReportSlow, ErrorBoundsAreBands) {
  Solution s;
  s.info.layout = {1, 1, 0, 0};
  s.info.components = {{"u1", "m"}, {"vu1", "m/s"}};
  s.info.quantities = {{"tip", "m"}, {"bound_tip", "m", Kind::bound}, {"bound_u1", "m", Kind::bound}};
  for (int i = 0; i < 20; ++i)
    s.append(i, trill::Vec{{std::sin(i), std::cos(i)}}, trill::Vec{{std::cos(i), 0.25, 0.125}});
  for (const auto& [kind, label] : {std::pair{"bound", "bound of the error"}, {"estimate", "estimate of the error"}}) {
    s.info.quantities[1].name = kind + std::string("_tip");
    s.info.quantities[2].name = kind + std::string("_u1");
    const auto charts = trill::charts_of(trill::report_run(s));
    for (const auto& [curve, width] : {std::pair{"tip", 0.25}, {"u1", 0.125}}) {
      const Chart* chart = chart_with(charts, curve);
      ASSERT_NE(chart, nullptr) << curve;
      EXPECT_EQ(chart->band_label, std::string("band: ") + label);
      EXPECT_EQ(chart->series[0].band, std::vector<double>(20, width)) << curve;
    }
    EXPECT_NE(chart_with(charts, "tip")->note.find("Within 0.25 m of the whole structure"), std::string::npos);
    EXPECT_EQ(chart_with(charts, s.info.quantities[1].name), nullptr);
    const json run = run_json(trill::report_run(s));
    EXPECT_EQ((*series(run, "tip"))["band_of"], kind);
    EXPECT_FALSE(series(run, "vu1")->contains("band"));
    EXPECT_EQ(run["hidden_components"], 0);
  }
}

// The oscillation of the curve is much faster than a bucket, and the band is wide in a single row.
TEST(ReportSlow, BandsLoseNothingToDecimation) {
  Solution s = slow_motion(2);
  s.info.quantities = {{"amplitude_x1", "m", Kind::amplitude}};
  Solution fine;
  fine.info = s.info;
  const Index rows = 300'000, spike = 123'456;
  double most = 0, least = 0;
  for (Index i = 0; i < rows; ++i) {
    const double t = 1e-3 * static_cast<double>(i), x = std::sin(400 * t);
    const double band = i == spike ? 3 : 0.5 + 0.2 * std::sin(777 * t);
    most = std::max(most, x + band);
    least = std::min(least, x - band);
    fine.append(t, trill::Vec{{x, 0, 0, 0}}, trill::Vec{{band}});
  }
  const auto charts = trill::charts_of(trill::report_run(fine));
  const trill::ChartSeries& x = charts.at(0).series.at(0);
  ASSERT_LT(x.x.size(), 50'000u);
  double high = 0, low = 0;
  for (std::size_t i = 0; i < x.x.size(); ++i) {
    high = std::max(high, x.y[i] + x.band[i]);
    low = std::min(low, x.y[i] - x.band[i]);
    if (std::abs(x.x[i] - 1e-3 * static_cast<double>(spike)) > 0.1 && i > 0 && i + 1 < x.x.size()) {
      // Every bucket contains several periods of the curve and of the band.
      EXPECT_GT(x.band[i], 0.55) << x.x[i];
      EXPECT_LT(x.band[i], 0.71) << x.x[i];
    }
  }
  EXPECT_GE(high, most - 1e-6);
  EXPECT_LE(low, least + 1e-6);
  EXPECT_LE(high, 1 + 3 + 1e-6);
}

TEST(ReportSlow, HalfWidthsAreStoredWithoutOffsetAndSign) {
  trill::Decimator decimator(3, 100, {{0, true, false, false, true}});
  for (const double value : {2e-9, -3e-9, nan}) decimator.row(0, nullptr, &value);
  const trill::Decimated d = decimator.finish();
  EXPECT_EQ(d.series[0].offset, 0);
  EXPECT_FLOAT_EQ(d.series[0].data[0], 2e-9f);
  EXPECT_FLOAT_EQ(d.series[0].data[1], 3e-9f);
  EXPECT_TRUE(std::isnan(d.series[0].data[2]));
}

class ManyRows final : public trill::RowSource {
 public:
  ManyRows(Index components, Index quantities) : y_(components), m_(quantities) {}
  Index rows() const override { return 30'000; }
  void visit(const Visitor& visitor) const override {
    const trill::Vec y = trill::Vec::Zero(y_), m = trill::Vec::Ones(m_);
    for (Index i = 0; i < rows(); ++i) visitor(static_cast<double>(i), y.data(), m.data());
  }

 private:
  Index y_, m_;
};

TEST(ReportSlow, ManyComponentsAreShownWithTheirBandsOrNotAtAll) {
  const ManyRows rows(400, 202);
  trill::ReportRun run{"", {}, {}, {}, rows};
  run.info.layout = {200, 200, 0, 0};
  for (int i = 0; i < 200; ++i) run.info.components.push_back({"q" + std::to_string(i), ""});
  for (int i = 0; i < 200; ++i) run.info.components.push_back({"v" + std::to_string(i), ""});
  run.info.quantities = {{"energy", ""}};
  for (int i = 0; i < 200; ++i) run.info.quantities.push_back({"amplitude_q" + std::to_string(i), "", Kind::amplitude});
  run.info.quantities.push_back({"frequency_1", "", Kind::frequency});
  const std::string text = trill::report_json({"", "", "", {run}, {}, {}});
  EXPECT_LT(text.size(), 4'000'000u);
  const json shown = json::parse(text)["runs"][0];
  EXPECT_NE(series(shown, "energy"), nullptr);
  EXPECT_NE(series(shown, "frequency_1"), nullptr);
  Index coordinates = 0, velocities = 0;
  for (const json& s : shown["series"]) {
    EXPECT_EQ(s.contains("band"), s["group"] == "coordinate") << s["name"];
    coordinates += s["group"] == "coordinate";
    velocities += s["group"] == "velocity";
  }
  EXPECT_GE(coordinates, 10);
  EXPECT_LE(std::abs(coordinates - velocities), 1);
  EXPECT_EQ(shown["hidden_components"], 0);
  EXPECT_EQ(static_cast<Index>(shown["others"]["series"].size()), 400 - coordinates - velocities);
}

// --- the picture ---------------------------------------------------------------------------------------------------

struct Outline {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  int parts = 0;
};

// The outline of all paths whose text contains the attribute.
Outline outline(const std::string& svg, const std::string& attribute) {
  Outline o;
  const std::size_t begin = svg.find("<g clip-path");
  std::istringstream lines(svg.substr(begin, svg.find("</g>") - begin));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(attribute) == std::string::npos) continue;
    const std::string path = line.substr(line.find("d=\"") + 3);
    const std::string data = path.substr(0, path.find('"'));
    for (std::size_t at = 0; (at = data.find_first_of("ML", at)) != std::string::npos; ++at) {
      double x = 0, y = 0;
      std::istringstream(data.substr(at + 1, 40)) >> x >> y;
      o.parts += data[at] == 'M';
      o.left = std::min(o.left, x);
      o.right = std::max(o.right, x);
      o.top = std::min(o.top, y);
      o.bottom = std::max(o.bottom, y);
    }
  }
  return o;
}
const std::string bands = "fill-opacity", lines = "stroke=\"#D55E00\"";

// A curve 0 with a band of half-width 1, and a line from -4 to 4.
Chart banded(std::size_t n) {
  Chart chart{"Banded", "", {"t", "s"}, {"x", "m"}, trill::ChartStyle::line, {{"a", {}, {}}, {"b", {}, {}}}, "band: b"};
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n - 1);
    for (trill::ChartSeries& s : chart.series) s.x.push_back(t);
    chart.series[0].y.push_back(0);
    chart.series[0].band.push_back(1);
    chart.series[1].y.push_back(8 * t - 4);
  }
  return chart;
}

TEST(ReportSlow, PictureShowsTheBandAtItsPlace) {
  for (const std::size_t n : {2u, 100u, 100'000u}) {
    const std::string svg = trill::svg_chart(banded(n));
    EXPECT_NE(svg.find(">band: b<"), std::string::npos);
    EXPECT_LT(svg.size(), 120'000u);
    const Outline band = outline(svg, bands), line = outline(svg, lines);
    EXPECT_EQ(band.parts, 1);
    EXPECT_NEAR((band.bottom - band.top) / (line.bottom - line.top), 0.25, 1e-3);
    EXPECT_NEAR(band.top + band.bottom, line.top + line.bottom, 0.1);
    EXPECT_NEAR(band.left, line.left, 0.6);
    EXPECT_NEAR(band.right, line.right, 0.6);
  }
}

TEST(ReportSlow, PictureKeepsTheWidestPlaceOfADenseBand) {
  Chart chart = banded(100'000);
  chart.series[0].band[71'234] = 12;
  const std::string svg = trill::svg_chart(chart);
  const Outline band = outline(svg, bands), line = outline(svg, lines);
  EXPECT_NEAR((band.bottom - band.top) / (line.bottom - line.top), 3, 1e-2);
  EXPECT_GE(band.top, 0);  // the band fits into the axis
}

TEST(ReportSlow, PictureMeetsOddBands) {
  Chart gap = banded(60);
  gap.series[0].band[30] = nan;
  EXPECT_EQ(outline(trill::svg_chart(gap), bands).parts, 2);
  Chart huge = banded(60);
  huge.series[0].y[7] = huge.series[0].band[7] = std::numeric_limits<double>::max();
  Chart brief = banded(60);
  brief.series[0].band.resize(20);
  Chart log = banded(60);
  log.y.log = true;
  std::fill(log.series[0].y.begin(), log.series[0].y.end(), 0.5);  // now the band reaches below zero
  for (const Chart& chart : {gap, huge, brief, log}) {
    const std::string svg = trill::svg_chart(chart);
    for (const char* word : {"nan", "inf"}) EXPECT_EQ(svg.find(word), std::string::npos) << word;
    EXPECT_GE(outline(svg, bands).parts, 1);
  }
  Chart plain = banded(60);
  plain.series[0].band.clear();
  plain.band_label.clear();
  EXPECT_EQ(trill::svg_chart(plain).find(bands), std::string::npos);
}

TEST(ReportSlow, PictureOfOneCurveExplainsItsBand) {
  Chart chart = banded(60);
  chart.series.resize(1);
  const std::string svg = trill::svg_chart(chart);
  EXPECT_NE(svg.find(">a<"), std::string::npos);
  EXPECT_NE(svg.find(">band: b<"), std::string::npos);
}
}  // namespace
