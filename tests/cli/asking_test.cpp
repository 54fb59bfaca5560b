// SPDX-License-Identifier: BSD-3-Clause
// The output of `trill run`: the summary, its numbers, rows on standard output, and the accuracy that was asked for.
#include "support/mentions.hpp"
#include "tool.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// The first mass oscillates, x = cos t. The second one falls.
const char* const swing = R"toml(
[coordinates]
x = { start = 1, unit = "m" }
z = { start = 5 }
[[potential]]
energy = "x^2/2 + 2*z"
[[event]]
name = "floor"
when = "z"
stop = true
[run]
to = 3
method = "dopri5"
)toml";

class Asking : public testing::Test {
 protected:
  Asking() { write_text(directory_ / "swing.toml", swing); }
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  json answer(const std::string& line, int code = 0) const {
    const Ended ended = trill(line + " --json");
    EXPECT_EQ(ended.code, code) << line << ended.err;
    return json::parse(ended.out);
  }
  Directory directory_;
};

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(Asking, TheSummaryNamesQuestionMethodEndEventsDriftStepsAndCheck) {
  const Ended ended = trill("run swing.toml");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, mentions("swing with dopri5: the full motion from t = 0 to 3", "steps", " of ",
                                  "end: t = 2.23607", "energy = 10.5", "x = -0.61727", "events: floor at t = 2.23607",
                                  "drift: energy", "of its start", "trust: green"));
}

TEST_F(Asking, TheSummaryIsShortAndNarrow) {
  for (const char* model :
       {"swing.toml", "kepler", "four_bar", "two_springs", "buck", "fermi_pasta_ulam", "langevin"}) {
    const Ended ended = trill(fmt::format("run {} --trust never", model));
    if (ended.code == 2) continue;
    const std::vector<std::string> lines = lines_in(ended.out);
    EXPECT_LE(lines.size(), 16u) << ended.out;
    for (const std::string& line : lines) EXPECT_LE(line.size(), 110u) << line;
  }
}

TEST_F(Asking, JsonHasNumbersAsNumbers) {
  const json r = answer("run swing.toml --accuracy 1e-4 --of x,energy");
  EXPECT_EQ(r["question"]["want"], "full");
  EXPECT_EQ(r["question"]["to"], 3.0);
  EXPECT_EQ(r["question"]["accuracy"], 1e-4);
  EXPECT_EQ(r["question"]["of"], json::parse(R"(["x", "energy"])"));
  EXPECT_NEAR(r["end"]["t"].get<double>(), std::sqrt(5), 1e-6);
  EXPECT_NEAR(r["end"]["components"]["x"].get<double>(), std::cos(std::sqrt(5)), 1e-4);
  EXPECT_NEAR(r["end"]["measures"]["energy"].get<double>(), 10.5, 1e-3);
  EXPECT_EQ(r["events"].at(0)["name"], "floor");
  EXPECT_NEAR(r["events"].at(0)["t"].get<double>(), std::sqrt(5), 1e-6);
  EXPECT_NEAR(r["drift"]["energy"]["start"].get<double>(), 10.5, 1e-12);
  EXPECT_LE(r["step_range"].at(0).get<double>(), r["step_range"].at(1).get<double>());
  EXPECT_TRUE(r["settings"]["to"].is_number());
  EXPECT_TRUE(r["trust"]["error"].is_number() || r["trust"]["error"].is_null());
  EXPECT_TRUE(r["attempts"].is_array());
}

TEST_F(Asking, RowsGoToStandardOutputAndTheSummaryBesideThem) {
  const Ended ended = trill("run swing.toml --to 2 --dt 0.5 --out -");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::vector<std::string> lines = lines_in(ended.out);
  ASSERT_EQ(lines.size(), 6u) << ended.out;
  EXPECT_TRUE(lines[0].starts_with("t,x [m],z,vx,vz,energy")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("0,1,5,0,0,10.5")) << lines[1];
  EXPECT_THAT(ended.err, mentions("swing with dopri5", "trust: green"));
  EXPECT_EQ(directory_.names(), (Words{"swing.toml"}));
  const Ended quiet = trill("run swing.toml --to 2 --dt 0.5 --out - --quiet");
  EXPECT_EQ(quiet.out, ended.out);
  EXPECT_EQ(quiet.err, "");
  const Ended both = trill("run swing.toml --to 2 --dt 0.5 --out - --json");
  EXPECT_EQ(both.out, ended.out);
  EXPECT_TRUE(json::accept(both.err)) << both.err;
}

TEST_F(Asking, ReadersOfRowsMayGoAway) {
  for (const char* line :
       {"trill run kepler --to 2000 --out - | head -1", "trill run kepler --to 2000 --out - -q | true"}) {
    const Ended ended = run({"/bin/sh", "-c", line}, {.directory = directory_.path(), .tool_on_path = true});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("trill: "))) << ended.err;
  }
}

TEST_F(Asking, AtRecordsTheseTimesOnly) {
  const auto times_of = [&](const std::string& line) {
    const Ended ended = trill(line + " --out - --trust never");
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::vector<std::string> times;
    for (const std::string& row : lines_in(ended.out)) times.push_back(row.substr(0, row.find(',')));
    return times;
  };
  EXPECT_EQ(times_of("run kepler --at 10,1,2.5"), (Words{"t", "1", "2.5", "10"}));
  EXPECT_EQ(times_of("run kepler --at 0,1 --to 5"), (Words{"t", "0", "1"}));
  EXPECT_EQ(times_of("run kepler --at -1,-3"), (Words{"t", "-1", "-3"}));
  ASSERT_EQ(trill("run kepler --at 1,2.5,10 --out run.h5").code, 0);
  const Solution stored = SolutionFile(directory_ / "run.h5").load();
  EXPECT_EQ(stored.t, (std::vector<double>{1, 2.5, 10}));
  EXPECT_NE(stored.trust.verdict, Verdict::none);
  EXPECT_THAT(trill("run kepler --at 1,x").err, mentions("--at", "'x'"));
  EXPECT_THAT(trill("run kepler --at 7 --to 5").err, mentions("t = 7", "t = 5"));
  EXPECT_EQ(trill("run kepler --at 7 --dt 1").code, 2);
}

TEST_F(Asking, StrictTurnsRedIntoAnExitCode) {
  const std::string wrong = "run stiff_spring --method verlet --h 0.05 --to 10";
  EXPECT_EQ(trill(wrong).code, 0);
  EXPECT_EQ(trill(wrong + " --strict").code, 4);
  const Ended quiet = trill(wrong + " --strict --quiet");
  EXPECT_EQ(quiet.code, 4);
  EXPECT_THAT(quiet.err, mentions("red", "--strict"));
  EXPECT_EQ(trill("run kepler --strict").code, 0);
  EXPECT_EQ(trill("run stiff_spring --method verlet --h 0.05 --to 10 --sweep epsilon=0.03,0.02 --strict").code, 4);
}

// The accuracy is that of the final values, compared here with x = cos t.
TEST_F(Asking, AnAccuracyIsAGlobalError) {
  for (const char* method : {"verlet", "dopri5", "radau"}) {
    const json r = answer(fmt::format("run swing.toml --to 2 --method {} --accuracy 1e-7 --of x", method));
    EXPECT_EQ(r["trust"]["verdict"], "green") << method << r["trust"];
    EXPECT_EQ(r["shortfall"], "") << method;
    EXPECT_NEAR(r["end"]["components"]["x"].get<double>(), std::cos(2), 2e-7) << method;
  }
}

TEST_F(Asking, RepetitionsAreListed) {
  const json r = answer("run swing.toml --to 2 --method verlet --accuracy 1e-7 --of x");
  ASSERT_FALSE(r["attempts"].empty());
  EXPECT_LE(r["attempts"].size(), 3u);
  EXPECT_EQ(r["attempts"].at(0)["way"], "verlet");
  EXPECT_GT(r["attempts"].at(0)["h"].get<double>(), r["settings"]["h"].get<double>());
  EXPECT_THAT(trill("run swing.toml --to 2 --method verlet --accuracy 1e-7 --of x").out,
              mentions("tried: verlet with h =", "given up, because its error was", "to an accuracy of 1e-07 of x"));
}

TEST_F(Asking, AStepThatWasNamedStays) {
  const json r = answer("run swing.toml --to 2 --method verlet --h 0.01 --accuracy 1e-8");
  EXPECT_EQ(r["settings"]["h"], 0.01);
  EXPECT_TRUE(r["attempts"].empty());
  EXPECT_NE(r["trust"]["verdict"], "green");
  EXPECT_THAT(r["shortfall"].get<std::string>(), mentions("1e-08", "h = 0.01"));
}

TEST_F(Asking, SweepsReachTheAccuracyToo) {
  write_text(directory_ / "k.toml",
             "parameters.k = 1\ncoordinates.x = 1\npotential = [{ energy = \"k*x^2/2\" }]\nrun.to = 5\n");
  const json r = answer("run k.toml --method verlet --sweep k=1,4,9 --accuracy 1e-6");
  ASSERT_EQ(r["runs"].size(), 3u);
  for (const json& member : r["runs"]) {
    EXPECT_EQ(member["trust"]["verdict"], "green") << member;
    EXPECT_GE(member["repetitions"].get<int>(), 1) << member;
    const double k = member["parameters"]["k"].get<double>();
    EXPECT_NEAR(member["end_state"]["x"].get<double>(), std::cos(std::sqrt(k) * 5), 2e-6) << member;
  }
}

// Five revolutions of an orbit that falls almost to the centre. At the end it is where it began. trill first chooses
// equal steps, since the motion is smooth where it begins; these fail near the centre.
TEST_F(Asking, EqualStepsThatAnEncounterSpoilsAreFollowedByControlledOnes) {
  write_text(directory_ / "plunge.toml", R"toml(
[parameters]
e = 0.9999
[coordinates]
x = { start = "1 + e", velocity = 0 }
y = { start = 0, velocity = "sqrt((1 - e)/(1 + e))" }
[[potential]]
energy = "-1/sqrt(x^2 + y^2)"
[run]
to = 31.41592653589793
)toml");
  const json r = answer("run plunge.toml");
  ASSERT_GE(r["attempts"].size(), 2u) << r;
  EXPECT_GT(r["attempts"].at(1)["h"].get<double>(), 0) << r["attempts"];
  EXPECT_TRUE(r["settings"].contains("rtol")) << r["settings"];
  EXPECT_NEAR(r["end"]["components"]["x"].get<double>(), 1.9999, 1e-4);
  EXPECT_NEAR(r["end"]["components"]["y"].get<double>(), 0, 1e-4);
}

// Burrau's three bodies have close encounters. Neighbouring motions separate there, but each of them conserves the
// energy. So a run whose energy changes is wrong, not merely chaotic.
TEST_F(Asking, AChaoticMotionThatLosesItsEnergyIsRed) {
  write_text(directory_ / "three.toml", R"toml(
[coordinates]
x1 = { start = 1, mass = 3 }
y1 = { start = 3, mass = 3 }
x2 = { start = -2, mass = 4 }
y2 = { start = -1, mass = 4 }
x3 = { start = 1, mass = 5 }
y3 = { start = -1, mass = 5 }
[[potential]]
energy = """-12/sqrt((x1-x2)^2+(y1-y2)^2) - 15/sqrt((x1-x3)^2+(y1-y3)^2)
  - 20/sqrt((x2-x3)^2+(y2-y3)^2)"""
[run]
to = 40
)toml");
  const json r = answer("run three.toml --method composition8 --h 0.01");
  EXPECT_EQ(r["trust"]["verdict"], "red") << r["trust"];
}

// Two oscillators of frequency 1000 exchange their energy over times of order one. Only their amplitudes are slow.
// energy_1 and energy_2 have a closed form (see the page of the model).
TEST_F(Asking, AmplitudesOfOneCommonOscillationAreComputedByAveraging) {
  const json r = answer("run weakly_coupled --want amplitude --to 10");
  EXPECT_EQ(r["formulation"], "sam") << r;
  EXPECT_LT(r["forces"].get<double>(), 60'000);
  const double omega = 1000, faster = std::sqrt(omega * omega + 2 * omega), t = 10;
  const double q1 = (std::cos(omega * t) + std::cos(faster * t)) / 2,
               v1 = -(omega * std::sin(omega * t) + faster * std::sin(faster * t)) / 2;
  EXPECT_NEAR(r["end"]["measures"]["energy_1"].get<double>(), (v1 * v1 / (omega * omega) + q1 * q1) / 2, 1e-3);
  EXPECT_EQ(trill("run harmonic --want amplitude --to 3").code, 2);
}

// The reduction of a structure computes a bound of its own error. It is reported if there is no time for another
// check.
TEST_F(Asking, ABoundOfTheErrorIsAStatement) {
  const json r = answer("run plate --check 1e-6");
  EXPECT_EQ(r["formulation"], "ritz");
  EXPECT_EQ(r["trust"]["verdict"], "green") << r["trust"];
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), mentions("ritz", "states itself"));
}

// Each message names the most similar thing that is possible.
TEST_F(Asking, WhatCannotBeHadIsSaidInOneSentence) {
  const struct {
    const char* line;
    std::vector<const char*> says;
  } cases[] = {
      {"run swing.toml --accuracy 1e-15", {"1e-15", "rounding", "1e-13"}},
      {"run swing.toml --accuracy 3", {"below 1", "1e-3"}},
      {"run swing.toml --accuracy 0", {"accuracy", "positive"}},
      {"run swing.toml --of enery", {"'enery'", "'energy'"}},
      {"run swing.toml --of x,,z", {"--of", "x,,z"}},
      {"run swing.toml --want slwo", {"'slwo'", "'slow'"}},
      {"run swing.toml --sweep x=1,2 --out -", {"standard output", "results/"}},
  };
  for (const auto& c : cases) {
    const Ended ended = trill(c.line);
    EXPECT_EQ(ended.code, 2) << c.line;
    EXPECT_EQ(ended.out, "") << c.line;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    for (const char* word : c.says) EXPECT_THAT(ended.err, HasSubstr(word)) << c.line;
  }
  EXPECT_EQ(directory_.names(), (Words{"swing.toml"}));
}

TEST_F(Asking, AForceThatIsNotANumberAtTheStartIsNamed) {
  write_text(directory_ / "nan.toml", "coordinates.x = 0\nforce = [{ on = \"x\", value = \"sqrt(x - 1)\" }]\n");
  const Ended ended = trill("run nan.toml --out run.h5");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, mentions("nan.toml:2", "at the start", "finite"));
  EXPECT_EQ(directory_.names(), (Words{"nan.toml", "swing.toml"}));
}

TEST_F(Asking, WhatAMotionThatBlowsUpDidBeforeIsKept) {
  write_text(directory_ / "blow.toml",
             "coordinates.x = 1\nforce = [{ on = \"x\", value = \"6*x^2\" }]\n[run]\nto = 10\n");
  const Ended ended = trill("run blow.toml --out run.h5");
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.err, mentions("failed at t = "));
  const Solution kept = SolutionFile(directory_ / "run.h5").load();
  EXPECT_FALSE(kept.ok());
  EXPECT_GT(kept.rows(), 5);
}

// The command is killed in any of its attempts. With --resume it gives the same rows.
TEST_F(Asking, AKilledQuestionIsAnsweredTheSame) {
  const std::string line =
      "run kepler --method verlet --to 300 --accuracy 1e-3 --every 20 --checkpoint-seconds 0.02 -q ";
  ASSERT_EQ(trill(line + "--out whole.h5").code, 0);
  const Solution whole = SolutionFile(directory_ / "whole.h5").load();
  ASSERT_FALSE(whole.info.attempts.empty());
  int killed = 0;
  for (const double seconds : {0.15, 0.4, 0.8}) {
    const std::string file = fmt::format("run-{}.h5", killed);
    Process process(tool_command(words_of(line + "--out " + file)), {.directory = directory_.path()});
    if (!process.running(seconds)) continue;
    process.send(SIGKILL);
    process.wait();
    ++killed;
    if (!fs::exists(directory_ / (file + ".part")) && !fs::exists(directory_ / file)) continue;
    const bool nothing_stored = newest_checkpoint(directory_ / (file + ".part")) < 0;
    const Ended ended = trill(line + "--resume " + file);
    // On a busy machine it may be killed before anything was recorded.
    if (nothing_stored && ended.err.find("no interrupted run") != std::string::npos) continue;
    ASSERT_TRUE(ended.code == 0 || (ended.code == 2 && ended.err.find("already finished") != std::string::npos))
        << ended.err;
    const Solution resumed = SolutionFile(directory_ / file).load();
    EXPECT_EQ(resumed.info.settings, whole.info.settings) << seconds;
    EXPECT_EQ(resumed.t, whole.t) << seconds;
    EXPECT_TRUE(resumed.y() == whole.y()) << seconds;
  }
  EXPECT_GT(killed, 0);
}

// At a frequency of 32 the model error of slow is more than a thousandth, and the full motion takes little time.
TEST_F(Asking, ASlowMotionWithTooLargeAModelErrorGivesWayToTheFullOne) {
  const json said = answer("run stiff_spring --want slow");
  EXPECT_EQ(said["trust"]["verdict"], "green");
  EXPECT_THAT(said["attempts"].dump(), mentions("slow", "themselves"));
}
}  // namespace
}  // namespace trill::testing_cli
