// SPDX-License-Identifier: BSD-3-Clause
#include "method/oscillation_watch.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double varying = 1.01;           // largest over smallest frequency
constexpr double fixed_step_share = 1e-3;  // share of the energy, if no tolerance is given
// Times 1e-10: deviation from the manifold that a fixed step leaves by itself.
constexpr double fixed_step_noise = 1e4;
}  // namespace

OscillationWatch::OscillationWatch(const MechanicalProblem* problem)
    : watches_(problem && problem->strong_potential()) {}

void OscillationWatch::start(LiftedForm& form, const ImplicitRkPlan& plan) {
  if (!watches_) return;
  form_ = &form;
  plan_ = &plan;
  first_ = has_gaps() ? std::make_unique<SlowPoint>(form) : nullptr;
  across_ = Vec::Zero(form.unknowns());
  sums_ = {};
  probed_change_ = 0;
}

// An oscillation with energy acts on the slow motion with the force -sum J grad omega where its frequencies vary. Steps
// with h >> epsilon do not see that force, and projections of their results do not converge. It may be the only force
// that moves the system, so frequencies are compared near the start as well as along the path.
void OscillationWatch::probe(const State& s, SlowPoint& here, SlowPoint& beside) {
  if (!has_gaps()) return;
  sums_.max_fast = std::max(sums_.max_fast, here.fast_energy());
  probed_change_ = 0;
  if (plan_->fast == FastMotion::resolve) return;
  if (first_->find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return;
  const double size = std::max(max_abs(here.q), 1e-300), away = 1e-3 * size;
  double steepest = 0;
  for (const double seed : {1.0, 2.0}) {
    for (Index i = 0; i < across_.size(); ++i) across_[i] = std::sin(seed + 2.4 * static_cast<double>(i));
    here.make_tangential(across_);
    const double length = max_abs(across_);
    if (length < 1e-12) continue;
    across_ = here.q + (away / length) * across_;
    if (beside.find(s.t, across_, here.v) == SlowPoint::Status::ok)
      steepest = std::max(steepest, 0.5 * here.frequencies_differ(beside) / away);
  }
  form_->times_mass(here.q, here.a, across_);
  sums_.max_kinetic = std::max(sums_.max_kinetic, size * max_abs(across_));  // work of the forces over such a length
  probed_change_ = size * steepest;
}

void OscillationWatch::advance(double t, const StepRequest& request, SlowMotion& slow) {
  if (!watches_) return;
  if (form_->leaves_gaps())
    request.notes.raise(t, "gaps_not_lifted",
                        "The stiff gaps depend on each other or share a group of forces with other terms: they are "
                        "treated like any force, and steps may have to follow their oscillation.",
                        Severity::warning, 0, 0);
  if (!has_gaps()) return;
  watch_frequencies(t, request, slow);
  if (!slow.step().stiff) return;
  if (plan_->damps) {
    sums_.damped += slow.lost_energy();
    watch_damping(t, request);
  } else if (plan_->alias != 0) {
    watch_resonance(t, request, slow);
  }
}

double OscillationWatch::energy_share(const StepRequest& request) const {
  return (request.scale.controlled ? request.scale.rtol : fixed_step_share) * sums_.max_kinetic;
}

void OscillationWatch::watch_frequencies(double t, const StepRequest& request, const SlowMotion& slow) {
  const SlowPoint& here = *slow.point();
  sums_.max_fast = std::max(sums_.max_fast, here.fast_energy());
  form_->times_mass(here.q, here.v, across_);
  sums_.max_kinetic = std::max(sums_.max_kinetic, 0.5 * here.v.dot(across_));
  if (!slow.step().stiff) return;
  const double changed = std::max(probed_change_, 0.5 * first_->frequencies_differ(here));
  const double shifted = sums_.max_fast * changed;
  if (changed > varying - 1 && shifted > energy_share(request))
    request.notes.raise(t, "fast_energy_with_varying_frequencies",
                        "The frequencies of the gaps vary while they hold energy: its force on the slow motion is not "
                        "seen by steps longer than the oscillation, and the slow motion is off by about this energy. "
                        "Use method slow, or radau with fast=resolve.",
                        Severity::doubt, shifted, energy_share(request));
}

void OscillationWatch::watch_damping(double t, const StepRequest& request) const {
  if (sums_.damped > energy_share(request))
    request.notes.raise(
        t, "damped", "The oscillation of the gaps is damped by these steps; damped_energy says how much energy went.",
        Severity::info, sums_.damped, energy_share(request));
}

void OscillationWatch::watch_resonance(double t, const StepRequest& request, SlowMotion& slow) const {
  const double h = std::abs(request.h), bound = slow.step_bound();
  if (h > 1.001 * bound)
    request.notes.raise(t, "aliased_resonance",
                        "The step lies beyond h^2 = k epsilon / w_slow: the fast mode, aliased to a slow one, is in "
                        "resonance with the slow motion and may grow. Take a smaller h, or method radau.",
                        Severity::doubt, h, bound);
  const double allowed = request.scale.controlled ? 1 : fixed_step_noise, oscillation = slow.oscillation().v;
  if (plan_->block.explicit_first && oscillation > allowed)
    request.notes.raise(t, "lobatto_oscillation",
                        "Lobatto IIIA takes the fast force at the start of a step as it is: with oscillations its slow "
                        "motion is wrong. Use gauss or radau.",
                        Severity::doubt, oscillation, allowed);
}

std::vector<Quantity> OscillationWatch::diagnostics() const {
  if (!watches_) return {};
  return {{"fast_energy", "", QuantityKind::energy_part}, {"damped_energy", "", QuantityKind::energy_part}};
}

void OscillationWatch::diagnose(const SlowMotion& slow, Out values) const {
  if (values.size() == 0) return;
  values[0] = slow.fast_energy();
  values[1] = sums_.damped;
}

std::string OscillationWatch::summary(const SlowMotion& slow) const {
  if (!has_gaps()) return "";
  const std::string left = fmt::format("{:.3g} energy left in the oscillation of the gaps", slow.fast_energy());
  if (!plan_->damps) return left;
  return fmt::format("{:.3g} energy damped, {}{}", sums_.damped, left,
                     slow.leaves_out() ? "; the result is the slow motion only"
                     : slow.follows()  ? ", which is followed"
                                       : "");
}
}  // namespace trill
