// SPDX-License-Identifier: BSD-3-Clause
// An answer is tried with smaller tolerances, or with the next method in the ranking, until it is accurate enough.
#include "driver/advice.hpp"
#include "driver/answer.hpp"
#include "support/text_models.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace trill::testing_models {
namespace {
using testing::HasSubstr;

const char* const plain_oscillator = "coordinates.x = 1\npotential = [{ energy = \"x^2/2\" }]";

std::unique_ptr<Problem> problem_for(const char* text) { return read_model("m.toml", text).problem; }

RunPlan asked_for(double accuracy, double to = 20) {
  RunPlan plan;
  plan.accuracy = accuracy;
  plan.to = to;
  return plan;
}

RunPlan with_method(RunPlan plan, const char* method) {
  plan.method = method;
  return plan;
}

// The exact solution is x(t) = cos t.
double largest_error(const Solution& s) {
  double worst = 0;
  for (Index i = 0; i < s.rows(); ++i)
    worst = std::max(worst, std::abs(s.y()(0, i) - std::cos(s.t[static_cast<std::size_t>(i)])));
  return worst;
}

TEST(Answer, HasTheAccuracyThatWasAskedForByAnyKindOfStep) {
  for (const char* method : {"dopri5", "dop853", "verlet", "rk4", "radau"})
    for (const double accuracy : {1e-2, 1e-5}) {
      const Answer found = answer(with_method(asked_for(accuracy), method), problem_for(plain_oscillator));
      EXPECT_EQ(found.solution.trust.verdict, Verdict::green) << method << found.solution.trust.headline;
      EXPECT_LE(largest_error(found.solution), 2 * accuracy) << method;  // the range is 2
      EXPECT_EQ(found.shortfall, "") << method;
      EXPECT_LE(found.attempts.size(), 3u) << method;
    }
}

TEST(Answer, TellsWhatWasTriedBefore) {
  const Answer found = answer(with_method(asked_for(1e-6), "verlet"), problem_for(plain_oscillator));
  ASSERT_FALSE(found.attempts.empty());
  const Attempt& first = found.attempts.front();
  EXPECT_EQ(first.way, "verlet");
  EXPECT_GT(first.h, 0);
  EXPECT_GT(first.error, 1e-6);
  EXPECT_THAT(first.why, HasSubstr("error"));
  ASSERT_EQ(found.solution.info.attempts.size(), found.attempts.size());
}

// Explicit methods would be limited to steps of 3e-4 in a run of 1e10. The envelope methods, which look for
// oscillations, fail here, and so does dop853.
TEST(Answer, OfAnEnvelopeWhereNothingOscillatesIsTheMotion) {
  RunPlan plan;
  plan.want = Want::envelope;
  plan.to = 1e10;
  const Answer found =
      answer(plan, problem_for("coordinates = { x = 1, y = 0 }\nrate = { x = \"-1e4*x\", y = \"1e4*x\" }"));
  ASSERT_TRUE(found.solution.ok()) << found.solution.outcome.message;
  EXPECT_EQ(found.solution.info.method, "radau");
  ASSERT_FALSE(found.attempts.empty());
  EXPECT_EQ(found.attempts.front().way, "envelope_switching");
  EXPECT_NEAR(found.solution.y()(1, found.solution.rows() - 1), 1, 1e-3);  // x + y stays 1
}

TEST(Answer, NamesTheStepOfTheLastRepetition) {
  RunPlan loose = asked_for(1e-3), tight = loose;
  loose.rtol = 1e-5;
  tight.rtol = 2e-8;
  EXPECT_EQ(with_new_step("dop853 was chosen, rtol = 1e-05, because", loose, tight),
            "dop853 was chosen, rtol = 2e-08, because");
  EXPECT_EQ(with_new_step("dop853 was chosen, because", loose, tight), "dop853 was chosen, because");
}

TEST(Answer, IsNotRepeatedWhereTheStepWasNamed) {
  RunPlan plan = with_method(asked_for(1e-6), "verlet");
  plan.h = 0.1;
  const Answer found = answer(plan, problem_for(plain_oscillator));
  EXPECT_TRUE(found.attempts.empty());
  EXPECT_THAT(found.shortfall, HasSubstr("1e-06"));
  EXPECT_NE(found.solution.trust.verdict, Verdict::none);
}

// A request for which trill is made to believe that it chose `first` itself.
Inquiry inquiry_of(PreparedRun first, const std::vector<const char*>& rungs, const RunPlan& asked,
                   RecordPlan record = {}) {
  first.choice = "it was the first";
  for (const char* name : rungs) {
    RankedWay rung;
    rung.way.method = &Catalogue::all().method(name);
    first.rungs.push_back(rung);
  }
  return {asked, std::move(first), std::move(record), {}};
}

PreparedRun first_way(const char* text, const char* method, RunPlan plan, std::optional<double> h = {}) {
  plan.method = method;
  plan.h = h;
  plan.accuracy.reset();
  return prepare(plan, problem_for(text));
}

TEST(Ladder, TakesTheNextWayAfterAFailure) {
  RunPlan asked;
  asked.to = 1e4;
  Inquiry inquiry = inquiry_of(first_way(plain_oscillator, "verlet", asked, 2.5), {"dop853"}, asked);
  inquiry.open();
  inquiry.settle();
  EXPECT_TRUE(inquiry.present().outcome().ok());
  EXPECT_EQ(inquiry.present().prepared().options.info.method, "dop853");
  ASSERT_EQ(inquiry.attempts().size(), 1u);
  EXPECT_EQ(inquiry.attempts()[0].way, "verlet");
  EXPECT_THAT(inquiry.attempts()[0].why, HasSubstr("t = "));
}

// With h = 2.5 verlet is unstable, and rattle refuses a problem without constraints before its first step.
TEST(Ladder, PassesWaysThatRefuseTheProblem) {
  RunPlan asked;
  asked.to = 1e4;
  Inquiry inquiry = inquiry_of(first_way(plain_oscillator, "verlet", asked, 2.5), {"rattle", "dopri5"}, asked);
  inquiry.open();
  inquiry.settle();
  EXPECT_EQ(inquiry.present().prepared().options.info.method, "dopri5");
  ASSERT_GE(inquiry.attempts().size(), 2u);
  EXPECT_THAT(inquiry.attempts()[1].why, HasSubstr("rattle"));
}

TEST(Ladder, KeepsTheBestRunWhenTheLastOneFails) {
  const char* const singular = "coordinates.x = { start = 1, velocity = 0 }\npotential = [{ energy = \"-1/x^2\" }]";
  RunPlan asked;
  asked.to = 5;
  Inquiry inquiry = inquiry_of(first_way(singular, "dop853", asked), {"dopri5"}, asked);
  inquiry.open();
  inquiry.settle();
  EXPECT_FALSE(inquiry.present().outcome().ok());
  EXPECT_EQ(inquiry.attempts().size(), 1u);
  Index rows = 0;
  inquiry.present().with_rows([&](const RunInfo&, const RowSource& source) { rows = source.rows(); });
  EXPECT_GT(rows, 1);
}

struct JudgedAttempt {
  PreparedRun run = first_way(plain_oscillator, "dopri5", asked_for(1e-6));
  RunOutcome outcome{};
  Trust trust{};
  std::vector<Attempt> earlier{};
  JudgedAttempt(double error, Verdict verdict) {
    trust.error = error;
    trust.verdict = verdict;
    run.plan.rtol = 1e-6;
  }
  Verdicts next(const RunPlan& asked) const { return next_step({asked, run, outcome, trust, earlier}); }
};

TEST(Ladder, GoesOnFromTheMethodThatTheModelNames) {
  RunDefaults defaults;
  defaults.method = "verlet";
  defaults.h = 0.1;
  RunPlan plan = asked_for(1e-6);
  plan.second_opinion = true;
  PreparedRun run = prepare(plan, problem_for(plain_oscillator), defaults);
  EXPECT_EQ(run.way.method->info.name, "verlet");
  ASSERT_FALSE(run.rungs.empty());
  for (const RankedWay& rung : run.rungs) EXPECT_NE(rung.way.method->info.name, "verlet");
  plan.method = "verlet";  // by the user
  EXPECT_TRUE(prepare(plan, problem_for(plain_oscillator), defaults).rungs.empty());
}

TEST(NextStep, TightensByTheMeasuredRatio) {
  JudgedAttempt judged(1e-4, Verdict::amber);
  const Verdicts once = judged.next(asked_for(1e-6));
  ASSERT_TRUE(once.tighter);
  EXPECT_NEAR(*once.tighter, 3e-9, 1.1e-9);
  // A hundredth of the tolerance gave a tenth of the error, so the error behaves like the square root of the
  // tolerance.
  judged.earlier.push_back({"dopri5", 0, 1e-4, 1e-3, 0, ""});
  const Verdicts again = judged.next(asked_for(1e-5));
  ASSERT_TRUE(again.tighter);
  EXPECT_NEAR(*again.tighter, 9e-10, 1.1e-10);
}

TEST(NextStep, EndsAfterThreeRepetitionsAndSaysSo) {
  JudgedAttempt judged(1e-4, Verdict::amber);
  for (const double rtol : {1e-3, 1e-4, 1e-5}) judged.earlier.push_back({"dopri5", 0, rtol, 1e-2, 0, ""});
  const Verdicts next = judged.next(asked_for(1e-6));
  EXPECT_FALSE(next.tighter);
  EXPECT_THAT(next.shortfall, HasSubstr("3 repetitions"));
}

TEST(NextStep, SeesThatTheErrorDoesNotComeFromTheSteps) {
  JudgedAttempt judged(1e-4, Verdict::amber);
  judged.earlier.push_back({"dopri5", 0, 1e-4, 1.1e-4, 0, ""});
  EXPECT_THAT(judged.next(asked_for(1e-6)).shortfall, HasSubstr("hardly falls"));
  judged.run.rungs.emplace_back();
  EXPECT_TRUE(judged.next(asked_for(1e-6)).next_rung);
}

// If the error hardly falls but is nearly small enough, there is one more repetition, with far smaller steps.
TEST(NextStep, TriesOnceMoreWhereTheErrorIsNearlySmallEnough) {
  JudgedAttempt judged(1.2e-6, Verdict::amber);
  judged.earlier.push_back({"dopri5", 0, 4e-6, 1.3e-6, 0, ""});
  const Verdicts once = judged.next(asked_for(1e-6));
  ASSERT_TRUE(once.tighter);
  EXPECT_LE(*once.tighter, 1e-7);
  judged.earlier.insert(judged.earlier.begin(), {"dopri5", 0, 1e-5, 1.4e-6, 0, ""});
  EXPECT_THAT(judged.next(asked_for(1e-6)).shortfall, HasSubstr("hardly falls"));
}

// An error that no longer falls is accepted as "nearly right" only if the next method would take long: here it is
// tried at a predicted time of 2 s and not at one of 20 s.
TEST(NextStep, LeavesAWayThatDoesNotGetBetterForOneThatIsQuick) {
  JudgedAttempt judged(0.04, Verdict::amber);
  judged.run.choice = "chosen";
  judged.earlier.push_back({"dopri5", 0, 1e-4, 0.05, 0, ""});
  judged.run.rungs.emplace_back();
  judged.run.rungs.back().predicted_seconds = 2;
  EXPECT_TRUE(judged.next({}).next_rung);
  judged.run.rungs.back().predicted_seconds = 20;
  EXPECT_FALSE(judged.next({}).next_rung);
}

// The step of the method that the model names would have to be 1e6 times smaller.
TEST(NextStep, LeavesTheMethodOfTheModelForOneThatIsMuchFaster) {
  JudgedAttempt judged(1e-1, Verdict::red);
  judged.run = first_way(plain_oscillator, "verlet", asked_for(1e-6));
  judged.run.plan.rtol.reset();
  judged.run.plan.h = 0.1;
  judged.outcome.counters.seconds = 1;
  judged.run.rungs.emplace_back();
  judged.run.rungs.back().predicted_seconds = 1e-3;
  EXPECT_TRUE(judged.next(asked_for(1e-6)).next_rung);
  judged.outcome.counters.seconds = 1e-3;  // nobody notices
  EXPECT_TRUE(judged.next(asked_for(1e-6)).tighter);
  judged.outcome.counters.seconds = 1;
  judged.run.rungs.back().predicted_seconds = 1e3;
  EXPECT_TRUE(judged.next(asked_for(1e-6)).tighter);
  judged.run.rungs.back().predicted_seconds = 1e-3;
  judged.run.choice = "it was chosen beside the others";
  EXPECT_TRUE(judged.next(asked_for(1e-6)).tighter);
}

TEST(NextStep, SaysThatRoundingOrChaosIsTheLimit) {
  JudgedAttempt judged(1e-11, Verdict::amber);
  judged.run.plan.rtol = 1e-13;
  EXPECT_THAT(judged.next(asked_for(1e-12)).shortfall, HasSubstr("sixteen digits"));
  judged.trust.error = 1e-9;
  EXPECT_THAT(judged.next(asked_for(1e-12)).shortfall, HasSubstr("hardly more than rounding"));
  judged.trust.until = 6.25;
  EXPECT_THAT(judged.next(asked_for(1e-12)).shortfall, HasSubstr("t = 6.25"));
}

TEST(NextStep, LeavesWhatIsGreenOrUnknown) {
  for (const Verdict verdict : {Verdict::green, Verdict::none}) {
    const Verdicts next = JudgedAttempt(1e-7, verdict).next(asked_for(1e-6));
    EXPECT_FALSE(next.tighter || next.next_rung);
    EXPECT_EQ(next.shortfall, "");
  }
}

TEST(Plans, SayWhatAccuracyCannotBeAskedFor) {
  const auto complaint = [](const RunPlan& plan) {
    try {
      prepare(plan, problem_for(plain_oscillator));
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(complaint(asked_for(1e-15)), HasSubstr("1e-13"));
  EXPECT_THAT(complaint(asked_for(2)), HasSubstr("below 1"));
  RunPlan plan = asked_for(1e-3);
  plan.of = {"enrgy"};
  EXPECT_THAT(complaint(plan), HasSubstr("'energy'"));
  plan = {};
  plan.output = Times{{1, 30}};
  plan.to = 20;
  EXPECT_THAT(complaint(plan), HasSubstr("t = 30"));
}

TEST(NamedTimes, AreSortedAndEndTheRun) {
  RunPlan plan;
  plan.output = Times{{10, 2.5, 0, 2.5}};
  PreparedRun run = prepare(plan, problem_for(plain_oscillator));
  EXPECT_EQ(*run.plan.to, 10);
  const Solution s = run.run();
  EXPECT_EQ(s.t, (std::vector<double>{0, 2.5, 10}));
}
}  // namespace
}  // namespace trill::testing_models
