// SPDX-License-Identifier: BSD-3-Clause
// Random plane chains with stiff and soft bonds, as the text of a model. The same seed gives the same chain on every
// machine.
#pragma once

#include "support/algebra.hpp"
#include "trill/base/random.hpp"
#include "trill/base/types.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trill::random_chain {
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  double between(double low, double high) { return low + (high - low) * unit(); }
  double log_between(double low, double high) { return low * std::pow(high / low, unit()); }
  int of(int count) { return static_cast<int>(unit() * count); }
  bool chance(double p) { return unit() < p; }

 private:
  double unit() { return random_uniform({.seed = seed_}, count_++); }
  std::uint64_t seed_;
  std::uint32_t count_ = 0;
};

// A bond between the masses i and i + 1. i = -1 is the origin, which does not move.
struct Bond {
  int i;
  double k, length;
  bool stiff;
};

struct Chain {
  std::vector<double> masses;
  std::vector<Bond> bonds;
  Vec q, v;
  double omega = 0, gravity = 0, drag = 0;
  bool smooth = false;              // starts with closed gaps and with velocities that keep them closed
  double slowest = 0, fastest = 0;  // bounds of the fast frequencies for all shapes of the chain
};

namespace detail {
inline Mat slopes(const Chain& c, const std::vector<Bond>& gaps) {
  Mat G = Mat::Zero(static_cast<Index>(gaps.size()), c.q.size());
  for (Index row = 0; row < G.rows(); ++row) {
    const int i = gaps[static_cast<std::size_t>(row)].i;
    Vec direction = c.q.segment(2 * (i + 1), 2);
    if (i >= 0) direction -= c.q.segment(2 * i, 2);
    direction.normalize();
    G.row(row).segment(2 * (i + 1), 2) = direction.transpose();
    if (i >= 0) G.row(row).segment(2 * i, 2) = -direction.transpose();
  }
  return G;
}

// The frequencies are farthest apart if the chain is stretched out or folded. These shapes give the bounds.
inline void bound_frequencies(Chain& c, const std::vector<Bond>& gaps) {
  const auto n = static_cast<Index>(gaps.size());
  Mat A = Mat::Zero(n, n);
  for (Index a = 0; a < n; ++a) {
    const Bond& bond = gaps[static_cast<std::size_t>(a)];
    const auto at = static_cast<std::size_t>(bond.i + 1);
    A(a, a) = bond.k * (1 / c.masses[at] + (bond.i >= 0 ? 1 / c.masses[at - 1] : 0));
    if (a + 1 < n && gaps[static_cast<std::size_t>(a + 1)].i == bond.i + 1)
      A(a, a + 1) = A(a + 1, a) = std::sqrt(bond.k * gaps[static_cast<std::size_t>(a + 1)].k) / c.masses[at];
  }
  const Vec squares = test::symmetric_pairs(A).values;
  c.slowest = std::sqrt(squares[0]);
  c.fastest = std::sqrt(squares[n - 1]);
}

inline void set_bonds(Chain& c, Draw& draw, bool fixed) {
  const int count = static_cast<int>(c.masses.size());
  const double share = draw.between(0.2, 0.9);
  const int certain = draw.of(count - 1);
  // The factors of the stiffness are all equal, or give frequencies with the ratio 2, or frequencies that can become
  // equal, or are random.
  const int kind = draw.of(4);
  const auto factor = [&] {
    switch (kind) {
      case 0:
        return 1.0;
      case 1:
        return draw.chance(0.5) ? 4.0 : 1.0;
      case 2:
        return draw.chance(0.5) ? 2.0 : 1.0;
      default:
        return draw.between(0.5, 2);
    }
  };
  for (int i = fixed ? -1 : 0; i < count - 1; ++i) {
    const bool stiff = i == certain || draw.chance(share);
    const double k = stiff ? c.omega * c.omega * factor() : draw.between(0.5, 2);
    c.bonds.push_back({i, k, draw.between(0.7, 1.3), stiff});
  }
}

inline void set_start(Chain& c, Draw& draw) {
  const auto count = static_cast<Index>(c.masses.size());
  c.q = c.v = Vec::Zero(2 * count);
  double direction = draw.between(-std::numbers::pi, std::numbers::pi);
  for (const Bond& bond : c.bonds) {
    Eigen::Vector2d place(0, 0);
    if (bond.i >= 0) place = c.q.segment(2 * bond.i, 2);
    c.q.segment(2 * (bond.i + 1), 2) = place + bond.length * Eigen::Vector2d(std::cos(direction), std::sin(direction));
    direction += draw.between(-2, 2);
  }
  for (double& v : c.v) v = draw.between(-0.7, 0.7);
}

// Removes velocities that open the gaps, then gives each gap an oscillation with its own energy and phase.
inline void set_fast_motion(Chain& c, Draw& draw, const std::vector<Bond>& gaps) {
  const Mat G = slopes(c, gaps);
  Mat lift = G.transpose();
  for (Index row = 0; row < lift.rows(); ++row) lift.row(row) /= c.masses[static_cast<std::size_t>(row / 2)];
  const Mat S = G * lift;
  lift = lift * test::inverse(S);
  Vec open = Vec::Zero(G.rows()), rate = Vec::Zero(G.rows());
  for (Index a = 0; a < G.rows() && !c.smooth; ++a) {
    const double energy = std::pow(draw.between(0, 1), 2), phase = draw.between(0, 2 * std::numbers::pi);
    open[a] = std::sqrt(2 * energy / gaps[static_cast<std::size_t>(a)].k) * std::sin(phase);
    rate[a] = std::sqrt(2 * energy * S(a, a)) * std::cos(phase);
  }
  c.v += lift * (rate - G * c.v);
  c.q += lift * open;
}
}  // namespace detail

inline Chain make_chain(std::uint64_t seed) {
  Draw draw(seed);
  Chain c;
  c.masses.resize(static_cast<std::size_t>(3 + draw.of(4)));
  for (double& m : c.masses) m = draw.between(0.5, 2);
  c.omega = draw.log_between(30, 3000);
  const bool fixed = draw.chance(0.5);
  if (fixed) c.gravity = 1;
  c.smooth = draw.chance(1.0 / 3);
  if (draw.chance(0.25)) c.drag = draw.between(0.05, 0.3);
  detail::set_bonds(c, draw, fixed);
  std::vector<Bond> gaps;
  for (const Bond& bond : c.bonds)
    if (bond.stiff) gaps.push_back(bond);
  detail::set_start(c, draw);
  detail::bound_frequencies(c, gaps);
  detail::set_fast_motion(c, draw, gaps);
  return c;
}

inline std::string model_text(const Chain& c) {
  std::vector<double> x, y, vx, vy;
  for (Index k = 0; k < c.q.size(); k += 2) {
    x.push_back(c.q[k]), y.push_back(c.q[k + 1]);
    vx.push_back(c.v[k]), vy.push_back(c.v[k + 1]);
  }
  const auto list = [](const std::vector<double>& values) { return fmt::format("{:.17g}", fmt::join(values, ", ")); };
  std::string text = fmt::format("sets.mass = {{ m = [{}], x0 = [{}], y0 = [{}], u0 = [{}], w0 = [{}] }}\n",
                                 list(c.masses), list(x), list(y), list(vx), list(vy));
  std::string terms;
  for (const bool stiff : {true, false}) {
    std::vector<double> k, length;
    std::vector<int> i, j;
    const char* const term = stiff ? "[[stiff]]\n{0}gap = \"{1}\"\nstiffness = \"{2}\"\n"
                                   : "[[potential]]\n{0}energy = \"0.5*({2})*({1})^2\"\n";
    for (const Bond& bond : c.bonds) {
      if (bond.stiff != stiff) continue;
      if (bond.i < 0) {
        terms += fmt::format(fmt::runtime(term), "", fmt::format("sqrt(r[0].x^2 + r[0].y^2) - {:.17g}", bond.length),
                             fmt::format("{:.17g}", bond.k));
        continue;
      }
      i.push_back(bond.i), j.push_back(bond.i + 1);
      k.push_back(bond.k), length.push_back(bond.length);
    }
    if (i.empty()) continue;
    const char* const set = stiff ? "stiff" : "soft";
    text += fmt::format("sets.{} = {{ i = [{}], j = [{}], k = [{}], len = [{}] }}\n", set, fmt::join(i, ", "),
                        fmt::join(j, ", "), list(k), list(length));
    terms += fmt::format(fmt::runtime(term), fmt::format("over = \"{}\"\n", set), "distance(r[i], r[j]) - len", "k");
  }
  text +=
      "[coordinates]\nr = { over = \"mass\", point = 2, start = [\"x0\", \"y0\"], velocity = [\"u0\", \"w0\"], "
      "mass = \"m\" }\n";
  if (c.gravity > 0)
    terms += fmt::format("[[potential]]\nover = \"mass\"\nenergy = \"{:.17g}*m*r[mass].y\"\n", c.gravity);
  if (c.drag > 0)
    terms += fmt::format(
        "[[force]]\nover = \"mass\"\non = \"r[mass]\"\nvalue = [\"-{0:.17g}*vr[mass].x\", \"-{0:.17g}*vr[mass].y\"]\n",
        c.drag);
  return text + terms;
}
}  // namespace trill::random_chain
