// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_steps.hpp"

#include "trill/linalg/kernels.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace {
constexpr double cycle_step_safety = 0.9, most_cycle_growth = 2.5, least_cycle_growth = 0.2;
constexpr int most_rejections_in_a_row = 6, envelope_order = 4;
constexpr double fewest_in_room = 6;
constexpr double shorter_share = 0.95;  // of the cycles that would fit if the period were the same in all of them
constexpr double lost_share = 0.25;     // of a step in which a cycle was lost, for the next attempt

State on_its_own(const Problem& problem, double t, In y) {
  State s(problem.layout(), t);
  s.y = y;
  return s;
}
}  // namespace

EnvelopeSteps::EnvelopeSteps(const Problem& problem, double t, In y, Section section, double period,
                             InnerMotion::Accuracy accuracy, In sizes)
    : map_(std::make_unique<SectionCycle>(problem, on_its_own(problem, t, y), std::move(section), period, accuracy,
                                          true)),
      rebuilt_(std::make_unique<InnerMotion>(problem, "dop853", accuracy, "envelope_switching")),
      z_(map_->initial_state().y),
      next_(z_),
      error_(z_),
      sizes_(sizes),
      changes_(Mat::Zero(z_.size(), stages_of(CycleScheme::rk4) + 1)),
      corners_(Mat::Zero(z_.size(), 4)),
      corner_(z_) {
  rebuilt_->set_first_step(period / 16, period / 8);
}

EnvelopeSteps::Outcome EnvelopeSteps::step(double t_stop, const ErrorScale& scale, Counters& work) {
  double room = map_->cycles_until(t_stop, 0, z_);
  if (room < fewest_in_room) return Outcome::no_room;
  if (!change_known_ && !change(z_, changes_.col(0), work)) return Outcome::lost;
  change_known_ = true;
  for (int rejections = 0; rejections <= most_rejections_in_a_row; ++rejections) {
    const double cycles = std::min(cycles_, room);
    if (!attempt(cycles, scale, work)) {
      ++work.rejected;
      cycles_ = std::floor(lost_share * cycles);
      if (cycles_ < fewest) return Outcome::lost;
      continue;
    }
    if (const double end = next_[next_.size() - 1]; end > t_stop) {  // the period has grown
      room = std::floor(shorter_share * cycles * (t_stop - t()) / (end - t()));
      if (room < fewest) return Outcome::no_room;
      continue;
    }
    const double factor = std::clamp(cycle_step_safety * std::pow(std::max(error_norm_, 1e-10), -1.0 / envelope_order),
                                     least_cycle_growth, most_cycle_growth);
    if (error_norm_ <= 1) {
      const double proposed = std::floor(factor * cycles);
      cycles_ = cycles < cycles_ ? std::max(cycles_, proposed) : proposed;
      corners_.col(0) = z_;
      corners_.col(1) = z_ + changes_.col(0);
      corners_.col(2) = next_;
      changes_.col(0) = changes_.rightCols(1);
      corners_.col(3) = next_ + changes_.col(0);
      z_ = next_;
      sizes_ = sizes_.cwiseMax(y().cwiseAbs());
      taken_ = cycles;
      rebuilt_cycle_ = -1;
      return Outcome::ok;
    }
    ++work.rejected;
    cycles_ = std::floor(std::min(factor, cycle_step_safety) * cycles);
    if (cycles_ < fewest) return Outcome::too_short;
  }
  return Outcome::rejected;
}

bool EnvelopeSteps::change(In z, Out change, Counters& work) {
  ++work.micro_steps;
  const bool ok = map_->change(0, z, change) && all_finite(change);
  take_new_work(work);
  return ok;
}

bool EnvelopeSteps::attempt(double cycles, const ErrorScale& scale, Counters& work) {
  if (cycles != tableau_cycles_) tableau_ = cycle_tableau(CycleScheme::rk4, 1 / cycles);
  tableau_cycles_ = cycles;
  const Index stages = tableau_.c.size(), n = z_.size() - 1;
  for (Index i = 1; i <= stages; ++i) {
    const auto weights = i < stages ? Vec(tableau_.a.row(i).head(i)) : tableau_.b;
    next_ = z_ + changes_.leftCols(i) * (cycles * weights);
    if (!map_->settle(0, next_) || !change(next_, changes_.col(i), work)) return false;
  }
  error_ = changes_ * (cycles * tableau_.error);
  // An error in time is one in phase.
  const double phase = error_[n] / (scale.rtol * map_->period() / (2 * std::acos(-1.0)));
  const double rest = scale.norm(error_.head(n), sizes_, sizes_);
  error_norm_ = std::sqrt((static_cast<double>(n) * rest * rest + phase * phase) / static_cast<double>(n + 1));
  if (!std::isfinite(error_norm_)) return false;
  return true;
}

// The cubic through the four points of the last step that are known.
void EnvelopeSteps::on_envelope(double n, Out z) const {
  const std::array<double, 4> at{0, 1, taken_, taken_ + 1};
  z.setZero();
  for (std::size_t j = 0; j < at.size(); ++j) {
    double weight = 1;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (k != j) weight *= (n - at[k]) / (at[j] - at[k]);
    z += weight * corners_.col(static_cast<Index>(j));
  }
}

// The whole cycle that is under way at t.
double EnvelopeSteps::cycle_before(double t) {
  double low = 0, high = taken_;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    on_envelope(middle, corner_);
    (corner_[corner_.size() - 1] <= t ? low : high) = middle;
  }
  return low;
}

void EnvelopeSteps::inside(double t, Out y) {
  const Index n = z_.size() - 1;
  if (t >= z_[n]) {
    y = z_.head(n);
    return;
  }
  const double cycle = cycle_before(t);
  on_envelope(cycle, corner_);
  const double begin = corner_[n];
  if (t <= begin) {
    y = corner_.head(n);
    return;
  }
  if (cycle != rebuilt_cycle_ || t < rebuilt_->t_before()) {
    rebuilt_->start(begin, corner_.head(n), begin + 2 * map_->period());
    rebuilt_cycle_ = cycle;
  }
  while (rebuilt_->t() < t)
    if (!rebuilt_->step(begin + 2 * map_->period())) {
      y = rebuilt_->y_before();
      return;
    }
  rebuilt_->inside(t, y);
}

void EnvelopeSteps::take_new_work(Counters& total) {
  Counters done;
  add_new_work(map_->work(), map_seen_, done);
  add_new_work(rebuilt_->work(), rebuilt_seen_, done);
  for (std::size_t k = 0; k < done.forces.size(); ++k) total.forces[k] += done.forces[k];
}

void EnvelopeSteps::memory(Archive& archive) {
  Counters pending;
  if (!archive.reading()) take_new_work(pending);
  archive(*map_, z_, sizes_, changes_, change_known_, cycles_, taken_, error_norm_, pending);
  map_seen_ = map_->work();
  rebuilt_seen_ = rebuilt_->work();
  for (std::size_t k = 0; k < pending.forces.size(); ++k) map_seen_.forces[k] -= pending.forces[k];
}
}  // namespace trill
