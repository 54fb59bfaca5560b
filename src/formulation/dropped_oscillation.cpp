// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dropped_oscillation.hpp"

#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
constexpr double energy_to_watch = 1e-9;  // relative to the slow motion
constexpr double followed_phase = 1;      // h omega of steps that still follow the oscillation
}  // namespace

DroppedOscillation::DroppedOscillation(const MechanicalProblem& stiff) : form_(stiff) {
  if (form_.gaps() == 0) return;
  here_ = std::make_unique<SlowPoint>(form_);
  missing_.emplace(form_);
}

void DroppedOscillation::start(double t, In q, In v, double energy) {
  energy_ = 0;
  if (!applies() || !missing_->start(t, q, v, *here_)) return;
  const SlowPoint& first = missing_->first();
  if (std::isnan(energy)) energy = first.fast_energy();
  Vec w(form_.unknowns());
  form_.times_mass(first.q, first.v, w);
  const double kinetic = 0.5 * first.v.dot(w);
  form_.times_mass(first.q, first.a, w);
  if (energy > energy_to_watch * (kinetic + max_abs(first.q) * max_abs(w))) energy_ = energy;
}

void DroppedOscillation::look(double t, In q, In v, double tolerance, Notes& notes) {
  if (!watches() || here_->find(t, q, v) != SlowPoint::Status::ok) return;
  missing_->look(*here_);
  const double off = missing_->error(t, energy_), allowed = MissingForce::allowed(tolerance);
  if (off > allowed)
    notes.raise(t, "fast_energy_left_out",
                "The oscillation of the stiff gaps at the start is left out, while their frequencies vary along the "
                "motion: its force on the slow motion is missing. The value estimates the relative error that this "
                "causes. Method slow includes the force.",
                MissingForce::severity(off), off, allowed);
}

void DroppedOscillation::memory(Archive& archive) {
  if (missing_) archive(*missing_);
}

void OscillationAtStart::start(State& s) {
  const State given = s;
  found_ = take_slow_start(problem_, moves_, s);
  dropped_.reset();
  if (!found_ || !(found_->fast_energy > 0)) return;
  dropped_ = std::make_unique<DroppedOscillation>(problem_);
  dropped_->start(given.t, given.q(), given.v(), found_->fast_energy);
}

void OscillationAtStart::warn(double t, Notes& notes) {
  if (found_ && !moves_) warn_off_manifold(*found_, t, notes);
  found_.reset();
}

Groups OscillationAtStart::look(const State& s, double h, double tolerance, Notes& notes) {
  if (!dropped_ || !dropped_->watches()) return 0;
  if (!moves_ && std::abs(h) * dropped_->slowest_frequency() <= followed_phase) return 0;
  dropped_->look(s.t, s.q(), s.v(), tolerance, notes);
  return dropped_->evaluated_groups();
}

void OscillationAtStart::memory(Archive& archive) {
  bool told = !found_.has_value();
  archive(told);
  if (told) found_.reset();
  if (dropped_) archive(*dropped_);
}
}  // namespace trill
