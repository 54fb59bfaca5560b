// SPDX-License-Identifier: BSD-3-Clause
#include "report/known_frequencies.hpp"
#include "report/spectrum.hpp"
#include "report/svg.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trill::Chart;
using trill::Index;
using trill::Solution;
using trill::Spectrum;

std::vector<double> samples_of(std::size_t count, double dt, auto function) {
  std::vector<double> samples(count);
  for (std::size_t i = 0; i < count; ++i) samples[i] = function(dt * static_cast<double>(i));
  return samples;
}

// A measure r and a coordinate x at given times.
Solution curves_at(const std::vector<double>& times, auto r, auto x) {
  Solution s;
  s.info.problem = "curves";
  s.info.time_unit = "s";
  s.info.layout = {1, 1, 0, 0};
  s.info.components = {{"x", "m"}, {"v", "m/s"}};
  s.info.quantities = {{"r", "m"}, {"h", "s", trill::QuantityKind::step_size}};
  for (const double t : times) {
    trill::Vec y(2), m(2);
    y << x(t), 0;
    m << r(t), 0.1;
    s.append(t, y, m);
  }
  return s;
}

// Steps between 0.4 and 1.6 times their mean length.
std::vector<double> uneven_times(double end, Index steps) {
  std::vector<double> times{0};
  const double mean = end / static_cast<double>(steps);
  for (Index i = 1; i < steps; ++i) {
    const auto k = static_cast<double>(i);
    times.push_back(mean * (k + 0.3 * std::sin(2.1 * k)));
  }
  times.push_back(end);
  return times;
}

TEST(Spectrum, OfASineHasItsFrequencyAndAmplitudeWhereverItLiesBetweenTheLines) {
  for (const double cycles : {40.0, 40.25, 40.5, 40.8}) {
    const double omega = 2 * std::numbers::pi * cycles;  // the run lasts for a time of 1
    const Spectrum found = trill::spectrum_of(
        samples_of(2048, 1.0 / 2048, [&](double t) { return 3 + 0.7 * std::sin(omega * t + 0.4); }), 1.0 / 2048);
    ASSERT_THAT(found.peaks, SizeIs(1)) << cycles;
    EXPECT_NEAR(found.peaks[0].omega / omega, 1, 1e-5) << cycles;
    EXPECT_NEAR(found.peaks[0].amplitude, 0.7, 7e-4) << cycles;
  }
}

TEST(Spectrum, SeparatesTwoSinesAndOrdersThemByAmplitude) {
  const auto two = [](double t) { return 0.2 * std::cos(30 * t) + 0.9 * std::cos(200 * t); };
  const Spectrum found = trill::spectrum_of(samples_of(4096, 10.0 / 4096, two), 10.0 / 4096);
  ASSERT_THAT(found.peaks, SizeIs(2));
  EXPECT_NEAR(found.peaks[0].omega, 200, 0.01);
  EXPECT_NEAR(found.peaks[0].amplitude, 0.9, 1e-3);
  EXPECT_NEAR(found.peaks[1].omega, 30, 0.01);
  EXPECT_NEAR(found.peaks[1].amplitude, 0.2, 1e-3);
}

// If uneven rows were joined by straight lines, the spectrum would have amplitudes at frequencies that the motion has
// not.
TEST(Spectrum, UnevenStepsAreResampledBetweenRows) {
  const auto sine = [](double t) { return std::sin(50 * t); };
  for (const bool backwards : {false, true}) {
    std::vector<double> times = uneven_times(10, 1200);  // 15 steps per period
    if (backwards) std::reverse(times.begin(), times.end());
    trill::Resampler resampler(1, times.front(), times.back(), 4096);
    for (const double t : times) resampler.row(t, {sine(t)});
    const auto samples = resampler.finish().at(0);
    ASSERT_THAT(samples, SizeIs(4096));
    double worst = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double t = times.front() + (times.back() - times.front()) * static_cast<double>(i) / 4096;
      worst = std::max(worst, std::abs(samples[i] - sine(t)));
    }
    EXPECT_LT(worst, 2e-3);
  }
}

TEST(Spectrum, AJumpDoesNotSwing) {
  trill::Resampler resampler(1, 0, 10, 400);
  for (int i = 0; i <= 100; ++i) resampler.row(0.1 * i, {i < 50 ? 0.0 : 1.0});
  const auto samples = resampler.finish();
  for (const double value : samples.at(0)) {
    EXPECT_GT(value, -0.5);
    EXPECT_LT(value, 1.5);
  }
}

TEST(Spectrum, IsShownWhereSomethingOscillatesFastAndOnRequest) {
  const auto slow = [](double t) { return std::sin(t); };
  const auto fast = [](double t) { return std::sin(t) + 0.1 * std::sin(80 * t); };
  const Solution calm = curves_at(uneven_times(10, 3000), slow, slow),
                 lively = curves_at(uneven_times(10, 3000), slow, fast);
  trill::ReportRun run = trill::report_run(calm);
  EXPECT_THAT(trill::spectrum_charts(run), IsEmpty());
  run.spectrum = std::vector<std::string>{"r"};
  const std::vector<Chart> asked = trill::spectrum_charts(run);
  ASSERT_THAT(asked, SizeIs(1));
  ASSERT_THAT(asked[0].series, SizeIs(1));
  EXPECT_EQ(asked[0].series[0].label, "r");

  const std::vector<Chart> found = trill::spectrum_charts(trill::report_run(lively));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].series, SizeIs(2));
  EXPECT_EQ(found[0].x.unit, "rad/s");
  EXPECT_THAT(found[0].note, HasSubstr("0.1 at 80 (period 0.0785)"));
}

// The last digit of a constant changes from row to row.
TEST(Spectrum, RoundingIsNoFastMotion) {
  const auto constant = [](double t) { return 0.04 + 1e-17 * std::sin(977 * t); };
  const Solution run = curves_at(uneven_times(10, 500), constant, [](double t) { return t; });
  EXPECT_THAT(trill::spectrum_charts(trill::report_run(run)), IsEmpty());
}

TEST(Spectrum, IsNotSoughtInSlowMotionsEnvelopesAndSteadyStates) {
  const auto fast = [](double t) { return std::sin(30 * t); };
  Solution run = curves_at(uneven_times(10, 2000), fast, fast);
  EXPECT_THAT(trill::spectrum_charts(trill::report_run(run)), testing::Not(IsEmpty()));
  run.info.settings["want"] = "steady";
  EXPECT_THAT(trill::spectrum_charts(trill::report_run(run)), IsEmpty());
  run.info.settings.clear();
  for (const trill::Delivers delivers : {trill::Delivers::slow, trill::Delivers::envelope}) {
    run.info.delivers = trill::to_text(delivers);
    EXPECT_THAT(trill::spectrum_charts(trill::report_run(run)), IsEmpty());
  }
  trill::ReportRun asked = trill::report_run(run);
  asked.spectrum = std::vector<std::string>{"r"};
  EXPECT_THAT(trill::spectrum_charts(asked), SizeIs(1));
}

TEST(Spectrum, RefusesANameThatIsNotThere) {
  const auto sine = [](double t) { return std::sin(50 * t); };
  const Solution s = curves_at(uneven_times(10, 3000), sine, sine);
  trill::ReportRun run = trill::report_run(s);
  run.spectrum = std::vector<std::string>{"q"};
  EXPECT_THROW(trill::spectrum_charts(run), trill::UsageError);
}

TEST(Spectrum, OfAShortOrUnmovedRunIsNothing) {
  const auto still = [](double) { return 2.0; };
  for (const Index steps : {2, 500}) {
    const Solution s = curves_at(uneven_times(1, steps), still, still);
    trill::ReportRun run = trill::report_run(s);
    run.spectrum.emplace();
    EXPECT_THAT(trill::spectrum_charts(run), IsEmpty());
  }
}

TEST(Spectrum, MarksFrequenciesOfTheModelInTheChartThePageAndThePicture) {
  const auto sine = [](double t) { return std::sin(50 * t); };
  const Solution s = curves_at(uneven_times(10, 3000), sine, sine);
  trill::ReportRun run = trill::report_run(s);
  run.frequencies = [] { return std::vector<trill::ChartMark>{{50, "50 & more"}, {1e9, "too fast"}}; };
  const std::vector<Chart> charts = trill::spectrum_charts(run);
  ASSERT_THAT(charts, SizeIs(1));
  ASSERT_THAT(charts[0].marks, SizeIs(1));
  EXPECT_THAT(trill::svg_chart(charts[0]), HasSubstr("50 &amp; more"));
  const auto page = nlohmann::json::parse(trill::report_json({"", "", "", {run}, {}, {}}));
  EXPECT_EQ(page["runs"][0]["spectrum"][0]["marks"][0]["x"], 50);
}

// The frequency sqrt(k/m) of an oscillator and that of its driving force.
TEST(Spectrum, KnowsTheFrequenciesOfAModel) {
  const auto model = trill::read_model("driven.toml",
                                       "[coordinates]\nx = { start = 1, velocity = 0 }\n"
                                       "[[potential]]\nenergy = \"200*x^2 - x*sin(7*t)\"\n[run]\nto = 10\n");
  const auto marks = trill::known_frequencies(*model.problem, 10);
  ASSERT_THAT(marks, SizeIs(2));
  EXPECT_NEAR(marks[0].x, 7, 1e-9);
  EXPECT_THAT(marks[0].label, HasSubstr("driven"));
  EXPECT_NEAR(marks[1].x, 20, 1e-6);
}
}  // namespace
