// SPDX-License-Identifier: BSD-3-Clause
// What a step with h >> epsilon may get wrong without anything failing: said, with the number that showed it.
#include "method/implicit_rk.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

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
                  "Try a smaller h, or radau with fast=resolve.",
                  Severity::error, oscillation_q_, 1);
      return StepStatus::newton_diverged;
    case SlowPoint::Status::non_finite:
      break;
  }
  return StepStatus::non_finite;
}

void ImplicitRk::report_failure(const State& s, const StepRequest& request, StepStatus status) {
  if (status != StepStatus::newton_diverged || !has_gaps() || !slow_known_) return;
  const double limit = max_abs(slow_->q) / std::abs(request.h);
  if (speed_across_ < limit) return;
  request.notes.raise(s.t, "oscillation_too_large",
                      "Newton's iteration fails while the state oscillates off the slow motion at this speed; it is "
                      "known to converge while h times it stays below a few lengths. Try a smaller h, or radau with "
                      "fast=damp.",
                      Severity::warning, speed_across_, limit);
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
  if (plan_.damps) return watch_damping(t, request);
  if (plan_.alias == 0) return;
  const double h = std::abs(request.h), bound = slow_step_bound();
  if (h > 1.001 * bound)
    request.notes.raise(t, "aliased_resonance",
                        "The step lies beyond h^2 = k epsilon / w_slow: the fast mode, aliased to a slow one, is in "
                        "resonance with the slow motion and may grow. Take a smaller h, or method radau.",
                        Severity::doubt, h, bound);
  const double allowed = request.scale.controlled ? 1 : fixed_step_noise;
  if (plan_.block.explicit_first && oscillation_v_ > allowed)
    request.notes.raise(t, "lobatto_oscillation",
                        "Lobatto IIIA takes the fast force at the start of a step as it is: with oscillations its slow "
                        "motion is wrong. Use gauss or radau.",
                        Severity::doubt, oscillation_v_, allowed);
}

void ImplicitRk::watch_damping(double t, const StepRequest& request) {
  if (damped_energy_ > energy_share(request))
    request.notes.raise(
        t, "damped", "The oscillation of the gaps is damped by these steps; damped_energy says how much energy went.",
        Severity::info, damped_energy_, energy_share(request));
}

std::string ImplicitRk::summary() const {
  if (!has_gaps() || !slow_) return "";
  const std::string left = fmt::format("{:.3g} energy left in the oscillation of the gaps", slow_->fast_energy());
  return plan_.damps ? fmt::format("{:.3g} energy damped, {}", damped_energy_, left) : left;
}

// An oscillation that has energy acts on the slow motion by -sum J grad omega where its frequencies vary; steps with
// h >> epsilon do not see that force, and projections of their results do not converge. It may be all that moves the
// system: so frequencies are compared beside the start as well as along the path.
void ImplicitRk::probe_frequencies(const State& s) {
  probed_change_ = 0;
  if (!has_gaps() || plan_.fast == FastMotion::resolve) return;
  if (first_point_->find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return;
  const double size = std::max(max_abs(slow_->q), 1e-300), away = 1e-3 * size;
  double steepest = 0;
  for (const double seed : {1.0, 2.0}) {
    for (Index i = 0; i < n_; ++i) across_[i] = std::sin(seed + 2.4 * static_cast<double>(i));
    slow_->make_tangential(across_);
    const double length = max_abs(across_);
    if (length < 1e-12) continue;
    across_ = slow_->q + (away / length) * across_;
    if (slow_end_->find(s.t, across_, slow_->v) == SlowPoint::Status::ok)
      steepest = std::max(steepest, 0.5 * slow_->frequencies_differ(*slow_end_) / away);
  }
  form_->times_mass(slow_->q, slow_->a, across_);
  most_kinetic_ = std::max(most_kinetic_, size * max_abs(across_));  // what forces do over such a length
  probed_change_ = size * steepest;
}

void ImplicitRk::watch_frequencies(double t, const StepRequest& request) {
  most_fast_energy_ = std::max(most_fast_energy_, slow_->fast_energy());
  form_->times_mass(slow_->q, slow_->v, across_);
  most_kinetic_ = std::max(most_kinetic_, 0.5 * slow_->v.dot(across_));
  if (!stiff_step_) return;
  const double changed = std::max(probed_change_, 0.5 * first_point_->frequencies_differ(*slow_));
  if (changed > varying - 1) warn_of_frequencies(t, most_fast_energy_ * changed, request);
}

void ImplicitRk::warn_of_frequencies(double t, double shifted, const StepRequest& request) {
  if (shifted > energy_share(request))
    request.notes.raise(t, "fast_energy_with_varying_frequencies",
                        "The frequencies of the gaps vary while they hold energy: its force on the slow motion is not "
                        "seen by steps longer than the oscillation, and the slow motion is off by about this energy. "
                        "Use method slow, or radau with fast=resolve.",
                        Severity::doubt, shifted, energy_share(request));
}
}  // namespace trill
