// SPDX-License-Identifier: BSD-3-Clause
// Requests that no method can satisfy as they stand: motions with jumps, motions that end, and motions of which only
// averages make sense.
#include "support/mentions.hpp"
#include "tool.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class FrontDesk : public testing::Test {
 protected:
  Ended trill(const std::string& line) const { return trill_in(directory_.path(), words_of(line)); }
  json answer(const std::string& line, int code = 0) const {
    const Ended ended = trill(line + " --json");
    EXPECT_EQ(ended.code, code) << line << ended.err;
    return json::parse(ended.out, nullptr, false);
  }
  void model(const char* name, const char* text) const { write_text(directory_ / name, text); }
  Directory directory_;
};

// The period of the relaxation oscillation is (3 - 2 log 2) mu + O(mu^(-1/3)). A jump lasts about 1/mu, which is 1e-12
// of the run. Between jumps, x follows log x - x^2/2 = t/mu + const, beginning with x = 2.
TEST_F(FrontDesk, JumpsThatLastForAMomentDoNotSpoilAStatement) {
  model("van_der_pol.toml", R"toml(
parameters.mu = 1e6
coordinates.x = { start = 2, velocity = 0 }
force = [{ on = "x", value = "mu*(1 - x^2)*vx - x" }]
run.to = 2e6
)toml");
  const json r = answer("run van_der_pol.toml");
  EXPECT_EQ(r["trust"]["verdict"], "green") << r["trust"]["headline"];
  EXPECT_TRUE(r["trust"]["until"].is_null()) << r["trust"]["headline"];
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), HasSubstr("moments"));
  EXPECT_LE(r["steps"].get<int>(), 1000);
  // After the jump at t = (3/2 - log 2) mu it follows the same curve from x = -2, and after the second jump from x = 2
  // again.
  const double x = r["end"]["components"]["x"].get<double>(), since = 2 - (3 - 2 * std::log(2));
  EXPECT_NEAR(std::log(x) - x * x / 2 - (std::log(2) - 2), since, 1e-3);
}

// The solution of x' = x^2 is infinite at t = 1/x0.
TEST_F(FrontDesk, AMotionThatEndsIsOfferedUntilItsEnd) {
  model("end.toml", "coordinates.x = 1000\nrate.x = \"x^2\"\nrun.to = 1\n");
  for (const char* more : {"", " --accuracy 1e-6"}) {
    const json r = answer(fmt::format("run end.toml{}", more), 1);
    EXPECT_THAT(r["shortfall"].get<std::string>(), mentions("t = 0.001", "--to 0.00099")) << r["attempts"];
    EXPECT_NEAR(r["end"]["t"].get<double>(), 1e-3, 1e-8);
    EXPECT_THAT(r["message"].get<std::string>(), Not(HasSubstr("inf")));
  }
  EXPECT_EQ(answer("run end.toml --to 0.00099")["trust"]["verdict"], "green");
}

// The motion is x = cos t, so the mean of x^2 is 1/2.
constexpr const char* swing = R"toml(
coordinates.x = 1
potential = [{ energy = "x^2/2" }]
measure = [{ name = "square", value = "x^2" }]
run.to = 628.3185307179586
)toml";

double mean_square_in(const std::string& text) {
  const auto at = text.find("square ");
  return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + 7));
}

TEST_F(FrontDesk, AveragesOfAConservativeMotionAreStated) {
  model("swing.toml", swing);
  const json r = answer("run swing.toml --want statistics");
  EXPECT_EQ(r["trust"]["verdict"], "green") << r["trust"];
  const std::string said = r["trust"]["headline"];
  EXPECT_NEAR(mean_square_in(said), 0.5, 2e-3) << said;
  EXPECT_THAT(said, mentions("+-", "h/1.618"));
}

TEST_F(FrontDesk, AveragesAreStatedWhereAToleranceSetsTheSteps) {
  model("swing.toml", swing);
  const std::string said = answer("run swing.toml --want statistics --method dop853")["trust"]["headline"];
  EXPECT_NEAR(mean_square_in(said), 0.5, 2e-3) << said;
  EXPECT_THAT(said, mentions("Averages:", "+-", "correlation time"));
}

// With the steps that the path allows there would be fewer than a hundred rows.
TEST_F(FrontDesk, AveragesTakeEnoughRowsByThemselves) {
  model("oval.toml", R"toml(
coordinates.x = 1
coordinates.y = 0.5
potential = [{ energy = "x^2/2 + y^2/2" }]
measure = [{ name = "square", value = "x^2" }]
run.to = 12.566370614359172
)toml");
  const json r = answer("run oval.toml --want statistics");
  EXPECT_GE(r["steps"].get<int>(), 400);
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), HasSubstr("square"));
  const json constant = answer("run harmonic --want statistics")["trust"];
  EXPECT_EQ(constant["verdict"], "green");
  EXPECT_THAT(constant["headline"].get<std::string>(), HasSubstr("nothing that varies"));
}

// In a quartic well y^2 has the mean 2 Gamma(3/4)/Gamma(1/4) = 0.67598 at kT = 1, which x is not coupled to. With h
// omega = 1.7 the mean of x^2, here 0.01, is far off.
TEST_F(FrontDesk, AnAverageIsNotBlamedForCoordinatesThatItDoesNotDependOn) {
  model("apart.toml", R"toml(
coordinates.x = 0.1
coordinates.y = 0.5
potential = [{ energy = "50*x^2 + y^4/4" }]
measure = [{ name = "soft", value = "y^2" }, { name = "stiff", value = "x^2" }]
heat_bath = { friction = 1, temperature = 1 }
)toml");
  const auto verdict = [&](const char* of) {
    const json r = answer(fmt::format("run apart.toml --method bbk --h 0.17 --to 8000 --accuracy 0.1{}", of));
    return r["trust"]["verdict"].get<std::string>() + ": " + r["trust"]["headline"].get<std::string>();
  };
  EXPECT_THAT(verdict(" --of soft"), mentions("green", "does not change the averages that were asked for"));
  EXPECT_THAT(verdict(" --of stiff"), HasSubstr("red"));
  EXPECT_THAT(verdict(""), HasSubstr("red"));
}

TEST_F(FrontDesk, WaysToAnEnvelopeAreListedAsTheyAreTried) {
  const Ended ended = trill_in(directory_.path(), words_of("inspect weakly_coupled --want envelope"));
  EXPECT_THAT(ended.out, mentions("ways to compute the envelope, in the order in which they are tried"));
  EXPECT_THAT(ended.out, Not(HasSubstr("by the time")));
}

TEST_F(FrontDesk, WhatWouldBeDoneIsToldToProgramsToo) {
  const json r = answer("run two_springs --param omega2=2000 --accuracy 1e-4 --dry-run --want slow --to 3");
  ASSERT_TRUE(r.is_object());
  EXPECT_EQ(r["question"]["want"], "slow");
  EXPECT_EQ(r["question"]["accuracy"], 1e-4);
  EXPECT_EQ(r["parameters"]["omega2"], 2000.0);
  EXPECT_FALSE(r["choice"].get<std::string>().empty());
  ASSERT_TRUE(r["next"].is_array());
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(FrontDesk, TheCommandToCopyIsAboutTheSameProblem) {
  const json r = answer("inspect two_springs --param omega2=2000 --to 3 --accuracy 1e-4");
  EXPECT_THAT(r["plans"].at(0)["command"].get<std::string>(),
              mentions("--param omega2=2000", "--to 3", "--accuracy 0.0001", "--method "));
}

// Errors along the Lorenz attractor grow by a factor of 2.7 in a time of about 1.1 (the largest exponent is 0.906). So
// rounding errors reach 1e-6 after about 25 and 1e-3 after about 33.
TEST_F(FrontDesk, AnAccuracyOfAChaoticMotionIsHadUntilItsHorizon) {
  model("lorenz.toml", R"toml(
coordinates.x = 1
coordinates.y = 1
coordinates.z = 20
rate.x = "10*(y - x)"
rate.y = "x*(28 - z) - y"
rate.z = "x*y - 8/3*z"
run.to = 60
)toml");
  const json tight = answer("run lorenz.toml --accuracy 1e-6");
  EXPECT_EQ(tight["trust"]["verdict"], "green") << tight["trust"]["headline"];
  ASSERT_TRUE(tight["trust"]["until"].is_number());
  EXPECT_GT(tight["trust"]["until"].get<double>(), 15);
  EXPECT_LT(tight["trust"]["until"].get<double>(), 33);
  EXPECT_THAT(tight["shortfall"].get<std::string>(), mentions("neighbouring motions separate", "--to"));
  const json loose = answer("run lorenz.toml");
  ASSERT_TRUE(loose["trust"]["until"].is_number()) << loose["trust"]["headline"];
  EXPECT_GT(loose["trust"]["until"].get<double>(), tight["trust"]["until"].get<double>());
  EXPECT_LE(loose["attempts"].size(), 2u);
}

// Two clocks run nearly alike; the difference is gap = (1 - cos 2t)/4000. The steps of verlet with h = 0.5 give (h/sin
// h)^2 = 1.088 times this gap, while the positions themselves reach 5e5.
TEST_F(FrontDesk, ADifferenceOfLargeNumbersIsJudgedByItsOwnSize) {
  model("clocks.toml", R"toml(
parameters.offset = 0
coordinates.a = { start = 0, velocity = 1e4 }
coordinates.b = { start = 0, velocity = 1e4 }
force = [{ on = "a", value = "0.3*sin(t)" }, { on = "b", value = "0.3*sin(t) + 1e-3*cos(2*t)" }]
measure = [{ name = "gap", value = "b - a + offset" }]
run.to = 50
)toml");
  for (const char* more : {"--of gap", "--param offset=10"}) {
    const json r = answer(fmt::format("run clocks.toml --method verlet --h 0.5 {}", more));
    EXPECT_EQ(r["trust"]["verdict"], "red") << more << r["trust"]["headline"];
    EXPECT_EQ(r["trust"]["of"], "gap");
    EXPECT_NEAR(r["trust"]["error"].get<double>(), 0.088, 0.003);
  }
}

// The errors of both runs are about 1e-11 after six revolutions, whatever the tolerance.
TEST_F(FrontDesk, AnAccuracyBeyondRoundingIsNotHadAndNotCalledWrong) {
  const json r = answer("run kepler --accuracy 1e-13");
  EXPECT_EQ(r["trust"]["verdict"], "amber") << r["trust"]["headline"];
  EXPECT_THAT(r["shortfall"].get<std::string>(), mentions("1e-13 cannot be had", "sixteen digits"));
  EXPECT_EQ(r["trust"]["remedy"], "");
}

// By its length this chain would qualify for averages, but if an accuracy is asked for, its path is computed.
TEST_F(FrontDesk, WhoNamesAnAccuracyGetsThePath) {
  const json r = answer("run sine_gordon --accuracy 2e-5");
  EXPECT_EQ(r["trust"]["verdict"], "green") << r["trust"]["headline"];
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), Not(HasSubstr("averages")));
  EXPECT_FALSE(r["trust"]["of"].get<std::string>().empty());
}

// The mean of about 100 independent values is known to a tenth of their standard deviation, not to 1e-6.
TEST_F(FrontDesk, AnAccuracyThatRandomErrorsForbidIsNotCalledReached) {
  const json r = answer("run langevin --accuracy 1e-6");
  EXPECT_EQ(r["trust"]["verdict"], "amber") << r["trust"]["headline"];
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), mentions("1e-06", "random error", "times as long"));
  EXPECT_EQ(answer("run langevin")["trust"]["verdict"], "green");
}

// Amounts of about 1e-15 in a chain of decays: c = 50 a0 3/47 (e(3) - e(50)) with
// e(k) = (exp(-t/100) - exp(-k t))/(k - 1/100).
TEST_F(FrontDesk, TinyAmountsHaveErrorControlToo) {
  model("tiny.toml", R"toml(
coordinates.a = 1e-15
coordinates.b = 0
coordinates.c = 0
rate.a = "-3*a"
rate.b = "3*a - 50*b"
rate.c = "50*b - 0.01*c"
run.to = 100
)toml");
  const json r = answer("run tiny.toml");
  EXPECT_EQ(r["trust"]["verdict"], "green") << r["trust"]["headline"];
  EXPECT_LE(r["attempts"].size(), 1u) << r["attempts"];
  const auto e = [](double k) { return (std::exp(-1) - std::exp(-100 * k)) / (k - 0.01); };
  const double exact = 50 * 1e-15 * 3 / 47 * (e(3) - e(50));
  EXPECT_NEAR(r["end"]["components"]["c"].get<double>() / exact, 1, 3e-3);
}
}  // namespace
}  // namespace trill::testing_cli
