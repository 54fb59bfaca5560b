// SPDX-License-Identifier: BSD-3-Clause
// What a step with h >> epsilon may get wrong without anything failing: said, with the number that showed it.
#include "implicit_rk.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double varying = 1.01;           // largest over smallest frequency
constexpr double fixed_step_share = 1e-3;  // of the energy, where no tolerance is given
constexpr double fixed_step_noise = 1e4;   // of 1e-10: what a fixed step leaves across the manifold by itself
}  // namespace

StepStatus ImplicitRk::report_slow_point(SlowPoint::Status status, double t, Notes& notes) {
  switch (status) {
    case SlowPoint::Status::ok:
      return StepStatus::ok;
    case SlowPoint::Status::singular:
      notes.raise(t, "dependent_gaps",
                  "Gaps or constraints depend on each other here, or the gradient of one vanishes: their forces are "
                  "not determined.",
                  Severity::error, 0, 0);
      return StepStatus::singular_matrix;
    case SlowPoint::Status::not_reached:
      notes.raise(t, "no_slow_point",
                  "No state with closed gaps was found near this one: the oscillation is too large for a slow motion. "
                  "Try a smaller h, or fast=resolve.",
                  Severity::error, oscillation_q_, 1);
      return StepStatus::newton_diverged;
    case SlowPoint::Status::non_finite:
      break;
  }
  return StepStatus::non_finite;
}

void ImplicitRk::report_failure(const State& s, const StepRequest& request, StepStatus status) {
  if (status != StepStatus::newton_diverged || !has_gaps() || !slow_known_) return;
  if (speed_across_ * std::abs(request.h) < 1e-3 * max_abs(slow_->q)) return;
  request.notes.raise(s.t, "oscillation_too_large",
                      "Newton's iteration fails while the state oscillates off the slow motion at this speed; Gauss "
                      "converges while h times it stays below a few lengths. Try a smaller h, or method radau, which "
                      "damps it.",
                      Severity::warning, speed_across_, max_abs(slow_->q) / std::abs(request.h));
}

double ImplicitRk::energy_share(const StepRequest& request) const {
  return (request.scale.controlled ? request.scale.rtol : fixed_step_share) * most_kinetic_;
}

void ImplicitRk::watch(double t, const StepRequest& request) {
  if (form_->leaves_gaps())
    request.notes.raise(t, "gaps_not_lifted",
                        "The stiff gaps depend on each other or share a group of forces with other terms: they are "
                        "treated like any force, and steps may have to follow their oscillation.",
                        Severity::warning, 0, 0);
  if (!has_gaps()) return;
  watch_frequencies(t, request);
  if (!stiff_step_) return;
  if (plan_.alias == 0) return watch_damping(t, request);
  const double h = std::abs(request.h), bound = slow_step_bound();
  if (h > 1.001 * bound)
    request.notes.raise(t, "aliased_resonance",
                        "The step lies beyond h^2 = k epsilon / w_slow: the fast mode, aliased to a slow one, is in "
                        "resonance with the slow motion and may grow. Take a smaller h, or method radau.",
                        Severity::warning, h, bound);
  const double allowed = request.scale.controlled ? 1 : fixed_step_noise;
  if (plan_.block.explicit_first && oscillation_v_ > allowed)
    request.notes.raise(t, "lobatto_oscillation",
                        "Lobatto IIIA takes the fast force at the start of a step as it is: with oscillations its slow "
                        "motion is wrong. Use gauss or radau.",
                        Severity::warning, oscillation_v_, allowed);
}

void ImplicitRk::watch_damping(double t, const StepRequest& request) {
  if (damped_energy_ > energy_share(request))
    request.notes.raise(
        t, "damped", "The oscillation of the gaps is damped by these steps; damped_energy says how much energy went.",
        Severity::info, damped_energy_, energy_share(request));
}

// JP95 conjectures that projections of the solution converge. They do not when the oscillation has energy and its
// frequency varies: then it acts on the slow motion by a force that steps with h >> epsilon do not see.
void ImplicitRk::watch_frequencies(double t, const StepRequest& request) {
  least_frequency_ = std::min(least_frequency_, slow_->slowest_frequency());
  most_frequency_ = std::max(most_frequency_, slow_->slowest_frequency());
  most_fast_energy_ = std::max(most_fast_energy_, slow_->fast_energy());
  form_->mass().multiply(slow_->v, across_);
  most_kinetic_ = std::max(most_kinetic_, 0.5 * slow_->v.dot(across_));
  if (!stiff_step_ || most_frequency_ < varying * least_frequency_) return;
  const double shifted = most_fast_energy_ * (most_frequency_ / least_frequency_ - 1);
  if (shifted > energy_share(request))
    request.notes.raise(t, "fast_energy_with_varying_frequencies",
                        "The frequencies of the gaps vary along the path while they hold energy: its force on the slow "
                        "motion is not seen by these steps, and the slow motion is off by about this energy. Use "
                        "method slow, or fast=resolve.",
                        Severity::warning, shifted, energy_share(request));
}
}  // namespace trill
