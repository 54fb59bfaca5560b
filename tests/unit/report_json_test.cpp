// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using nlohmann::json;
using trill::Index;
using trill::Report;
using trill::Solution;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view page =
    "<html><script id=\"trill-data\" type=\"application/json\">/*TRILL_DATA*/</script></html>";

template <class Number>
std::vector<Number> decode(const json& data) {
  const std::string text = data.get<std::string>();
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    EXPECT_NE(digit, std::string_view::npos);
    bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xFFFFFF;
    if ((held += 6) >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255);
  }
  EXPECT_EQ(text.size() % 4, 0u);
  EXPECT_EQ(bytes.size() % sizeof(Number), 0u);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

// Rows as of a spring pendulum: a slow swing, a fast oscillation and a drifting energy.
Solution pendulum(Index rows) {
  Solution s;
  s.info.problem = "stiff_spring";
  s.info.problem_title = "Stiff spring pendulum";
  s.info.method = "verlet";
  s.info.version = "0.1.0";
  s.info.time_unit = "s";
  s.info.layout = {2, 2, 1, 0};
  s.info.components = {{"x", "m"}, {"y", "m"}, {"vx", "m/s"}, {"vy", "m/s"}, {"lambda", "N"}};
  using Kind = trill::QuantityKind;
  s.info.quantities = {{"energy", "J", Kind::energy},
                       {"constraint", "m", Kind::constraint},
                       {"h", "s", Kind::step_size},
                       {"error", "", Kind::step_error},
                       {"newton_iterations", "", Kind::newton_iterations},
                       {"spin", ""}};
  s.info.settings = {{"h", "0.001"}, {"to", "10"}};
  s.info.parameters = {{"epsilon", "0.031622776601683791"}};
  s.info.groups = {"fast", "slow"};
  s.outcome.counters.steps = 10000;
  s.outcome.counters.forces[0] = 10001;
  s.outcome.counters.forces[1] = 501;
  s.outcome.counters.seconds = 0.0123;
  s.trust.verdict = trill::Verdict::amber;
  s.trust.headline = "Good to 1 %.";
  s.trust.rows = {{"x", "m", 1e-6, 1}, {"y", "m", 1e-2, 1}, {"vx", "m/s", 1, 1}, {"vy", "m/s", nan, 1}};
  s.reserve(rows);
  for (Index i = 0; i < rows; ++i) {
    const double t = 1e-3 * static_cast<double>(i), angle = 0.9 * std::cos(2.9 * t), r = 1 + 0.03 * std::cos(120 * t);
    trill::Vec y(5), m(6);
    y << r * std::sin(angle), -r * std::cos(angle), std::cos(t), std::sin(t), 9.81;
    m << 12.5 + 1e-11 * std::sin(40 * t), i == 0 ? 0 : 1e-14 * (1 + t), i == 0 ? 0 : 1e-3, 1e-5, i == 0 ? 0 : 3, 0.5;
    s.append(t, y, m);
  }
  return s;
}

json parse(const Report& report) { return json::parse(trill::report_json(report)); }
Report report_of(const Solution& s) { return {"", "", "", {trill::report_run(s)}, {}, {}}; }
const json* series(const json& run, const std::string& name) {
  for (const json& s : run["series"])
    if (s["name"] == name) return &s;
  return nullptr;
}
std::string value_in(const json& rows, const std::string& name) {
  for (const json& row : rows)
    if (row[0] == name) return row[1];
  return "(missing)";
}

TEST(ReportJson, SaysWhatWasAsked) {
  Solution s = pendulum(10);
  s.info.settings["from"] = "0";
  s.info.settings["to"] = "10";
  s.info.settings["accuracy"] = "1e-06";
  s.info.settings["of"] = "r";
  s.info.time_unit = "s";
  json j = parse(report_of(s));
  EXPECT_EQ(j["runs"][0]["question"], "The full motion from t = 0 to 10 s, to an accuracy of 1e-06 of r");
  s.info.formulation = "slow";
  s.info.delivers = "slow motion";
  j = parse(report_of(s));
  EXPECT_EQ(j["title"], "Stiff spring pendulum: the slow motion, by slow (verlet)");
}

TEST(ReportJson, DecodesToTheInput) {
  const Solution s = pendulum(500);
  const json j = parse(report_of(s));
  EXPECT_EQ(j["schema"], 1);
  EXPECT_EQ(j["title"], "Stiff spring pendulum: the full motion, by verlet");
  EXPECT_EQ(j["version"], "0.1.0");
  EXPECT_EQ(j["generated"].get<std::string>().substr(16), " UTC");
  const json& run = j["runs"][0];
  EXPECT_EQ(run["id"], "r0");
  EXPECT_EQ(run["label"], "verlet, h = 0.001");
  EXPECT_FALSE(run.contains("decimation"));
  EXPECT_EQ(run["hidden_components"], 0);
  EXPECT_EQ(run["time"]["n"], 500);
  EXPECT_EQ(decode<double>(run["time"]["data"]), s.t);
  for (Index c = 0; c < 5; ++c) {
    const json& x = run["series"][static_cast<std::size_t>(c)];
    EXPECT_EQ(x["name"], s.info.components[static_cast<std::size_t>(c)].name);
    EXPECT_EQ(x["offset"].get<double>(), s.y()(c, 0));
    const auto data = decode<float>(x["data"]);
    ASSERT_EQ(data.size(), 500u);
    for (Index i = 0; i < 500; ++i)
      EXPECT_NEAR(x["offset"].get<double>() + data[static_cast<std::size_t>(i)], s.y()(c, i), 1e-6);
  }
  const auto energy = decode<float>((*series(run, "energy"))["data"]);
  EXPECT_EQ((*series(run, "energy"))["offset"], 12.5);
  EXPECT_NEAR(*std::max_element(energy.begin(), energy.end()), 1e-11, 2e-14);
  const auto phase = decode<float>(run["phase"]["data"]);
  EXPECT_EQ(run["phase"]["names"], json({"x", "y", "vx", "vy"}));
  EXPECT_EQ(run["phase"]["n"], 500);
  EXPECT_EQ(run["phase"]["style"], "line");
  ASSERT_EQ(phase.size(), 2000u);
  EXPECT_EQ(phase[4 * 77 + 1], static_cast<float>(s.y()(1, 77)));
}

TEST(ReportJson, PutsSeriesIntoGroups) {
  const json j = parse(report_of(pendulum(50)));
  const json& run = j["runs"][0];
  const std::vector<std::array<std::string, 2>> groups{
      {"x", "coordinate"},  {"vx", "velocity"},           {"lambda", "multiplier"},
      {"energy", "energy"}, {"constraint", "constraint"}, {"h", "step"},
      {"error", "step"},    {"spin", "quantity"},         {"newton_iterations", "newton"}};
  for (const auto& [name, group] : groups) {
    ASSERT_NE(series(run, name), nullptr) << name;
    EXPECT_EQ((*series(run, name))["group"], group);
    EXPECT_EQ((*series(run, name))["log"], group == "constraint" || group == "step") << name;
  }
  EXPECT_EQ((*series(run, "energy"))["whole"], true);
  EXPECT_FALSE(series(run, "spin")->contains("whole"));
  EXPECT_TRUE(std::isnan(decode<float>((*series(run, "h"))["data"])[0]));  // there was no step yet
  EXPECT_NEAR(decode<float>((*series(run, "constraint"))["data"])[1], 1e-14, 1e-16);
}

TEST(ReportJson, TellsFactsAndCounters) {
  Solution s = pendulum(2000);
  s.outcome.status = trill::RunStatus::newton_failed;
  s.outcome.message = "Newton diverged";
  s.outcome.notices = {{1, "code", "text", trill::Severity::warning, nan, 2, 5}};
  s.outcome.events = {{"crossing", 0.5}};
  Report report = report_of(s);
  report.runs[0].parameters = {{"epsilon", "m", "softness", 0.031622776601683791}};
  const json j = parse(report), &run = j["runs"][0];
  EXPECT_EQ(value_in(run["facts"], "interval"), "0 to 1.999 of 10 s");
  EXPECT_EQ(value_in(run["facts"], "unknowns"), "5 (2 coordinates, 2 velocities, 1 multiplier)");
  EXPECT_EQ(value_in(run["facts"], "output rows"), "2000");
  EXPECT_EQ(value_in(run["facts"], "step size"), "0.001 s");
  EXPECT_EQ(value_in(run["facts"], "largest deviation of energy"), "1e-11 J, 8e-13 of its start");
  EXPECT_EQ(value_in(run["counters"], "accepted steps"), "10000");
  EXPECT_EQ(value_in(run["counters"], "force evaluations, slow"), "501");
  EXPECT_EQ(value_in(run["counters"], "solve time"), "0.0123 s");
  EXPECT_EQ(run["parameters"], json::parse(R"([["epsilon", "0.0316228", "m", "softness"]])"));
  EXPECT_EQ(run["status"]["code"], "newton_failed");
  EXPECT_EQ(run["status"]["ok"], false);
  EXPECT_TRUE(run["notices"][0]["value"].is_null());
  EXPECT_EQ(run["notices"][0]["text"], "text (5 times)");
  EXPECT_EQ(run["events"][0]["name"], "crossing");
  const json& trust = run["trust"];
  EXPECT_EQ(trust["verdict"], "amber");
  const std::vector<std::string> verdicts{"green", "amber", "red", "red"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(trust["components"][i]["verdict"], verdicts[i]);
  EXPECT_TRUE(trust["components"][3]["deviation"].is_null());
}

TEST(ReportJson, NonFiniteNumbersStayValidJson) {
  Solution s = pendulum(3);
  for (const double bad : {nan, HUGE_VAL, -HUGE_VAL, 1e300})
    s.append(3, trill::Vec::Constant(5, bad), trill::Vec::Constant(6, bad));
  s.trust.rows[0].deviation = HUGE_VAL;
  s.outcome.events = {{"lost", nan}};
  const json run = parse(report_of(s))["runs"][0];
  const auto x = decode<float>(run["series"][0]["data"]);
  for (std::size_t i = 3; i < 7; ++i) EXPECT_TRUE(std::isnan(x[i]));
  EXPECT_NO_THROW(parse(report_of(pendulum(0))));
  EXPECT_NO_THROW(parse(report_of(Solution())));
  EXPECT_NO_THROW(parse(Report()));
}

TEST(ReportJson, NothingCanLeaveTheScriptElement) {
  Solution s = pendulum(10);
  const std::string evil = "</script><script>alert(1)</script><!-- \" \\ \n \x01 \xff \xed\xa0\x80 é";
  s.info.problem = s.info.method_title = s.info.components[0].name = s.info.quantities[0].unit = evil;
  s.outcome.message = s.trust.headline = s.info.settings["x"] = evil;
  s.info.settings[evil] = evil;
  Report report = report_of(s);
  report.charts = {{evil, evil, {evil, evil}, {}, trill::ChartStyle::both, {{evil, {1}, {2}}}}};
  report.tables = {{evil, evil, {evil}, {{evil}}, {evil}}};
  const std::string html = trill::report_page(report, page);
  EXPECT_EQ(html.find("</script"), html.size() - std::string_view("</script></html>").size());
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(html.find("TRILL_DATA"), std::string::npos);
  const json j = parse(report);
  EXPECT_EQ(j["runs"][0]["method"]["title"].get<std::string>().substr(0, 40), evil.substr(0, 40));
  EXPECT_THROW(trill::report_page(report, "<html></html>"), trill::UsageError);
  EXPECT_THROW(trill::report_page(report, "/*TRILL_DATA*/ /*TRILL_DATA*/"), trill::UsageError);
}

TEST(ReportJson, ChartsAndTablesArePassedOn) {
  Report report;
  report.charts = {{"Work",
                    "note",
                    {"n", "", true},
                    {"error", "m", true},
                    trill::ChartStyle::both,
                    {{"verlet", {1, 2, 4}, {1, 0.25, nan}}}}};
  report.tables = {{"Table", "", {"h", "error"}, {{"0.1", "1e-3"}, {"0.2", "4e-3"}}, {"ok", "bad"}}};
  const json j = parse(report);
  const json& chart = j["charts"][0];
  EXPECT_EQ(chart["style"], "both");
  EXPECT_EQ(chart["x"]["log"], true);
  EXPECT_EQ(chart["y"]["unit"], "m");
  EXPECT_EQ(decode<double>(chart["series"][0]["x"]), (std::vector<double>{1, 2, 4}));
  EXPECT_TRUE(std::isnan(decode<double>(chart["series"][0]["y"])[2]));
  EXPECT_EQ(j["tables"][0]["rows"][1][1], "4e-3");
  EXPECT_EQ(j["tables"][0]["marks"], json({"ok", "bad"}));
}

// Rows made on the fly, in which every component oscillates in its own way and one has a spike.
class Synthetic final : public trill::RowSource {
 public:
  Synthetic(Index rows, Index components, Index quantities) : rows_(rows), y_(components), m_(quantities) {}
  Index rows() const override { return rows_; }
  void visit(const Visitor& visitor) const override {
    trill::Vec y = trill::Vec::Zero(y_), m = trill::Vec::Zero(m_);
    for (Index i = 0; i < rows_; ++i) {
      const Index few = std::min<Index>(y_, 16);
      for (Index k = 0; k < few; ++k) y[k] = static_cast<double>((i * (2 * k + 7)) % 1001) / 1001;
      if (i == rows_ / 3) y[0] = 77;
      m.setConstant(1.0 + static_cast<double>(i % 13));
      visitor(1e-3 * static_cast<double>(i), y.data(), m.data());
    }
  }

 private:
  Index rows_, y_, m_;
};

trill::ReportRun synthetic_run(const Synthetic& source, trill::Layout layout, std::size_t quantities) {
  trill::ReportRun run{"", {}, {}, {}, source};
  run.info.layout = layout;
  for (Index i = 0; i < layout.size(); ++i) {
    run.info.components.push_back({"component " + std::to_string(i), "m"});
    run.trust.rows.push_back({"component " + std::to_string(i), "m", 1e-9 * static_cast<double>(i), 1});
  }
  for (std::size_t i = 0; i < quantities; ++i) run.info.quantities.push_back({"q" + std::to_string(i), ""});
  return run;
}

TEST(ReportJson, AMillionRowsStayWithinTheBudget) {
  const Synthetic source(1'000'000, 4, 4);
  Report report;
  report.runs.push_back(synthetic_run(source, {2, 2, 0, 0}, 4));
  const std::string text = trill::report_json(report);
  EXPECT_LT(text.size(), 4'000'000u);
  const json run = json::parse(text)["runs"][0];
  EXPECT_EQ(run["decimation"]["rows"], 1'000'000);
  EXPECT_GE(run["decimation"]["kept"], 8000);
  const auto data = decode<float>(run["series"][0]["data"]);
  EXPECT_NEAR(*std::max_element(data.begin(), data.end()), 77, 1e-4);
  EXPECT_LE(run["phase"]["n"], 6000);
  EXPECT_GE(run["phase"]["n"], 2000);
  EXPECT_EQ(run["phase"]["style"], "points");
}

TEST(ReportJson, ManyComponentsAndManyRunsStayWithinTheBudget) {
  const Synthetic wide(20'000, 10'000, 5);
  Report report;
  report.runs.push_back(synthetic_run(wide, {5000, 4900, 100, 0}, 5));
  std::string text = trill::report_json(report);
  EXPECT_LT(text.size(), 4'000'000u);
  json run = json::parse(text)["runs"][0];
  const auto shown = run["series"].size();
  const auto found = run["others"]["series"].size();  // found by the search of the page
  EXPECT_EQ(run["hidden_components"].get<std::size_t>() + shown + found, 10'005u);
  EXPECT_EQ(found, 2000u);
  EXPECT_GE(shown, 40u);
  for (const char* group : {"coordinate", "velocity", "multiplier"})
    EXPECT_TRUE(
        std::any_of(run["series"].begin(), run["series"].end(), [&](const json& s) { return s["group"] == group; }));
  EXPECT_NE(series(run, "q4"), nullptr);
  EXPECT_EQ(run["trust"]["components"].size(), 200u);
  EXPECT_EQ(run["trust"]["components"][199]["name"], "component 9999");

  const Synthetic longer(30'000, 8, 3), brief(50, 8, 3);
  report.runs.clear();
  for (int i = 0; i < 30; ++i) report.runs.push_back(synthetic_run(longer, {4, 4, 0, 0}, 3));
  report.runs.push_back(synthetic_run(brief, {4, 4, 0, 0}, 3));
  report.charts.push_back({"long",
                           "",
                           {},
                           {},
                           trill::ChartStyle::line,
                           {{"", std::vector<double>(1'000'000), std::vector<double>(1'000'000)}}});
  text = trill::report_json(report);
  EXPECT_LT(text.size(), 4'900'000u);
  const json j = json::parse(text);
  EXPECT_FALSE(j["runs"][30].contains("decimation"));  // a short run is shown completely
  EXPECT_EQ(j["runs"][30]["series"].size(), 11u);
  EXPECT_EQ(j["runs"][30]["phase"]["n"], 50);
  EXPECT_GE(j["runs"][0]["decimation"]["kept"], 1000);
}

TEST(ReportCharts, ShowWhatTheReportShows) {
  const Solution s = pendulum(60'000);
  const auto charts = trill::charts_of(trill::report_run(s));
  std::vector<std::string> titles;
  for (const trill::Chart& c : charts) titles.push_back(c.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"Quantities", "Coordinates", "Velocities", "Energy, deviation from its start",
                                      "Constraint violation", "Multipliers", "Step size", "Local error estimate",
                                      "Newton iterations", "Phase plane: x, y", "Spectrum"}));
  EXPECT_EQ(charts[9].style, trill::ChartStyle::line);
  for (const trill::Chart& c : charts)
    for (const trill::ChartSeries& x : c.series) EXPECT_EQ(x.x.size(), x.y.size());
  EXPECT_EQ(charts[1].y.label, "x, y");
  EXPECT_EQ(charts[1].y.unit, "m");
  const auto& energy = charts[3].series[0].y;
  EXPECT_NEAR(*std::max_element(energy.begin(), energy.end()), 1e-11, 2e-14);
  EXPECT_TRUE(charts[4].y.log);
  // The first row comes before any step.
  EXPECT_EQ(trill::svg_chart(charts[6]).find("not positive"), std::string::npos);
  EXPECT_TRUE(trill::charts_of(trill::report_run(Solution())).empty());
}
}  // namespace
