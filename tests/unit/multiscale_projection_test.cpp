// SPDX-License-Identifier: BSD-3-Clause
// Mollified impulses that project positions onto closed gaps.
#include "multiscale/projected_flow.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
Groups group_named(const MechanicalProblem& p, const std::string& name) {
  for (std::size_t k = 0; k < p.groups().size(); ++k)
    if (p.groups()[k].name == name) return Groups{1} << k;
  ADD_FAILURE() << name;
  return 0;
}

class ProjectionOfAlkane : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const MechanicalProblem& p = mechanics(*alkane_);
    closed_ = group_named(p, "bonds");
    if (std::string(GetParam()) == "bonds+angles") closed_ |= group_named(p, "angles");
    flow_.emplace(p, closed_, make_fast_flow(p, closed_, {WeightPair{}}, {.inner = 1}));
    State s = alkane_->initial_state();
    for (Index i = 0; i < s.layout.nq; ++i) s.q()[i] += 0.05 * std::sin(12.9898 * static_cast<double>(i) + 7.2);
    q_ = s.q();
    flow_->start(s);
  }
  Vec projected(In q) {
    Mat a(q.size(), 1);
    EXPECT_TRUE(flow_->average(0, 1, q, a, work_));
    return a.col(0);
  }

  std::unique_ptr<Problem> alkane_ = make_model("alkane", {{"n", "6"}}).problem;
  Groups closed_ = 0;
  std::optional<ProjectedFlow> flow_;
  Vec q_;
  Counters work_;
};

TEST_P(ProjectionOfAlkane, ClosesTheGapsByTheShortestWay) {
  const RigidLimit rigid(mechanics(*alkane_), {.groups = closed_});
  const Vec a = projected(q_);
  Vec g(rigid.gaps());
  rigid.constraints()->value(0, a, g);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-12);
  // M (a - q) must be a combination of the gradients of the gaps, without any part along the surface.
  const ConstraintMap& map = *rigid.constraints();
  MatrixSlot slot = map.pattern(), mass = mechanics(*alkane_).mass_pattern();
  map.jacobian(0, a, slot);
  mechanics(*alkane_).mass(a, mass);
  Mat G(map.count(), a.size());
  Vec e = Vec::Zero(a.size()), column(map.count()), pull(a.size());
  for (Index i = 0; i < a.size(); ++i) {
    e[i] = 1;
    slot.multiply(e, column);
    G.col(i) = column;
    e[i] = 0;
  }
  mass.multiply((a - q_).eval(), pull);
  const Vec share = G.transpose().colPivHouseholderQr().solve(pull);
  EXPECT_LT((pull - G.transpose() * share).norm(), 1e-8 * pull.norm());
}

// The force is the gradient of U(A(q)), computed here by differences.
TEST_P(ProjectionOfAlkane, ForcesAreGradientsOfTheProjectedPotential) {
  const MechanicalProblem& p = mechanics(*alkane_);
  const Groups slow = group_named(p, "torsions") | group_named(p, "pairs");
  const auto energy = [&](In q) { return *p.potential(slow, 0, projected(q)); };
  const Vec a = projected(q_);
  Mat f(q_.size(), 1);
  f.col(0) = force_of(p, 0, a, Vec::Zero(q_.size()), slow);
  Vec mollified(q_.size());
  ASSERT_TRUE(flow_->mollify(f, mollified, work_));
  const double step = 1e-4;
  for (Index i = 0; i < q_.size(); ++i) {
    const auto moved = [&](double by) {
      Vec q = q_;
      q[i] += by;
      return energy(q);
    };
    const double slope = (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
    EXPECT_NEAR(mollified[i], -slope, 1e-8 * f.cwiseAbs().maxCoeff()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Alkane, ProjectionOfAlkane, testing::Values("bonds", "bonds+angles"),
                         [](const auto& given) { return given.index == 0 ? "bonds" : "bonds_and_angles"; });

Solution with_projection(double h, double to) {
  RunPlan plan = plan_with("mollified_impulse", to, h);
  plan.options = {{"projection", "bonds+angles"}, {"fast", "bonds+angles"}};
  return run_of(make_model("alkane", {{"n", "6"}}).problem, plan);
}

// Half the step gives a quarter of the error. The run warns that it samples another potential.
TEST(Projection, HasSecondOrderAndWarns) {
  const Vec fine = last_of(with_projection(0.0025, 0.4));
  const double coarse_error = (last_of(with_projection(0.02, 0.4)) - fine).norm(),
               half_error = (last_of(with_projection(0.01, 0.4)) - fine).norm();
  EXPECT_NEAR(coarse_error / half_error, 4 * (1 - 1.0 / 64) / (1 - 1.0 / 16), 0.4);
  const Solution s = with_projection(0.02, 0.1);
  const auto& notices = s.outcome.notices;
  EXPECT_TRUE(std::any_of(notices.begin(), notices.end(), [](const Notice& n) { return n.code == "projected"; }));
}

TEST(Projection, RefusesWhatDoesNotFit) {
  const auto said = [](const OptionSet& options) -> std::string {
    RunPlan plan = plan_with("mollified_impulse", 1, 0.02);
    plan.options = options;
    try {
      run_of(make_model("alkane", {{"n", "6"}}).problem, plan);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_THAT(said({{"projection", "torsions"}}), mentions("mollified_impulse", "torsions", "no stiff gaps"));
  EXPECT_THAT(said({{"projection", "bonds"}, {"psi", "long"}}), mentions("projection", "psi"));
  EXPECT_THAT(said({{"projection", "bondz"}}), mentions("bondz", "bonds"));
}
}  // namespace
}  // namespace trill::testing_models
