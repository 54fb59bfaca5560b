// SPDX-License-Identifier: BSD-3-Clause
// Half-wave rectifier with a two-stage ripple filter, in modified nodal form d/dt charge(x) + current(t, x) = 0:
//
//   in --Rs-- a --D-- b --R1-- c
//   |                 |        |---- RL
//   V                 C1       C2    |
//   |_________________|________|_____|  0
#include "trill/problem/circuit.hpp"
#include "trill/problem/registered.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
struct RectifierParameters {
  double amplitude = 12, frequency = 50;
  double Rs = 1, C1 = 1e-3, R1 = 100, C2 = 10e-3, RL = 1000;
  double saturation_current = 1e-9, thermal_voltage = 0.025865;
  double vb0 = 0, vc0 = 0;

  void fields(OptionVisitor& v) {
    v.number("amplitude", amplitude, Range::at_least(0), "peak voltage of the source");
    v.number("frequency", frequency, Range::positive(), "frequency of the source");
    v.number("Rs", Rs, Range::positive(), "resistance of the source");
    v.number("C1", C1, Range::positive(), "first filter capacitor");
    v.number("R1", R1, Range::positive(), "filter resistor");
    v.number("C2", C2, Range::positive(), "second filter capacitor");
    v.number("RL", RL, Range::positive(), "load resistor");
    v.number("saturation_current", saturation_current, Range::positive(), "saturation current of the diode");
    v.number("thermal_voltage", thermal_voltage, Range::positive(),
             "thermal voltage n k T/q of the diode; the default is n = 1 at 27 degrees Celsius");
    v.number("vb0", vb0, {}, "voltage of C1 at the start");
    v.number("vc0", vc0, {}, "voltage of C2 at the start");
  }
  static std::string unit(const std::string& name) {
    if (name == "frequency") return "Hz";
    if (name == "saturation_current") return "A";
    return name[0] == 'R' ? "Ohm" : name[0] == 'C' ? "F" : "V";
  }
};

// i = I_S (exp(v/V_T) - 1). Beyond v = 100 V_T the exponential is continued by its tangent, so that no voltage that a
// Newton iteration may try overflows and g remains the exact derivative of i.
struct Diode {
  double I_S, V_T;
  struct Value {
    double i, g;  // current and conductance
  };
  Value operator()(double v) const {
    constexpr double last = 100;
    const double x = v / V_T, e = std::exp(std::min(x, last));
    const double beyond = std::max(x - last, 0.0);
    return {I_S * (x > last ? e * (1 + beyond) - 1 : std::expm1(x)), I_S * e / V_T};
  }

  // The usual junction limiting of circuit simulators: a Newton step to voltages beyond the bend of the characteristic
  // is replaced by its logarithm, as if the iteration were for the current.
  double limited(double v, double v_old) const {
    const double critical = V_T * std::log(V_T / (std::numbers::sqrt2 * I_S));
    if (v <= critical || std::abs(v - v_old) <= 2 * V_T) return v;
    if (v_old <= 0) return V_T * std::log(v / V_T);
    const double asked = 1 + (v - v_old) / V_T;
    return asked > 0 ? v_old + V_T * std::log(asked) : critical;
  }
};

class Rectifier final : public Registered<Rectifier, RectifierParameters, CircuitProblem> {
 public:
  enum Unknown : Index { in, a, b, c, i_source, unknowns };
  static ModelInfo describe() {
    return {.name = "circuit/rectifier",
            .title = "Half-wave rectifier with ripple filter",
            .reference = "PJY97 sec. 5",
            .equations =
                "0 = (v_in - v_a)/Rs + i_source\n"
                "0 = (v_a - v_in)/Rs + i_D(v_a - v_b)\n"
                "d/dt C1 v_b = i_D(v_a - v_b) - (v_b - v_c)/R1\n"
                "d/dt C2 v_c = (v_b - v_c)/R1 - v_c/RL\n"
                "0 = v_in - amplitude sin(2 pi frequency t)\n"
                "i_D(v) = saturation_current (exp(v/thermal_voltage) - 1)",
            .run = {.to = 0.5, .method = "circuit_trapezoidal", .h = 1e-4}};
  }

  explicit Rectifier(const Parameters& p) : Registered(p), diode_{p.saturation_current, p.thermal_voltage} {}

  Layout layout() const override { return {unknowns, 0, 0, 0}; }
  std::vector<Quantity> components() const override {
    return {{"v_in", "V"}, {"v_a", "V"}, {"v_b", "V"}, {"v_c", "V"}, {"i_source", "A"}};
  }
  std::string time_unit() const override { return "s"; }
  State initial_state() const override {
    State s(layout());
    s.y[in] = source(0);
    s.y[b] = p_.vb0;
    s.y[c] = p_.vc0;
    s.y[a] = anode(s.y[in], p_.vb0);
    s.y[i_source] = (s.y[a] - s.y[in]) / p_.Rs;
    return s;
  }

  void charge(In x, Out q) const override {
    q.setZero();
    q[b] = p_.C1 * x[b];
    q[c] = p_.C2 * x[c];
  }
  void current(double t, In x, Out i) const override {
    const double through_Rs = (x[in] - x[a]) / p_.Rs, through_R1 = (x[b] - x[c]) / p_.R1;
    const double through_diode = diode_(x[a] - x[b]).i;
    i[in] = through_Rs + x[i_source];
    i[a] = through_diode - through_Rs;
    i[b] = through_R1 - through_diode;
    i[c] = x[c] / p_.RL - through_R1;
    i[i_source] = x[in] - source(t);
  }
  MatrixSlot jacobian_pattern() const override { return MatrixSlot::dense(unknowns, unknowns); }
  void jacobians(double, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override {
    dcharge.set_zero();
    dcharge.add(b, b, p_.C1);
    dcharge.add(c, c, p_.C2);
    dcurrent.set_zero();
    add_conductance(dcurrent, in, a, 1 / p_.Rs);
    add_conductance(dcurrent, a, b, diode_(x[a] - x[b]).g);
    add_conductance(dcurrent, b, c, 1 / p_.R1);
    dcurrent.add(c, c, 1 / p_.RL);
    dcurrent.add(in, i_source, 1);
    dcurrent.add(i_source, in, 1);
  }
  // Changes the voltage of the anode, which is connected to the rest of the circuit only through the source resistance.
  void limit(In x_old, Out x_new) const override {
    const double v = x_new[a] - x_new[b], limited = diode_.limited(v, x_old[a] - x_old[b]);
    if (limited != v) x_new[a] = x_new[b] + limited;  // a step that needs no limiting must stay bit-identical
  }
  std::optional<double> clock_period() const override { return 1 / p_.frequency; }

  std::vector<Quantity> quantities() const override { return {{"output_voltage", "V"}, {"diode_current", "A"}}; }
  void measure(const State& s, Out values) const override {
    values[0] = s.y[c];
    values[1] = diode_(s.y[a] - s.y[b]).i;
  }

 private:
  double source(double t) const { return p_.amplitude * std::sin(2 * std::numbers::pi * p_.frequency * t); }
  static void add_conductance(MatrixSlot& m, Index i, Index j, double g) {
    m.add(i, i, g);
    m.add(j, j, g);
    m.add(i, j, -g);
    m.add(j, i, -g);
  }
  // The root of (v_a - v_in)/Rs + i_D(v_a - v_b). The function is convex and increasing and the start lies to the right
  // of the root, so Newton's method decreases monotonically to it.
  double anode(double v_in, double v_b) const {
    const double drop = v_in - v_b;
    double v = drop <= 0 ? v_b : v_b + std::min(drop, diode_.V_T * std::log1p(drop / (p_.Rs * diode_.I_S)));
    for (int i = 0; i < 100; ++i) {
      const auto [current, conductance] = diode_(v - v_b);
      const double next = v - ((v - v_in) / p_.Rs + current) / (1 / p_.Rs + conductance);
      if (!(next < v)) break;
      v = next;
    }
    return v;
  }

  Diode diode_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(rectifier, Rectifier)
