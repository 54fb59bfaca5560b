// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_estimate.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double largest_amplitude = 0.2, largest_ratio = 0.3;  // fast amplitude; slow rate over fast frequency
constexpr double largest_correction = 0.2;                      // change of the multipliers by order 1
// Predicted error; beyond it the theory behind the prediction is not valid either.
constexpr double largest_error = 0.03;
// Fitted to 500 random chains.
constexpr double of_amplitude = 0.5, of_beats = 0.65, of_meetings = 0.2, of_resonances = 0.3;
constexpr double least_share = 1e-3;  // share of the energy: a mode with less counts as at rest
constexpr double nearly_dependent_gaps = 1e-8;
}  // namespace

SlowEstimate::SlowEstimate(const SlowSystem& slow)
    : slow_(slow),
      passages_(slow),
      x_(slow.unknowns()),
      c_(slow.rows()),
      s_(slow.rows()),
      covector_(slow.unknowns()),
      probe_(slow.unknowns()) {
  if (slow.has_modes()) {
    gradient_ = turned_ = length_ = curvature_ = Vec::Zero(slow.modes().blocks());
    reach_ = Vec::Zero(slow.gaps());
    carries_.assign(static_cast<std::size_t>(slow.gaps()), 0);
  }
  for (Index i = 0; i < probe_.size(); ++i) probe_[i] = std::cos(1.0 + 2.0 * static_cast<double>(i));
}

void SlowEstimate::start(double t) {
  seen_ = {};
  seen_.t_begin = t;
  low_.resize(0);
  first_.resize(0);
  passages_.start();
}

// The size of the positions. It depends on the origin of the coordinates, hence it is kept between bounds that do not.
// The distance travelled within a period of the slowest gap is too short to serve as a size.
double SlowEstimate::size() const {
  const double passed = seen_.smallest > 0 ? 5 * seen_.v / seen_.smallest : 0;
  const double least = std::max(seen_.range, passed);
  if (!(seen_.curvature > 0)) return std::max(seen_.q, least);
  return std::clamp(seen_.q, std::max(least, 0.3 / seen_.curvature), std::max(least, 10 / seen_.curvature));
}

double SlowEstimate::slow_rate() const {
  const double length = size();
  return length > 0 ? std::max(seen_.v / length, std::sqrt(seen_.a / length)) : 0;
}

void SlowEstimate::look(const State& s, In actions) {
  const SlowSystem::Point& p = slow_.at(s.t, s.y);
  if (!p.regular) return;
  ConstraintManifold& manifold = slow_.manifold();
  if (first_.size() == 0) look_first(s);
  seen_.q = std::max(seen_.q, max_abs(s.q()));
  seen_.range = std::max(seen_.range, max_abs(s.q() - first_));
  seen_.v = std::max(seen_.v, max_abs(s.v()));
  seen_.a = std::max(seen_.a, max_abs(p.a));
  // The forces in the gaps may vanish for a moment, as in a pendulum just released: then the other forces set the
  // scale.
  manifold.jacobian().multiply_transposed(p.lambda, x_);
  slow_.times_mass(p.a, covector_);
  const double virial = 0.5 * std::min(std::abs(covector_.dot(s.q())), covector_.norm() * size());
  seen_.force = std::max({seen_.force, max_abs(x_), max_abs(covector_)});
  seen_.condition = std::min(seen_.condition, manifold.reciprocal_condition());
  slow_.soften(p.lambda, c_);
  manifold.smallest(c_, x_);
  seen_.offset0 = std::max(seen_.offset0, max_abs(x_));
  if (p.order == 1) {
    slow_.soften(p.lambda2, c_);
    manifold.schur().divide_by_schur(c_);
    manifold.jacobian().multiply_transposed(c_, x_);
    seen_.correction = std::max(seen_.correction, max_abs(x_));
    slow_.soften(c_, s_);
    manifold.smallest(s_, x_);
    seen_.offset1 = std::max(seen_.offset1, max_abs(x_));
  }
  const double kinetic = slow_.kinetic_energy(s.v());
  seen_.kinetic = std::max(seen_.kinetic, kinetic);
  seen_.energy = std::max(seen_.energy, kinetic + virial);
  if (slow_.has_modes() && slow_.fast()) look_at_modes(s, actions);
}

void SlowEstimate::squares(In x, Vec& of_blocks) const {
  of_blocks.setZero();
  for (Index i = 0; i < x.size(); ++i)
    if (const Index block = slow_.modes().block_of_coordinate(i); block >= 0) of_blocks[block] += x[i] * x[i];
}

// For every block: how much the gradient of the gaps of one layer turns, or the mass changes, per unit of length.
void SlowEstimate::find_curvatures(const State& s, Index layer) {
  s_ = slow_.modes().y(layer);
  slow_.manifold().jacobian().multiply_transposed(s_, x_);
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
  if (slow_.stiff().mass_kind() != MassKind::of_q) return;
  const double length = slow_.modes().b(layer).norm();
  for (const Vec& moving : {Vec(s.v()), probe_}) {
    slow_.times_mass(moving, covector_);
    const double momentum = covector_.norm();
    covector_.setZero();
    slow_.add_mass_along(s.q(), moving, slow_.modes().b(layer), covector_);
    if (momentum > 0) curvature_[0] = std::max(curvature_[0], covector_.norm() / (length * momentum));
  }
}

// The curvature of all gaps, computed once.
void SlowEstimate::look_first(const State& s) {
  first_ = s.q();
  if (!slow_.has_modes() || !slow_.modes().find(slow_.manifold().schur())) return;
  for (Index layer = 0; layer < slow_.modes().layers(); ++layer) {
    find_curvatures(s, layer);
    seen_.curvature = std::max(seen_.curvature, curvature_.maxCoeff());
  }
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
  reach_.setZero();
  for (Index k = 0; k < omega.size(); ++k)
    carries_[static_cast<std::size_t>(k)] = actions[k] * omega[k] > least_share * seen_.energy;
  for (Index layer = 0; layer < modes.layers(); ++layer) {
    find_curvatures(s, layer);
    squares(modes.b(layer), length_);
    for (Index block = 0; block < modes.blocks(); ++block) {
      const Index k = modes.mode(block, layer);
      if (k < 0 || !carries_[static_cast<std::size_t>(k)]) continue;
      reach_[k] = std::sqrt(2 * actions[k] / omega[k] * length_[block]) / omega[k] * curvature_[block];
    }
  }
  seen_.amplitude = std::max(seen_.amplitude, reach_.maxCoeff());
  passages_.look(s, actions, reach_, carries_);
}

double SlowEstimate::growth(double t) const { return 1 + slow_rate() * std::abs(t - seen_.t_begin); }

double SlowEstimate::offset_error(double t, int order) const {
  return size() > 0 ? (order == 0 ? seen_.offset0 : seen_.offset1) / size() * growth(t) : 0;
}

// A force that does the work w on the way v t changes the kinetic energy T by the share w/T, and the position by that
// share of the distance travelled.
double SlowEstimate::passage_error(double work) const {
  return seen_.kinetic > 0 ? std::min(1.0, slow_rate() * work / seen_.kinetic) : 0;
}

// Two modes act on the slow motion at the difference of their frequencies; the energy they exchange with it is at most
// the part of the fast energy that varies.
double SlowEstimate::beat_error(double t) const {
  return seen_.kinetic > 0 ? std::min(passages_.beat() * growth(t), seen_.exchanged / seen_.kinetic) : 0;
}

// Amplitude and slow forces shift the frequencies by about the square of the displacement they cause.
double SlowEstimate::phase_error(double t) const {
  if (!(size() > 0)) return 0;
  const double shift = seen_.offset0 / size() + 0.5 * seen_.amplitude * seen_.amplitude;
  return seen_.largest * std::abs(t - seen_.t_begin) * shift;
}

double SlowEstimate::model_error(double t) const {
  return offset_error(t, slow_.order()) + of_amplitude * seen_.amplitude * seen_.amplitude * growth(t) +
         of_beats * beat_error(t) + of_meetings * passage_error(passages_.met()) +
         of_resonances * passage_error(passages_.resonated());
}

bool SlowEstimate::judge(double t, double tolerance, Notes& notes) {
  if (seen_.amplitude > largest_amplitude)
    refusal_ = fmt::format(
        "the fast oscillation is too large for the slow motion to be computed without it: it turns the directions of "
        "the gaps by {:.2g}, and at most {} is allowed; use a method that follows the oscillation, or smaller energies",
        seen_.amplitude, largest_amplitude);
  else if (seen_.smallest > 0 && slow_rate() > largest_ratio * seen_.smallest)
    refusal_ = fmt::format(
        "the gaps are not stiff enough: the slow motion changes at a rate of {:.3g}, and the slowest gap oscillates at "
        "only {:.3g}; use another method",
        slow_rate(), seen_.smallest);
  else if (seen_.correction > largest_correction * seen_.force && offset_error(t, 0) > largest_error)
    refusal_ = fmt::format(
        "the gaps are not stiff enough: the forces in them change by {:.2g} of their size during one oscillation; use "
        "another method",
        std::sqrt(seen_.correction / seen_.force));
  else if (of_meetings * passage_error(passages_.met()) > largest_error)
    refusal_ = fmt::format(
        "two fast frequencies meet (they come within {:.2g} of each other): energy passes from one oscillation to the "
        "other in a way that depends on their phases, and this changes the slow motion by about {:.2g} of its size; "
        "use a method that follows the oscillation",
        passages_.nearest(), of_meetings * passage_error(passages_.met()));
  else
    refusal_.clear();
  if (passages_.largest_loss() > tolerance)
    notes.raise(
        passages_.worst_resonance(), "resonance",
        "Fast frequencies passed a resonance: one was twice another or the sum of two others. There the energies of "
        "the oscillation change in a way that depends on the phases. The value is the estimated relative change.",
        Severity::warning, passages_.largest_loss(), tolerance);
  if (seen_.condition < nearly_dependent_gaps)
    notes.raise(t, "gaps_dependent", "The stiff gaps nearly depended on each other.", Severity::warning,
                seen_.condition, nearly_dependent_gaps);
  if (const double error = model_error(t); tolerance > 0 && error > tolerance)
    notes.raise(
        t, "model_error",
        "The estimated error of the slow model itself exceeds the tolerance. Smaller steps do not make it smaller.",
        Severity::warning, error, tolerance);
  return refusal_.empty();
}

void SlowEstimate::memory(Archive& archive) { archive(seen_, first_, low_, high_, passages_); }
}  // namespace trill
