// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/rates_as_charges.hpp"

#include "problem/reactive.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
void refuse_more_than_rates(const Problem& problem, std::string_view asker) {
  const auto refuse = [&](std::string_view why, std::string_view instead = "--want full computes its motion") {
    throw UsageError(
        fmt::format("{} cannot be computed for '{}', because {}; {}", asker, problem.name(), why, instead));
  };
  if (dynamic_cast<const LangevinProblem*>(&problem))
    refuse("its forces are random, so that its motion never repeats", "--want statistics computes its averages");
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (mechanical && mechanical->constraints()) refuse("it has constraints");
  if (dynamic_cast<const ReactiveProblem*>(&problem)) refuse("it has constraints with friction");
  for (const EventInfo& event : problem.events())
    if (!event.restarts) refuse(fmt::format("the event '{}' may change its state", event.name));
}

std::unique_ptr<FirstOrderForm> form_of(const Problem& problem, std::string_view asker) {
  auto form = std::make_unique<FirstOrderForm>(problem, asker);
  form->start(problem.initial_state());
  return form;
}

MatrixSlot with_diagonal(const MatrixSlot& pattern) {
  if (!pattern.is_sparse()) return pattern;
  SpMat diagonal(pattern.rows(), pattern.cols());
  diagonal.setIdentity();
  return union_pattern(pattern, MatrixSlot::sparse(std::move(diagonal)));
}
}  // namespace

RatesAsCharges::RatesAsCharges(const Problem& problem, std::string_view asker)
    : problem_((refuse_more_than_rates(problem, asker), problem.clone())),
      asker_(asker),
      form_(form_of(*problem_, asker)),
      session_(std::in_place, *problem_, Formulas::held),
      pattern_(with_diagonal(form_->jacobian_pattern())),
      own_jacobian_(form_->jacobian_pattern()),
      differences_(own_jacobian_) {
  session_->enter(problem_->initial_state());
}

State RatesAsCharges::initial_state() const {
  const State own = problem_->initial_state();
  State s(layout(), own.t);
  s.y = own.y.head(form_->size());
  s.mode = own.mode;
  return s;
}

State RatesAsCharges::own_state(const State& s) const {
  State own = problem_->initial_state();
  own.t = s.t;
  own.y.head(form_->size()) = s.y;
  own.mode = s.mode;
  return own;
}

// The end of a run and the start of the next one.
void RatesAsCharges::leave() const noexcept { session_.emplace(*problem_, Formulas::held); }

void RatesAsCharges::current(double t, In x, Out i) const {
  if (form_->rhs(t, x, i))
    i = -i;
  else
    i.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void RatesAsCharges::jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const {
  dcharge.set_zero();
  for (Index k = 0; k < form_->size(); ++k) dcharge.add(k, k, 1);
  if (!form_->jacobian(t, x, own_jacobian_))
    differences_.evaluate([&](In y, Out f) { form_->rhs(t, y, f); }, x, own_jacobian_);
  dcurrent.set_zero();
  dcurrent.scale_add(-1, own_jacobian_);
}

bool RatesAsCharges::depends_on_time() const {
  const State s = initial_state();
  Vec here(form_->size()), there(form_->size());
  current(s.t, s.y, here);
  for (const double later : {0.137, 0.711, 3.93, 27.1}) {
    current(s.t + later, s.y, there);
    if (there != here) return true;
  }
  return false;
}
}  // namespace trill
