// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/body_reduction.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"

#include <fstream>
#include <numbers>

#include <gmock/gmock.h>

namespace trill::test {
namespace {
// A blade with the given stiffnesses of stretching and bending. Its length is 10, its mass per unit of length is 1.2.
PlanarBody blade(double stretching, double bending, Index elements = 16) {
  PlanarStrip strip;
  strip.length = 10;
  strip.height = std::sqrt(12 * bending / stretching);
  strip.modulus = stretching / strip.height;
  strip.density = 1.2 / strip.height;
  strip.elements = elements;
  return planar_strip(strip);
}

ReducedBody reduced(const PlanarBody& body, Index modes, ReductionMethod method = ReductionMethod::craig_bampton) {
  return reduce_body(body, {.interfaces = {"left", "tip"}, .modes = modes, .method = method});
}

// Kane's spin-up of a blade: the lag of its tip after every step of the implicit midpoint rule, for the equation
// q'' + 2 theta' P^T q' + (Lambda - theta'^2 (C - K_g)) q = theta'^2 s - theta'' (h + P^T q).
std::vector<double> spin_up(const ReducedBody& body, double h = 0.005, double end = 18) {
  const double top = 6, rise = 15, w = 2 * std::numbers::pi / rise;
  const Index n = body.modes();
  Vec q = Vec::Zero(n), v = Vec::Zero(n);
  std::vector<double> lags;
  for (double t = h / 2; t < end; t += h) {
    const double rate = t < rise ? top / rise * (t - std::sin(w * t) / w) : top;
    const double push = t < rise ? top / rise * (1 - std::cos(w * t)) : 0;
    const Mat k = Mat(body.stiffness.asDiagonal()) - rate * rate * (body.convective - body.stiffening) +
                  push * body.gyroscopic.transpose();
    const Mat c = 2 * rate * body.gyroscopic.transpose();
    const Vec f = rate * rate * body.stretch - push * body.swing;
    const Mat left = Mat::Identity(n, n) + h / 2 * c + h * h / 4 * k;
    const Vec change = left.partialPivLu().solve(h * (f - k * q - c * v - h / 2 * (k * v)));
    q += h * (v + change / 2);
    v += change;
    lags.push_back(body.points[1].shape_y.dot(q));
  }
  return lags;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// The expected numbers come from an independent computation with the same mesh. With the full nonlinear elements the
// lag is -0.57305.
TEST(BodyReduction, SpinUpOfABlade) {
  const PlanarBody body = blade(2.8e7, 1.4e4);
  const std::vector<double> fine = spin_up(reduced(body, 40));
  const auto deepest = std::min_element(fine.begin(), fine.end());
  EXPECT_NEAR(*deepest, -0.573695, 2e-4);
  EXPECT_NEAR(0.005 * static_cast<double>(deepest - fine.begin() + 1), 6.76, 0.02);
  for (const auto& [modes, expected] : {std::pair(0, 1.73e-2), {1, 2.71e-3}, {2, 4.04e-4}, {4, 4.49e-5}}) {
    const double error = largest_difference(spin_up(reduced(body, modes)), fine);
    EXPECT_LT(error, 2 * expected) << modes;
    EXPECT_GT(error, expected / 2) << modes;
  }
  ReducedBody soft = reduced(body, 2);
  soft.stiffening.setZero();
  const std::vector<double> without = spin_up(soft, 0.005, 10.9);
  EXPECT_GT(std::abs(without.back()), 500) << "without its stress the blade bends without bound";
}

// Without the elements, from K, M and the positions alone, the centrifugal stress is found as well as from the
// elements.
TEST(BodyReduction, CentrifugalStiffnessFollowsFromTheMatrices) {
  PlanarBody body = blade(2.8e7, 1.4e4);
  const ReducedBody exact = reduced(body, 4);
  body.geometric = SpMat();
  const ReducedBody network = reduced(body, 4);
  for (Index i = 0; i < 5; ++i)
    EXPECT_NEAR(network.stiffening(i, i) / exact.stiffening(i, i), 1, i < 2 ? 0.01 : 0.05) << i;
  // Southwell's coefficient of a uniform cantilever that spins about its clamped end, within the plane: 0.193.
  EXPECT_NEAR(exact.stiffening(0, 0) - exact.convective(0, 0), 0.193, 0.002);
}

// The reduced body has the same kinetic energy as the finite elements, 1/2 v^T M v with
// v = R' + theta' J (X + T q) + T q', for random motions.
TEST(BodyReduction, InvariantsGiveTheEnergyOfTheElements) {
  const PlanarBody body = blade(2.8e7, 1.4e4, 3);
  const ReducedBody r = reduced(body, 5);
  const Index n = r.modes();
  // The reduced body does not hold the shapes themselves. To get them, reduce once more with every node as a named
  // point.
  PlanarBody with_points = body;
  with_points.points.resize(1);
  with_points.points.push_back({"tip", {body.nodes() - 2}});
  for (Index i = 0; i < body.nodes(); ++i) with_points.points.push_back({"n" + std::to_string(i), {i}});
  const ReducedBody all = reduce_body(with_points, {.interfaces = {"left", "tip"}, .modes = 5});
  std::srand(1);
  for (int k = 0; k < 5; ++k) {
    const Vec q = Vec::Random(n), v = Vec::Random(n);
    const Eigen::Vector2d shift = Eigen::Vector2d::Random();
    const double rate = 1.7;
    Vec motion(2 * body.nodes());
    for (Index i = 0; i < body.nodes(); ++i) {
      const ReducedBody::Point& p = all.points[static_cast<std::size_t>(i + 2)];
      const double x = body.x[i] + p.shape_x.dot(q), y = body.y[i] + p.shape_y.dot(q);
      motion[2 * i] = shift[0] - rate * y + p.shape_x.dot(v);
      motion[2 * i + 1] = shift[1] + rate * x + p.shape_y.dot(v);
    }
    const Eigen::Vector2d c(r.moment_x + r.push_x.dot(q), r.moment_y + r.push_y.dot(q));
    const double energy = r.mass * shift.squaredNorm() / 2 + rate * (shift[1] * c[0] - shift[0] * c[1]) +
                          shift[0] * r.push_x.dot(v) + shift[1] * r.push_y.dot(v) +
                          rate * rate / 2 * (r.inertia + 2 * r.stretch.dot(q) + q.dot(r.convective * q)) +
                          rate * (r.swing.dot(v) + q.dot(r.gyroscopic * v)) + v.squaredNorm() / 2;
    const double expected = 0.5 * motion.dot(body.mass * motion);
    EXPECT_NEAR(energy / expected, 1, 1e-11);
  }
}

class ReducedBodies : public testing::Test {
 protected:
  Solution run(const ReducedBody& body, const std::string& model, double rtol = 1e-9) {
    std::ofstream(folder_ / "arm.body") << body_text(body);
    std::ofstream(folder_ / "model.toml") << model;
    RunPlan plan;
    plan.model = (folder_ / "model.toml").string();
    plan.method = "dop853";
    plan.rtol = rtol;
    PreparedRun prepared = prepare(plan);
    return prepared.run();
  }
  testing_files::TemporaryDirectory folder_;
};

std::string pendulum(const char* stiffening) {
  return std::string("bodies.arm = { kind = \"reduced\", file = \"arm.body\", stiffening = ") + stiffening +
         " }\ngravity.acceleration = [0, -9.81]\njoint = [{ kind = \"revolute\", to = \"arm.left\" }]\n"
         "measure = [{ name = \"x\", value = \"arm.tip.x\" }, { name = \"y\", value = \"arm.tip.y\" }]\nrun.to = 2\n";
}

// The expected numbers come from an independent computation with a floating frame of reference and without geometric
// stiffness.
TEST_F(ReducedBodies, SwingAsAPendulum) {
  const double angles[] = {-2.3347277626, -2.3348201650, -2.3360123421};
  const double tips[][2] = {{-6.9426903, -7.1972519}, {-6.9444759, -7.1955367}, {-6.9411489, -7.1986820}};
  for (const Index modes : {0, 1, 2}) {
    const Solution s = run(reduced(blade(1.4e8, 7e4), modes), pendulum("false"));
    ASSERT_TRUE(s.outcome.ok()) << s.outcome.message;
    EXPECT_NEAR(s.y()(2, s.rows() - 1), angles[modes], 2e-5) << modes;
    EXPECT_NEAR(s.measured()(1, s.rows() - 1), tips[modes][0], 5e-5) << modes;
    EXPECT_NEAR(s.measured()(2, s.rows() - 1), tips[modes][1], 5e-5) << modes;
  }
}

TEST_F(ReducedBodies, KeepTheirEnergyWithStiffening) {
  for (const auto method : {ReductionMethod::craig_bampton, ReductionMethod::rubin}) {
    const Solution s = run(reduced(blade(1.4e8, 7e4, 6), 3, method), pendulum("true"), 1e-11);
    ASSERT_TRUE(s.outcome.ok()) << s.outcome.message;
    EXPECT_LT(s.measured().row(0).cwiseAbs().maxCoeff(), 1e-6);  // starts at 0 and falls by 600
  }
}

TEST_F(ReducedBodies, WarnWhereStiffeningIsOffAndTheSpinIsFast) {
  const ReducedBody body = reduced(blade(2.8e7, 1.4e4, 4), 0);
  const auto notices = [&](const char* rate) {
    const Solution s = run(body, std::string("bodies.arm = { kind = \"reduced\", file = \"arm.body\", stiffening = "
                                             "false, angular_velocity = ") +
                                     rate + " }\njoint = [{ kind = \"revolute\", to = \"arm.left\" }]\nrun.to = 0.1\n");
    std::string codes;
    for (const Notice& notice : s.outcome.notices) codes += notice.code + " ";
    return codes;
  };
  EXPECT_THAT(notices("1"), testing::Not(testing::HasSubstr("no_stiffening")));
  EXPECT_THAT(notices("3"), testing::HasSubstr("no_stiffening"));
}

template <class Work>
std::string refused(Work work) {
  try {
    work();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(BodyReduction, RefusesWhatIsNotABody) {
  const PlanarBody body = blade(2.8e7, 1.4e4, 2);
  const auto why = [](const PlanarBody& b, std::vector<std::string> interfaces) {
    return refused([&] { reduce_body(b, {.interfaces = std::move(interfaces)}); });
  };
  EXPECT_THAT(why(body, {"lft"}), mentions("'lft'", "'left'"));
  EXPECT_THAT(why(body, {"tip", "left"}), mentions("'tip'", "two nodes"));
  EXPECT_THAT(why(body, {"left", "tip", "right"}), mentions("two interfaces"));
  PlanarBody held = body;
  held.stiffness.coeffRef(0, 0) *= 2;
  EXPECT_THAT(why(held, {"left"}), mentions("rigid motion", "supports"));
  PlanarBody shuffled = body;
  std::swap(shuffled.x[0], shuffled.x[8]);
  EXPECT_THAT(why(shuffled, {"left"}), mentions("rigid motion", "node by node"));
}

TEST(BodyFiles, ComeBackAsTheyWere) {
  const ReducedBody body = reduced(blade(2.8e7, 1.4e4, 2), 2);
  const std::string text = body_text(body);
  const ReducedBody again = read_reduced_body("a.body", text);
  EXPECT_EQ(body_text(again), text);
  EXPECT_EQ(again.gyroscopic, body.gyroscopic);
  EXPECT_EQ(again.points[1].name, "tip");
}

TEST(BodyFiles, AreRefusedWithFileAndLine) {
  const std::string text = body_text(reduced(blade(2.8e7, 1.4e4, 2), 1));
  const auto why = [](const std::string& changed) { return refused([&] { read_reduced_body("a.body", changed); }); };
  std::string other = text;
  other[text.find("mass") + 6] ^= 1;
  EXPECT_THAT(why(other), mentions("a.body:", "checksum"));
  EXPECT_THAT(why(text.substr(0, text.size() / 2)), mentions("a.body:", "not complete"));
  EXPECT_THAT(why("solid body\n" + text), mentions("a.body:1", "trill body 1"));
  EXPECT_THAT(why(""), mentions("a.body", "trill body 1"));
}
}  // namespace
}  // namespace trill::test
