// SPDX-License-Identifier: BSD-3-Clause
// The stiff spring pendulum in polar coordinates x = r cos(theta), y = r sin(theta): PJY97 eq. 1.2. Two printed signs
// are wrong: the centrifugal term in (1.2c) and the whole right-hand side of (1.2d) have the opposite sign. The
// equations below follow by transforming (1.1), as shown in docs/models/stiff_spring_polar.md.
#include "planar.hpp"
#include "spring_pendulum.hpp"
#include "trill/problem/registered.hpp"

namespace trill {
namespace {
// The gap g = r - 1, which is linear in these coordinates.
class RadialGap final : public ConstraintMap {
 public:
  Index count() const override { return 1; }
  MatrixSlot pattern() const override { return MatrixSlot::dense(1, 2); }
  void value(double, In q, Out g) const override { g[0] = q[0] - 1; }
  void jacobian(double, In, MatrixSlot& G) const override {
    G.set_zero();
    G.add(0, 0, 1);
  }
  void curvature(double, In, In, Out eta) const override { eta[0] = 0; }
  void transpose_derivative(double, In, In, MatrixSlot& d) const override { d.set_zero(); }
};

class StiffSpringPolar final : public Registered<StiffSpringPolar, SpringPendulumParameters, MechanicalProblem> {
 public:
  static constexpr Groups spring = 1, gravity = 2, inertia = 4;
  static ModelInfo describe() {
    return {.name = "pendulum/stiff_spring_polar",
            .title = "Stiff spring pendulum, polar",
            .reference = "PJY97 eq. 1.2, signs corrected",
            .equations =
                "r'' = r omega^2 - (r - 1)/epsilon^2 + sin(theta)\n"
                "r^2 theta'' = r cos(theta) - 2 r z omega\n"
                "z = r',  omega = theta',  x = r cos(theta),  y = r sin(theta)",
            .run = {.to = 10, .method = "dopri5", .rtol = 1e-8}};
  }

  explicit StiffSpringPolar(const Parameters& p)
      : Registered(p), k_(1 / (p.epsilon * p.epsilon)), strong_{&gap_, Vec::Constant(1, k_)} {
    p.check("pendulum/stiff_spring_polar");
  }

  Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"r", ""}, {"theta", "rad"}, {"z", ""}, {"omega", ""}}; }
  State initial_state() const override {
    State s(layout());
    const double r = length(p_.x0, p_.y0);
    s.y << r, std::atan2(p_.y0, p_.x0), (p_.x0 * p_.u0 + p_.y0 * p_.v0) / r,
        angular_momentum(p_.x0, p_.y0, p_.u0, p_.v0) / (r * r);
    return s;
  }

  MassKind mass_kind() const override { return MassKind::of_q; }
  void mass(In q, MatrixSlot& m) const override {
    m.set_zero();
    m.add(0, 0, 1);
    m.add(1, 1, q[0] * q[0]);
  }
  void mass_product_derivative(In q, In w, MatrixSlot& d) const override { d.add(1, 0, 2 * q[0] * w[1]); }

  std::vector<GroupInfo> groups() const override { return {{"spring", true}, {"gravity", false}, {"inertia", false}}; }
  void force(Groups groups, double, In q, In v, Out f) const override {
    const double r = q.data()[0], theta = q.data()[1];
    double fr = 0, ftheta = 0;
    if (groups & spring) fr = -k_ * (r - 1);
    if (groups & gravity) {
      fr += std::sin(theta);
      ftheta = r * std::cos(theta);
    }
    if (groups & inertia) {
      const double z = v.data()[0], omega = v.data()[1];
      fr += r * omega * omega;      // PJY97 eq. 1.2c with the right sign
      ftheta -= 2 * r * z * omega;  // PJY97 eq. 1.2d with the right sign
    }
    f.data()[0] = fr;
    f.data()[1] = ftheta;
  }
  bool velocity_dependent(Groups groups) const override { return groups & inertia; }
  bool force_jacobian(Groups groups, double, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override {
    const double r = q[0], theta = q[1], z = v[0], omega = v[1];
    dq.set_zero();
    dv.set_zero();
    if (groups & spring) dq.add(0, 0, -k_);
    if (groups & gravity) {
      dq.add(0, 1, std::cos(theta));
      dq.add(1, 0, std::cos(theta));
      dq.add(1, 1, -r * std::sin(theta));
    }
    if (groups & inertia) {
      dq.add(0, 0, omega * omega);
      dq.add(1, 0, -2 * z * omega);
      dv.add(0, 1, 2 * r * omega);
      dv.add(1, 0, -2 * r * omega);
      dv.add(1, 1, -2 * r * z);
    }
    return true;
  }
  // Inertial forces come from the mass matrix and are no part of the potential energy.
  std::optional<double> potential(Groups groups, double, In q) const override {
    const double gap = q[0] - 1;
    return (groups & spring ? 0.5 * k_ * gap * gap : 0) - (groups & gravity ? q[0] * std::sin(q[1]) : 0);
  }
  const StrongPotential* strong_potential() const override { return &strong_; }

  std::vector<Quantity> quantities() const override { return {{"energy", ""}, {"x", ""}, {"y", ""}}; }
  void measure(const State& s, Out values) const override {
    const double r = s.y[0], theta = s.y[1], z = s.y[2], across = r * s.y[3];
    values[0] = 0.5 * (z * z + across * across) + potential(all_groups, s.t, s.q()).value();
    values[1] = r * std::cos(theta);
    values[2] = r * std::sin(theta);
  }

 private:
  double k_;  // 1/epsilon^2
  RadialGap gap_;
  StrongPotential strong_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(stiff_spring_polar, StiffSpringPolar)
