// SPDX-License-Identifier: BSD-3-Clause
// Currents into the terminals of devices and charges at them, as functions of the voltages of the terminals. They are
// templates in the number type, so that dual numbers give their derivatives.
#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace trill {
// exp(x), continued by its tangent where it would become so large that Newton could not come back.
template <class T>
T bounded_exp(const T& x) {
  using std::exp;
  constexpr double most = 80;
  static const double largest = std::exp(most);
  if (x > T(most)) return largest * (1.0 + (x - most));
  return exp(x);
}

// The charge of a junction: capacitance C0 (1 - v/VJ)^-M, continued linearly above FC VJ.
struct JunctionCharge {
  double capacitance = 0, potential = 1, grading = 0.5, forward = 0.5;
  template <class T>
  T operator()(const T& v) const {
    if (capacitance == 0) return T(0);
    using std::pow;
    const double corner = forward * potential, rest = 1 - grading;
    if (v < T(corner)) {
      if (rest == 0) return T(0);
      return capacitance * potential / rest * (1.0 - pow(1.0 - v / potential, rest));
    }
    const double below = potential / rest * (1 - std::pow(1 - forward, rest));
    const double f2 = std::pow(1 - forward, 1 + grading), f3 = 1 - forward * (1 + grading);
    return capacitance * (below + (f3 * (v - corner) + grading / (2 * potential) * (v * v - corner * corner)) / f2);
  }
};

template <class T, std::size_t n>
struct TerminalValues {
  std::array<T, n> current{}, charge{};
};

// Anode and cathode.
struct JunctionDiode {
  static constexpr std::size_t terminals = 2;
  double saturation = 1e-14, thermal = 0.0258649, transit = 0, leakage = 1e-12;  // thermal: N kT/q
  double breakdown = std::numeric_limits<double>::infinity(), breakdown_current = 1e-3;
  JunctionCharge depletion;

  template <class T>
  TerminalValues<T, 2> operator()(const std::array<T, 2>& at) const {
    const T v = at[0] - at[1];
    T i = saturation * (bounded_exp(v / thermal) - 1.0);
    const T q = transit * i + depletion(v);
    i = i + leakage * v;
    if (std::isfinite(breakdown)) i = i - breakdown_current * bounded_exp((-1.0 * v - breakdown) / thermal);
    return {{i, -1.0 * i}, {q, -1.0 * q}};
  }
};

// Collector, base, emitter of the Gummel-Poon model; its resistances are elements of their own.
struct BipolarTransistor {
  static constexpr std::size_t terminals = 3;
  double polarity = 1;  // +1 NPN, -1 PNP
  double saturation = 1e-16, thermal = 0.0258649, leakage = 1e-12;
  double forward_gain = 100, reverse_gain = 1, forward_ideality = 1, reverse_ideality = 1;
  double early_inverse = 0, reverse_early_inverse = 0, knee_inverse = 0, reverse_knee_inverse = 0;
  double emitter_leakage = 0, emitter_leakage_ideality = 1.5, collector_leakage = 0, collector_leakage_ideality = 2;
  double forward_transit = 0, reverse_transit = 0;
  JunctionCharge emitter, collector;

  template <class T>
  TerminalValues<T, 3> operator()(const std::array<T, 3>& at) const {
    using std::sqrt;
    const T vbe = polarity * (at[1] - at[2]), vbc = polarity * (at[1] - at[0]);
    const T forward = saturation * (bounded_exp(vbe / (forward_ideality * thermal)) - 1.0) + leakage * vbe;
    const T reverse = saturation * (bounded_exp(vbc / (reverse_ideality * thermal)) - 1.0) + leakage * vbc;
    const T leak_e = emitter_leakage * (bounded_exp(vbe / (emitter_leakage_ideality * thermal)) - 1.0);
    const T leak_c = collector_leakage * (bounded_exp(vbc / (collector_leakage_ideality * thermal)) - 1.0);
    T base_charge = 1.0 / bounded_below(1.0 - early_inverse * vbc - reverse_early_inverse * vbe);
    const T injection = knee_inverse * forward + reverse_knee_inverse * reverse;
    if (knee_inverse + reverse_knee_inverse > 0)
      base_charge = 0.5 * base_charge * (1.0 + sqrt(bounded_below(1.0 + 4.0 * injection)));
    const T transport = (forward - reverse) / base_charge;
    const T ic = transport - reverse / reverse_gain - leak_c;
    const T ib = forward / forward_gain + reverse / reverse_gain + leak_e + leak_c;
    const T qbe = forward_transit * forward / base_charge + emitter(vbe),
            qbc = reverse_transit * reverse + collector(vbc);
    return {{polarity * ic, polarity * ib, -polarity * (ic + ib)},
            {-polarity * qbc, polarity * (qbe + qbc), -polarity * qbe}};
  }

 private:
  template <class T>
  static T bounded_below(const T& x) {
    return x < T(1e-3) ? T(1e-3) : x;
  }
};

// Drain, gate, source, bulk of the level 1 model.
struct MosTransistor {
  static constexpr std::size_t terminals = 4;
  double polarity = 1;                                                         // +1 NMOS, -1 PMOS
  double threshold = 0, gain = 2e-5, body = 0, surface = 0.6, modulation = 0;  // gain: KP W/L
  double oxide = 0;                                                            // the capacitance W L Cox of the gate
  double gate_source = 0, gate_drain = 0, gate_bulk = 0;
  double drain_saturation = 1e-14, source_saturation = 1e-14, thermal = 0.0258649, leakage = 1e-12;
  std::array<JunctionCharge, 2> drain_depletion, source_depletion;  // bottom and side

  template <class T>
  TerminalValues<T, 4> operator()(const std::array<T, 4>& at) const {
    const T d = polarity * at[0], g = polarity * at[1], s = polarity * at[2], b = polarity * at[3];
    const bool swapped = d < s;
    const T vs = swapped ? d : s, vd = swapped ? s : d;
    const T von = threshold_at(b - vs);
    const T id = (swapped ? -1.0 : 1.0) * channel(g - vs - von, vd - vs);
    const T ibd = junction(b - d, drain_saturation), ibs = junction(b - s, source_saturation);
    const std::array<T, 2> channel_charge = charges(g - d - von, g - s - von);
    const T qgd = gate_drain * (g - d), qgs = gate_source * (g - s), qgb = gate_bulk * (g - b);
    const T qbd = drain_depletion[0](b - d) + drain_depletion[1](b - d);
    const T qbs = source_depletion[0](b - s) + source_depletion[1](b - s);
    const T qd = -1.0 * channel_charge[0] - qgd - qbd, qs = -1.0 * channel_charge[1] - qgs - qbs;
    const T qg = channel_charge[0] + channel_charge[1] + qgd + qgs + qgb;
    return {{polarity * (id - ibd), T(0), polarity * (-1.0 * id - ibs), polarity * (ibd + ibs)},
            {polarity * qd, polarity * qg, polarity * qs, -polarity * (qd + qg + qs)}};
  }

 private:
  template <class T>
  T threshold_at(const T& vbs) const {
    using std::sqrt;
    if (body == 0) return T(threshold);
    const double root = std::sqrt(surface);
    T bent = T(root);
    if (vbs < T(0))
      bent = sqrt(surface - vbs);
    else
      bent = root - vbs / (2 * root);
    if (bent < T(0)) bent = T(0);
    return threshold + body * (bent - root);
  }
  template <class T>
  T channel(const T& above, const T& vds) const {
    if (!(above > T(0))) return T(0);
    const T strength = gain * (1.0 + modulation * vds);
    if (above <= vds) return 0.5 * strength * above * above;
    return strength * vds * (above - 0.5 * vds);
  }
  template <class T>
  T junction(const T& v, double saturation) const {
    return saturation * (bounded_exp(v / thermal) - 1.0) + leakage * v;
  }
  // What of the voltage above the threshold is found in charges. The capacitance of the channel sets in along a ramp,
  // as wide as that of Meyer in SPICE: if it jumped, so would currents into the gate.
  template <class T>
  T inverted(const T& above) const {
    const double half = surface / 4;
    if (above <= T(-half)) return T(0);
    if (above >= T(half)) return above;
    return (above + half) * (above + half) / (4 * half);
  }
  // The charges at drain and source of a long channel (D. E. Ward, R. W. Dutton, IEEE J. Solid-State Circuits 13,
  // 1978), without the charge of the bulk; gate charge of the opposite sign.
  template <class T>
  std::array<T, 2> charges(T w, T u) const {
    if (oxide == 0) return {T(0), T(0)};
    w = inverted(w);
    u = inverted(u);
    const T sum = u + w;
    if (!(sum > T(1e-12))) return {T(0), T(0)};
    const T scale = oxide * 2.0 / 15.0 / (sum * sum);
    return {scale * (u * u * (2.0 * u + 4.0 * w) + w * w * (6.0 * u + 3.0 * w)),
            scale * (w * w * (2.0 * w + 4.0 * u) + u * u * (6.0 * w + 3.0 * u))};
  }
};
}  // namespace trill
