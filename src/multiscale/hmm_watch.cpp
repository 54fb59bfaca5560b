// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/hmm_watch.hpp"

#include "multiscale/hmm_start.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double drift_staged = 0.5, drift_plain = 0.01;  // relative to the largest velocity, where frequencies vary
constexpr int longest_look_interval = 8;                  // steps
constexpr double energy_that_acts = 1e-2;
}  // namespace

void HmmWatch::start(const WindowNeeds& needs, double share, double tolerance, double span) {
  span_ = span;
  needs_ = planned_ = needs;
  share_ = share;
  tolerance_ = tolerance;
  slowest_seen_ = needs.slowest;
  fastest_seen_ = needs.fastest;
  largest_velocity_ = 1e-300;
  steps_since_look_ = 0;
  look_interval_ = 1;
  beyond_double_ = -1;
}

HmmWatch::Found HmmWatch::after_step(const State& s, Notes& notes) {
  largest_velocity_ = std::max(largest_velocity_, max_abs(s.v()));
  const MicroWindow::Means* means = averaged_.means_at(s.t, s.y);
  const double drift = means                    ? drift_of(s, *means)
                       : averaged_.has_marked() ? drift_of(averaged_.marked(), averaged_.marked_means())
                                                : 0;
  averaged_.mark(s);
  largest_drift_ = std::max(largest_drift_, drift);
  if (++steps_since_look_ >= look_interval_ && !look(s, notes)) return Found::refusal;
  if (drift <= most_drift()) return Found::nothing;
  notes.raise(s.t, "reprojected",
              "The motion had moved off the slow manifold and was moved back onto it. The value is the distance, "
              "relative to the size of the motion.",
              Severity::info, drift, most_drift());
  return Found::drift;
}

// Off the slow manifold the motion in the windows oscillates. Where frequencies vary, the energy of that oscillation
// acts on the slow motion; where they do not, the square of its amplitude does.
double HmmWatch::drift_of(const State& s, const MicroWindow::Means& means) const {
  const double off = max_abs(means.q - s.q());
  const double in_position =
      needs_.constant ? off / std::max(max_abs(s.q()), 1e-300) : off * needs_.fastest / largest_velocity_;
  return std::max(max_abs(means.v - s.v()) / largest_velocity_, in_position);
}

double HmmWatch::most_drift() const {
  if (needs_.constant) return std::sqrt(tolerance_);
  return averaged_.staged() ? drift_staged : drift_plain;
}

bool HmmWatch::look(const State& s, Notes& notes) {
  steps_since_look_ = 0;
  FastSpectrum& spectrum = averaged_.spectrum();
  const MicroWindow::Means* means = averaged_.means_at(s.t, s.y);
  const Vec q = means ? means->q : s.q();
  if (!spectrum.find(s.t, q, s.v())) {
    refusal_ =
        "the fast motion has become unstable, because a stiff force no longer pulls back to its equilibrium; use a "
        "method that follows the motion";
    return false;
  }
  needs_.slowest = spectrum.slowest();
  needs_.fastest = spectrum.fastest();
  if (means) needs_.rate = std::max({needs_.rate, spectrum.rest(), turning_rate(means->q, s.v(), means->a, span_)});
  if (averaged_.lifted()) needs_.nearest = std::min(spectrum.nearest(), averaged_.take_nearest());
  slowest_seen_ = std::min(slowest_seen_, needs_.slowest);
  fastest_seen_ = std::max(fastest_seen_, needs_.fastest);
  watch_variation(s.t, notes);
  watch_resonance(s.t, notes);
  refusal_ = gap_complaint(needs_);
  if (!refusal_.empty()) return false;
  const double moved = std::max({needs_.fastest / planned_.fastest - 1, planned_.slowest / needs_.slowest - 1,
                                 needs_.nearest > 0 ? planned_.nearest / needs_.nearest - 1 : 0});
  const bool faster = needs_.rate > 1.5 * planned_.rate;
  const double slack = window_slack(needs_.constant);
  look_interval_ = averaged_.lifted() || moved > 0.3 * slack ? 1 : std::min(2 * look_interval_, longest_look_interval);
  return (moved <= slack && !faster) || plan_again();
}

bool HmmWatch::plan_again() {
  try {
    averaged_.plan(choose_windows(needs_), averaged_.staged(), averaged_.lifted());
    planned_ = needs_;
    return true;
  } catch (const UsageError& e) {
    refusal_ = e.what();
    return false;
  }
}

// A frequency was assumed to be constant: if it is not, energy that was dropped does act on the slow motion.
void HmmWatch::watch_variation(double t, Notes& notes) {
  const double varied = fastest_seen_ / slowest_seen_ - 1, slack = window_slack(true);
  if (!needs_.constant || averaged_.lifted() || averaged_.spectrum().count() != 1 || varied < slack ||
      share_ < energy_that_acts)
    return;
  doubt_ = std::max(doubt_, share_);
  notes.raise(t, "frequency_varies",
              "A fast frequency that seemed constant varies along the motion, so that the oscillation exerts a force "
              "on the slow motion, which is left out. Use fast_energy=keep to include it.",
              Severity::doubt, varied, slack);
}

// Where one fast frequency passes twice the value of another, actions change by the order of the square root of the
// ratio of slow to fast rates.
void HmmWatch::watch_resonance(double t, Notes& notes) {
  if (!averaged_.lifted()) return;
  const auto omega = averaged_.spectrum().frequencies();
  Index beyond = 0;
  for (Index i = 0; i < omega.size(); ++i)
    for (Index j = i + 1; j < omega.size(); ++j) beyond += omega[j] > 2 * omega[i] ? 1 : 0;
  if (beyond != beyond_double_ && beyond_double_ >= 0) {
    doubt_ = std::max(doubt_, share_ * std::sqrt(needs_.rate / needs_.fastest));
    if (doubt_ > tolerance_)
      notes.raise(t, "resonance",
                  "A fast frequency passed twice another one, where oscillations exchange energy. From then on their "
                  "force on the slow motion is known less accurately. The value is an estimate of the relative error.",
                  Severity::warning, doubt_, tolerance_);
  }
  beyond_double_ = beyond;
}

void HmmWatch::memory(Archive& archive) {
  for (WindowNeeds* needs : {&needs_, &planned_})
    archive(needs->slowest, needs->fastest, needs->nearest, needs->rate, needs->constant);
  archive(share_, tolerance_, span_, slowest_seen_, fastest_seen_, largest_drift_, largest_velocity_, doubt_);
  archive(steps_since_look_, look_interval_, beyond_double_);
  bool staged = averaged_.staged(), lifted = averaged_.lifted();
  Index expected = averaged_.spectrum().expected();
  archive(staged, lifted, expected);
  if (!archive.reading()) return;
  averaged_.spectrum().expect(expected);
  averaged_.plan(choose_windows(planned_), staged, lifted);
}
}  // namespace trill
