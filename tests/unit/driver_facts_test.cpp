// SPDX-License-Identifier: BSD-3-Clause
// What trill finds out about a problem before it chooses a method.
#include "analysis/inspection.hpp"
#include "driver/facts.hpp"
#include "driver/problem_facts.hpp"
#include "formulation/time_scales.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>

namespace trill {
namespace {
using testing::HasSubstr;

ProblemFacts facts_of(const Problem& problem, double to, const Question& question = {}) {
  ProblemFacts found = stated_facts(problem, problem.initial_state(), to);
  look(problem, problem.initial_state(), to, question, found);
  return found;
}

TextModel model_of(const std::string& text) { return read_model("m.toml", text); }

// A chain of unit masses with alternating stiff and soft springs. Two masses on a stiff spring of constant K = 1e6
// have the frequency sqrt(2 K) = 1414. The soft springs of constant 100 between these 25 pairs of mass 2 have the
// frequencies 2 sqrt(50) sin(k pi/50).
constexpr const char* alternating_chain = R"toml(
[sets]
mass = 50
stiff_spring = 25
soft_spring = 24
[coordinates.q]
over = "mass"
start = "0.1*sin(mass)"
velocity = 0
[[potential]]
over = "stiff_spring"
energy = "5e5*(q[2*stiff_spring + 1] - q[2*stiff_spring])^2"
[[potential]]
over = "soft_spring"
energy = "50*(q[2*soft_spring + 2] - q[2*soft_spring + 1])^2"
)toml";

TEST(TimeScales, OfAFreeChainOfSoftAndStiffSpringsAreToldApart) {
  const TextModel chain = model_of(alternating_chain);
  const State start = chain.problem->initial_state();
  const TimeScales scales = time_scales(*chain.problem, start, start, 10);
  ASSERT_TRUE(scales.all);
  ASSERT_EQ(scales.frequencies.size(), 49u) << "the free motion has no frequency";
  const ScaleGap gap = widest_gap(scales.frequencies, 10);
  ASSERT_TRUE(gap.found());
  EXPECT_NEAR(scales.frequencies.front(), 2 * std::sqrt(50.0) * std::sin(std::numbers::pi / 50), 0.01);
  EXPECT_NEAR(gap.slow, 14.1, 0.1);
  EXPECT_NEAR(gap.fast, 1414, 5);
  EXPECT_EQ(std::count_if(scales.frequencies.begin(), scales.frequencies.end(), [&](double f) { return f < gap.fast; }),
            24);
}

TEST(TimeScales, EnergyOfTheFastMotionDoesNotDependOnTheFrame) {
  const TextModel chain = model_of(alternating_chain);
  State rest = chain.problem->initial_state(), moving = rest;
  moving.v().setConstant(1e3);
  const TimeScales a = time_scales(*chain.problem, rest, rest, 10), b = time_scales(*chain.problem, rest, moving, 10);
  EXPECT_GT(a.fast_energy, 0);
  EXPECT_NEAR(b.fast_energy / a.fast_energy, 1, 1e-6);
  EXPECT_NEAR(b.slow_energy / a.slow_energy, 1, 1e-3);
}

// Two unit masses on a stiff spring, one of which starts with a velocity. Half of its energy belongs to the motion of
// the centre of mass, the other half to the oscillation.
TEST(TimeScales, FindTheEnergyOfGapsBesideConstraints) {
  const TextModel pair = model_of(
      "[coordinates]\nx1 = 0\ny1 = 0\nx2 = { start = 1, velocity = 1 }\n[[constraint]]\nequation = \"y1\"\n"
      "[[stiff]]\ngap = \"x2 - x1 - 1\"\nstiffness = 1e6\ngroup = \"spring\"\n");
  const State start = pair.problem->initial_state();
  const TimeScales scales = time_scales(*pair.problem, start, start, 10);
  EXPECT_NEAR(scales.fast_energy, 0.25, 1e-9);
  EXPECT_NEAR(scales.slow_energy, 0.25, 1e-9);
}

TEST(ScaleGaps, AreTheWidestOnesInTheWindowOfTheRun) {
  EXPECT_FALSE(widest_gap({}, 10).found());
  EXPECT_FALSE(widest_gap({500}, 10).found()) << "there is nothing slow";
  EXPECT_FALSE(widest_gap({1, 4, 16, 64}, 10).found()) << "no step is wider than 5";
  EXPECT_NEAR(widest_gap({1, 10, 1000}, 10).ratio, 100, 1e-12);
  // A period of 1e6 cannot be seen in a run of length 1.
  const ScaleGap seen = widest_gap({1e-6, 2, 100}, 1);
  EXPECT_EQ(seen.slow, 2);
  EXPECT_EQ(seen.fast, 100);
}

TEST(Facts, TellStiffFromSmooth) {
  const TextModel stiff = model_of("[coordinates]\ny = 0\n[rate]\ny = \"-1e5*(y - cos(t)) - sin(t)\"\n");
  const ProblemFacts found = facts_of(*stiff.problem, 10);
  EXPECT_NEAR(found.scales.decay, 1e5, 1);
  ASSERT_TRUE(found.explicit8.ran);
  ASSERT_TRUE(found.implicit.ran);
  EXPECT_GT(found.explicit8.steps, 1e4);
  EXPECT_LT(found.implicit.steps, 1e3);
  const TextModel smooth = model_of("[coordinates]\ny = 0\n[rate]\ny = \"-(y - cos(t)) - sin(t)\"\n");
  EXPECT_LT(facts_of(*smooth.problem, 10).explicit8.steps, 100);
}

TEST(Facts, FindErrorsThatGrowExponentially) {
  const TextModel lorenz = model_of(
      "[coordinates]\nx = 1\ny = 1\nz = 20\n[rate]\nx = \"10*(y - x)\"\ny = \"28*x - y - x*z\"\nz = \"x*y - 8/3*z\"\n");
  const ProblemFacts chaotic = facts_of(*lorenz.problem, 100, {Delivers::full, 1e-6, {}});
  EXPECT_GT(chaotic.growth, 0.3);  // its largest Lyapunov exponent is 0.906
  const TextModel regular = model_of("coordinates.q = 1\n[[potential]]\nenergy = \"q^2/2\"\n");
  EXPECT_EQ(facts_of(*regular.problem, 1e4).growth, 0);
}

TEST(Facts, APilotThatBlowsUpIsNoMoreThanAFact) {
  const TextModel explosive = model_of("[coordinates]\ny = 1\n[rate]\ny = \"y^2\"\n");  // the solution is 1/(1 - t)
  const ProblemFacts found = facts_of(*explosive.problem, 10);
  EXPECT_TRUE(found.looked);
  RunPlan plan;
  plan.to = 10;
  PreparedRun run = prepare(plan, explosive.problem->clone());
  const Solution tried = run.run();
  EXPECT_FALSE(tried.ok());
  EXPECT_NEAR(tried.t.back(), 1, 1e-3);
}

// A spring whose force takes a given time to compute. Its stiffness may also be NaN.
class SlowSpring final : public MechanicalProblem {
 public:
  explicit SlowSpring(std::shared_ptr<int> calls, double stiffness = 1, int milliseconds = 20,
                      int last_slow = std::numeric_limits<int>::max(), int first_slow = 1)
      : calls_(std::move(calls)),
        stiffness_(stiffness),
        milliseconds_(milliseconds),
        first_slow_(first_slow),
        last_slow_(last_slow) {}
  std::string name() const override { return "slow spring"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y[0] = 1;
    return s;
  }
  std::unique_ptr<Problem> clone() const override {
    return std::make_unique<SlowSpring>(calls_, stiffness_, milliseconds_, last_slow_, first_slow_);
  }
  void force(Groups, double, In q, In, Out f) const override {
    ++*calls_;
    if (first_slow_ <= *calls_ && *calls_ <= last_slow_)
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    f = -stiffness_ * q;
  }

 private:
  std::shared_ptr<int> calls_;
  double stiffness_;
  int milliseconds_, first_slow_, last_slow_;
};

TEST(Facts, NotFiniteAtTheStartIsSaid) {
  const SlowSpring broken(std::make_shared<int>(0), std::nan(""), 0);
  const ProblemFacts found = facts_of(broken, 10);
  EXPECT_FALSE(found.looked);
  EXPECT_THAT(found.trouble, HasSubstr("not finite at the start"));
  PreparedRun run = prepare({}, broken.clone());
  EXPECT_EQ(run.way.method->info.name, "dop853");
  EXPECT_FALSE(run.run().ok());
}

// A busy machine, or work that is done only at the first evaluation, must not be mistaken for an expensive force.
TEST(Facts, AForceThatIsExpensiveOnlyOnceIsLookedAt) {
  const SlowSpring spring(std::make_shared<int>(0), 1, 20, 1);
  const ProblemFacts found = facts_of(spring, 10);
  EXPECT_TRUE(found.looked);
  EXPECT_EQ(found.trouble, "");
}

// The second evaluation, the first one that is timed, is slow here. On a busy machine the same may happen to a cheap
// force.
TEST(Facts, AForceThatWasInterruptedOnceIsTimedAgain) {
  const SlowSpring spring(std::make_shared<int>(0), 1, 300, 2, 2);
  const ProblemFacts found = facts_of(spring, 10);
  EXPECT_TRUE(found.looked);
  EXPECT_LT(found.force_seconds, 0.1);  // no machine interrupts each of five evaluations for that long
}

TEST(Facts, ExpensiveForcesAreLookedAtOnce) {
  const auto calls = std::make_shared<int>(0);
  const SlowSpring spring(calls, 1, 600);
  const ProblemFacts found = facts_of(spring, 10);
  EXPECT_EQ(*calls, 1);
  EXPECT_FALSE(found.looked);
  EXPECT_THAT(found.trouble, HasSubstr("one evaluation of its forces takes"));
  const PreparedRun run = prepare({}, spring.clone());
  EXPECT_EQ(run.way.method->info.name, "dop853");
  EXPECT_THAT(run.choice, mentions("100 steps of dop853 take about 1", "minutes"));
}

TEST(Facts, FrequenciesOfExpensiveForcesAreNotInspected) {
  const auto calls = std::make_shared<int>(0);
  const Inspection in = inspect_problem({}, SlowSpring(calls, 1, 600), {});
  EXPECT_EQ(*calls, 1);
  EXPECT_TRUE(in.modes.empty());
  EXPECT_THAT(in.modes_left_out, HasSubstr("one evaluation of its forces takes"));
}

// Forces without derivatives: every column of their matrix would take two evaluations.
class ManySlowSprings final : public MechanicalProblem {
 public:
  explicit ManySlowSprings(int microseconds) : microseconds_(microseconds) {}
  std::string name() const override { return "many slow springs"; }
  Layout layout() const override { return {100, 100, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(200, {"q", ""}); }
  State initial_state() const override {
    State s(layout());
    s.q().setOnes();
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ManySlowSprings>(microseconds_); }
  void force(Groups, double, In q, In, Out f) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds_));
    f = -q;
  }

 private:
  int microseconds_;
};

TEST(Facts, RatesAreLookedForOnlyWhereThatTakesLittleTime) {
  EXPECT_TRUE(facts_of(ManySlowSprings(0), 10).scales.known);
  const ProblemFacts found = facts_of(ManySlowSprings(2000), 1e3);
  EXPECT_TRUE(found.looked) << found.trouble;
  EXPECT_FALSE(found.scales.known);
}

TEST(Facts, AreNotGatheredForAMethodThatIsNamed) {
  const auto calls = std::make_shared<int>(0);
  RunPlan plan;
  plan.method = "dopri5";
  prepare(plan, std::make_unique<SlowSpring>(calls));
  EXPECT_EQ(*calls, 0);
}

TEST(Choices, AreMadeWhereNobodyNamesAMethod) {
  const TextModel stiff = model_of(
      "[parameters]\nmu = 1e6\n[coordinates]\nx = 2\nz = -0.66\n[rate]\nx = \"z\"\nz = \"mu^2*((1 - x^2)*z - x)\"\n");
  RunPlan plan;
  plan.to = 2;
  PreparedRun run = prepare(plan, stiff.problem->clone(), stiff.info.run);
  // Which of the implicit methods is chosen depends on the speed of the machine.
  EXPECT_TRUE(run.way.method->info.implicit_step);
  EXPECT_THAT(run.choice, mentions(run.way.method->info.name, "stiff"));
  const Solution solution = run.run();
  ASSERT_TRUE(solution.ok()) << solution.outcome.message;
  EXPECT_LE(solution.outcome.counters.steps, 1000);
  // On the slow curve ln x - x^2/2 = t + ln 2 - 2. At x = 1, after the time 3/2 - ln 2, the motion jumps to -2, and so
  // on.
  EXPECT_NEAR(solution.y()(0, solution.rows() - 1), 1.7055, 4e-3);
  plan.accuracy = 1e-6;
  EXPECT_EQ(prepare(plan, stiff.problem->clone(), stiff.info.run).way.method->info.name, "radau");
}

// Two unit masses on a spring of constant 200: they oscillate with the frequency 20, and nothing else moves.
TEST(Choices, LeaveSlowOutWhereNothingIsSlow) {
  const TextModel pair = model_of(
      "[coordinates]\nx1 = 0\nx2 = { start = 1.1, velocity = 0.3 }\n"
      "[[stiff]]\ngap = \"x2 - x1 - 1\"\nstiffness = 200\ngroup = \"spring\"\n");
  RunPlan plan;
  plan.want = Want::slow;
  plan.to = 2;
  const PreparedRun few = prepare(plan, pair.problem->clone());
  EXPECT_EQ(few.way.formulation, nullptr);
  EXPECT_THAT(few.choice, mentions("full motion", "6.4 periods"));
}

// The forces on the crank have no potential. Therefore slow would first have to follow hundreds of the fastest
// oscillations, which takes longer than the full motion.
TEST(Choices, DoNotBeginAFormulationThatIsSlowerThanTheFullMotion) {
  if (!counts_allocations()) GTEST_SKIP() << "times are predicted for programs without a sanitizer";
  const TextModel crank = make_model("slider_crank");
  for (const Want want : {Want::slow, Want::statistics}) {
    RunPlan plan;
    plan.model = "slider_crank";
    plan.want = want;
    RunDefaults defaults;
    defaults.to = crank.info.run.to;
    const Resolved asked = resolve(plan, *crank.problem, defaults);
    const Facts found = facts(asked, *crank.problem);
    const auto slow = std::find_if(found.candidates.begin(), found.candidates.end(),
                                   [](const Candidate& c) { return c.technique.name() == "slow"; });
    ASSERT_NE(slow, found.candidates.end());
    EXPECT_EQ(slow->asked, nullptr) << to_text(want);
  }
}

// With closed gaps the energy of the bonds would be 0 and their lengths would not vary at all.
TEST(Choices, AveragesInABathIncludeTheOscillationOfGaps) {
  const TextModel butane = make_model("butane");
  RunPlan plan;
  plan.model = "butane";
  plan.to = 200;
  for (const Want want : {Want::statistics, Want::slow}) {
    plan.want = want;
    const PreparedRun run = prepare(plan, butane.problem->clone(), butane.info.run);
    EXPECT_EQ(run.plan.formulation, want == Want::slow ? "slow" : "") << to_text(want);
    EXPECT_EQ(run.plan.method, "langevin_splitting");
  }
}

// To start hmm, the matrices of the whole structure have to be decomposed. This does not pay here: the frequencies of
// a cantilever differ by factors of only 6.3, 2.8, 2.0, ....
TEST(Choices, DoNotEnterAWindowMethodWhereScalesAreNotApart) {
  const TextModel beam = make_model("structure/beam");
  RunPlan plan;
  plan.want = Want::slow;
  const Resolved asked = resolve(plan, *beam.problem, beam.info.run);
  const Facts found = facts(asked, *beam.problem);
  const auto hmm = std::find_if(found.candidates.begin(), found.candidates.end(),
                                [](const Candidate& c) { return c.technique.name() == "hmm"; });
  ASSERT_NE(hmm, found.candidates.end());
  EXPECT_EQ(hmm->asked, nullptr);
  EXPECT_THAT(hmm->prospect.objection, mentions("times apart", "30 times"));
}

// The implicit trial run ends within the first transient, so its error says nothing about the error of the whole run.
// The run itself needs no tighter tolerance than 1e-6, which gives an error far below 1e-3.
TEST(Choices, DoNotTightenByTheErrorOfAFirstTransient) {
  if (!counts_allocations()) GTEST_SKIP() << "times are predicted for programs without a sanitizer";
  const TextModel beam = make_model("elastic_beam");
  const Resolved asked = resolve({}, *beam.problem, beam.info.run);
  const Facts found = facts(asked, *beam.problem, true);
  const auto radau = std::find_if(found.candidates.begin(), found.candidates.end(),
                                  [](const Candidate& c) { return c.technique.name() == "radau"; });
  ASSERT_NE(radau, found.candidates.end());
  EXPECT_EQ(radau->prospect.objection, "");
  EXPECT_GT(radau->prospect.rtol.value_or(0), 1e-6);
}

TEST(Choices, FollowTheAccuracy) {
  const TextModel orbit = make_model("kepler");
  RunPlan plan;
  plan.to = 10;
  std::vector<double> finest;
  for (const double accuracy : {1e-3, 1e-6, 1e-9}) {
    plan.accuracy = accuracy;
    PreparedRun run = prepare(plan, orbit.problem->clone());
    // The tolerance or h^p: the quantity to which the error is proportional, for either kind of method.
    finest.push_back(run.plan.rtol ? *run.plan.rtol : std::pow(*run.plan.h, run.stepper->info().order));
    ASSERT_FALSE(run.rungs.empty());
  }
  EXPECT_LT(finest[1], finest[0]);
  EXPECT_LT(finest[2], finest[1]);
}
}  // namespace
}  // namespace trill
