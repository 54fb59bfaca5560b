// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "trill/analysis/stability.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

namespace trill::test {
namespace {
constexpr const char* touching = "0.008333333333333333";  // 1/120

FormulaMechanics pendulum() {
  return one_mass(1, 0.5, [](double x) { return -std::sin(x); });
}

Mat2 matrix(const char* alpha, double mu) {
  return stability_matrix(Catalogue::all().method("numerov"), {{"alpha", alpha}}, mu);
}

// The trace of one step is 2 cos theta, where 4 sin^2(theta/2) = H/(1 + H/12 + 5/6 alpha H^2) and H = mu^2.
TEST(Numerov, TraceInClosedForm) {
  for (const char* alpha : {"0", "0.005", touching, "0.01", "0.1"})
    for (const double mu : {0.1, 1.0, 2.0, 7.0, 100.0}) {
      const double H = mu * mu;
      const double trace = 2 - H / (1 + H / 12 + 5.0 / 6 * std::stod(alpha) * H * H);
      EXPECT_NEAR(matrix(alpha, mu).trace(), trace, 1e-12 * (1 + std::abs(trace))) << alpha << " " << mu;
      EXPECT_NEAR(matrix(alpha, mu).determinant(), 1, 1e-9) << alpha << " " << mu;
    }
}

TEST(Numerov, LimitsOfPeriodicity) {
  const auto end = [](const char* alpha) {
    return analyse_stability(Catalogue::all().method("numerov"), {{"alpha", alpha}}, 4).periodicity_end;
  };
  EXPECT_NEAR(end("0"), std::sqrt(6.0), 1e-6);
  EXPECT_NEAR(end("0.005"), 2.71125235994853, 1e-6);
  // For alpha >= 1/120 the trace is never below -2; for alpha = 1/120 it touches -2 at mu = sqrt(12).
  EXPECT_NEAR(matrix(touching, std::sqrt(12.0)).trace(), -2, 1e-12);
  EXPECT_GT(matrix("0.01", std::sqrt(12.0)).trace(), -1.9);
  EXPECT_LT(matrix("0.008", std::sqrt(12.0)).trace(), -2.03);
}

TEST(Numerov, DispersionConstants) {
  const auto constant = [](const char* alpha, double mu, int order) {
    return (std::acos(0.5 * matrix(alpha, mu).trace()) / mu - 1) / std::pow(mu, order);
  };
  EXPECT_NEAR(constant("0", 0.05, 4), 1.0 / 480, 1e-5);
  EXPECT_NEAR(constant(touching, 0.05, 4), -1.0 / 720, 1e-5);
  EXPECT_NEAR(constant("0.01", 0.05, 4), -1.0 / 480, 1e-5);
  EXPECT_NEAR(constant("0.005", 0.2, 6), 8.267196057e-5, 1e-6);
}

// The positions of consecutive steps satisfy the two-step formula, for any start.
TEST(Numerov, PositionsSatisfyTheFormula) {
  const double h = 0.2, alpha = 0.01;
  Walk walk(pendulum(), "numerov");
  std::vector<double> y{1};
  for (int n = 0; n < 20; ++n) {
    ASSERT_EQ(walk.step(h).status, StepStatus::ok);
    y.push_back(walk.s.y[0]);
  }
  const auto f = [](double x) { return -std::sin(x); };
  for (std::size_t n = 1; n + 1 < y.size(); ++n) {
    const double inner = y[n] - alpha * h * h * (f(y[n + 1]) - 2 * f(y[n]) + f(y[n - 1]));
    const double right = h * h / 12 * (f(y[n + 1]) + 10 * f(inner) + f(y[n - 1]));
    EXPECT_NEAR(y[n + 1] - 2 * y[n] + y[n - 1], right, 1e-14);
  }
}

// Published errors of the positions at t = 10 with alpha = 1/120. There the second value was exact.
TEST(Numerov, OrderOnThePendulum) {
  const Vec exact = at_end(pendulum(), "dop853", {}, 10, 2000);
  const double published[] = {6.730881953465051e-06, 4.484050477593371e-07, 2.8700173460016742e-08,
                              1.8117527478267448e-09};
  Vec before;
  for (int k = 0; k < 4; ++k) {
    const Vec error = at_end(pendulum(), "numerov", {{"alpha", touching}}, 10, 50 << k) - exact;
    EXPECT_LT(std::abs(error[0]), 3 * published[k]) << k;
    if (k > 1) {
      EXPECT_NEAR(std::log2(before[0] / error[0]), 4, 0.15);
      EXPECT_NEAR(std::log2(before[1] / error[1]), 4, 0.15);
    }
    before = error;
  }
}

TEST(Numerov, BoundedWhereThePlainMethodOverflows) {
  for (const char* alpha : {touching, "0.01"}) {
    Walk walk(oscillator(1000), "numerov", {{"alpha", alpha}});
    double largest = 0;
    for (int n = 0; n < 2000; ++n) {
      ASSERT_EQ(walk.step(1).status, StepStatus::ok);
      largest = std::max(largest, std::abs(walk.s.y[0]));
    }
    EXPECT_LT(largest, 1.00002) << alpha;
    EXPECT_GT(largest, 0.9) << alpha;
  }
  Walk plain(oscillator(1000), "numerov", {{"alpha", "0"}});
  for (int n = 0; n < 40; ++n) plain.step(1);
  EXPECT_GT(std::abs(plain.s.y[0]), 1e37);
}

// The two-step formula together with its velocities maps (q, v) to (q, v). So a run that starts from any state of
// another run continues like it.
TEST(Numerov, StartsAnywhereOnItsOwnPath) {
  Walk whole(pendulum(), "numerov"), fresh(pendulum(), "numerov");
  whole.walk(0.25, 7);
  fresh.s = whole.s;
  EXPECT_LT((whole.walk(0.25, 20) - fresh.walk(0.25, 20)).cwiseAbs().maxCoeff(), 1e-11);
}

// A spring pendulum whose stiff force has much more rounding than the positions, with h = sqrt(epsilon). At rounding
// the residual of the implicit steps no longer shrinks, except by chance. This was once taken for a failure, and the
// smaller steps that followed ruined the motion.
TEST(EnvelopeVerletAtRounding, KeepsItsStepsWhereResidualsAreRounding) {
  RunPlan plan;
  plan.model = "stiff_spring";
  plan.parameters = {{"epsilon", "1e-3"}, {"x0", "1.001"}, {"y0", "0"}};
  plan.method = "envelope_verlet";
  plan.h = 0.0316228;
  plan.to = 25;
  const Solution s = prepare(plan).run();
  EXPECT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_EQ(s.outcome.counters.steps, 791);
  EXPECT_LT(s.y().row(0).cwiseAbs().maxCoeff(), 1.1);
}

TEST(Numerov, WalksBack) {
  Walk walk(pendulum(), "numerov");
  walk.walk(0.3, 40);
  walk.walk(-0.3, 40);
  EXPECT_NEAR(walk.s.y[0], 1, 1e-11);
  EXPECT_NEAR(walk.s.y[1], 0.5, 1e-11);
}

// A problem with a mass matrix that is not the identity and a force that depends on time.
class Forced final : public MechanicalProblem {
 public:
  explicit Forced(bool sparse) : sparse_(sparse) {}
  std::string name() const override { return "forced"; }
  Layout layout() const override { return {n, n, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(2 * n); }
  State initial_state() const override {
    State s(layout());
    for (Index i = 0; i < n; ++i) s.y[i] = std::sin(0.3 * static_cast<double>(i + 1));
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Forced>(*this); }
  MassKind mass_kind() const override { return MassKind::constant; }
  MatrixSlot mass_pattern() const override { return pattern(); }
  void mass(In, MatrixSlot& m) const override {
    m.set_zero();
    for (Index i = 0; i < n; ++i) m.add(i, i, 2);
    for (Index i = 0; i + 1 < n; ++i) {
      m.add(i, i + 1, 0.5);
      m.add(i + 1, i, 0.5);
    }
  }
  MatrixSlot stiffness_pattern() const override { return pattern(); }
  void force(Groups, double t, In q, In, Out f) const override {
    for (Index i = 0; i < n; ++i) {
      const double left = i > 0 ? q[i - 1] : 0, right = i + 1 < n ? q[i + 1] : 0;
      f[i] = 3 * (left - 2 * q[i] + right) - q[i] * q[i] * q[i] + std::cos(t);
    }
  }

 private:
  static constexpr Index n = 30;
  MatrixSlot pattern() const {
    if (!sparse_) return MatrixSlot::dense(n, n);
    SpMat m(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = std::max<Index>(0, i - 1); j < std::min(n, i + 2); ++j) m.insert(i, j) = 0;
    return MatrixSlot::sparse(m);
  }
  bool sparse_;
};

TEST(Numerov, MassMatrixDenseAndSparse) {
  const Vec exact = at_end(Forced(false), "dop853", {}, 3, 600);
  for (const bool sparse : {false, true}) {
    const double a = (at_end(Forced(sparse), "numerov", {}, 3, 30) - exact).cwiseAbs().maxCoeff();
    const double b = (at_end(Forced(sparse), "numerov", {}, 3, 60) - exact).cwiseAbs().maxCoeff();
    EXPECT_LT(b, 1e-4);
    EXPECT_GT(std::log2(a / b), 3.6) << sparse;
  }
}

TEST(Numerov, KeepsItsMatrix) {
  Walk walk(oscillator(3), "numerov");
  walk.walk(0.2, 100);
  EXPECT_LE(walk.work.jacobians, 2);
}

TEST(Numerov, AllocatesNothingInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  Walk walk(pendulum(), "numerov");
  walk.step(0.1);
  AllocationGuard guard;
  for (const double h : {0.1, 0.2})
    for (int i = 0; i < 10; ++i) walk.step(h);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(Numerov, RefusesWhatItCannotSolve) {
  const auto made = make_model("rigid", {});
  EXPECT_THAT(refusal([&] { Catalogue::all().method("numerov").make(*made.problem, {}); }),
              mentions("numerov", "constraints", "'pendulum/rigid'"));
  const FormulaMechanics drag(
      Vec::Ones(1), Vec::Ones(1), [](double, In, In v, Out f) { f[0] = -v[0]; }, true);
  EXPECT_THAT(refusal([&] { Walk(drag, "numerov"); }), mentions("numerov", "velocity", "'formula'"));
}

// The force varies too quickly for Newton's iteration with a long step. The step returns a status, and the state and
// the steps after it are those without the failed step.
TEST(Numerov, FailedStepLeavesEverythingAsItWas) {
  const auto rough = one_mass(1, 0.1, [](double x) { return -x - 400 * std::sin(40 * x); });
  Walk walk(rough, "numerov"), twin(rough, "numerov");
  ASSERT_EQ(walk.step(0.002).status, StepStatus::ok);
  ASSERT_EQ(twin.step(0.002).status, StepStatus::ok);
  const State before = walk.s;
  EXPECT_EQ(walk.step(3).status, StepStatus::newton_diverged);
  EXPECT_EQ(walk.s.y, before.y);
  EXPECT_EQ(walk.s.t, before.t);
  EXPECT_LT((walk.walk(0.002, 10) - twin.walk(0.002, 10)).cwiseAbs().maxCoeff(), 1e-10);
}
// The method also computes the position one step ahead. If there is no force there, the step fails although the force
// at its own end exists.
TEST(Numerov, FailsOneStepBeforeTheEdge) {
  const auto edge = one_mass(1, 1, [](double x) { return x > 2 ? std::nan("") : 0.0; });
  Walk walk(edge, "numerov");
  EXPECT_EQ(walk.step(0.6).status, StepStatus::non_finite);
  EXPECT_EQ(walk.s.y, Vec(Vec::Ones(2)));
  EXPECT_EQ(walk.step(0.4).status, StepStatus::ok);
  EXPECT_NEAR(walk.s.y[0], 1.4, 1e-14);
}

// The family of Skeel, Zhang and Schlick (1997). Its member with the parameter 1/12 also has Numerov's formula.
class EnvelopeVerlet : public testing::Test {
 protected:
  using Vec2 = Eigen::Vector2d;
  static constexpr const char* members[] = {"0", "0.08333333333333333", "0.25", "0.5"};

  // U = x^2/2 + y^2 + x^2 y - y^3/3
  static TextModel anharmonic() {
    return read_model("m.toml", R"toml(
coordinates.x = { start = 0.2, velocity = 0.1 }
coordinates.y = { start = 0.1, velocity = -0.25, mass = 1.5 }
[[potential]]
energy = "x^2/2 + y^2 + x^2*y - y^3/3"
)toml");
  }
  static Vec2 force_at(const Vec& q) {
    return {-q[0] - 2 * q[0] * q[1], (-2 * q[1] - q[0] * q[0] + q[1] * q[1]) / 1.5};
  }
  static Solution run(const std::string& method, const OptionSet& options, double to, double h) {
    RunPlan plan;
    plan.method = method;
    plan.options = options;
    plan.to = to;
    if (h > 0)
      plan.h = h;
    else
      plan.rtol = 1e-13;
    return prepare(plan, anharmonic().problem).run();
  }
  static double error_at_10(const char* alpha, double h) {
    const Solution exact = run("dop853", {}, 10, 0), found = run("envelope_verlet", {{"alpha", alpha}}, 10, h);
    return (found.y().col(found.rows() - 1) - exact.y().col(exact.rows() - 1)).cwiseAbs().maxCoeff();
  }
};

// The errors come from an independent program.
TEST_F(EnvelopeVerlet, NumerovsMemberHasOrderFour) {
  const char* numerov = members[1];
  EXPECT_NEAR(error_at_10(numerov, 0.1), 1.44e-6, 0.01e-6);
  EXPECT_NEAR(error_at_10(numerov, 0.05), 9.00e-8, 0.02e-8);
  EXPECT_NEAR(error_at_10(numerov, 0.025), 5.62e-9, 0.05e-9);
  EXPECT_NEAR(error_at_10("0", 0.05), 4.865e-4, 2e-6);
}

TEST_F(EnvelopeVerlet, WithAlphaZeroItIsVerlet) {
  const Solution a = run("verlet", {}, 5, 0.05), b = run("envelope_verlet", {{"alpha", "0"}}, 5, 0.05);
  EXPECT_LT((a.y() - b.y()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_F(EnvelopeVerlet, PositionsSatisfyTheTwoStepFormula) {
  constexpr double h = 0.3;
  for (const char* member : members) {
    const double alpha = std::stod(member);
    const Solution s = run("envelope_verlet", {{"alpha", member}}, 15, h);
    for (Index k = 1; k + 1 < s.rows(); ++k) {
      const auto X = [&](Index at) -> Vec { return s.y().col(at).head(2); };
      const Vec2 accelerations =
          alpha * force_at(X(k + 1)) + (1 - 2 * alpha) * force_at(X(k)) + alpha * force_at(X(k - 1));
      const Vec2 off = X(k + 1) - 2 * X(k) + X(k - 1) - h * h * accelerations;
      ASSERT_LT(off.cwiseAbs().maxCoeff(), 1e-10) << member << ", row " << k;
    }
  }
}

TEST_F(EnvelopeVerlet, TraceInClosedForm) {
  for (const char* member : members)
    for (const double mu : {0.1, 1.0, 1.9, 7.0}) {
      const double alpha = std::stod(member), H = mu * mu;
      if (alpha < 0.2 && mu > 2) continue;
      const Mat2 M = stability_matrix(Catalogue::all().method("envelope_verlet"), {{"alpha", member}}, mu);
      EXPECT_NEAR(M.trace(), 2 - H / (1 + alpha * H), 1e-10) << member << " " << mu;
      EXPECT_NEAR(M.determinant(), 1, 1e-9) << member << " " << mu;
    }
}

// The step is longer than the period of the stiff spring by a factor of 30.
TEST_F(EnvelopeVerlet, FindsLongSteps) {
  RunPlan plan;
  plan.method = "envelope_verlet";
  plan.h = 0.2;
  plan.to = 40;
  const Solution s = prepare(plan, read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0 }
coordinates.y = { start = 0, velocity = 0 }
[[potential]]
energy = "2e3*(sqrt(x^2 + y^2) - 1)^2 + y/10"
)toml")
                                       .problem)
                         .run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_EQ(s.outcome.counters.newton_failures, 0);
  for (Index k = 0; k < s.rows(); ++k) EXPECT_NEAR(s.y().col(k).head(2).norm(), 1, 0.05);
}
}  // namespace
}  // namespace trill::test
