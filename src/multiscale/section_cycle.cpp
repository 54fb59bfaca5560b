// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/section_cycle.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_settling = 0.1;  // of a cycle
constexpr int settling_iterations = 4, ending_iterations = 6;
constexpr double first_part = 0.1;          // of a cycle, in which no crossing can end it
constexpr double section_step = 0.125;      // of a cycle: the longest step
constexpr double longest_wait = 3;          // cycles in which a crossing has to come
constexpr double same_period_share = 0.02;  // a period that differs by more is the new expected one
constexpr double crossing_slack = 1e-10;
constexpr double fewer_cycles = 0.98;  // of those that fit if the period stays the same: it may grow
constexpr std::int64_t most_cycle_steps = 100000;
}  // namespace

SectionCycle::SectionCycle(const Problem& problem, const State& start, Section section, double period,
                           InnerMotion::Accuracy accuracy, bool period_is_measured)
    : motion_(problem, "dop853", std::move(accuracy), "envelope"),
      section_(motion_.problem(), start, std::move(section), "envelope"),
      start_(Layout{.nq = start.y.size() + 1}, start.t),
      period_(period),
      expected_(period),
      end_(start.y) {
  motion_.set_first_step(0, section_step * period);
  double t = start.t;
  Vec y = start.y;
  if (!section_.is_close(t, y, period)) {
    if (!find_crossing(t, y, longest_wait * period))
      throw UsageError(
          fmt::format("the motion of '{}' from t = {:g} does not return to where its cycles should begin; "
                      "give another section or another period",
                      problem.name(), t));
    t = end_time_;
    y = end_;
  }
  section_.reach(t, y, period, most_settling * period, settling_iterations);
  start_.t = t;
  start_.y << y, t;
  if (!period_is_measured && find_crossing(t, y, longest_wait * period)) period_ = expected_ = end_time_ - t;
  motion_.set_first_step(expected_ / 16, section_step * expected_);
}

std::vector<Quantity> SectionCycle::components() const {
  std::vector<Quantity> all = motion_.problem().components();
  all.push_back({"t", time_unit()});
  return all;
}

std::unique_ptr<Problem> SectionCycle::clone() const {
  State given(motion_.problem().layout(), start_.t);
  given.y = start_.y.head(given.y.size());
  return std::make_unique<SectionCycle>(motion_.problem(), given, section_.section(), expected_, motion_.accuracy());
}

// Looks at every step for a change of sign from below.
bool SectionCycle::find_crossing(double t, In y, double longest) const {
  motion_.start(t, y, t + longest);
  bool below = false;
  double before = 0;
  while (motion_.t() < t + longest) {
    if (!motion_.step(t + longest)) return false;
    double value = 0;
    if (!section_.at(motion_.t(), motion_.y(), value)) return false;
    if (below && value >= 0) {
      const auto inside = [&](double when) {
        motion_.inside(when, end_);
        double there = 0;
        return section_.at(when, end_, there) ? there : 1.0;
      };
      end_time_ = rising_zero(inside, motion_.t_before(), before, motion_.t(), value, crossing_slack * expected_);
      // Values inside a step are less accurate than those at its end.
      if (!motion_.again(end_time_)) return false;
      end_ = motion_.y();
      return true;
    }
    below = value < 0 && motion_.t() - t > first_part * expected_;
    before = value;
  }
  return false;
}

bool SectionCycle::end_of_cycle(double t, In y) const {
  motion_.start(t, y, t + expected_);
  if (!motion_.run(t + expected_, most_cycle_steps)) return false;
  end_time_ = motion_.t();
  end_ = motion_.y();
  return section_.reach(end_time_, end_, expected_, most_settling * expected_, ending_iterations);
}

bool SectionCycle::change(double, In z, Out change) const {
  const Index n = z.size() - 1;
  if (!end_of_cycle(z[n], z.head(n)) && !find_crossing(z[n], z.head(n), longest_wait * expected_)) return false;
  change.head(n) = end_ - z.head(n);
  change[n] = end_time_ - z[n];
  period_ = change[n];
  if (std::abs(period_ - expected_) > same_period_share * expected_) expected_ = period_;
  return true;
}

bool SectionCycle::settle(double, Out z) const {
  const Index n = z.size() - 1;
  return section_.reach(z[n], z.head(n), expected_, most_settling * expected_, settling_iterations);
}

void SectionCycle::sizes(In, In largest, Out sizes) const {
  sizes = largest;
  sizes[sizes.size() - 1] = period_ / (2 * std::numbers::pi);
}

double SectionCycle::cycles_until(double t, double, In z) const {
  return std::max(0.0, std::floor(fewer_cycles * (t - z[z.size() - 1]) / period_));
}

bool SectionCycle::part(double, In z, double t, Out end) const {
  const Index n = z.size() - 1;
  motion_.start(z[n], z.head(n), t);
  if (!motion_.run(t, most_cycle_steps)) return false;
  end.head(n) = motion_.y();
  end[n] = t;
  return true;
}

Counters SectionCycle::work() const {
  Counters work = motion_.work();
  for (std::size_t k = 0; k < work.forces.size(); ++k) work.forces[k] += section_.work().forces[k];
  return work;
}
}  // namespace trill
