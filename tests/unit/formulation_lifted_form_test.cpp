// SPDX-License-Identifier: BSD-3-Clause
// The lifted form and its slow point: derivatives are compared with differences, projections with their definitions.
#include "formulation/slow_point.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
struct Case {
  std::string model;
  OptionSet given;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

Vec shaken(const Vec& x, double by, int seed) {
  Vec y = x;
  for (Index i = 0; i < y.size(); ++i) y[i] += by * std::sin(3.7 * static_cast<double>(i + seed) + seed);
  return y;
}

class Lifted : public testing::TestWithParam<Case> {
 protected:
  TextModel model_ = make_model(GetParam().model, GetParam().given);
  const MechanicalProblem& p_ = mechanics(model_);
  LiftedForm form_{p_};
  const State start_ = p_.initial_state();
  const Index n_ = form_.unknowns(), m_ = form_.rows();
  const Vec q_ = shaken(start_.q(), 0.01, 1), v_ = shaken(start_.v(), 0.1, 2);
  const Vec k_ = shaken(Vec::Zero(n_), 1, 3), l_ = shaken(Vec::Zero(m_), 1, 4);
};

// If l = K g, the lifted equations are those of the whole system.
TEST_P(Lifted, BalanceIsThatOfTheModel) {
  Vec l = Vec::Zero(m_), g(m_), balance(n_), closure(m_), f(n_);
  form_.map()->value(0, q_, g);
  for (Index i = 0; i < form_.gaps(); ++i) l[i] = g[i] / form_.compliance()[i];
  form_.residual(0, q_, v_, k_, l, balance, closure);
  MatrixSlot mass = p_.mass_pattern();
  p_.mass(q_, mass);
  mass.multiply(k_, f);
  const Vec expected = f - force_of(p_, 0, q_, v_);
  const double size = 1 + expected.cwiseAbs().maxCoeff() + l.cwiseAbs().maxCoeff();
  EXPECT_LT((balance - expected).cwiseAbs().maxCoeff(), 1e-12 * size);
  for (Index i = 0; i < form_.gaps(); ++i) EXPECT_NEAR(closure[i], 0, 1e-13);
}

TEST_P(Lifted, DerivativesAreThoseOfTheResidual) {
  form_.linearise(0, q_, v_, k_, l_);
  const Mat slope = dense(form_.slope()), damping = dense(form_.damping()), G = dense(form_.jacobian());
  const auto residual = [&](const Vec& q, const Vec& v) {
    Vec r(n_ + m_);
    form_.residual(0, q, v, k_, l_, r.head(n_), r.tail(m_));
    return r;
  };
  const double d = 1e-6;
  for (Index j = 0; j < n_; ++j) {
    const Vec e = Vec::Unit(n_, j) * d;
    const Vec by_q = (residual(q_ + e, v_) - residual(q_ - e, v_)) / (2 * d);
    const Vec by_v = (residual(q_, v_ + e) - residual(q_, v_ - e)) / (2 * d);
    const double size = 1 + by_q.cwiseAbs().maxCoeff() + by_v.cwiseAbs().maxCoeff();
    EXPECT_LT((by_q.head(n_) - slope.col(j)).cwiseAbs().maxCoeff(), 1e-7 * size) << "column " << j;
    EXPECT_LT((by_q.tail(m_) - G.col(j)).cwiseAbs().maxCoeff(), 1e-7 * size) << "column " << j;
    const Vec expected = damping.size() > 0 ? Vec(-damping.col(j)) : Vec::Zero(n_);
    EXPECT_LT((by_v.head(n_) - expected).cwiseAbs().maxCoeff(), 1e-7 * size) << "column " << j;
  }
}

TEST_P(Lifted, SlowPointObeysItsDefinition) {
  SlowPoint point(form_);
  ASSERT_EQ(point.find(0, q_, v_), SlowPoint::Status::ok);
  Vec g(m_), eta(m_), gt(m_);
  MatrixSlot G_slot = form_.map()->pattern(), mass_slot = p_.mass_pattern();
  form_.map()->value(0, point.q, g);
  form_.map()->jacobian(0, point.q, G_slot);
  form_.map()->curvature(0, point.q, point.v, eta);
  form_.map()->time_derivative(0, point.q, gt);
  p_.mass(point.q, mass_slot);
  const Mat G = dense(G_slot), M = dense(mass_slot);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((M * (point.q - q_) + G.transpose() * point.mu).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((G * point.v + gt).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((M * (point.v - v_) + G.transpose() * point.nu).cwiseAbs().maxCoeff(), 1e-11);
  const Vec f = force_of(p_, 0, point.q, point.v, form_.soft_groups());
  EXPECT_LT((M * point.a + G.transpose() * point.lambda - f).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((G * point.a + eta).cwiseAbs().maxCoeff(), 1e-10);
  Vec x = shaken(Vec::Zero(n_), 1, 5);
  point.make_tangential(x);
  EXPECT_LT((G * x).cwiseAbs().maxCoeff(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Models, Lifted,
                         testing::Values(Case{"stiff_spring", {{"epsilon", "0.01"}}}, Case{"two_springs", {}},
                                         Case{"cart", {}}, Case{"wire", {}}, Case{"planar_chain", {}},
                                         Case{"rigid", {}}));

// On the pendulum with gravity along +y, lambda = (m/l) (v^2 + g y). JP95 prints m/l^2, which is right for l = 1 only.
TEST(SlowPointOfThePendulum, HasTheForceOfTheRod) {
  const TextModel model = make_model("stiff_spring", {{"epsilon", "0.001"}});
  const LiftedForm form(mechanics(model));
  SlowPoint point(form);
  const double angle = 0.4, speed = 0.7;
  const Vec q = Vec{{std::cos(angle), std::sin(angle)}}, v = Vec{{-speed * std::sin(angle), speed * std::cos(angle)}};
  ASSERT_EQ(point.find(0, 1.02 * q, v + 0.3 * q), SlowPoint::Status::ok);
  EXPECT_NEAR(point.lambda[0], speed * speed + std::sin(angle), 1e-13);
  EXPECT_LT((point.q - q).norm(), 1e-14);
  EXPECT_LT((point.v - v).norm(), 1e-14);
  EXPECT_NEAR(point.nu[0], 0.3, 1e-14);
  EXPECT_NEAR(point.mu[0], 0.02, 1e-14);
  EXPECT_NEAR(point.slowest_frequency(), 1000, 1e-9);
  const double open = 0.02 - 1e-6 * point.lambda[0];
  EXPECT_NEAR(point.fast_energy(), 0.5 * 0.09 + 0.5 * open * open * 1e6, 1e-9);
  // The direction of the rod turns at `speed`; at rest the rate would be the square root of the angular acceleration.
  EXPECT_NEAR(point.turning_rate(), std::sqrt(speed * speed + std::abs(std::cos(angle))), 0.3);
  Vec q_smooth(2), v_smooth(2);
  point.settle(Vec::Constant(1, 2.0), q_smooth, v_smooth);
  EXPECT_NEAR(q_smooth.norm() - 1, 1e-6 * point.lambda[0], 1e-15);
  EXPECT_NEAR(v_smooth.dot(q), 2e-6, 1e-15);
}

TEST(SlowPointWithoutOne, SaysSo) {
  const TextModel model = make_model("stiff_spring", {});
  const LiftedForm form(mechanics(model));
  SlowPoint point(form);
  // At r = 0 the gap has no gradient.
  EXPECT_EQ(point.find(0, Vec::Zero(2), Vec::Zero(2)), SlowPoint::Status::singular);
  EXPECT_EQ(point.find(0, Vec::Constant(2, std::nan("")), Vec::Zero(2)), SlowPoint::Status::non_finite);
  // A model with the same gap twice.
  const TextModel twice = read_model("m.toml", R"toml(
[coordinates]
x = 1.0
y = 0.0
[[stiff]]
gap = "x^2 + y^2 - 1"
stiffness = 1e6
[[stiff]]
gap = "2*(x^2 + y^2 - 1)"
stiffness = 1e6
)toml",
                                     {});
  const LiftedForm dependent(mechanics(twice));
  SlowPoint none(dependent);
  EXPECT_EQ(none.find(0, Vec{{1.0, 0.0}}, Vec::Zero(2)), SlowPoint::Status::singular);
  // The gap x^2 + 1 = 0 cannot be closed.
  const TextModel open = read_model("m.toml", R"toml(
[coordinates]
x = 0.3
y = 0.0
[[stiff]]
gap = "x^2 + 1"
stiffness = 1e6
)toml",
                                    {});
  const LiftedForm never(mechanics(open));
  SlowPoint nowhere(never);
  EXPECT_NE(nowhere.find(0, Vec{{0.3, 0.0}}, Vec::Zero(2)), SlowPoint::Status::ok);
}
}  // namespace
}  // namespace trill::testing_models
