// SPDX-License-Identifier: BSD-3-Clause
// From a plan to a run: resolve, facts, advice, build.
#include "driver/advice.hpp"
#include "support/mentions.hpp"
#include "trill/problem/mechanical.hpp"

#include <set>

#include <gmock/gmock.h>

namespace trill {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

struct Looks {
  int count = 0;
  double farthest = 0;  // from the positions of the start
};

// Two springs, one of them stiff, that note where their forces are asked for.
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

TEST_F(ForTheSlowMotion, NothingIsIntegratedWithoutTrialRuns) {
  plan_.trial_runs = false;
  const PreparedRun run = prepared();
  EXPECT_GT(looks_->count, 0);
  EXPECT_LT(looks_->farthest, 1e-3) << "that far the stiff spring is stretched, and forces differ";
  EXPECT_EQ(run.way.formulation->name, "slow");
  EXPECT_THAT(run.choice, mentions("slow"));
  EXPECT_THAT(run.choice, mentions("hmm, then radau"));
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

class Advised : public testing::Test {
 protected:
  Advised() {
    asked_.plan.want = Want::slow;
    for (const Technique& technique : candidates_for(asked_))
      known_.trials.push_back({technique, {technique.method, technique.formulation, {}, {}}, "not here", true});
    known_.stiff_gaps = 2;
    known_.mechanical = true;
  }
  void only_the_last_suits(std::size_t tried) {
    known_.trials.resize(tried);
    known_.trials.back().objection.clear();
  }
  Resolved asked_;
  Facts known_;
};

TEST_F(Advised, TheLadderIsClosedFormThenWindowsThenDamping) {
  std::vector<std::string> names;
  for (const Technique& technique : candidates_for(asked_)) names.push_back(technique.name());
  EXPECT_THAT(names, ElementsAre("slow", "hmm", "radau"));
  asked_.plan.want = Want::full;
  EXPECT_TRUE(candidates_for(asked_).empty());
}

TEST_F(Advised, ByTheFirstThatNothingSpeaksAgainst) {
  only_the_last_suits(2);
  const Advice advice = advise(asked_, known_);
  EXPECT_EQ(advice.way.formulation->name, "hmm");
  EXPECT_THAT(advice.choice, mentions("hmm", "slow motion", "not here"));
}

TEST_F(Advised, ToDampWhatIsStiffOnly) {
  only_the_last_suits(3);
  EXPECT_EQ(advise(asked_, known_).way.method->info.name, "radau");
  known_.stiff_gaps = 0;
  EXPECT_THROW(advise(asked_, known_), UsageError);
}

TEST_F(Advised, ByTheMethodThatIsNamed) {
  asked_.way = Way{&Catalogue::all().method("verlet"), nullptr, {}, {}};
  const Advice advice = advise(asked_, {});
  EXPECT_EQ(advice.way.method->info.name, "verlet");
  EXPECT_EQ(advice.choice, "");
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
