// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/sam_system.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace trill {
SamSystem::SamSystem(const MechanicalProblem& problem, double period)
    : problem_(problem), n_(problem.layout().nq), given_period_(period) {
  const State s = problem.initial_state();
  start(s.t, s.t, s.q());
}

void SamSystem::start(double t_begin, double t_end, In q) {
  fast_ = std::make_unique<LinearOscillation>(problem_, "sam", t_begin, t_end, q);
  period_ = given_period_ > 0 ? given_period_ : fast_->common_period("sam");
  if (const double off = fast_->mismatch(period_); off > LinearOscillation::most_mismatch)
    throw UsageError(
        fmt::format("sam: in the given period {:.6g} the fast motion does not make a whole number of turns: it is off "
                    "by {:.3g} rad, more than {:.3g}; its largest frequency {:.6g} has the period {:.6g}",
                    period_, off, LinearOscillation::most_mismatch, fast_->largest_frequency(),
                    2 * std::numbers::pi / fast_->largest_frequency()));
  flow_ = std::make_unique<SplitFlow>(problem_, *fast_, q);
  last_f_ = shifted_ = slope_ = once_ = twice_ = coarse_once_ = coarse_twice_ = Vec::Zero(2 * n_);
  set_steps(steps_, micro_order_);
  largest_ = 0;
}

void SamSystem::set_steps(int steps, int micro_order) {
  steps_ = steps;
  micro_order_ = micro_order;
  last_y_ = Vec::Constant(2 * n_, std::numeric_limits<double>::quiet_NaN());
}

void SamSystem::set_order(int order) {
  order_ = order;
  last_y_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

std::vector<Quantity> SamSystem::components() const {
  auto all = problem_.components();
  all.resize(static_cast<std::size_t>(2 * n_));
  return all;
}

State SamSystem::initial_state() const {
  const State given = problem_.initial_state();
  State s(layout(), given.t);
  s.y = given.y.head(2 * n_);
  return s;
}

std::unique_ptr<Problem> SamSystem::clone() const {
  std::shared_ptr<const Problem> copy = problem_.clone();
  auto made = std::make_unique<SamSystem>(copy->as<MechanicalProblem>("sam"), given_period_);
  made->owned_ = std::move(copy);
  made->set_steps(steps_, micro_order_);
  made->set_order(order_);
  return made;
}

void SamSystem::split_differences(double t, In y, int steps, bool twice) const {
  const double h = period_ / steps;
  fast_->find_turn(h, on_);
  fast_->find_turn(-h, back_);
  flow_->set_off(t, y);
  flow_->run(h, on_, steps);
  once_ = flow_->y();
  change_ = distance(once_, y);
  if (twice) flow_->run(h, on_, steps);
  twice_ = flow_->y();
  flow_->return_to_start();
  flow_->run(-h, back_, steps);
  once_ = (once_ - flow_->y()) / (2 * period_);
  if (twice) flow_->run(-h, back_, steps);
  twice_ = (twice_ - flow_->y()) / (4 * period_);
}

void SamSystem::differences(double t, In y, int steps, bool twice) const {
  split_differences(t, y, steps, twice);
  if (micro_order_ == 2) return;
  coarse_once_ = once_;
  coarse_twice_ = twice_;
  split_differences(t, y, 2 * steps, twice);
  once_ += (once_ - coarse_once_) / 3;
  twice_ += (twice_ - coarse_twice_) / 3;
}

void SamSystem::average(double t, In y, Out dy) const {
  differences(t, y, steps_, order_ == 4);
  if (order_ == 2)
    dy = once_;
  else
    dy = (4 * once_ - twice_) / 3;
}

// The last result is kept, because output between whole periods evaluates the start of a step again.
void SamSystem::rhs(double t, In y, Out dy) const {
  if (t != last_t_ || y != last_y_) {
    average(t, y, last_f_);
    last_t_ = t;
    last_y_ = y;
  }
  dy = last_f_;
}

void SamSystem::follow(double t, In y, double since, Out motion) const {
  motion = y;
  if (since == 0) return;
  rhs(t, y, slope_);
  shifted_ = y - 0.5 * since * slope_;
  if (order_ == 4) average(t - 0.5 * since, shifted_, slope_);
  shifted_ = y - since * slope_;
  const int whole = micro_order_ == 2 ? steps_ : 4 * steps_;  // not extrapolated, so more steps are needed
  const int steps = static_cast<int>(std::ceil(std::abs(since) / period_ * whole));
  fast_->find_turn(since / steps, part_);
  flow_->set_off(t - since, shifted_);
  flow_->run(since / steps, part_, steps);
  motion = flow_->y();
}

void SamSystem::memory(Archive& archive) {
  archive(steps_, micro_order_, order_, largest_, last_t_, last_y_, last_f_, flow_->forces, flow_->micro_steps);
}

double SamSystem::distance(In a, In b) const {
  return std::hypot(fast_->largest_frequency() * (a.head(n_) - b.head(n_)).norm(), (a.tail(n_) - b.tail(n_)).norm());
}

SamSystem::Errors SamSystem::errors(double t, In y) const {
  differences(t, y, steps_, true);
  const Vec second = once_, fourth = (4 * once_ - twice_) / 3;
  differences(t, y, 2 * steps_, false);
  Vec resting = Vec::Zero(2 * n_);
  resting.head(n_) = fast_->rest();
  largest_ = std::max(largest_, distance(y, resting));
  const double size = std::max(largest_, std::numeric_limits<double>::min());
  Errors found;
  found.change = change_ / size;
  found.order_2 = distance(fourth, second) / size;
  // In the series in the change per period, each term is smaller than the previous one by the square of that change.
  found.order_4 = found.order_2 * found.change * found.change;
  found.micro = (micro_order_ == 2 ? 4.0 / 3 : 16.0 / 15) * distance(once_, second) / size;
  return found;
}
}  // namespace trill
