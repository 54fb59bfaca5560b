// SPDX-License-Identifier: BSD-3-Clause
#include "driver/consistency.hpp"

#include "formulation/constraint_check.hpp"
#include "problem/consistent_charges.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/problem/langevin.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
// Distances relative to the size of coordinates or velocities. A start that is off by no more than the rounding of a
// few operations is taken as it is; one that is off by the rounded digits of a table is moved; others are refused.
constexpr double exact = 1e-12, unnoticed = 1e-8, movable = 1e-2;
// Methods that let constraints drift are not stopped by that, but no motion can begin further off than this.
constexpr double consistent = 1e-6;
constexpr double continuous = 1e-9;  // a smaller change at a switch is rounding
constexpr double much_drift = 1e-3;  // relative, at the end of a run

const MechanicalProblem* constrained(const Problem& problem) {
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics && mechanics->constraints() ? mechanics : nullptr;
}

void refuse(const std::string& sentence) {
  if (!sentence.empty()) throw UsageError(sentence);
}

std::string moved_text(const Problem& problem, const ConstraintCheck::Moved& moved, const std::string& constraint) {
  const auto components = problem.components();
  const auto part = [&](Index i) { return components[static_cast<std::size_t>(i)].name; };
  return fmt::format(
      "The start did not satisfy the constraints and was moved: positions by up to {:.3g} ({}), velocities by up to "
      "{:.3g} ({}). The most violated constraint was {}.",
      moved.position_by, part(moved.coordinate), moved.velocity_by, part(problem.layout().nq + moved.velocity),
      constraint);
}

std::vector<Notice> settle_constraints(const Problem& problem, State& s) {
  const MechanicalProblem* mechanics = constrained(problem);
  if (!mechanics) return {};
  const ConstraintMap& map = *mechanics->constraints();
  ConstraintCheck check(*mechanics);
  refuse(check.dependence(s.t, s.q()));
  const auto off = check.of_position(s.t, s.q());
  if (!(off.relative <= movable)) {
    refuse(check.contradiction(s.t, s.q()));
    throw UsageError(fmt::format("the start of '{}' violates its constraints: the value of {} is {:.3g} instead of 0",
                                 problem.name(), map.name(off.row), off.value));
  }
  refuse(check.missing_inertia(s.t, s.q()));
  const auto leaving = check.of_velocity(s.t, s.q(), s.v());
  if (!(leaving.relative <= movable))
    throw UsageError(fmt::format(
        "the velocities at the start of '{}' violate its constraints: the rate of change of {} is {:.3g} instead of 0",
        problem.name(), map.name(leaving.row), leaving.value));
  if (off.relative <= exact && leaving.relative <= exact) return {};
  const auto moved = check.project(s);
  if (!moved) {
    refuse(check.contradiction(s.t, s.q()));
    throw UsageError(fmt::format(
        "the start of '{}' does not satisfy {}, whose value is {:.3g} instead of 0, and could not be corrected",
        problem.name(), map.name(off.row), off.value));
  }
  refuse(check.dependence(s.t, s.q()));
  if (off.relative <= unnoticed && leaving.relative <= unnoticed) return {};
  const bool by_position = off.relative >= leaving.relative;
  const auto& worst = by_position ? off : leaving;
  return {{.t = s.t,
           .code = "start_projected",
           .text = moved_text(problem, *moved, map.name(worst.row)),
           .severity = Severity::warning,
           .value = worst.relative,
           .threshold = movable}};
}
}  // namespace

std::string leaves_constraints(const Problem& problem, const State& state) {
  const MechanicalProblem* mechanics = constrained(problem);
  if (!mechanics) return "";
  ConstraintCheck check(*mechanics);
  const auto name = [&](Index row) { return mechanics->constraints()->name(row); };
  const auto off = check.of_position(state.t, state.q());
  if (!(off.relative <= consistent))
    return fmt::format("the positions violate the constraints: the value of {} is {:.3g} instead of 0", name(off.row),
                       off.value);
  const auto leaving = check.of_velocity(state.t, state.q(), state.v());
  if (!(leaving.relative <= consistent))
    return fmt::format("the velocities violate the constraints: the rate of change of {} is {:.3g} instead of 0",
                       name(leaving.row), leaving.value);
  return "";
}

ConstraintSwitch::ConstraintSwitch(const Problem& problem, const State& before)
    : problem_(problem), mechanics_(constrained(problem)) {
  if (!mechanics_) return;
  ConstraintCheck check(*mechanics_);
  before_ = check.values(before);
  multipliers_ = check.multipliers(before);
}

std::string ConstraintSwitch::follow(State& after, Notes& notes) const {
  if (!mechanics_) return "";
  const auto name = [&](Index row) { return mechanics_->constraints()->name(row); };
  ConstraintCheck check(*mechanics_);
  const auto [position, velocity] = check.change(after, before_);
  if (!(position.relative <= continuous))
    return fmt::format(
        "{} jumps by {:.3g} where a formula switches, and no motion can follow that; if its formula is continuous "
        "there, a step has passed over another switch, and a smaller --h-max helps",
        name(position.row), position.value);
  if (velocity.relative > continuous) {
    const auto moved = check.project_velocity(after);
    const std::string jump = fmt::format("rate of change of {} jumps by {:.3g} where a formula switches",
                                         name(velocity.row), velocity.value);
    if (!moved) return "the " + jump + ", and no velocities satisfy it";
    const auto component = static_cast<std::size_t>(problem_.layout().nq + moved->velocity);
    const auto text = [&] {
      return fmt::format("The {}. An impulse of the constraints has changed velocities by up to {:.3g} ({}).", jump,
                         moved->velocity_by, problem_.components()[component].name);
    };
    notes.raise_with(after.t, "impulse", text, Severity::warning, velocity.relative, continuous);
  }
  const std::optional<Vec> multipliers = check.multipliers(after);
  if (multipliers && multipliers_ && max_abs(*multipliers - *multipliers_) > continuous * (1 + max_abs(*multipliers)))
    after.lambda() = *multipliers;
  return "";
}

std::string settle_charges(const Problem& problem, State& s) {
  const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem);
  if (!circuit) return "";
  ConsistentCharges charges(*circuit, s.t, s.y);
  const auto status = charges.settle(s.t, s.y);
  return status == ConsistentCharges::Status::ok ? "" : describe_failure(*circuit, charges, status, s.t, s.y);
}

std::string fastest_unknown(const Problem& problem, const State& state) {
  const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem);
  if (!circuit || !state.y.allFinite()) return "";
  constexpr double moment = 1e-12;
  Vec slope = Vec::Zero(state.y.size());
  if (!ConsistentCharges(*circuit, state.t, state.y)
           .slope(state.t, moment * std::max(std::abs(state.t), moment), state.y, slope))
    return "";
  Index worst = 0;
  (slope.cwiseAbs().array() / (state.y.cwiseAbs().array() + state.y.cwiseAbs().maxCoeff())).maxCoeff(&worst);
  const Quantity unknown = problem.components()[static_cast<std::size_t>(worst)];
  return fmt::format(
      "'{}' changes fastest there, by {:.3g} {}/s; look for feedback without capacitances and for values that jump "
      "beside it, or use a larger rtol",
      unknown.name, slope[worst], unknown.unit);
}

std::vector<Notice> drift_of(const Problem& problem, const State& state) {
  const MechanicalProblem* mechanics = constrained(problem);
  if (!mechanics || !state.y.allFinite()) return {};
  const auto off = ConstraintCheck(*mechanics).of_position(state.t, state.q());
  if (off.relative <= much_drift) return {};
  return {{.t = state.t,
           .code = "off_constraints",
           .text = fmt::format("The motion violates its constraints: the value of {} is {:.3g} at the end instead of "
                               "0. Use generalized_alpha or rattle, which satisfy them in every step.",
                               mechanics->constraints()->name(off.row), off.value),
           .severity = Severity::doubt,
           .value = off.relative,
           .threshold = much_drift}};
}

std::string singular_position(const Problem& problem, const State& state, const State& start) {
  const MechanicalProblem* mechanics = constrained(problem);
  if (!mechanics || !state.y.allFinite()) return "";
  return ConstraintCheck(*mechanics).near_dependence(state, start);
}

std::vector<Notice> settle_start(const Problem& problem, State& s, double t_end) {
  const Layout want = problem.layout();
  if (s.layout != want || s.y.size() != want.size())
    throw UsageError(
        fmt::format("'{}' has {} unknowns, but the given start has {}", problem.name(), want.size(), s.y.size()));
  if (s.y.size() == 0)
    throw UsageError(fmt::format("'{}' has no unknowns, so there is nothing to compute", problem.name()));
  if (!std::isfinite(s.t) || !std::isfinite(t_end)) throw UsageError("the start time and the end time must be finite");
  for (Index i = 0; i < s.y.size(); ++i)
    if (!std::isfinite(s.y[i]))
      throw UsageError(fmt::format("the start of '{}' is not finite: {} = {}", problem.name(),
                                   problem.components()[static_cast<std::size_t>(i)].name, s.y[i]));
  refuse(settle_charges(problem, s));
  return settle_constraints(problem, s);
}

void check_output(const Output& output, double t0, double direction) {
  const auto* times = std::get_if<Times>(&output);
  if (!times) return;
  double last = t0;
  for (const double t : times->t) {
    const bool is_start = t == t0 && t == times->t.front();
    if (!is_start && !(direction * (t - last) > 0))
      throw UsageError(fmt::format("output times must be in the order of the run, but {} comes after {}", t, last));
    last = t;
  }
}
}  // namespace trill
