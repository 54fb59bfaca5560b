// SPDX-License-Identifier: BSD-3-Clause
// The stiff spring pendulum in Cartesian coordinates: PJY97 eq. 1.1, with lambda of (1.1e) inserted into (1.1c, d).
// Gravity acts along +y.
#include "planar.hpp"
#include "spring_pendulum.hpp"
#include "trill/problem/registered.hpp"

namespace trill {
namespace {
class StiffSpring final : public Registered<StiffSpring, SpringPendulumParameters, MechanicalProblem> {
 public:
  static constexpr Groups spring = 1, gravity = 2;
  static ModelInfo describe() {
    return {.name = "pendulum/stiff_spring",
            .title = "Stiff spring pendulum, Cartesian",
            .reference = "PJY97 eq. 1.1",
            .equations =
                "x'' = -lambda x\n"
                "y'' = -lambda y + 1\n"
                "epsilon^2 lambda = (r - 1)/r,  r = sqrt(x^2 + y^2)\n"
                "V = (r - 1)^2/(2 epsilon^2) - y",
            .run = {.to = 10, .method = "dopri5", .rtol = 1e-8}};
  }

  explicit StiffSpring(const Parameters& p)
      : Registered(p), k_(1 / (p.epsilon * p.epsilon)), strong_{&gap_, Vec::Constant(1, k_)} {
    p.check("pendulum/stiff_spring");
  }

  Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"y", ""}, {"u", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << p_.x0, p_.y0, p_.u0, p_.v0;
    return s;
  }

  std::vector<GroupInfo> groups() const override { return {{"spring", true}, {"gravity", false}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    const double x = q.data()[0], y = q.data()[1];
    double fx = 0, fy = 0;
    if (groups & spring) {
      const double lambda = k_ * (1 - 1 / length(x, y));  // PJY97 eq. 1.1e
      fx = -lambda * x;                                   // PJY97 eq. 1.1c
      fy = -lambda * y;                                   // PJY97 eq. 1.1d
    }
    if (groups & gravity) fy += 1;
    f.data()[0] = fx;
    f.data()[1] = fy;
  }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (groups & spring) add_block(dq, 0, 0, -1, spring_hessian(k_, q[0], q[1]));
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    const double gap = length(q[0], q[1]) - 1;
    return (groups & spring ? 0.5 * k_ * gap * gap : 0) - (groups & gravity ? q[1] : 0);
  }
  const StrongPotential* strong_potential() const override { return &strong_; }

  std::vector<Quantity> quantities() const override { return {{"energy", ""}, {"r", ""}}; }
  void measure(const State& s, Out values) const override {
    values[0] = unit_mass_energy(*this, s);
    values[1] = length(s.y[0], s.y[1]);
  }

 private:
  double k_;  // 1/epsilon^2
  UnitLinks gap_{2, {{.to = 0}}};
  StrongPotential strong_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(stiff_spring, StiffSpring)
