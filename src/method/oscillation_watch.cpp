// SPDX-License-Identifier: BSD-3-Clause
#include "method/oscillation_watch.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double fixed_step_share = 1e-3;  // share of the energy, if no tolerance is given
constexpr double lobatto_share = 1e-4;     // the slow motion of less energetic oscillations was right in pendulums
}  // namespace

OscillationWatch::OscillationWatch(const MechanicalProblem* problem)
    : watches_(problem && problem->strong_potential()) {}

void OscillationWatch::start(LiftedForm& form, const ImplicitRkPlan& plan) {
  if (!watches_) return;
  form_ = &form;
  plan_ = &plan;
  missing_ = has_gaps() ? std::make_unique<MissingForce>(form) : nullptr;
  compares_ = false;
  across_ = Vec::Zero(form.unknowns());
  sums_ = {};
}

// An oscillation with energy acts on the slow motion with the force -sum J grad omega where its frequencies vary. Steps
// with h >> epsilon do not see that force, and projections of their results do not converge.
void OscillationWatch::probe(const State& s, SlowPoint& here, SlowPoint& beside) {
  if (!has_gaps()) return;
  sums_.max_fast = std::max(sums_.max_fast, here.fast_energy());
  compares_ = plan_->fast != FastMotion::resolve && missing_->start(s.t, s.q(), s.v(), beside);
  if (!compares_) return;
  form_->times_mass(here.q, here.a, across_);
  // Work of the forces over the size of the system.
  sums_.max_kinetic = std::max(sums_.max_kinetic, std::max(max_abs(here.q), 1e-300) * max_abs(across_));
}

void OscillationWatch::advance(double t, const StepRequest& request, SlowMotion& slow) {
  if (!watches_) return;
  if (form_->leaves_gaps())
    request.notes.raise(t, "gaps_not_lifted",
                        "The stiff gaps depend on each other or share a group of forces with other terms. They are "
                        "therefore treated like any other force, and steps may have to follow their oscillation.",
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
  if (!compares_) return;
  missing_->look(here);
  // An oscillation that was removed before is still missing where steps follow all that is left.
  if (!slow.step().stiff && !slow.leaves_out()) return;
  const double off = missing_->error(t, sums_.max_fast);
  const double allowed = MissingForce::allowed(request.scale.controlled ? request.scale.rtol : 0);
  if (off > allowed)
    request.notes.raise(
        t, "fast_energy_with_varying_frequencies",
        "The stiff gaps oscillate, and their frequencies vary along the motion. The oscillation then "
        "exerts a force on the slow motion that steps longer than the oscillation do not see. The value "
        "estimates the relative error this causes. Use method slow, or radau with fast=resolve.",
        MissingForce::severity(off), off, allowed);
}

void OscillationWatch::watch_damping(double t, const StepRequest& request) const {
  if (sums_.damped > energy_share(request))
    request.notes.raise(t, "damped",
                        "The oscillation of the gaps is damped by these steps. The recorded quantity damped_energy "
                        "says how much energy it has lost.",
                        Severity::info, sums_.damped, energy_share(request));
}

void OscillationWatch::watch_resonance(double t, const StepRequest& request, SlowMotion& slow) const {
  const double h = std::abs(request.h), bound = slow.step_bound();
  if (h > 1.001 * bound)
    request.notes.raise(
        t, "aliased_resonance",
        "The step size is above the bound h^2 = k epsilon / w_slow. There the fast oscillation appears as a slow one "
        "that is in resonance with the slow motion and may grow. Use a smaller h, or method radau.",
        Severity::doubt, h, bound);
  const double share = sums_.max_kinetic > 0 ? slow.fast_energy() / sums_.max_kinetic : 0;
  if (plan_->block.explicit_first && share > lobatto_share)
    request.notes.raise(
        t, "lobatto_oscillation",
        "Lobatto IIIA uses the fast force at the start of every step. While the gaps oscillate with this "
        "share of the energy, its slow motion is therefore wrong. Use gauss or radau.",
        Severity::doubt, share, lobatto_share);
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
  const std::string left = fmt::format("the energy left in the oscillation of the gaps is {:.3g}", slow.fast_energy());
  if (!plan_->damps) return left;
  return fmt::format("the energy {:.3g} was damped, {}{}", sums_.damped, left,
                     slow.leaves_out() ? "; the result is the slow motion only"
                     : slow.follows()  ? "; this oscillation is followed"
                                       : "");
}
}  // namespace trill
