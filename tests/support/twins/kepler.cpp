// SPDX-License-Identifier: BSD-3-Clause
// The Kepler problem with semi-major axis 1, started at perihelion.
#include "planar.hpp"
#include "trill/problem/registered.hpp"

#include <algorithm>
#include <numbers>

namespace trill {
namespace {
struct KeplerParameters {
  double mu = 1, e = 0.6;

  void fields(OptionVisitor& v) {
    v.number("mu", mu, Range::positive(), "gravitational parameter");
    v.number("e", e, Range::between(0, 0.9999), "eccentricity");
  }
};

// Solves Kepler's equation E - e sin E = M to rounding. On [0, pi] the left side is convex and min(M + e, pi) lies to
// the right of the root, so Newton's method converges to it monotonically.
double eccentric_anomaly(double M, double e) {
  constexpr double pi = std::numbers::pi;
  const double reduced = std::remainder(M, 2 * pi), m = std::abs(reduced);
  double E = std::min(m + e, pi);
  for (int i = 0; i < 100; ++i) {
    const double next = E - (E - e * std::sin(E) - m) / (1 - e * std::cos(E));
    if (!(next < E)) break;
    E = next;
  }
  return std::copysign(E, reduced);
}

class Kepler final : public Registered<Kepler, KeplerParameters, MechanicalProblem> {
 public:
  static ModelInfo describe() {
    return {.name = "orbit/kepler",
            .title = "Kepler orbit",
            .reference = "PJY97 sec. 5.1",
            .equations =
                "q'' = -mu q/|q|^3\n"
                "q(0) = (1 - e, 0),  v(0) = (0, sqrt(mu (1 + e)/(1 - e)))",
            .run = {.to = 40, .method = "dopri5", .rtol = 1e-8}};
  }

  explicit Kepler(const Parameters& p) : Registered(p) {}

  Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"y", ""}, {"u", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 1 - p_.e, 0, 0, std::sqrt(p_.mu * (1 + p_.e) / (1 - p_.e));
    return s;
  }

  void force(Groups groups, double, In q, In, Out f) const override {
    const double x = q.data()[0], y = q.data()[1];
    const double r2 = x * x + y * y;
    const double c = groups & 1 ? -p_.mu / (r2 * std::sqrt(r2)) : 0;
    f.data()[0] = c * x;
    f.data()[1] = c * y;
  }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (!(groups & 1)) return true;
    const double x = q[0], y = q[1], r2 = x * x + y * y;
    const double c = p_.mu / (r2 * r2 * std::sqrt(r2));  // mu (3 n n^T - I) / r^3
    add_block(dq, 0, 0, c, {3 * x * x - r2, 3 * x * y, 3 * y * y - r2});
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    return groups & 1 ? -p_.mu / length(q[0], q[1]) : 0;
  }

  std::vector<Quantity> quantities() const override { return {{"energy", ""}, {"angular_momentum", ""}}; }
  void measure(const State& s, Out values) const override {
    values[0] = unit_mass_energy(*this, s);
    values[1] = angular_momentum(s.y[0], s.y[1], s.y[2], s.y[3]);
  }
  bool exact(double t, Out y) const override {
    const double n = std::sqrt(p_.mu), b = std::sqrt(1 - p_.e * p_.e);  // mean motion and minor axis
    const double E = eccentric_anomaly(n * t, p_.e), c = std::cos(E), s = std::sin(E);
    const double rate = n / (1 - p_.e * c);  // E'
    y[0] = c - p_.e;
    y[1] = b * s;
    y[2] = -s * rate;
    y[3] = b * c * rate;
    return true;
  }
};
}  // namespace
}  // namespace trill
TRILL_MODEL(kepler, Kepler)
