// SPDX-License-Identifier: BSD-3-Clause
// The harmonic oscillator, the test equation of all methods: PJY97 eq. 2.1.
#include "trill/problem/registered.hpp"

#include <cmath>

namespace trill {
namespace {
struct HarmonicParameters {
  double omega = 1, q0 = 1, v0 = 0;

  void fields(OptionVisitor& v) {
    v.number("omega", omega, Range::positive(), "frequency");
    v.number("q0", q0, {}, "start: position");
    v.number("v0", v0, {}, "start: velocity");
  }
};

class Harmonic final : public Registered<Harmonic, HarmonicParameters, MechanicalProblem> {
 public:
  static ModelInfo describe() {
    return {.name = "oscillator/harmonic",
            .title = "Harmonic oscillator",
            .reference = "PJY97 eq. 2.1",
            .equations = "q'' = -omega^2 q",
            .run = {.to = 20, .method = "verlet", .h = 0.05}};
  }

  explicit Harmonic(const Parameters& p) : Registered(p), k_(p.omega * p.omega) {}

  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << p_.q0, p_.v0;
    return s;
  }

  void force(Groups groups, double, In q, In, Out f) const override { f[0] = groups & 1 ? -k_ * q[0] : 0; }
  bool force_jacobian(Groups groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    if (groups & 1) dq.add(0, 0, -k_);
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    return groups & 1 ? 0.5 * k_ * q[0] * q[0] : 0;
  }

  std::vector<Quantity> quantities() const override { return {{"energy", ""}}; }
  void measure(const State& s, Out values) const override { values[0] = unit_mass_energy(*this, s); }
  bool exact(double t, Out y) const override {
    const double c = std::cos(p_.omega * t), s = std::sin(p_.omega * t);
    y[0] = p_.q0 * c + p_.v0 / p_.omega * s;
    y[1] = p_.v0 * c - p_.q0 * p_.omega * s;
    return true;
  }

 private:
  double k_;  // omega^2
};
}  // namespace
}  // namespace trill
TRILL_MODEL(harmonic, Harmonic)
