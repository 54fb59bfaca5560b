// SPDX-License-Identifier: BSD-3-Clause
// Elements between two bodies act on both with opposite forces and torques, so no total force or torque remains.
#include "support/text_models.hpp"

#include <random>

#include <fmt/format.h>

namespace {
using namespace trill;

std::string random_place(const std::string& body, std::mt19937_64& random) {
  std::uniform_real_distribution<> number(-1, 1);
  return fmt::format("{{ body = \"{}\", point = [{}, {}] }}", body, number(random), number(random));
}

std::string random_mechanism(std::mt19937_64& random) {
  std::uniform_real_distribution<> number(0.1, 2);
  const auto n = [&] { return number(random); };
  const auto between = [&] {
    return fmt::format("from = {}\nto = {}\n", random_place("a", random), random_place("b", random));
  };
  std::string text = fmt::format("[bodies]\na = {{ mass = {}, inertia = {}, start = [{}, {}], angle = {} }}\n", n(),
                                 n(), n(), n(), n());
  text += fmt::format("b = {{ mass = {}, inertia = {}, start = [{}, {}], angle = {} }}\n", n(), n(), -n(), -n(), n());
  text += "[[spring]]\n" + between() + fmt::format("stiffness = {}\nlength = {}\n", n(), n());
  text += "[[spring]]\nkind = \"rotational\"\n" + between() + fmt::format("stiffness = {}\n", n());
  text += "[[damper]]\n" + between() + fmt::format("damping = {}\n", n());
  text += "[[damper]]\nkind = \"rotational\"\n" + between() + fmt::format("damping = {}\n", n());
  text += "[[bushing]]\n" + between() + fmt::format("stiffness = [{}, {}, {}]\n", n(), n(), n()) +
          fmt::format("damping = [{}, {}, {}]\n", n(), n(), n());
  text += fmt::format("[[torque]]\non = \"a\"\nfrom = \"b\"\nvalue = {}\n", n());
  return text;
}

TEST(ForcesBetweenBodies, LeaveNothingOver) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 40; ++k) {
    const TextModel model = read_model("m.toml", random_mechanism(random));
    const MechanicalProblem& p = testing_models::mechanics(model);
    const State s = testing_models::shifted_start(*model.problem, 0.7);
    const Vec q = s.q(), v = s.v(), f = testing_models::force_of(p, s.t, q, v);
    const double size = 1 + f.cwiseAbs().maxCoeff();
    EXPECT_GT(size, 1.01);
    EXPECT_NEAR(f[0] + f[3], 0, 1e-13 * size);
    EXPECT_NEAR(f[1] + f[4], 0, 1e-13 * size);
    EXPECT_NEAR(q[0] * f[1] - q[1] * f[0] + f[2] + q[3] * f[4] - q[4] * f[3] + f[5], 0, 1e-12 * size);
  }
}

// Friction only takes energy: without springs, the power of all forces is negative.
TEST(ForcesBetweenBodies, OfDampersTakeEnergy) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 40; ++k) {
    std::string text = random_mechanism(random);
    text.erase(text.find("[[torque]]"));
    const TextModel model = read_model("m.toml", text);
    const MechanicalProblem& p = testing_models::mechanics(model);
    const State s = testing_models::shifted_start(*model.problem, 0.7);
    const Vec q = s.q(), v = s.v();
    const double friction =
        v.dot(testing_models::force_of(p, s.t, q, v) - testing_models::force_of(p, s.t, q, Vec::Zero(6)));
    EXPECT_LT(friction, 0);
  }
}
}  // namespace
