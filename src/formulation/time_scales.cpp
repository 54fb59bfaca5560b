// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/time_scales.hpp"

#include "formulation/frequencies.hpp"
#include "formulation/rigid_limit.hpp"
#include "formulation/slow_manifold_start.hpp"
#include "linalg/differences.hpp"
#include "linalg/eigenpairs.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double clear_ratio = 5;                         // between frequencies that are called fast and slow
constexpr double rounding_rate = 3e-7;                    // of the largest rate: below this it is a free motion
constexpr Index most_symmetric = 150, most_general = 40;  // unknowns whose decomposition takes a few milliseconds
constexpr int power_iterations = 24;

Mat dense_values(const MatrixSlot& slot) { return slot.is_sparse() ? Mat(slot.as_sparse()) : slot.as_dense(); }

bool is_symmetric_kind(const MechanicalProblem& p) {
  return !p.constraints() && p.mass_kind() != MassKind::of_q && !p.velocity_dependent(all_groups);
}

Mat stiffness_at(const MechanicalProblem& p, const State& s) {
  MatrixSlot slope = p.stiffness_pattern(), unused = p.damping_pattern();
  if (!p.force_jacobian(all_groups, s.t, s.q(), s.v(), slope, unused))
    DifferenceJacobian(slope, {.central = true})
        .evaluate([&](In q, Out f) { p.force(all_groups, s.t, q, s.v(), f); }, Vec(s.q()), slope);
  return -dense_values(slope);
}

Mat mass_at(const MechanicalProblem& p, const State& s) {
  MatrixSlot mass = p.mass_pattern();
  p.mass(s.q(), mass);
  return dense_values(mass);
}

// A mode stores the energy of its velocity and that of its displacement, which follows from its force.
double energy_of_mode(const Vec& shape, double square, const Vec& momentum, const Vec& force) {
  const double speed = shape.dot(momentum), push = shape.dot(force);
  return 0.5 * (speed * speed + push * push / square);
}

// K x = omega^2 M x. False: K is not symmetric, so the forces have no potential.
bool by_modes(const MechanicalProblem& p, const State& s, const State& motion, double span, TimeScales& out) {
  const Mat k = stiffness_at(p, s), m = mass_at(p, s);
  if (!k.allFinite() || !m.allFinite()) return true;
  if (!((k - k.transpose()).norm() <= 1e-6 * k.norm())) return false;
  const EigenPairs modes = symmetric_eigenpairs(k, m);
  if (!modes.converged) return false;
  out.known = out.all = true;
  out.largest = std::sqrt(modes.values.cwiseAbs().maxCoeff());
  const double least = std::pow(rounding_rate * out.largest, 2);
  for (const double square : modes.values) {
    if (std::abs(square) <= least) continue;
    if (square < 0) out.growth = std::max(out.growth, std::sqrt(-square));
    out.frequencies.push_back(std::sqrt(std::abs(square)));
  }
  std::sort(out.frequencies.begin(), out.frequencies.end());
  const ScaleGap gap = widest_gap(out.frequencies, span);
  Vec force(s.layout.nq), momentum = m * motion.v();
  p.force(all_groups, motion.t, motion.q(), motion.v(), force);
  out.fast_energy = out.slow_energy = 0;
  for (Index i = 0; i < modes.values.size(); ++i) {
    const double square = modes.values[i];
    if (square <= least) continue;
    const double energy = energy_of_mode(modes.vectors.col(i), square, momentum, force);
    (gap.found() && std::sqrt(square) >= gap.fast * (1 - 1e-9) ? out.fast_energy : out.slow_energy) += energy;
  }
  return true;
}

void by_eigenvalues(const Problem& problem, const State& s, TimeScales& out) {
  const auto values = local_eigenvalues(problem, s);
  for (const auto& value : values) {
    if (!std::isfinite(std::abs(value))) return;
    out.largest = std::max(out.largest, std::abs(value));
  }
  out.known = out.all = true;
  for (const auto& value : values) {
    if (std::abs(value) <= rounding_rate * out.largest) continue;
    out.decay = std::max(out.decay, -value.real());
    out.growth = std::max(out.growth, value.real());
    if (value.imag() > 0)
      out.frequencies.push_back(value.imag());
    else if (value.imag() == 0 && value.real() > 0)
      out.frequencies.push_back(value.real());  // what falls over has no frequency, but a time scale
  }
  std::sort(out.frequencies.begin(), out.frequencies.end());
}

// The modulus of the largest eigenvalue of f', from differences of f.
void by_power_iteration(const Problem& problem, const State& s, TimeScales& out) {
  FirstOrderForm form(problem, "the analysis of frequencies");
  form.start(s);
  const Index n = form.size();
  Vec y = s.y.head(n), direction = Vec::LinSpaced(n, 0, static_cast<double>(n)).array().sin() + 0.3, f0(n), f1(n);
  if (!form.rhs(s.t, y, f0) || !f0.allFinite()) return;
  direction.normalize();
  const double reach = 1e-7 * std::max(1.0, y.norm() / std::sqrt(static_cast<double>(n)));
  double modulus = 0, before = 0;
  for (int i = 0; i < power_iterations; ++i) {
    if (!form.rhs(s.t, y + reach * direction, f1)) return;
    f1 = (f1 - f0) / reach;
    const double length = f1.norm();
    if (!(length > 0) || !std::isfinite(length)) return;
    modulus = i == 0 ? length : std::sqrt(length * before);  // a pair of eigenvalues stretches every other time
    before = length;
    direction = f1 / length;
  }
  out.known = true;
  out.largest = modulus;
}
}  // namespace

namespace {
// Where modes do not tell it: constraints, forces without a potential, a mass that depends on the position, a single
// frequency beside free motion.
void energies_of_gaps(const MechanicalProblem& p, const State& motion, TimeScales& out) {
  if (!p.strong_potential()) return;
  State s = motion;
  const auto found = take_slow_start(p, false, s);
  if (!found || !(found->share > 0)) return;
  out.fast_energy = found->fast_energy;
  out.slow_energy = found->fast_energy * (1 / found->share - 1);
}
}  // namespace

State with_closed_gaps(const Problem& problem, const State& start) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical || !mechanical->strong_potential()) return start;
  const RigidLimit rigid(*mechanical);
  State closed(rigid.layout(), start.t);
  closed.q() = start.q();
  closed.v() = start.v();
  State moved = start;
  if (rigid.project(closed)) {
    moved.q() = closed.q();
    moved.v() = closed.v();
  }
  return moved;
}

TimeScales time_scales(const Problem& problem, const State& s, const State& motion, double span) {
  TimeScales out;
  const MechanicalProblem* mechanics = mechanics_of(problem);
  const Problem& part = mechanics ? *mechanics : problem;
  if (!mechanics && !dynamic_cast<const FirstOrderProblem*>(&part)) return out;
  if (mechanics && is_symmetric_kind(*mechanics) && s.layout.nq <= most_symmetric &&
      by_modes(*mechanics, s, motion, span, out)) {
    if (!widest_gap(out.frequencies, span).found()) energies_of_gaps(*mechanics, motion, out);
    return out;
  }
  out = {};
  const Index unknowns = mechanics ? 2 * s.layout.nq : s.layout.nq;
  if (unknowns > most_general) {
    by_power_iteration(part, s, out);
    return out;
  }
  by_eigenvalues(part, s, out);
  if (mechanics) energies_of_gaps(*mechanics, motion, out);
  return out;
}

double evaluations_for_scales(const Problem& problem, const State& s) {
  constexpr double with_derivatives = 4;  // a matrix of them costs about as much as a few evaluations
  const MechanicalProblem* mechanics = mechanics_of(problem);
  if (mechanics && is_symmetric_kind(*mechanics) && s.layout.nq <= most_symmetric) {
    MatrixSlot slope = mechanics->stiffness_pattern(), unused = mechanics->damping_pattern();
    const bool has_derivatives = mechanics->force_jacobian(all_groups, s.t, s.q(), s.v(), slope, unused);
    return has_derivatives ? with_derivatives : 2 * static_cast<double>(s.layout.nq);
  }
  const Index unknowns = mechanics ? 2 * s.layout.nq : s.layout.nq;
  return unknowns > most_general ? power_iterations + 1 : 2 * static_cast<double>(unknowns);
}

ScaleGap widest_gap(const std::vector<double>& frequencies, double span) {
  ScaleGap widest;
  for (std::size_t i = 0; i + 1 < frequencies.size(); ++i) {
    const double slow = std::max(frequencies[i], 1 / span), fast = frequencies[i + 1];
    if (fast / slow > std::max(clear_ratio, widest.ratio)) widest = {fast / slow, slow, fast};
  }
  return widest;
}

double ProblemFacts::slow_periods() const {
  const double slow = gap.found() ? gap.slow : scales.frequencies.empty() ? 0 : scales.frequencies.back();
  return span * slow / (2 * std::numbers::pi);
}

double ProblemFacts::beat() const {
  constexpr double close = 0.1;
  if (scales.frequencies.empty()) return 0;
  const double lowest = scales.frequencies.front(), highest = scales.frequencies.back();
  if (highest - lowest > close * highest) return 0;
  return std::max(highest - lowest, 2 * std::numbers::pi / span);
}

double ProblemFacts::fast_periods() const {
  return gap.found() || beat() > 0 ? span * scales.frequencies.back() / (2 * std::numbers::pi) : 0;
}
}  // namespace trill
