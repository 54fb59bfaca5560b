// SPDX-License-Identifier: BSD-3-Clause
// Models with stiff gaps, and helpers for tests of their slow motion.
#pragma once

#include "formulation/slow_start.hpp"
#include "support/algebra.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
// Mass 1 is on a rod to the origin, mass 2 on a spring to mass 1. The rod is a `[[constraint]]` or a very stiff
// spring.
inline std::string rod_and_spring(bool hard) {
  const std::string rod =
      hard ? "[[constraint]]\nequation = \"r1 - 1\"\n" : "[[stiff]]\ngap = \"r1 - 1\"\nstiffness = 1e12\n";
  return "[parameters]\nomega = 50\n"
         "[coordinates]\n"
         "x1 = { start = 0.8, velocity = 0.3, mass = 2 }\ny1 = { start = 0.6, velocity = -0.4, mass = 2 }\n"
         "x2 = { start = 1.5, velocity = 0.28 }\n"
         "y2 = { start = \"0.6 + sqrt(0.51)\", velocity = \"-0.4 + 0.014/sqrt(0.51)\" }\n"
         "[derived]\nr1 = \"sqrt(x1^2 + y1^2)\"\nr12 = \"sqrt((x2 - x1)^2 + (y2 - y1)^2)\"\n"
         "[[stiff]]\ngap = \"r12 - 1\"\nstiffness = \"omega^2\"\n" +
         rod + "[[potential]]\nenergy = \"2*y1 + y2 + x2^2/2\"\ngroup = \"soft\"\n";
}

// Several chains of four masses, not connected with each other, each with two stiff bonds and a soft one.
inline constexpr const char* many_chains = R"toml(
[parameters]
chains = { value = 1, min = 1 }
omega = 100
[sets]
chain = "chains"
[coordinates]
a = { over = "chain", point = 2, start = [0, "0.1*sin(chain)"], velocity = ["0.3*cos(chain)", 0.1], mass = 1 }
b = { over = "chain", point = 2, start = [1, "0.1*cos(chain)"], velocity = [0.2, "0.3*cos(chain)"], mass = 1.3 }
c = { over = "chain", point = 2, start = [2, "0.1*sin(2*chain)"], velocity = ["0.2*sin(chain)", -0.1], mass = 0.8 }
d = { over = "chain", point = 2, start = [3, 0], velocity = [0.1, "0.2*sin(chain)"], mass = 1.1 }
[[stiff]]
over = "chain"
gap = "distance(a[chain], b[chain]) - 1"
stiffness = "omega^2"
group = "stiff"
[[stiff]]
over = "chain"
gap = "distance(b[chain], c[chain]) - 1"
stiffness = "1.5*omega^2"
group = "stiff"
[[potential]]
over = "chain"
energy = "(distance(c[chain], d[chain]) - 1)^2/2 + a[chain].y^2/2 + sin(b[chain].x)*d[chain].y"
group = "soft"
)toml";

inline State slow_state(const SlowSystem& slow, const State& given, double action) {
  State s(slow.layout(), given.t);
  s.q() = given.q();
  s.v() = given.v();
  for (Index k = 0; k < slow.layout().nx; ++k) s.x()[k] = action * (1 + 0.3 * static_cast<double>(k));
  return s;
}

// The force at a point without the reactions of the gaps: M a + G^T lambda.
inline Vec force_behind(const SlowSystem& slow, const State& s) {
  const MechanicalProblem& p = slow.stiff();
  Vec dy(s.y.size());
  slow.rhs(s.t, s.y, dy);
  MatrixSlot mass = p.mass_pattern(), G = slow.map().pattern();
  p.mass(s.q(), mass);
  slow.map().jacobian(s.t, s.q(), G);
  const SlowSystem::Point& point = slow.at(s.t, s.y);
  return dense(mass) * point.a + dense(G).transpose() * point.lambda;
}

// The fast frequencies, in increasing order, of the linearised motion M u'' = -G^T K G u that keeps the hard rows
// closed.
inline Vec linear_frequencies(const SlowSystem& slow, double t, const Vec& q) {
  const MechanicalProblem& p = slow.stiff();
  MatrixSlot mass = p.mass_pattern(), slot = slow.map().pattern();
  p.mass(q, mass);
  slow.map().jacobian(t, q, slot);
  const Mat G = dense(slot);
  const Mat stiff = G.topRows(slow.gaps()), hard = G.bottomRows(slow.rows() - slow.gaps());
  const Mat free = hard.rows() == 0 ? Mat(Mat::Identity(q.size(), q.size())) : test::kernel(hard);
  const Mat K = free.transpose() * stiff.transpose() * slow.stiffness().asDiagonal() * stiff * free;
  const Mat M = free.transpose() * dense(mass) * free;
  return test::symmetric_pairs(K, M).values.tail(slow.gaps()).cwiseMax(0).cwiseSqrt();
}
}  // namespace trill::testing_models
