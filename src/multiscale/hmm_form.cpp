// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/hmm_form.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double hmm_fixed_step_tolerance = 1e-6;
constexpr int direct_steps_each_period = 20;
}  // namespace

HmmForm::HmmForm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model, Index actions)
    : AveragedMotion("hmm", given, hmm_fixed_step_tolerance),
      model_(std::move(model)),
      averaged_(model_->stiff(), actions),
      start_(averaged_) {
  averaged_.start(given.initial_state().q());
}

void HmmForm::take(const State& given, State& in, Notes& notes) {
  const bool unchanged = running() && given.q() == last().q() && given.v() == last().v();
  if (running() && averaged_.lifted() && !unchanged)
    refuse(
        "an event changed the motion while it oscillates; its effect depends on the phase of the oscillation, which "
        "this method does not follow; use a method that follows the oscillation");
  if (!running()) model_->begin(given, tolerance(), span());
  if (unchanged)
    in.y = last().y;
  else
    choose_windows(given, in, notes);
  averaged_.forget();
  if (!running()) warn_of_jumps(in.t, notes);
}

void HmmForm::complete(const State&, State& out) const { model_->find_multipliers(out); }

void HmmForm::warn_of_jumps(double t, Notes& notes) const {
  if (!jumps().empty())
    notes.raise(t, "jumps",
                "Forces jump at known times during the run. Within half a window's length of a jump, averages are "
                "taken over both sides of it.",
                Severity::doubt, averaged_.windows().length(), 0);
}

double HmmForm::model_error() const { return bias() + left_out() + model_->model_error() + doubt(); }

// The error that remains in the slow acceleration: h^2/12 from Verlet's method, and m2 h^2/2 from a window with the
// second moment m2; and how it grows along a motion of that rate.
double HmmForm::bias() const {
  const WindowPlan& window = averaged_.windows();
  const double rate = slow_rate();
  const double turns = rate * (last().t - scope().t_begin), step = rate * window.h;
  return step * step * (1.0 / 12 + std::abs(window.weights.second_moment()) / 2) * (1 + turns * turns / 4);
}

std::string HmmForm::summary() const {
  const WindowPlan& window = averaged_.windows();
  const double periods = std::abs(last().t - scope().t_begin) * fastest_frequency() / (2 * std::numbers::pi);
  const double direct = periods * direct_steps_each_period;
  const std::int64_t forces = spent().forces;
  return fmt::format(
      "fast frequencies {}, micro-steps of {:.3g}, {} forces in a window of {:.3g}; {} force evaluations (following "
      "the oscillation with {} steps per period would take {:.2g}{})",
      frequencies_text(), window.h, 2 * window.weights.reach() + 1, window.length(), forces, direct_steps_each_period,
      direct, static_cast<double>(forces) > direct ? ", which is less: verlet or dop853 would be faster" : "");
}

void HmmForm::account(Counters& work) const {
  const Spent all = spent();
  work.forces.fill(0);
  work.micro_steps = all.forces;
  Groups groups = averaged_.micro().groups();
  for (int i = 0; groups != 0; ++i, groups >>= 1)
    if (groups & 1u) work.forces[static_cast<std::size_t>(i)] = all.forces;
  work.jacobians += all.jacobians;
  work.linear_iterations += all.products;
}

HmmForm::Spent HmmForm::spent() const {
  return {averaged_.micro().forces() + before_.forces, averaged_.spectrum().jacobians() + before_.jacobians,
          averaged_.spectrum().products() + before_.products};
}

void HmmForm::memory(Archive& archive) {
  Spent all = spent();
  archive(all.forces, all.jacobians, all.products);
  if (!archive.reading()) return;
  before_ = {};
  const Spent here = spent();
  before_ = {all.forces - here.forces, all.jacobians - here.jacobians, all.products - here.products};
}
}  // namespace trill
