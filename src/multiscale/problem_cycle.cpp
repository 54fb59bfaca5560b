// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/problem_cycle.hpp"

#include "trill/formulation/first_order.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double whole_cycle_slack = 1e-9;
constexpr double longest_share = 0.125;         // of a cycle, for one step: nothing in it is stepped over
constexpr std::int64_t suspicious_steps = 300;  // an explicit method that needs so many may be held up by stiffness
constexpr double worth_implicit = 0.25;         // of its steps, where an implicit method is taken instead
constexpr std::int64_t most_probe_steps = 200000;
constexpr double patience = 50;  // a cycle with so many times the steps of the first one has failed
constexpr double same_period = 1e-9;
// Lobatto's quadrature with 5 points in [0, 1].
constexpr std::array<double, 5> lobatto_nodes{0, 0.17267316464601146, 0.5, 0.8273268353539885, 1};
constexpr std::array<double, 5> lobatto_weights{1.0 / 20, 49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};

InnerMotion::Accuracy accuracy_for(In largest, double rtol) {
  // A component that is small in the first cycle may become as large as the others.
  const double typical = largest.size() > 0 ? largest.maxCoeff() : 0;
  const double floor = typical > 0 ? 1e-3 * typical : 1;
  return {.rtol = rtol, .atol = rtol * largest.cwiseMax(floor)};
}

struct ProbedCycle {
  std::int64_t steps = 0;
  Vec largest;
  bool ok = false;
};

ProbedCycle probe_with(InnerMotion& motion, const State& start, double period) {
  ProbedCycle probe{.largest = start.y.cwiseAbs()};
  const std::int64_t before = motion.work().steps;
  motion.start(start.t, start.y, start.t + period);
  while (motion.t() < start.t + period) {
    if (motion.work().steps - before > most_probe_steps || !motion.step(start.t + period)) return probe;
    probe.largest = probe.largest.cwiseMax(motion.y().cwiseAbs());
  }
  probe.steps = motion.work().steps - before;
  probe.ok = true;
  return probe;
}
}  // namespace

ProblemCycle::ProblemCycle(const Problem& problem, const State& start, double period, double rtol)
    : start_(start), period_(period), rtol_(rtol), later_(start.y), inside_(start.y) {
  if (!(period > 0) || !std::isfinite(period))
    throw UsageError(
        fmt::format("the period of the cycles of '{}' must be positive, not {:g}", problem.name(), period));
  motion_ = std::make_unique<InnerMotion>(problem, method_, accuracy_for(start.y.cwiseAbs(), rtol), "envelope");
  probe();
  periodic_ = changes_alike(start_.t, start_.y) && changes_alike(start_.t + 0.37 * period_, later_);
}

// Chooses the method, and takes the steps of the first cycle as the measure for those of all cycles.
void ProblemCycle::probe() {
  ProbedCycle found = probe_with(*motion_, start_, period_);
  const auto use = [&](const char* method) {
    const Counters spent = motion_->work();
    motion_ = std::make_unique<InnerMotion>(motion_->problem(), method, accuracy_for(found.largest, rtol_), "envelope");
    motion_->spent_before(spent);
    method_ = method;
  };
  if (!found.ok || found.steps > suspicious_steps) {
    use("radau");
    const ProbedCycle implicit = probe_with(*motion_, start_, period_);
    if (!implicit.ok && !found.ok)
      throw UsageError(
          fmt::format("no cycle of '{}' could be computed from t = {:g} to {:g}; start later, or give "
                      "another period",
                      motion_->problem().name(), start_.t, start_.t + period_));
    const bool better = implicit.ok && (!found.ok || static_cast<double>(implicit.steps) <
                                                         worth_implicit * static_cast<double>(found.steps));
    if (better) found = implicit;
    if (!better) use("dop853");
  } else {
    use("dop853");
  }
  const double mean_step = period_ / static_cast<double>(found.steps);
  motion_->set_first_step(0.5 * mean_step, longest_share * period_);
  most_steps_ = static_cast<std::int64_t>(patience * (static_cast<double>(found.steps) + 1 / longest_share));
  later_ = found.largest;
}

// Whether y' a period later is the same.
bool ProblemCycle::changes_alike(double t, In y) const {
  FirstOrderForm form(motion_->problem(), "envelope");
  State s = start_;
  s.y = y;
  form.start(s);
  Vec now(form.size()), then(form.size());
  for (const int cycles : {1, 17, 1000}) {
    if (!form.rhs(t, y, now) || !form.rhs(t + cycles * period_, y, then)) return false;
    if (!((now - then).norm() <=
          same_period * std::max(now.norm(), then.norm()) * (1 + std::abs(t) / period_ + cycles)))
      return false;
  }
  return true;
}

std::unique_ptr<Problem> ProblemCycle::clone() const {
  return std::make_unique<ProblemCycle>(motion_->problem(), start_, period_, rtol_);
}

double ProblemCycle::time(double n, In) const { return start_.t + n * period_; }

double ProblemCycle::cycles_until(double t, double n, In) const {
  return std::max(0.0, std::floor((t - start_.t) / period_ - n + whole_cycle_slack));
}

bool ProblemCycle::integrate(double cycle, In z, double until, Out end) const {
  motion_->start(time(cycle, z), z, until);
  if (follows_) {
    trace_.begin(z.size());
    trace_.point(motion_->t(), z);
  }
  for (std::int64_t steps = 0; motion_->t() < until; ++steps) {
    if (steps >= most_steps_ || !motion_->step(until)) return false;
    if (follows_) follow_step();
  }
  end = motion_->y();
  return true;
}

void ProblemCycle::follow_step() const {
  const double begin = motion_->t_before(), h = motion_->t() - begin;
  trace_.integrate(lobatto_weights[0] * h, motion_->y_before());
  for (std::size_t i = 1; i + 1 < lobatto_nodes.size(); ++i) {
    motion_->inside(begin + lobatto_nodes[i] * h, inside_);
    trace_.integrate(lobatto_weights[i] * h, inside_);
    trace_.point(begin + lobatto_nodes[i] * h, inside_);
  }
  trace_.integrate(lobatto_weights.back() * h, motion_->y());
  trace_.point(motion_->t(), motion_->y());
}

// Between two whole cycles what changes slowly with the time is between what it is in these two; the phase never is.
bool ProblemCycle::change(double n, In z, Out change) const {
  const double cycle = std::floor(n + whole_cycle_slack), share = n - cycle;
  if (!integrate(cycle, z, time(cycle + 1, z), change)) return false;
  if (!periodic_ && share > whole_cycle_slack) {
    if (!integrate(cycle + 1, z, time(cycle + 2, z), later_)) return false;
    change += share * (later_ - change);
  }
  change -= z;
  return true;
}

bool ProblemCycle::part(double n, In z, double t, Out end) const {
  return integrate(std::floor(n + whole_cycle_slack), z, t, end);
}
}  // namespace trill
