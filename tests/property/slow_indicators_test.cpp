// SPDX-License-Identifier: BSD-3-Clause
// The slow motion must know when it is wrong: its warnings on random chains, and in cases with known errors.
#include "support/slow_judgement.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using slow_judgement::judge_chain, slow_judgement::judge_slow, slow_judgement::Judgement;
using testing::HasSubstr;

Judgement of_model(const std::string& model, const OptionSet& parameters, double omega) {
  return judge_slow(make_model(model, parameters).problem, 10, {0.6 * omega, 1.8 * omega});
}

std::string number(double x) { return fmt::format("{:.17g}", x); }

// Seeds begin at 1001, because the constants were fitted with the seeds 1 to 500.
TEST(SlowIndicators, AreRightOnRandomChains) {
  const bool all = std::getenv("TRILL_LONG") != nullptr;
  const int chains = all ? 500 : 40, most_missed = all ? 5 : 1, most_false = all ? 25 : 3;
  std::map<double, std::array<std::vector<int>, 2>> wrong{{1e-2, {}}, {1e-3, {}}, {1e-4, {}}};
  for (int seed = 1001; seed <= 1000 + chains; ++seed) {
    const Judgement judgement = judge_chain(static_cast<std::uint64_t>(seed));
    for (auto& [tolerance, seeds] : wrong) {
      if (judgement.missed(tolerance)) seeds[0].push_back(seed);
      if (judgement.false_alarm(tolerance)) seeds[1].push_back(seed);
    }
  }
  for (const auto& [tolerance, seeds] : wrong) {
    EXPECT_LE(seeds[0].size(), most_missed) << tolerance << ": " << testing::PrintToString(seeds[0]);
    EXPECT_LE(seeds[1].size(), most_false) << tolerance << ": " << testing::PrintToString(seeds[1]);
  }
}

TEST(SlowIndicators, SilentOnASingleStiffSpring) {
  for (const double omega : {200.0, 2000.0}) {
    const Judgement judgement = of_model("two_springs", {{"omega2", number(omega)}}, omega);
    EXPECT_FALSE(judgement.alarm(1e-3)) << omega << ": " << judgement.estimate << judgement.refusal;
    EXPECT_LT(judgement.error, 1e-3);
    EXPECT_FALSE(judgement.warned_of_resonance);
  }
  const Judgement judgement = of_model("stiff_spring", {{"epsilon", "1e-3"}, {"x0", "1.001"}, {"y0", "0"}}, 1000);
  EXPECT_FALSE(judgement.alarm(1e-3)) << judgement.estimate << judgement.refusal;
  EXPECT_LT(judgement.error, 1e-3);
}

TEST(SlowIndicators, WarnOfTheResonanceOfTwoEqualSprings) {
  for (const double omega : {250.0, 1000.0}) {
    const Judgement judgement = of_model("two_springs", {{"omega1", number(omega)}, {"omega2", number(omega)}}, omega);
    EXPECT_TRUE(judgement.warned_of_resonance) << omega;
    EXPECT_TRUE(judgement.alarm(judgement.error / 3)) << omega << ": " << judgement.error << " " << judgement.estimate;
    EXPECT_EQ(judgement.refusal, "");
  }
}

// Chains that start with closed gaps, while in the slow motion of order 1 gaps are slightly open and have a momentum.
TEST(SlowStart, MatchesTheManifoldOfOrder1) {
  for (const std::uint64_t seed : {3, 4, 8}) EXPECT_LT(judge_chain(seed).error, 1e-6) << seed;
}

// What was observed before a checkpoint still counts after it.
TEST(SlowIndicators, GoOnFromACheckpoint) {
  const auto problem = make_model("two_springs", {{"omega1", "250"}, {"omega2", "250"}}).problem;
  const auto unbroken = Catalogue::all().formulation("slow").make(*problem, {}),
             resumed = Catalogue::all().formulation("slow").make(*problem, {});
  Notes notes;
  State in, again, out = problem->initial_state();
  for (Reformulation* form : {unbroken.get(), resumed.get()}) form->expect({1e-6, 0, 10});
  unbroken->enter(problem->initial_state(), in, notes);
  resumed->enter(problem->initial_state(), again, notes);
  slow_judgement::detail::Walker walker(unbroken->inner(), in, 10, 1e-6);
  const auto after = [&] { unbroken->after_step(walker.s, notes); };
  ASSERT_TRUE(walker.go(5, after));
  Archive archive;
  unbroken->memory(archive);
  const double error_before = (unbroken->leave(walker.s, out), unbroken->model_error());
  Archive stored(archive.bytes());
  resumed->memory(stored);
  EXPECT_TRUE(stored.at_end());
  resumed->leave(walker.s, out);
  EXPECT_EQ(resumed->model_error(), error_before);
  ASSERT_TRUE(walker.go(10, [&] {
    again = walker.s;
    after();
    resumed->after_step(again, notes);
  }));
  unbroken->leave(walker.s, out);
  resumed->leave(again, out);
  EXPECT_EQ(resumed->model_error(), unbroken->model_error());
  EXPECT_GT(unbroken->model_error(), 2 * error_before);
}

TEST(SlowIndicators, RefuseFrequenciesThatMeet) {
  for (const double omega : {200.0, 1000.0}) {
    const TextModel model = read_model("m.toml", R"toml([parameters]
omega = 1
[coordinates]
a = { point = 2, start = [1, 0], velocity = [0.5, -0.5] }
b = { point = 2, start = ["2 + 1/omega", 0], velocity = [-0.5, 0.5] }
[[stiff]]
gap = "sqrt(a.x^2 + a.y^2) - 1"
stiffness = "2*omega^2"
[[stiff]]
gap = "distance(a, b) - 1"
stiffness = "omega^2"
)toml",
                                       {{"omega", number(omega)}});
    const Judgement judgement = judge_slow(model.problem->clone(), 10, {0.6 * omega, 2.5 * omega});
    EXPECT_GT(judgement.error, 0.3) << omega;
    EXPECT_THAT(judgement.refusal, HasSubstr("two fast frequencies meet")) << omega << " " << judgement.estimate;
  }
}

TEST(SlowIndicators, AlarmOnLargeAmplitudes) {
  const Judgement judgement =
      of_model("two_springs", {{"omega1", "50"}, {"omega2", "1"}, {"stretch1", "20"}, {"stretch2", "0"}}, 50);
  EXPECT_GT(judgement.error, 0.05);
  EXPECT_TRUE(judgement.alarm(1e-2)) << judgement.estimate;
  EXPECT_THAT(judgement.refusal, HasSubstr("oscillation is too large"));
}
}  // namespace
}  // namespace trill
