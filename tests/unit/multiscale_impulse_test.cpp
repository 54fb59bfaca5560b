// SPDX-License-Identifier: BSD-3-Clause
// impulse and mollified_impulse step by step: what they conserve, what they cost, what they refuse and warn about.
#include "multiscale/fast_flow.hpp"
#include "support/algebra.hpp"
#include "support/impulse_checks.hpp"
#include "support/mentions.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/model_registry.hpp"

#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double pi = std::numbers::pi;

const OptionSet fixed_inner{{"inner", "6"}};

TEST(Impulse, EqualWeightsAreSymplecticAndOthersKeepVolume) {
  SpringNetwork stretched = two_springs(12), heavy = zigzag(3, 12);
  stretched.q = Eigen::Vector4d(1.02, 0.1, 2.3, 0.4);
  stretched.springs[1].k = 3;
  heavy.masses = Mat::Identity(6, 6) * 1.5 + Mat::Constant(6, 6, 0.1);
  for (const SpringNetwork& p : {stretched, heavy})
    for (const char* order : {"2", "8"}) {
      OptionSet options = fixed_inner;
      options["inner_order"] = order;
      for (const char* weight : {"delta", "short", "lin", "long"}) {
        const Mat j = step_jacobian(p, "mollified_impulse", weights(weight, weight, options), 0.25);
        EXPECT_LT(symplectic_defect(j), 1e-8) << weight;
        EXPECT_NEAR(test::determinant(j), 1, 1e-8);
      }
      for (const auto& [phi, psi] : {std::pair{"long", "long*long"}, {"delta", "short"}, {"short", "short*long"}}) {
        const Mat j = step_jacobian(p, "mollified_impulse", weights(phi, psi, options), 0.25);
        EXPECT_GT(symplectic_defect(j), p.masses.size() == 0 ? 1e-3 : 3e-4) << phi << " " << psi;
        EXPECT_NEAR(test::determinant(j), 1, 1e-8);
      }
    }
}

TEST(Impulse, ForcesThatAreNotConservativeKeepVolume) {
  const Mat j = step_jacobian(two_springs(12, 0.3), "mollified_impulse", weights("short", "short", fixed_inner), 0.25);
  EXPECT_NEAR(test::determinant(j), 1, 1e-8);
  EXPECT_GT(symplectic_defect(j), 0.5);
}

TEST(Impulse, StepsBackUndoStepsForward) {
  for (const double turn : {0.0, 0.3})
    for (const SpringNetwork& p : {two_springs(12, turn), zigzag(5, 12, turn)})
      for (const OptionSet& options : {weights("short", "short"), weights("short", "short*long"),
                                       weights("long", "long*long", {{"inner_order", "8"}}),
                                       weights("short", "short", {{"levels", "slower, slow/3, fast"}}),
                                       weights("slower=short,lin", "slower=short*long,lin")}) {
        Walk walk(p, "mollified_impulse", options);
        const Vec before = walk.s.y;
        walk.walk(0.15, 20);
        EXPECT_GT((walk.s.y - before).norm(), 0.1);
        EXPECT_LT((walk.walk(-0.15, 20) - before).norm(), 1e-11);
      }
}

double linear_momentum_change(const SpringNetwork& p, const Vec& y) {
  Eigen::Vector2d change = Eigen::Vector2d::Zero();
  for (Index i = 0; i < p.q.size(); i += 2) change += y.segment<2>(p.q.size() + i) - p.v.segment<2>(i);
  return change.norm();
}

double angular_momentum(const Vec& y) {
  const Index n = y.size() / 2;
  double sum = 0;
  for (Index i = 0; i < n; i += 2) sum += y[i] * y[n + i + 1] - y[i + 1] * y[n + i];
  return sum;
}

TEST(Impulse, MomentumIsKeptByAllPairsAndAngularMomentumByEqualOnes) {
  const SpringNetwork p = zigzag(6, 12);
  const double before = angular_momentum(p.initial_state().y);
  for (const auto& [phi, psi] : {std::pair{"delta", "delta"},
                                 {"short", "short"},
                                 {"lin", "lin"},
                                 {"long", "long"},
                                 {"short", "short*long"},
                                 {"long", "long*long"},
                                 {"delta", "short"}}) {
    SCOPED_TRACE(std::string(phi) + " " + psi);
    const Vec y = Walk(p, "mollified_impulse", weights(phi, psi)).walk(0.2, 100);
    EXPECT_LT(linear_momentum_change(p, y), 1e-12);
    const double change = std::abs(angular_momentum(y) - before);
    if (std::string(phi) == psi)
      EXPECT_LT(change, 1e-12);
    else
      EXPECT_GT(change, 1e-6);
  }
}

// The largest error of the positions (or of the velocities) at the ends of all steps.
double largest_error(const SpringNetwork& p, const OptionSet& options, double h, double to, bool velocities = false) {
  Walk ours(p, "mollified_impulse", options), exact(p, "composition8");
  const Index n = p.q.size();
  const double omega = std::sqrt(p.springs[0].k);
  const int steps = static_cast<int>(std::lround(to / h));
  const int finer = std::max(8, static_cast<int>(std::ceil(8 * h * omega)));
  double largest = 0;
  for (int i = 0; i < steps; ++i) {
    ours.walk(h, 1);
    exact.walk(h / finer, finer);
    const Vec error = ours.s.y - exact.s.y;
    largest = std::max(largest, velocities ? error.tail(n).norm() : error.head(n).norm());
  }
  return largest;
}

// SS08 fig. 7.1 at single frequencies. Digits beyond the published ones come from two independent programs.
TEST(Impulse, ErrorsOfTheTwoSpringsAsPublished) {
  const OptionSet accurate{{"inner", "8"}, {"inner_order", "8"}};
  const auto error = [&](const char* phi, const char* psi, double h, double omega) {
    return largest_error(two_springs(omega), weights(phi, psi, accurate), h, 16);
  };
  EXPECT_NEAR(error("delta", "delta", 0.5, 11.25), 0.39307761, 1e-6);
  EXPECT_NEAR(error("delta", "delta", 0.25, 23.875), 0.16858864, 1e-6);
  EXPECT_NEAR(error("short", "short", 0.5, 1.125), 0.14604267, 1e-6);
  EXPECT_NEAR(error("short", "short", 0.25, 1.125), 0.03543772, 1e-6);
  EXPECT_NEAR(error("long", "long*long", 0.5, 1.125), 0.46183159, 1e-6);
  EXPECT_NEAR(error("long", "long*long", 0.25, 1.125), 0.12272121, 1e-6);
}

// The frequencies go up to h omega = 5 pi and include neighbours of multiples of pi, where the error terms of first
// order are largest.
double error_over_frequencies(double turn, Products products, double h, bool velocities) {
  std::vector<double> thetas;
  for (double theta = pi / 2; theta <= 5 * pi; theta += pi / 4) thetas.push_back(theta);
  for (int k = 1; k <= 4; ++k)
    for (const double delta : {-2.0, -1.0, 1.0, 2.0}) thetas.push_back(k * pi + delta * h);
  double largest = 0;
  for (const double theta : thetas) {
    SpringNetwork p = two_springs(theta / h, turn);
    p.products = products;
    largest = std::max(largest, largest_error(p, weights("short", "short", {{"inner_order", "8"}}), h, 2, velocities));
  }
  return largest;
}

// With the transposed product, which is the derivative of the average, errors do not fall with h: 7.2e-2 and 1.3e-1.
TEST(Impulse, FastForcesThatAreNotConservativeKeepTheOrders) {
  const double coarse = error_over_frequencies(0.3, Products::right, 1.0 / 4, false),
               fine = error_over_frequencies(0.3, Products::right, 1.0 / 8, false);
  EXPECT_NEAR(coarse, 4.0e-3, 1e-3);
  EXPECT_NEAR(fine, 1.0e-3, 2.5e-4);
  EXPECT_GT(std::log2(coarse / fine), 1.7);
  const double coarse_p = error_over_frequencies(0.3, Products::right, 1.0 / 4, true),
               fine_p = error_over_frequencies(0.3, Products::right, 1.0 / 8, true);
  EXPECT_NEAR(std::log2(coarse_p / fine_p), 1, 0.2);
  EXPECT_NEAR(fine_p, 8.1e-3, 2e-3);
  for (const double h : {1.0 / 4, 1.0 / 8}) {
    EXPECT_NEAR(error_over_frequencies(0.3, Products::transposed, h, false), 7.2e-2, 1e-2);
    EXPECT_NEAR(error_over_frequencies(0.3, Products::transposed, h, true), 0.133, 0.02);
  }
}

// Each slow force is evaluated at its own average, and all of them are mollified in the same backward sweep.
TEST(Impulse, SlowForcesHaveTheirOwnWeights) {
  const SpringNetwork p = zigzag(6, 12);
  const Index n = p.q.size();
  const double h = 0.2;
  const std::vector<WeightPair> pairs{{Weight::named("short"), Weight::named("long")},
                                      {Weight::named("lin"), Weight::named("delta")}};
  const FlowOptions options{.inner = 6};
  Vec q = p.q, v = p.v;
  Counters work;
  const auto kick = [&] {
    for (std::size_t j = 0; j < 2; ++j) {
      const auto flow = make_sweep_flow(p, SpringNetwork::fast, {pairs[j]}, options);
      flow->start(p.initial_state());
      Mat average(n, 1), force(n, 1);
      Vec mollified(n);
      flow->average(0, h, q, average, work);
      p.force(j == 0 ? SpringNetwork::slow : SpringNetwork::slower, 0, average.col(0), v, force.col(0));
      flow->mollify(force, mollified, work);
      v += h / 2 * mollified;
    }
  };
  kick();
  const auto flow = make_sweep_flow(p, SpringNetwork::fast, pairs, options);
  flow->start(p.initial_state());
  flow->flow(0, h, q, v, work);
  kick();
  const Vec y = Walk(p, "mollified_impulse", weights("slow=short,lin", "slow=long,delta", {{"inner", "6"}})).walk(h, 1);
  EXPECT_LT((y.head(n) - q).norm() + (y.tail(n) - v).norm(), 1e-13);
}

// Forces kept from the step before are dropped if something outside of the method has changed.
TEST(Impulse, JumpsAreSeen) {
  for (const char* fast : {"", "all"}) {
    auto strength = std::make_shared<double>(1);
    const FormulaMechanics p(Vec::Ones(1), Vec::Zero(1), [strength](double, In q, In, Out f) { f = -*strength * q; });
    const OptionSet options{{"fast", fast}, {"inner", "2"}};
    Walk walk(p, "impulse", options);
    walk.walk(0.1, 3);
    *strength = 5;
    walk.jumped = true;
    Walk fresh(p, "impulse", options);
    fresh.s = walk.s;
    EXPECT_EQ(walk.walk(0.1, 1), fresh.walk(0.1, 1));
  }
}

// A fast oscillator whose frequency and whose slow force depend on time.
class DrivenOscillator final : public MechanicalProblem {
 public:
  std::string name() const override { return "driven"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 1, 0.5;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<DrivenOscillator>(); }
  std::vector<GroupInfo> groups() const override { return {{"spring", true}, {"drive", false}}; }
  void force(Groups groups, double t, In q, In, Out f) const override {
    f[0] = (groups & 1 ? -(30 + 10 * std::sin(t)) * q[0] : 0) + (groups & 2 ? 3 * std::cos(2 * t) * q[0] : 0);
  }
};

TEST(Impulse, ForcesMayDependOnTime) {
  const DrivenOscillator p;
  const Vec exact = at_end(p, "composition8", {}, 2, 4000);
  for (const char* method : {"impulse", "mollified_impulse", "respa"}) {
    const double coarse = (at_end(p, method, {}, 2, 100) - exact).norm(),
                 fine = (at_end(p, method, {}, 2, 200) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << method;
    Walk walk(p, method);
    const Vec before = walk.s.y;
    walk.walk(0.05, 20);
    EXPECT_LT((walk.walk(-0.05, 20) - before).norm(), 1e-12) << method;
  }
}

// In the unstable interval the energy grows with impulse. With the default weights of mollified_impulse it does not.
TEST(Impulse, ResonanceIsWhatItIsWarnedOf) {
  SpringNetwork p = two_springs(pi / 0.25);
  p.springs[1].k = 2;
  p.q[2] = 2.1;
  const auto largest_change = [&](const char* method) {
    Walk walk(p, method, {{"inner_order", "8"}});
    const auto energy = [&] { return 0.5 * walk.s.v().squaredNorm() + *p.potential(all_groups, 0, walk.s.q()); };
    const double before = energy();
    double largest = 0;
    for (int i = 0; i < 2000; ++i) {
      walk.walk(0.2495, 1);
      largest = std::max(largest, std::abs(energy() - before));
    }
    return largest;
  };
  const double impulse = largest_change("impulse"), mollified = largest_change("mollified_impulse");
  EXPECT_GT(impulse, 100 * mollified);
}

// A step contains two periods. A cubic through its ends would miss the oscillation inside.
TEST(Impulse, InsideAStepTheOscillationIsThere) {
  SpringNetwork p = two_springs(40);
  p.q[0] = 1.02;
  p.q[2] = 2.5;
  p.springs[1].k = 3;
  const double h = 0.3;
  for (const char* method : {"impulse", "mollified_impulse"}) {
    Walk walk(p, method, {{"inner_order", "8"}}), exact(p, "composition8");
    walk.walk(h, 1);
    double largest = 0, moved = 0;
    Vec inside(8);
    for (int i = 1; i <= 60; ++i) {
      exact.walk(h / 600, 10);
      walk.stepper->interpolate(i / 60.0, inside);
      largest = std::max(largest, (inside - exact.s.y).head(4).norm());
      moved = std::max(moved, std::abs(inside[0] - 1));
    }
    EXPECT_LT(largest, 1e-2) << method;
    EXPECT_GT(moved, 0.015);
  }
}

TEST(Impulse, OneSlowForceInAStep) {
  Walk walk(two_springs(20), "mollified_impulse");
  walk.walk(0.25, 10);
  EXPECT_EQ(walk.work.forces[1], 10 + 1);
}

TEST(Impulse, WarnsOfResonances) {
  SpringNetwork p = two_springs(pi / 0.25);
  p.springs[1].k = 2;
  p.q[2] = 2.1;
  const auto noted = [&](const char* method, const OptionSet& options, double h, const char* code) {
    Walk walk(p, method, options);
    walk.walk(h, 1);
    return has_note(walk.notes, code);
  };
  // Since the slow spring pulls back, the unstable interval lies below pi.
  const double width = 0.25 * 0.25 * 2 / pi / pi, below = 0.25 * (1 - width / 2), above = 0.25 * (1 + width / 2);
  for (const char* method : {"impulse", "respa"}) {
    EXPECT_TRUE(noted(method, {}, below, "resonance"));
    EXPECT_FALSE(noted(method, {}, above, "resonance"));
    EXPECT_TRUE(noted(method, {}, above, "near_resonance"));
  }
  EXPECT_FALSE(noted("mollified_impulse", {}, below, "near_resonance"));
  EXPECT_FALSE(noted("mollified_impulse", {}, below, "resonance"));
  EXPECT_TRUE(noted("impulse", {}, 1.5, "slow_step"));
  EXPECT_FALSE(noted("impulse", {}, 0.1, "near_resonance"));
  EXPECT_TRUE(noted("impulse", {}, 0.35, "beyond_resonance"));
  EXPECT_TRUE(noted("mollified_impulse", weights("box(1.5)", "box(1.5)"), 0.1, "phi_without_unity"));
  EXPECT_TRUE(noted("mollified_impulse", weights("short", "box(1.5)"), 0.1, "psi_without_unity"));
  EXPECT_FALSE(noted("mollified_impulse", {}, 0.1, "psi_without_unity"));
  EXPECT_TRUE(noted("mollified_impulse", weights("slower=box(1.5),short", "short"), 0.1, "phi_without_unity"));
  EXPECT_TRUE(noted("mollified_impulse", {{"inner", "1"}}, 0.4, "inner_steps"));
  EXPECT_FALSE(noted("mollified_impulse", {}, 0.4, "inner_steps"));
}

TEST(Impulse, WarnsWhenTheFrequencyGrows) {
  const FormulaMechanics p(Vec::Ones(1), Vec::Zero(1),
                           [](double t, In q, In, Out f) { f[0] = -std::pow(0.5 + t, 2) * q[0]; });
  Walk walk(p, "impulse", {{"fast", "all"}});
  ASSERT_TRUE(walk.walk(0.15, 100).allFinite());
  EXPECT_TRUE(has_note(walk.notes, "inner_steps_later"));
}

TEST(Impulse, SaysThatForcesAreNotDivided) {
  Walk walk(oscillator(3), "impulse"), verlet(oscillator(3), "verlet");
  EXPECT_LT((walk.walk(0.1, 10) - verlet.walk(0.1, 10)).norm(), 1e-13);
  EXPECT_TRUE(has_note(walk.notes, "undivided"));
  Walk fast(oscillator(3), "impulse", {{"fast", "all"}});
  fast.walk(0.1, 1);
  EXPECT_TRUE(has_note(fast.notes, "no_slow_force"));
  EXPECT_FALSE(has_note(fast.notes, "undivided"));
}

TEST(Impulse, SummaryTellsTheResonanceAndWhatIsAveraged) {
  Walk walk(zigzag(5, 12), "mollified_impulse", weights("short", "short"));
  walk.walk(0.25, 3);
  EXPECT_THAT(walk.stepper->summary(), mentions("h omega/pi", "averaged along fast", "other forces", "exchange"));
  Vec values(2);
  walk.stepper->diagnose(values);
  EXPECT_GT(values.minCoeff(), 0);
}

// The soft spring has the frequency 1, the stiff one 707. A step that is not given follows from the soft one.
TEST(Impulse, StepsThatNobodyGivesFollowTheSlowForces) {
  for (const char* method : {"impulse", "mollified_impulse", "respa"}) {
    RunPlan plan;
    plan.model = "two_springs";
    plan.method = method;
    EXPECT_NEAR(*prepare(plan).plan.h, 2 * std::numbers::pi / default_steps_per_period, 1e-3) << method;
  }
}

// A repetition for the check must also halve the inner steps. If it only halved h, their error would not be seen.
TEST(Impulse, TrustSeesTheErrorOfInnerSteps) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.h = 0.025;
  plan.to = 10;
  for (const char* method : {"impulse", "respa"}) {
    plan.method = method;
    PreparedRun run = prepare(plan), finer = prepare(plan);
    finer.stepper->refine();
    const Solution s = run.run(), t = finer.run();
    EXPECT_NEAR(
        static_cast<double>(t.outcome.counters.most_forces()) / static_cast<double>(s.outcome.counters.most_forces()),
        2, 0.05)
        << method;
  }
}

TEST(Impulse, Refusals) {
  const SpringNetwork p = zigzag(4, 12);
  const auto why = [&](const Problem& problem, const char* method, const OptionSet& options) {
    return refusal([&] { Catalogue::all().method(method).make(problem, options); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(why(p, "impulse", {{"fast", "fats"}}), mentions("'fats'", "'fast'"));
  EXPECT_THAT(why(p, "respa", {{"levels", "slow, fast/0"}}), mentions("'fast/0'", "whole number"));
  EXPECT_THAT(why(p, "respa", {{"levels", "slow, slower, fast"}}), mentions("'slower/2'"));
  EXPECT_THAT(why(p, "respa", {{"levels", "slow, slow/2"}}), mentions("'slow'", "two levels"));
  EXPECT_THAT(why(p, "respa", {{"levels", "slow/2, fast/2"}}), mentions("first level"));
  EXPECT_THAT(why(p, "respa", {{"levels", "slower, slow/1001, fast/1000"}}), mentions("1000000 inner steps"));
  EXPECT_THAT(why(p, "mollified_impulse", {{"phi", "slow=short"}}),
              mentions("mollified_impulse", "no weight", "WEIGHT"));
  EXPECT_THAT(why(p, "mollified_impulse", {{"phi", "shotr"}}), mentions("'short'"));
  EXPECT_THAT(why(p, "mollified_impulse", {{"fast", "fast"}, {"levels", "slow, fast"}}),
              mentions("'fast'", "'levels'"));
  const FormulaMechanics damped(
      Vec::Ones(1), Vec::Ones(1), [](double, In, In v, Out f) { f = -v; }, true);
  for (const char* method : {"impulse", "mollified_impulse", "respa"}) {
    EXPECT_THAT(why(damped, method, {}), mentions(method, "velocity"));
    EXPECT_THAT(why(*make_model("rigid", {}).problem, method, {}), mentions(method, "constraints", "rattle"));
  }
}

TEST(Impulse, ForcesThatFailLeaveTheStateAlone) {
  const FormulaMechanics cliff(Vec::Constant(1, 1.99), Vec::Ones(1),
                               [](double, In q, In, Out f) { f[0] = q[0] > 2 ? std::nan("") : 0; });
  for (const char* method : {"impulse", "mollified_impulse"}) {
    Walk walk(cliff, method, {{"fast", "all"}});
    const Vec before = walk.s.y;
    EXPECT_EQ(walk.step(0.5).status, StepStatus::non_finite);
    EXPECT_EQ(walk.s.y, before);
    EXPECT_EQ(walk.step(0.001).status, StepStatus::ok);
  }
}
}  // namespace
}  // namespace trill::test
