// SPDX-License-Identifier: BSD-3-Clause
#include "slow_estimate.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double largest_amplitude = 0.2, largest_ratio = 0.3;  // of the fast motion; of slow rate over fast frequency
constexpr double closest_frequencies = 0.05;
constexpr double resonance_loss = 2;  // of an action that passes a resonance, times sqrt(slow rate / frequency)
constexpr double least_share = 1e-3;  // of the energy: a mode with less is at rest
constexpr double nearly_dependent = 1e-8;
}  // namespace

SlowEstimate::SlowEstimate(const SlowSystem& slow)
    : slow_(slow),
      x_(slow.unknowns()),
      c_(slow.rows()),
      s_(slow.rows()),
      covector_(slow.unknowns()),
      probe_(slow.unknowns()) {
  if (slow.has_modes()) gradient_ = turned_ = length_ = curvature_ = Vec::Zero(slow.modes().blocks());
  for (Index i = 0; i < probe_.size(); ++i) probe_[i] = std::cos(1.0 + 2.0 * static_cast<double>(i));
}

double SlowEstimate::slow_rate() const {
  if (!(seen_.q > 0)) return 0;
  return std::max(seen_.v / seen_.q, std::sqrt(seen_.a / seen_.q));
}

void SlowEstimate::look(const State& s, In actions) {
  const SlowSystem::Point& p = slow_.at(s.t, s.y);
  if (!p.regular) return;
  SchurSystem& schur = slow_.schur();
  seen_.q = std::max(seen_.q, max_abs(s.q()));
  seen_.v = std::max(seen_.v, max_abs(s.v()));
  seen_.a = std::max(seen_.a, max_abs(p.a));
  // The forces in the gaps may be nothing for a moment, as in a pendulum let go: others then tell what is much.
  schur.jacobian().multiply_transposed(p.lambda, x_);
  if (slow_.stiff().mass_kind() == MassKind::identity)
    covector_ = p.a;
  else
    schur.mass().multiply(p.a, covector_);
  seen_.force = std::max({seen_.force, max_abs(x_), max_abs(covector_)});
  seen_.condition = std::min(seen_.condition, schur.reciprocal_condition());
  slow_.soften(p.lambda, c_);
  schur.divide_by_schur(c_);
  schur.lift(c_, x_);
  seen_.offset0 = std::max(seen_.offset0, max_abs(x_));
  if (p.order == 1) {
    slow_.soften(p.lambda2, c_);
    schur.divide_by_schur(c_);
    schur.jacobian().multiply_transposed(c_, x_);
    seen_.correction = std::max(seen_.correction, max_abs(x_));
    slow_.soften(c_, s_);
    schur.divide_by_schur(s_);
    schur.lift(s_, x_);
    seen_.offset1 = std::max(seen_.offset1, max_abs(x_));
  }
  x_ = s.v();
  slow_.schur().mass().multiply(x_, covector_);
  const double kinetic =
      slow_.stiff().mass_kind() == MassKind::identity ? 0.5 * x_.squaredNorm() : 0.5 * x_.dot(covector_);
  seen_.energy = std::max(seen_.energy, kinetic + 0.5 * std::abs(p.a.dot(s.q())));
  if (slow_.has_modes() && slow_.fast()) look_at_modes(s, actions);
}

void SlowEstimate::squares(In x, Vec& of_blocks) const {
  of_blocks.setZero();
  for (Index i = 0; i < x.size(); ++i)
    if (const Index block = slow_.modes().block_of_coordinate(i); block >= 0) of_blocks[block] += x[i] * x[i];
}

// For every block: how much the gradient of the gaps of one layer turns over a unit of length.
void SlowEstimate::find_curvatures(const State& s, Index layer) {
  s_ = slow_.modes().y(layer);
  slow_.schur().jacobian().multiply_transposed(s_, x_);
  squares(x_, gradient_);
  curvature_.setZero();
  const auto probe = [&](In direction) {
    slow_.bend(s.t, s.q(), direction, s_, covector_);
    squares(covector_, turned_);
    squares(direction, length_);
    for (Index b = 0; b < curvature_.size(); ++b)
      if (length_[b] * gradient_[b] > 0)
        curvature_[b] = std::max(curvature_[b], std::sqrt(turned_[b] / (length_[b] * gradient_[b])));
  };
  probe(slow_.modes().b(layer));
  probe(s.v());
  probe(probe_);
}

bool SlowEstimate::carries(In actions, Index k) const {
  return actions[k] * slow_.modes().frequencies()[k] > least_share * seen_.energy;
}

void SlowEstimate::look_at_modes(const State& s, In actions) {
  const GapModes& modes = slow_.modes();
  const Vec& omega = modes.frequencies();
  if (low_.size() == 0) low_ = high_ = omega;
  low_ = low_.cwiseMin(omega);
  high_ = high_.cwiseMax(omega);
  seen_.smallest = low_.minCoeff();
  seen_.largest = high_.maxCoeff();
  if (actions.size() == 0) return;
  seen_.exchanged = actions.dot(high_ - low_);
  for (Index layer = 0; layer < modes.layers(); ++layer) {
    find_curvatures(s, layer);
    squares(modes.b(layer), length_);
    for (Index block = 0; block < modes.blocks(); ++block) {
      const Index k = modes.mode(block, layer);
      if (k < 0 || !carries(actions, k)) continue;
      const double amplitude = std::sqrt(2 * actions[k] / omega[k] * length_[block]) / omega[k];
      seen_.amplitude = std::max(seen_.amplitude, amplitude * curvature_[block]);
    }
  }
  look_for_resonances(s.t, actions);
}

void SlowEstimate::look_for_resonances(double t, In actions) {
  const GapModes& modes = slow_.modes();
  const Vec& omega = modes.frequencies();
  std::size_t at = 0;
  const auto watch = [&](double detuning, bool carries) {
    const int sign = detuning > 0 ? 1 : -1;
    if (!signs_known_) {
      signs_.push_back(sign);
    } else if (signs_[at] != sign) {
      signs_[at] = sign;
      if (carries && seen_.resonances++ == 0) seen_.resonance_time = t;
    }
    ++at;
  };
  for (Index block = 0; block < modes.blocks(); ++block) {
    const Index begin = modes.first(block), end = begin + modes.size(block);
    const auto carries = [&](Index k) { return this->carries(actions, k); };
    for (Index i = begin; i < end; ++i)
      for (Index j = i + 1; j < end; ++j) {
        // Modes that are alike all the time are turned among each other by nothing.
        const double apart = (omega[j] - omega[i]) / omega[j];
        const bool alike = std::max(high_[j] - low_[j], high_[i] - low_[i]) <= 1e-6 * omega[j];
        if ((carries(i) || carries(j)) && !alike) seen_.gap = std::min(seen_.gap, apart);
        watch(2 * omega[i] - omega[j], carries(i) || carries(j));
        for (Index k = j + 1; k < end; ++k)
          watch(omega[i] + omega[j] - omega[k], carries(i) + carries(j) + carries(k) > 1);
      }
  }
  signs_known_ = true;
}

double SlowEstimate::offset_error(double t, int order) const {
  if (!(seen_.q > 0)) return 0;
  const double growth = 1 + slow_rate() * std::abs(t - seen_.t_begin);
  return (order == 0 ? seen_.offset0 : seen_.offset1) / seen_.q * growth;
}

double SlowEstimate::model_error(double t) const {
  const double growth = 1 + slow_rate() * std::abs(t - seen_.t_begin);
  double error = offset_error(t, slow_.order()) + 0.5 * seen_.amplitude * seen_.amplitude * growth;
  if (seen_.resonances > 0 && seen_.energy > 0)
    error += resonance_loss * std::sqrt(slow_rate() / seen_.smallest) * std::min(1.0, seen_.exchanged / seen_.energy);
  return error;
}

bool SlowEstimate::judge(double t, double tolerance, Notes& notes) {
  if (seen_.amplitude > largest_amplitude)
    refusal_ = fmt::format(
        "the fast oscillation is too large for the slow motion to be written without it: its amplitude turns the gaps "
        "by "
        "{:.2g} ({} at most); follow it with another method, or take smaller energies",
        seen_.amplitude, largest_amplitude);
  else if (seen_.smallest > 0 && slow_rate() > largest_ratio * seen_.smallest)
    refusal_ = fmt::format(
        "the gaps are not stiff enough: the slow motion changes at a rate of {:.3g}, the slowest gap oscillates at "
        "{:.3g}",
        slow_rate(), seen_.smallest);
  else if (seen_.force > 0 && seen_.correction > largest_ratio * largest_ratio * seen_.force)
    refusal_ = fmt::format(
        "the gaps are not stiff enough: the forces in them change by {:.2g} of themselves while they oscillate once",
        std::sqrt(seen_.correction / seen_.force));
  else if (seen_.gap < closest_frequencies)
    refusal_ = fmt::format(
        "two fast frequencies meet (they are {:.2g} apart, {} is needed): the energy of the oscillation goes from one "
        "to "
        "the other in a way that depends on its phase; follow it with another method",
        seen_.gap, closest_frequencies);
  else
    refusal_.clear();
  if (seen_.resonances > 0)
    notes.raise(
        seen_.resonance_time, "resonance",
        "Fast frequencies passed a resonance 2:1 or a sum of two; the energies of the oscillation change there in "
        "a way that depends on its phase. The value is the estimated relative change.",
        Severity::warning, resonance_loss * std::sqrt(slow_rate() / seen_.smallest), tolerance);
  if (seen_.condition < nearly_dependent)
    notes.raise(t, "gaps_dependent", "The gaps came close to depending on each other.", Severity::warning,
                seen_.condition, nearly_dependent);
  if (const double error = model_error(t); tolerance > 0 && error > tolerance)
    notes.raise(t, "model_error",
                "The estimated error of the slow model exceeds the tolerance; smaller steps do not help.",
                Severity::warning, error, tolerance);
  return refusal_.empty();
}

void SlowEstimate::save_signs(Archive& archive) const {
  archive.write(low_);
  archive.write(high_);
  archive.write(signs_);
  archive.write(signs_known_);
}

void SlowEstimate::load_signs(Archive& archive) {
  archive.read(low_);
  archive.read(high_);
  archive.read(signs_);
  archive.read(signs_known_);
}
}  // namespace trill
