// SPDX-License-Identifier: BSD-3-Clause
// From a plan to a run: resolve, facts, advice, build.
#include "driver/advice.hpp"
#include "support/mentions.hpp"
#include "trill/problem/mechanical.hpp"

#include <set>

#include <gmock/gmock.h>

namespace trill {
namespace {
using testing::HasSubstr;

struct Looks {
  int count = 0;
  double farthest = 0;  // the largest distance from the initial positions
};

// Two springs, one of them stiff, that write down at which positions their forces are asked for.
class Watched final : public MechanicalProblem {
 public:
  explicit Watched(std::shared_ptr<Looks> looks)
      : made_(make_model("two_springs", {{"omega2", "20000"}}).problem),
        springs_(made_->as<MechanicalProblem>("test")),
        looks_(std::move(looks)) {}
  std::string name() const override { return "watched"; }
  Layout layout() const override { return springs_.layout(); }
  std::vector<Quantity> components() const override { return springs_.components(); }
  State initial_state() const override { return springs_.initial_state(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Watched>(looks_); }
  std::vector<GroupInfo> groups() const override { return springs_.groups(); }
  void force(Groups groups, double t, In q, In v, Out f) const override {
    look(q);
    springs_.force(groups, t, q, v, f);
  }
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override {
    look(q);
    return springs_.force_jacobian(groups, t, q, v, dq, dv);
  }
  bool force_derivative(Groups groups, int k, const Motion& motion, Out f) const override {
    look(Eigen::Map<const Vec>(motion.q, layout().nq));
    return springs_.force_derivative(groups, k, motion, f);
  }
  std::optional<double> potential(Groups groups, double t, In q) const override {
    return springs_.potential(groups, t, q);
  }
  const StrongPotential* strong_potential() const override { return springs_.strong_potential(); }

 private:
  void look(In q) const {
    ++looks_->count;
    looks_->farthest = std::max(looks_->farthest, (q - initial_state().q()).norm());
  }
  std::unique_ptr<Problem> made_;
  const MechanicalProblem& springs_;
  std::shared_ptr<Looks> looks_;
};

class ForTheSlowMotion : public testing::Test {
 protected:
  ForTheSlowMotion() { plan_.want = Want::slow; }
  PreparedRun prepared() const { return prepare(plan_, std::make_unique<Watched>(looks_)); }
  RunPlan plan_;
  std::shared_ptr<Looks> looks_ = std::make_shared<Looks>();
};

TEST_F(ForTheSlowMotion, ARoughRunComesFirst) {
  const PreparedRun run = prepared();
  EXPECT_GT(looks_->farthest, 1);
  EXPECT_EQ(run.way.formulation->name, "slow");
  EXPECT_EQ(run.plan.formulation, "slow");
  EXPECT_EQ(run.plan.method, "dop853");
  EXPECT_THAT(run.choice, mentions("slow", "1 stiff gap"));
}

TEST_F(ForTheSlowMotion, TheOtherWaysAreNamedInTheirOrder) {
  plan_.trial_runs = false;
  const PreparedRun run = prepared();
  EXPECT_EQ(run.way.formulation->name, "slow");
  ASSERT_FALSE(run.rungs.empty());
  for (std::size_t i = 1; i < run.rungs.size(); ++i)
    EXPECT_LE(run.rungs[i - 1].predicted_seconds, run.rungs[i].predicted_seconds);
}

TEST_F(ForTheSlowMotion, NamesAndNumbersAreResolvedWithoutForces) {
  const Watched problem(looks_);
  const Resolved asked = resolve(plan_, problem, {});
  EXPECT_FALSE(asked.way);
  EXPECT_EQ(*asked.plan.to, 10);
  plan_.want = Want::full;
  plan_.method = "slow";
  plan_.options = {{"macro", "dopri5"}, {"fast_energy", "drop"}, {"control", "ode45"}};
  const Way way = resolve(plan_, problem, {}).way.value();
  EXPECT_EQ(way.method->info.name, "dopri5");
  EXPECT_EQ(way.formulation->name, "slow");
  EXPECT_TRUE(way.options.empty());
  EXPECT_EQ(way.formulation_options, (OptionSet{{"fast_energy", "drop"}}));
  EXPECT_EQ(looks_->count, 0);
}

TEST_F(ForTheSlowMotion, OptionsThatNobodyKnowsAreRefused) {
  plan_.options = {{"fast_enregy", "drop"}};
  EXPECT_THROW(prepared(), UsageError);
}

// The facts about a problem, with candidate methods whose properties each test sets as it likes.
class Advised : public testing::Test {
 protected:
  void add(const char* name, double seconds, const std::string& objection = "", bool full = true) {
    Candidate c;
    c.technique = Catalogue::all().technique(name);
    c.way = {c.technique.method, c.technique.formulation, {}, {}};
    c.prospect.objection = objection;
    c.prospect.why = "it is for this test";
    if (!full) c.prospect.loses = "the phases of the fast motion";
    c.full = full;
    c.seconds = seconds;
    known_.candidates.push_back(c);
  }
  std::string chosen() const {
    const Way way = advise(asked_, known_).way;
    return way.formulation ? way.formulation->name : way.method->info.name;
  }
  Resolved asked_;
  Facts known_;
};

TEST_F(Advised, ByPredictedTime) {
  add("dopri5", 3);
  add("dop853", 1);
  add("radau", 0.1, "not here");
  add("cvode_adams", 2);
  const Advice advice = advise(asked_, known_);
  EXPECT_EQ(advice.way.method->info.name, "dop853");
  EXPECT_THAT(advice.choice, mentions("dop853", "for this test"));
  ASSERT_EQ(advice.ranked.size(), 3u);
  EXPECT_EQ(advice.ranked[1].way.method->info.name, "cvode_adams");
  ASSERT_EQ(advice.objections.size(), 1u);
  EXPECT_EQ(advice.objections[0].name, "radau");
  EXPECT_EQ(advice.objections[0].reason, "not here");
}

TEST_F(Advised, NotToLoseWhatIsWanted) {
  add("dop853", 1);
  add("radau", 0.1, "", false);
  EXPECT_EQ(chosen(), "dop853");
  asked_.plan.want = Want::slow;
  EXPECT_EQ(chosen(), "radau");
  // Now the fast oscillation has enough energy to push the slow motion. A method that damps it would give a wrong slow
  // motion.
  known_.problem.scales.fast_energy = known_.problem.scales.slow_energy = 1;
  EXPECT_EQ(chosen(), "dop853");
}

TEST_F(Advised, ToComputeTheFullMotionWhereSlowDoesNotPay) {
  asked_.plan.want = Want::slow;
  add("slow", 5, "", false);
  add("dop853", 1);
  known_.problem.gaps = 1;
  const Advice advice = advise(asked_, known_);
  EXPECT_EQ(advice.way.method->info.name, "dop853");
  EXPECT_THAT(advice.choice, mentions("full motion", "dop853"));
}

TEST_F(Advised, OfWhatCanBeHadInstead) {
  add("dop853", 1);
  asked_.plan.want = Want::amplitude;
  EXPECT_THAT([&] { advise(asked_, known_); },
              testing::ThrowsMessage<UsageError>(mentions("amplitude", "--want full")));
  asked_.plan.want = Want::statistics;
  EXPECT_THAT([&] { advise(asked_, known_); }, testing::ThrowsMessage<UsageError>(mentions("averages", "--want full")));
  known_.problem.has_potential = true;
  EXPECT_EQ(chosen(), "dop853");
}

TEST_F(Advised, ToStepsOfRandomMotionThatAreNoLongerThanThoseOfTheModel) {
  add("langevin_splitting", 1);
  known_.candidates.back().prospect.h = 0.5;
  known_.candidates.back().prospect.steps = 100;
  known_.problem.random = true;
  asked_.defaults.h = 0.125;
  const RankedWay way = advise(asked_, known_).ranked.front();
  EXPECT_EQ(way.h, 0.125);
  EXPECT_EQ(way.predicted_steps, 400);
  EXPECT_EQ(way.predicted_seconds, 4);
  asked_.defaults.h = 2;
  EXPECT_EQ(advise(asked_, known_).ranked.front().h, 0.5);
}

TEST_F(Advised, EvenIfNothingIsKnown) {
  known_.problem.trouble = "one evaluation of its forces takes 3600 s";
  const Advice advice = advise(asked_, known_);
  EXPECT_EQ(advice.way.method->info.name, "dop853");
  EXPECT_THAT(advice.choice, mentions("3600 s"));
}

TEST_F(Advised, ByTheMethodThatIsNamed) {
  asked_.way = Way{&Catalogue::all().method("verlet"), nullptr, {}, {}};
  const Advice advice = advise(asked_, {});
  EXPECT_EQ(advice.way.method->info.name, "verlet");
  EXPECT_EQ(advice.choice, "");
  EXPECT_EQ(advice.remark, "");
}

TEST_F(Advised, AgainstANamedMethodOnlyIfMuchFaster) {
  asked_.way = Way{&Catalogue::all().method("dopri5"), nullptr, {}, {}};
  add("dopri5", 2.9);
  add("dop853", 1);
  EXPECT_EQ(advise(asked_, known_).remark, "");
  known_.candidates[0].seconds = 30;
  const Advice advice = advise(asked_, known_);
  EXPECT_EQ(advice.way.method->info.name, "dopri5");
  EXPECT_THAT(advice.remark, mentions("dopri5", "dop853", "30 times"));
}

TEST(CatalogueOfMethods, HasEveryNameOnce) {
  std::set<std::string> names;
  for (const MethodEntry& entry : Catalogue::all().methods()) EXPECT_TRUE(names.insert(entry.info.name).second);
  for (const ReformulationEntry& entry : Catalogue::all().formulations()) EXPECT_TRUE(names.insert(entry.name).second);
  EXPECT_TRUE(names.contains("rigid_limit"));
  EXPECT_TRUE(names.contains("sam"));
}

TEST(CatalogueOfMethods, TakesDrivenFormulationsForMethods) {
  EXPECT_EQ(Catalogue::all().technique("Slow").formulation, Catalogue::all().find_formulation("slow"));
  EXPECT_EQ(Catalogue::all().technique("verlet").method, Catalogue::all().find_method("verlet"));
  EXPECT_THROW(Catalogue::all().technique("rigid_limit"), UsageError);
  EXPECT_EQ(Catalogue::all().find_method("slow"), nullptr);
}

TEST(StepControls, SayWhyTheyDoNotFit) {
  const MethodInfo verlet = Catalogue::all().method("verlet").info, dopri5 = Catalogue::all().method("dopri5").info;
  EXPECT_EQ(misfit(verlet, FixedStep{0.1}), "");
  EXPECT_EQ(misfit(dopri5, AdaptiveStep{}), "");
  EXPECT_EQ(misfit(verlet, AdaptiveStep{}), "verlet has no error estimate; give a step size h instead of rtol");
  EXPECT_THAT(misfit(verlet, FixedStep{-1}), mentions("h", "positive"));
  MethodInfo own = dopri5;
  own.owns_step = true;
  EXPECT_THAT(misfit(own, FixedStep{0.1}), mentions("dopri5", "own steps", "rtol"));
}
}  // namespace
}  // namespace trill
