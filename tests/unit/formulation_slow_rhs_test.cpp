// SPDX-License-Identifier: BSD-3-Clause
// The right-hand side of the slow motion, compared with the solution of the complete system of equations at the same
// point.
#include "formulation/slow_start.hpp"
#include "support/algebra.hpp"
#include "trill/driver/plan.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;

struct Case {
  std::string model;
  OptionSet given;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class SlowRightHandSide : public testing::TestWithParam<Case> {
 protected:
  TextModel model_ = make_model(GetParam().model, GetParam().given);
  const MechanicalProblem& p_ = model_.problem->as<MechanicalProblem>("the test");
};

State start_of(const SlowSystem& slow) {
  const State given = slow.stiff().initial_state();
  const MatchedStart start = project_start(slow, given);
  State s(slow.layout(), 0);
  s.q() = start.q;
  s.v() = start.v;
  return s;
}

// The complete system M a + G^T lambda = f, G a + curvature = 0 is solved by a dense factorisation.
TEST_P(SlowRightHandSide, SolvesTheRigidSystem) {
  const SlowSystem slow(p_, {FastEnergy::drop});
  const State s = start_of(slow);
  const Index n = slow.unknowns(), m = slow.rows();
  const SlowSystem::Point& point = slow.at(0, s.y);
  ASSERT_TRUE(point.regular);
  MatrixSlot G = slow.map().pattern(), mass = p_.mass_pattern();
  Vec f(n), eta(m);
  slow.map().jacobian(0, s.q(), G);
  slow.map().curvature(0, s.q(), s.v(), eta);
  p_.mass(s.q(), mass);
  p_.force(slow.soft_groups(), 0, s.q(), s.v(), f);
  Mat whole = Mat::Zero(n + m, n + m);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) whole(i, j) = mass.value(i, j);
    for (Index i = 0; i < m; ++i) whole(n + i, j) = whole(j, n + i) = G.value(i, j);
  }
  Vec right(n + m);
  right << f, -eta;
  const Vec expected = test::solved(whole, right);
  EXPECT_LE((point.a - expected.head(n)).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
  EXPECT_LE((point.lambda - expected.tail(m)).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Models, SlowRightHandSide,
                         testing::Values(Case{"pendulum/stiff_spring", {}},
                                         Case{"pendulum/two_springs", {{"omega1", "500"}}},
                                         Case{"pendulum/stiff_spring_polar", {}}, Case{"molecule/planar_chain", {}},
                                         Case{"multibody/cart", {}}, Case{"oscillator/varying_frequency", {}}));
}  // namespace
