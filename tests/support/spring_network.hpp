// SPDX-License-Identifier: BSD-3-Clause
// Masses in the plane on fast and slow springs, with everything that tests of impulse methods vary: a fast force
// turned by an angle (which is then not conservative), mass matrices of every kind, and products that are wrong or not
// known.
#pragma once

#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <cstdint>

namespace trill::test {
struct Spring {
  int i, j;  // -1 is the origin
  double k, rest;
  Groups group;
};

enum class Products { right, transposed, unknown };

class SpringNetwork final : public MechanicalProblem {
 public:
  static constexpr Groups fast = 1, slow = 2, slower = 4;

  Vec q, v;
  std::vector<Spring> springs;
  double turn = 0;  // angle of the fast force in radians
  Mat masses;       // the identity if empty
  Products products = Products::right;

  std::string name() const override { return "springs"; }
  Layout layout() const override { return {q.size(), q.size(), 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(2 * q.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y << q, v;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<SpringNetwork>(*this); }
  std::vector<GroupInfo> groups() const override { return {{"fast", true}, {"slow", false}, {"slower", false}}; }

  MassKind mass_kind() const override {
    if (masses.size() == 0) return MassKind::identity;
    return masses.isDiagonal() ? MassKind::diagonal : MassKind::constant;
  }
  MatrixSlot mass_pattern() const override {
    return mass_kind() == MassKind::constant ? MatrixSlot::dense(q.size(), q.size())
                                             : MechanicalProblem::mass_pattern();
  }
  void mass(In at, MatrixSlot& m) const override {
    if (masses.size() == 0) return MechanicalProblem::mass(at, m);
    m.set_zero();
    for (Index i = 0; i < at.size(); ++i)
      for (Index j = 0; j < at.size(); ++j)
        if (masses(i, j) != 0) m.add(i, j, masses(i, j));
  }

  void force(Groups groups, double, In at, In, Out f) const override {
    f.setZero();
    for (const Spring& s : springs) {
      if (!(groups & s.group)) continue;
      const Eigen::Vector2d d = place(at, s.i) - place(at, s.j);
      add(s, turned(s, -s.k * (d.norm() - s.rest) * d.normalized(), 1), f);
    }
  }
  bool force_product(Groups groups, double, In at, In, In b, Out df) const override {
    if (products == Products::unknown) return false;
    df.setZero();
    for (const Spring& s : springs) {
      if (!(groups & s.group)) continue;
      const Eigen::Vector2d d = place(at, s.i) - place(at, s.j);
      const double r = d.norm();
      Eigen::Vector2d shift = place(b, s.i) - place(b, s.j);
      if (products == Products::transposed) shift = turned(s, shift, -1);
      const Eigen::Vector2d pull = -s.k * ((1 - s.rest / r) * shift + s.rest / (r * r * r) * d.dot(shift) * d);
      add(s, products == Products::transposed ? pull : turned(s, pull, 1), df);
    }
    return true;
  }
  Mat jacobian(Groups groups, const Vec& at) const {
    SpringNetwork right = *this;
    right.products = Products::right;
    Mat j(q.size(), q.size());
    for (Index c = 0; c < q.size(); ++c) {
      Vec column(q.size());
      right.force_product(groups, 0, at, at, Vec::Unit(q.size(), c), column);
      j.col(c) = column;
    }
    return j;
  }
  std::optional<double> potential(Groups groups, double, In at) const override {
    if (turn != 0 && groups & fast) return std::nullopt;
    double sum = 0;
    for (const Spring& s : springs)
      if (groups & s.group) sum += 0.5 * s.k * std::pow((place(at, s.i) - place(at, s.j)).norm() - s.rest, 2);
    return sum;
  }

 private:
  static Eigen::Vector2d place(In at, int i) {
    return i < 0 ? Eigen::Vector2d::Zero() : Eigen::Vector2d(at[2 * i], at[2 * i + 1]);
  }
  Eigen::Vector2d turned(const Spring& s, const Eigen::Vector2d& x, double sense) const {
    return s.group == fast && turn != 0 ? Eigen::Vector2d(Eigen::Rotation2Dd(sense * turn) * x) : x;
  }
  static void add(const Spring& s, const Eigen::Vector2d& pull, Out f) {
    if (s.i >= 0) f.segment<2>(2 * s.i) += pull;
    if (s.j >= 0) f.segment<2>(2 * s.j) -= pull;
  }
};

// The example of SS08 sec. 7.
inline SpringNetwork two_springs(double omega, double turn = 0) {
  const double s = std::sqrt(2.0) / 4;
  SpringNetwork p;
  p.q = Eigen::Vector4d(1, 0, 2, 0);
  p.v = Eigen::Vector4d(s, s, -s, s);
  p.springs = {{0, -1, omega * omega, 1, SpringNetwork::fast}, {0, 1, 0.5, 1, SpringNetwork::slow}};
  p.turn = turn;
  return p;
}

// A free zigzag of masses with stiff bonds between neighbours, and soft springs that skip one or two masses.
inline SpringNetwork zigzag(int masses, double omega, double turn = 0) {
  SpringNetwork p;
  p.q = p.v = Vec::Zero(2 * masses);
  for (int i = 0; i < masses; ++i) {
    p.q.segment<2>(2 * i) << 0.9 * i + 0.02 * std::sin(3.0 * i), (i % 2) * 0.5 + 0.02 * std::cos(5.0 * i);
    p.v.segment<2>(2 * i) << 0.4 * std::sin(1.1 * i + 1), 0.4 * std::cos(1.7 * i);
    if (i >= 1) p.springs.push_back({i, i - 1, omega * omega, 1, SpringNetwork::fast});
    if (i >= 2) p.springs.push_back({i, i - 2, 0.7, 1.6, SpringNetwork::slow});
    if (i >= 3) p.springs.push_back({i, i - 3, 0.4, 2.5, SpringNetwork::slower});
  }
  p.turn = turn;
  return p;
}
}  // namespace trill::test
