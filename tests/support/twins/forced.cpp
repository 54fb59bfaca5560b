// SPDX-License-Identifier: BSD-3-Clause
// The forced oscillator, which is the real form of the inhomogeneous test equation of PJY97 sec. 2, including
// resonance.
#include "trill/problem/registered.hpp"

#include <cmath>

namespace trill {
namespace {
struct ForcedParameters {
  double omega = 10, F = 1, nu = 1, q0 = 1, v0 = 0;

  void fields(OptionVisitor& v) {
    v.number("omega", omega, Range::positive(), "frequency of the oscillator");
    v.number("F", F, {}, "amplitude of the force");
    v.number("nu", nu, Range::at_least(0), "frequency of the force; nu = omega is resonance");
    v.number("q0", q0, {}, "start: position");
    v.number("v0", v0, {}, "start: velocity");
  }
};

class Forced final : public Registered<Forced, ForcedParameters, MechanicalProblem> {
 public:
  static constexpr Groups oscillator = 1, drive = 2;
  static ModelInfo describe() {
    return {.name = "oscillator/forced",
            .title = "Forced oscillator",
            .reference = "PJY97 sec. 2",
            .equations = "q'' + omega^2 q = F cos(nu t)",
            .run = {.to = 20, .method = "composition4", .h = 0.01}};
  }

  explicit Forced(const Parameters& p) : Registered(p), k_(p.omega * p.omega) {}

  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << p_.q0, p_.v0;
    return s;
  }

  std::vector<GroupInfo> groups() const override { return {{"oscillator", true}, {"drive", false}}; }
  void force(Groups groups, double t, In q, In, Out f) const override {
    f[0] = (groups & oscillator ? -k_ * q[0] : 0) + (groups & drive ? p_.F * std::cos(p_.nu * t) : 0);
  }
  bool force_jacobian(Groups groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (groups & oscillator) dq.add(0, 0, -k_);
    return true;
  }
  std::optional<double> potential(Groups groups, double t, In q) const override {
    return (groups & oscillator ? 0.5 * k_ * q[0] * q[0] : 0) -
           (groups & drive ? p_.F * std::cos(p_.nu * t) * q[0] : 0);
  }

  // This is not an invariant, since the driving force does work.
  std::vector<Quantity> quantities() const override { return {{"oscillator_energy", ""}}; }
  void measure(const State& s, Out values) const override {
    values[0] = 0.5 * (s.y[1] * s.y[1] + k_ * s.y[0] * s.y[0]);
  }
  // The forced part F (cos nu t - cos omega t)/(omega^2 - nu^2), written as the product F/(2 a) sin(a t) sin(b t)/b
  // with a = (omega + nu)/2 and b = (omega - nu)/2, which avoids cancellation near resonance.
  bool exact(double t, Out y) const override {
    const double c = std::cos(p_.omega * t), s = std::sin(p_.omega * t);
    const double a = 0.5 * (p_.omega + p_.nu), b = 0.5 * (p_.omega - p_.nu);
    const double beat = b == 0 ? t : std::sin(b * t) / b;
    y[0] = p_.q0 * c + p_.v0 / p_.omega * s + p_.F / (2 * a) * std::sin(a * t) * beat;
    y[1] = p_.v0 * c - p_.q0 * p_.omega * s +
           p_.F / (2 * a) * (a * std::cos(a * t) * beat + std::sin(a * t) * std::cos(b * t));
    return true;
  }

 private:
  double k_;  // omega^2
};
}  // namespace
}  // namespace trill
TRILL_MODEL(forced, Forced)
