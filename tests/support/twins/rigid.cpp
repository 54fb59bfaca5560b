// SPDX-License-Identifier: BSD-3-Clause
// A rigid pendulum of unit length and mass with gravity along +y: the limit epsilon -> 0 of PJY97 eq. 1.1, of index 3.
#include "planar.hpp"
#include "trill/problem/registered.hpp"

namespace trill {
namespace {
struct RigidParameters {
  double theta0 = 0, omega0 = 0;

  void fields(OptionVisitor& v) {
    v.number("theta0", theta0, {}, "start: angle from the x axis; the pendulum hangs at pi/2");
    v.number("omega0", omega0, {}, "start: angular velocity");
  }
};

class Rigid final : public Registered<Rigid, RigidParameters, MechanicalProblem> {
 public:
  static ModelInfo describe() {
    return {.name = "pendulum/rigid",
            .title = "Rigid pendulum",
            .reference = "PJY97 sec. 3.1, limit of eq. 1.1",
            .equations =
                "x'' = -lambda x/r\n"
                "y'' = -lambda y/r + 1\n"
                "0 = r - 1,  r = sqrt(x^2 + y^2)",
            .run = {.to = 10, .method = "rattle", .h = 0.01}};
  }

  explicit Rigid(const Parameters& p) : Registered(p) {}

  Layout layout() const override { return {2, 2, 1, 0}; }
  std::vector<Quantity> components() const override {
    return {{"x", ""}, {"y", ""}, {"u", ""}, {"v", ""}, {"lambda", ""}};
  }
  State initial_state() const override {
    State s(layout());
    const double c = std::cos(p_.theta0), d = std::sin(p_.theta0), omega = p_.omega0;
    // lambda = G f + v^T H v is the tension for which G a + eta = 0.
    s.y << c, d, -omega * d, omega * c, d + omega * omega;
    return s;
  }

  std::vector<GroupInfo> groups() const override { return {{"gravity", true}}; }
  void force(Groups groups, double, In, In, Out f) const override {
    f.data()[0] = 0;
    f.data()[1] = groups & 1 ? 1 : 0;
  }
  bool force_jacobian(Groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override { return groups & 1 ? -q[1] : 0; }
  const ConstraintMap* constraints() const override { return &rod_; }

  std::vector<Quantity> quantities() const override { return {{"energy", ""}}; }
  void measure(const State& s, Out values) const override { values[0] = unit_mass_energy(*this, s); }

 private:
  UnitLinks rod_{2, {{.to = 0}}};
};
}  // namespace
}  // namespace trill
TRILL_MODEL(rigid, Rigid)
