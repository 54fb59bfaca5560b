// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/hmm_start.hpp"

#include "multiscale/frequency_variation.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// Share of the highest frequency from which the first window suppresses oscillations.
constexpr double rough_share = 0.35;
constexpr int most_rough_passes = 4;
constexpr double most_bend = 0.2;
constexpr double most_change = 0.3;           // relative change of forces in time within a window
constexpr double least_rate = 1e-7;           // relative to the highest frequency
constexpr double energy_that_matters = 1e-2;  // relative to the tolerance: larger shares of fast energy are lifted
constexpr double most_energy_left_out = 1e-2;
constexpr int times_to_look = 4;  // how many points of the time span are examined for forces that change quickly
}  // namespace

double turning_rate(In q, In v, In a, double span) {
  const double force = a.norm();
  if (!(force > 0)) return 0;
  return std::min(force / std::max(v.norm(), 0.1 * force * span), std::sqrt(force / q.norm()));
}

HmmStart::HmmStart(AveragedForce& averaged) : averaged_(averaged), stiff_(averaged.stiff()) {
  const Index n = stiff_.layout().nq;
  means_.q = means_.v = means_.a = x_ = y_ = shift_ = Vec::Zero(n);
  reach_ = Vec::Zero(2 * n);
}

void HmmStart::project(const State& given, State& in) {
  if (!averaged_.average(given.t, given.q(), given.v(), means_))
    throw UsageError(fmt::format(
        "hmm: the stiff motion around t = {:.6g} could not be followed; check the forces of the model there", given.t));
  in.q() = means_.q;
  in.v() = means_.v;
  reach_ << (given.q() - means_.q).cwiseAbs(), (given.v() - means_.v).cwiseAbs();
}

void HmmStart::look(double t, In q, In v) {
  FastSpectrum& spectrum = averaged_.spectrum();
  if (!spectrum.find(t, q, v))
    throw UsageError(fmt::format("hmm: no oscillation was found at t = {:.6g}; use dop853", t));
  needs_.slowest = spectrum.slowest();
  needs_.fastest = spectrum.fastest();
  needs_.rate = spectrum.rest();
}

// Frequencies are correct only on the slow motion: an open gap also adds stiffness across its direction. So the first
// window is a short one that suppresses the upper part of the spectrum, and the frequencies are computed again at its
// means.
void HmmStart::find(const State& given, const HmmChoice& choice, State& in, Notes& notes) {
  FastSpectrum& spectrum = averaged_.spectrum();
  needs_ = {};
  of_gaps_ = gaps_are_fastest(stiff_, given);
  spectrum.expect(of_gaps_ ? stiff_.strong_potential()->map->count() : 0);
  look(given.t, given.q(), given.v());
  needs_.slowest = std::max(needs_.slowest, rough_share * needs_.fastest);
  for (int pass = 0; pass < most_rough_passes; ++pass) {
    const double stopped = needs_.slowest;
    averaged_.plan(rough_windows(needs_), false, false);
    project(given, in);
    look(given.t, in.q(), in.v());
    if (needs_.slowest >= 0.9 * stopped) break;
  }
  spectrum.expect(spectrum.count());
  needs_.rate = std::max({needs_.rate, turning_rate(means_.q, means_.v, means_.a, std::abs(choice.span)),
                          1 / std::abs(choice.span), least_rate * needs_.fastest});
  decide(given, choice, in, notes);
}

void HmmStart::decide(const State& given, const HmmChoice& choice, State& in, Notes& notes) {
  if (const std::string complaint = gap_complaint(needs_); !complaint.empty()) throw UsageError("hmm: " + complaint);
  const double root = std::sqrt(static_cast<double>(in.layout.nq));
  const double distance = std::max(in.q().norm(), in.v().norm() / needs_.rate) / root;
  needs_.constant = !frequencies_vary(stiff_, in, averaged_.spectrum(), distance, of_gaps_);
  const double energy = find_actions(given, in);
  bend_ = find_bend(in);
  if (bend_ > most_bend)
    throw UsageError(fmt::format(
        "hmm: the oscillation is too large: it turns the directions of the stiff forces by {:.2g}, more than {}, and "
        "averages are wrong by the square of that; use dop853 or verlet, which follow the oscillation",
        bend_, most_bend));
  share_ = energy > 0 ? energy / (energy + slow_energy(in)) : 0;
  const bool matters = !needs_.constant && share_ > energy_that_matters * choice.tolerance;
  const bool has_actions = averaged_.actions() > 0 && averaged_.spectrum().count() == averaged_.actions();
  const bool lifted = has_actions && (choice.fast_energy == "keep" || matters);
  const bool staged = choice.stages == "auto" ? !needs_.constant : choice.stages == "projected";
  check_energy(lifted, choice.tolerance, in.t, notes);
  if (lifted) needs_.nearest = averaged_.spectrum().nearest();
  averaged_.plan(choose_windows(needs_), staged || lifted, lifted);
  check_pace(in, choice.span);
  project(given, in);
  const double fast = find_actions(given, in);
  energy_ = share_at_start(stiff_, in, kinetic_energy(in), slow_energy(in), fast);
  tell_energy(lifted, in.t, notes);
  if (!lifted && stiff_.drag(all_groups) != Drag::none) in.x().setZero();  // the actions would not stay constant
}

// A force that changes in time within a window would be averaged away, or would drive the oscillation.
// The motion follows gaps that move by themselves: not their forces at a fixed position count, but their accelerations.
void HmmStart::check_pace(const State& in, double span) {
  if (!std::isfinite(span)) return;
  const StrongPotential* strong = stiff_.strong_potential();
  const bool gaps_move = strong && strong->groups != 0 && strong->map->moving();
  const Groups groups = gaps_move ? known_groups(stiff_) & ~strong->groups : all_groups;
  check_pace_of("forces", in.t, span, x_, y_, [&](double t, Out f) { stiff_.force(groups, t, in.q(), in.v(), f); });
  averaged_.micro().count(3 * times_to_look);
  if (!gaps_move) return;
  const Vec at_rest = Vec::Zero(in.layout.nq);
  Vec here(strong->map->count()), later(here.size());
  check_pace_of("accelerations of the gaps", in.t, span, here, later,
                [&](double t, Out g) { strong->map->curvature(t, in.q(), at_rest, g); });
}

template <class Evaluate>
void HmmStart::check_pace_of(const char* what, double begin, double span, Vec& here, Vec& later, Evaluate evaluate) {
  double size = 0, change = 0;
  for (int i = 0; i < times_to_look; ++i) {
    const double t = begin + span * i / times_to_look;
    evaluate(t, here);
    size = std::max(size, here.norm());
    for (const double share : {0.21, 0.47}) {
      evaluate(t + share * averaged_.windows().length(), later);
      change = std::max(change, (later - here).norm());
    }
  }
  if (change > most_change * size)
    throw UsageError(
        fmt::format("hmm: within a window of {:.3g} the {} change in time by {:.2g} of their size, more than {}; only "
                    "what changes more slowly can be averaged; use dop853",
                    averaged_.windows().length(), what, change / size, most_change));
}

// Relative change of the stiffness within the amplitude of the oscillation: an open gap adds stiffness across its
// direction, by its opening times its curvature. The error of the mean force is the square of that.
double HmmStart::find_bend(const State& in) {
  FastSpectrum& spectrum = averaged_.spectrum();
  if (!spectrum.has_modes() || spectrum.count() == in.layout.nq) return 0;
  const double square = std::pow(spectrum.fastest(), 2), rest = std::pow(spectrum.rest(), 2);
  double bend = 0;
  for (const double sign : {1.0, -1.0}) {
    x_ = in.q() + sign * shift_;
    if (spectrum.find(in.t, x_, in.v())) bend = std::max(bend, (std::pow(spectrum.rest(), 2) - rest) / square);
  }
  spectrum.find(in.t, in.q(), in.v());
  return bend;
}

// Actions from the difference between the data and their means, with the modes computed last.
double HmmStart::find_actions(const State& given, State& in) {
  const FastSpectrum& spectrum = averaged_.spectrum();
  if (!spectrum.has_modes()) return oscillating_energy(given, in);
  const Index n = x_.size();
  spectrum.times_mass(given.q() - in.q(), x_);
  spectrum.times_mass(given.v() - in.v(), y_);
  reach_.setZero();
  shift_.setZero();
  double energy = 0;
  for (Index k = 0; k < spectrum.count(); ++k) {
    const double omega = spectrum.frequencies()[k];
    const double p = spectrum.mode(k).dot(y_), x = omega * spectrum.mode(k).dot(x_), square = p * p + x * x;
    if (k < averaged_.actions()) in.x()[k] = square / (2 * omega);
    energy += square / 2;
    shift_ += std::sqrt(square) / omega * spectrum.mode(k);
    reach_.head(n) += std::sqrt(square) / omega * spectrum.mode(k).cwiseAbs();
    reach_.tail(n) += std::sqrt(square) * spectrum.mode(k).cwiseAbs();
  }
  return energy;
}

// Without modes: kinetic energy, plus the work of the force on the way back to the mean.
double HmmStart::oscillating_energy(const State& given, const State& in) {
  const Vec dv = given.v() - in.v(), at_rest = Vec::Zero(dv.size());
  averaged_.spectrum().times_mass(dv, x_);
  const double kinetic = 0.5 * dv.dot(x_);
  stiff_.force(all_groups, given.t, given.q(), at_rest, y_);
  stiff_.force(all_groups, given.t, in.q(), at_rest, x_);
  return kinetic + 0.5 * std::abs((given.q() - in.q()).dot(y_ - x_));
}

double HmmStart::kinetic_energy(const State& in) {
  averaged_.spectrum().times_mass(in.v(), x_);
  return 0.5 * in.v().dot(x_);
}

double HmmStart::slow_energy(const State& in) {
  averaged_.spectrum().times_mass(means_.a, y_);
  return kinetic_energy(in) + 0.5 * y_.cwiseAbs().dot(in.q().cwiseAbs());
}

void HmmStart::check_energy(bool lifted, double tolerance, double t, Notes& notes) {
  if (share_ > tolerance && stiff_.drag(all_groups) == Drag::nonlinear)
    throw UsageError(fmt::format(
        "hmm: an estimated share of {:.2g} of the energy oscillates, and the drag of this model is not linear in the "
        "velocity, so that the oscillation changes its mean; use slow, which averages such a drag over the phases",
        share_));
  left_out_ = lifted || needs_.constant ? 0 : share_;
  if (left_out_ > most_energy_left_out)
    notes.raise(t, "fast_energy_left_out",
                "The force of the oscillation on the slow motion is left out, although the frequencies vary along the "
                "motion. The value is the share of the energy that oscillates, estimated from slow velocities and "
                "forces. Use fast_energy=keep, or method slow, to include that force.",
                Severity::doubt, left_out_, most_energy_left_out);
}

void HmmStart::tell_energy(bool lifted, double t, Notes& notes) const {
  if (!(share_ > 0) || left_out_ > most_energy_left_out) return;
  notes.raise(t, "fast_energy",
              lifted
                  ? "The value is the energy of the oscillation at the start. It acts on the slow motion by the "
                    "actions of its modes."
                  : "The value is the energy of the oscillation at the start. It exerts no force on the slow motion.",
              Severity::info, energy_.fast, 0);
}
}  // namespace trill
