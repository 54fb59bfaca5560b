// SPDX-License-Identifier: BSD-3-Clause
// Two unit masses in the plane, the first tied to the origin and the second to the first: SAT09 sec. 4.
#include "planar.hpp"
#include "trill/problem/registered.hpp"

#include <algorithm>

namespace trill {
namespace {
struct TwoSpringsParameters {
  double omega1 = 1, omega2 = 500;
  double stretch1 = 0, stretch2 = 1;
  double u1 = 0.5, v1 = -0.5, u2 = -0.5, v2 = 0.5;

  void fields(OptionVisitor& v) {
    v.number("omega1", omega1, Range::positive(), "frequency of the spring from the origin to mass 1");
    v.number("omega2", omega2, Range::positive(), "frequency of the spring from mass 1 to mass 2");
    v.number("stretch1", stretch1, {}, "start: x1 = 1 + stretch1/omega1");
    v.number("stretch2", stretch2, {}, "start: x2 = 2 + stretch2/omega2");
    v.number("u1", u1, {}, "start: x velocity of mass 1");
    v.number("v1", v1, {}, "start: y velocity of mass 1");
    v.number("u2", u2, {}, "start: x velocity of mass 2");
    v.number("v2", v2, {}, "start: y velocity of mass 2");
  }
};

class TwoSprings final : public Registered<TwoSprings, TwoSpringsParameters, MechanicalProblem> {
 public:
  static constexpr Groups first = 1, second = 2;
  static ModelInfo describe() {
    return {.name = "pendulum/two_springs",
            .title = "Two masses on a soft and a stiff spring",
            .reference = "SAT09 sec. 4",
            .equations =
                "q1'' = -omega1^2 (r1 - 1) q1/r1 - omega2^2 (r12 - 1) (q1 - q2)/r12\n"
                "q2'' =  omega2^2 (r12 - 1) (q1 - q2)/r12\n"
                "r1 = |q1|,  r12 = |q1 - q2|\n"
                "V = omega1^2/2 (r1 - 1)^2 + omega2^2/2 (r12 - 1)^2",
            .run = {.to = 10, .method = "dopri5", .rtol = 1e-6}};
  }

  explicit TwoSprings(const Parameters& p)
      : Registered(p),
        k1_(p.omega1 * p.omega1),
        k2_(p.omega2 * p.omega2),
        first_stiff_(p.omega1 >= p.omega2),
        second_stiff_(p.omega2 >= p.omega1),
        gaps_(4, stiff_links()),
        strong_{&gaps_, stiff_constants()} {
    if (1 + p.stretch1 / p.omega1 == 0)
      throw UsageError("pendulum/two_springs: stretch1 = -omega1 puts mass 1 on the origin; choose another stretch1");
    if (2 + p.stretch2 / p.omega2 == 1 + p.stretch1 / p.omega1)
      throw UsageError("pendulum/two_springs: stretch1 and stretch2 put both masses on one point; choose others");
  }

  Layout layout() const override { return {4, 4, 0, 0}; }
  std::vector<Quantity> components() const override {
    return {{"x1", ""}, {"y1", ""}, {"x2", ""}, {"y2", ""}, {"u1", ""}, {"v1", ""}, {"u2", ""}, {"v2", ""}};
  }
  State initial_state() const override {
    State s(layout());
    s.y << 1 + p_.stretch1 / p_.omega1, 0, 2 + p_.stretch2 / p_.omega2, 0, p_.u1, p_.v1, p_.u2, p_.v2;
    return s;
  }

  // The spring with the larger frequency is the stiff one: case (i) or (ii) of SAT09 sec. 4. With equal frequencies
  // both are stiff: case (iii).
  std::vector<GroupInfo> groups() const override {
    if (first_stiff_ && second_stiff_) return {{"first", true}, {"second", true}};
    return {{first_stiff_ ? "stiff" : "soft", first_stiff_}, {second_stiff_ ? "stiff" : "soft", second_stiff_}};
  }
  void force(Groups groups, double, In q, In, Out f) const override {
    const double* p = q.data();
    double* out = f.data();
    const double x1 = p[0], y1 = p[1];
    double fx1 = 0, fy1 = 0, fx2 = 0, fy2 = 0;
    if (groups & first) {
      const double c = k1_ * (1 - 1 / length(x1, y1));  // omega1^2 (r1 - 1)/r1
      fx1 = -c * x1;
      fy1 = -c * y1;
    }
    if (groups & second) {
      const double x = x1 - p[2], y = y1 - p[3];
      const double c = k2_ * (1 - 1 / length(x, y));  // omega2^2 (r12 - 1)/r12
      fx2 = c * x;
      fy2 = c * y;
      fx1 -= fx2;
      fy1 -= fy2;
    }
    out[0] = fx1;
    out[1] = fy1;
    out[2] = fx2;
    out[3] = fy2;
  }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (groups & first) add_block(dq, 0, 0, -1, spring_hessian(k1_, q[0], q[1]));
    if (groups & second) {
      const Planar h = spring_hessian(k2_, q[0] - q[2], q[1] - q[3]);
      add_block(dq, 0, 0, -1, h);
      add_block(dq, 2, 2, -1, h);
      add_block(dq, 0, 2, 1, h);
      add_block(dq, 2, 0, 1, h);
    }
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    const double g1 = length(q[0], q[1]) - 1, g2 = length(q[0] - q[2], q[1] - q[3]) - 1;
    return (groups & first ? 0.5 * k1_ * g1 * g1 : 0) + (groups & second ? 0.5 * k2_ * g2 * g2 : 0);
  }
  const StrongPotential* strong_potential() const override { return &strong_; }

  std::vector<Quantity> quantities() const override {
    return {{"energy", ""}, {"angular_momentum", ""}, {"r1", ""}, {"r12", ""}};
  }
  void measure(const State& s, Out values) const override {
    const double* y = s.y.data();
    values[0] = unit_mass_energy(*this, s);
    values[1] = angular_momentum(y[0], y[1], y[4], y[5]) + angular_momentum(y[2], y[3], y[6], y[7]);
    values[2] = length(y[0], y[1]);
    values[3] = length(y[0] - y[2], y[1] - y[3]);
  }

 private:
  std::vector<Link> stiff_links() const {
    std::vector<Link> links;
    if (first_stiff_) links.push_back({.to = 0});
    if (second_stiff_) links.push_back({.to = 0, .from = 2});
    return links;
  }
  Vec stiff_constants() const {
    return first_stiff_ && second_stiff_ ? Vec{{k1_, k2_}} : Vec::Constant(1, std::max(k1_, k2_));
  }

  double k1_, k2_;  // spring constants omega^2
  bool first_stiff_, second_stiff_;
  UnitLinks gaps_;
  StrongPotential strong_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(two_springs, TwoSprings)
