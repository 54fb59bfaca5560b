// SPDX-License-Identifier: BSD-3-Clause
#include "method/prospects.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
double seconds_of_step(const Prospect& p, const ProblemFacts& facts) {
  return p.forces * facts.force_seconds + p.factorisations * facts.factor_seconds + p.overhead;
}

namespace {
constexpr double safety = 0.4;  // of the accuracy: what the prediction aims at
constexpr double tightest = 1e-13, finest_of_implicit = 1e-4;
constexpr double too_many_steps = 1e9;
constexpr double many_more = 5;  // explicit steps than implicit ones
constexpr double loosest_explicit = 3e-3;
constexpr double reference_rtol = 1e-6;  // at which explicit methods are compared
constexpr double order_of_dop853 = 8;
constexpr double phase_constant_of_composition8 = 1.3e-6;
constexpr double usual = 2, far_longer = 2;  // time of a pilot's step over that of one in a long run
constexpr double most_trusted = 30;          // factor by which a tolerance may differ from that of the pilot upwards

// Errors are proportional to the tolerance.
double rtol_for(const Pilot& pilot, double error_ratio, const Question& question, double loosest) {
  if (question.rtol) return *question.rtol;
  const double aim = safety * question.accuracy;
  const double wanted = pilot.error > 0 ? pilot.rtol * aim / (pilot.error * error_ratio) : aim * 0.1;
  return std::clamp(wanted, tightest, std::min(loosest, most_trusted * pilot.rtol));
}

Prospect objection(std::string text) {
  Prospect none;
  none.objection = std::move(text);
  return none;
}

std::string without_pilot(const Pilot& pilot, const char* method) {
  if (!pilot.not_tried.empty()) return pilot.not_tried;
  return pilot.failure.empty() ? fmt::format("it is not known how well {} solves it", method)
                               : fmt::format("a pilot run with {} failed {}", method, pilot.failure);
}

double at_least(double steps, const ProblemFacts& facts) {
  return std::max({1.0, steps, facts.longest_step > 0 ? facts.span / facts.longest_step : 0});
}

template <class Behaviour>
void count_work(const Behaviour& method, const ProblemFacts& facts, Prospect& out) {
  out.forces = method.forces;
  out.overhead = method.overhead + method.overhead_of_unknown * static_cast<double>(facts.unknowns);
  if constexpr (requires { method.factorisations; })
    out.factorisations = method.factorisations;
  else if (facts.constraints > 0)
    out.factorisations = method.forces;  // accelerations solve for multipliers
}

// Counts of forces and factorisations do not tell what a step of a large constrained system takes. Where the pilot took
// far longer than they say, so will all methods of its kind.
template <class Behaviour>
void add_work(const Behaviour& method, const Pilot& pilot, const ProblemFacts& facts, Prospect& out) {
  Prospect of_pilot;
  count_work(Behaviour{}, facts, of_pilot);
  count_work(method, facts, out);
  const double factor = pilot.seconds / seconds_of_step(of_pilot, facts);
  if (factor > far_longer * usual) out.overhead += (factor / usual - 1) * seconds_of_step(out, facts);
}
}  // namespace

Prospect explicit_prospect(const ProblemFacts& facts, const Question& question, const ExplicitBehaviour& method) {
  const Pilot& pilot = facts.explicit8;
  if (!pilot.ran) return objection(without_pilot(pilot, "dop853"));
  Prospect out;
  out.rtol = rtol_for(pilot, method.error, question, loosest_explicit);
  const double of_dop853 = pilot.steps * std::pow(pilot.rtol / reference_rtol, 1 / order_of_dop853);
  out.steps = method.steps * of_dop853 * std::pow(reference_rtol / *out.rtol, 1 / method.order);
  // Where stability limits the steps, a looser tolerance does not help.
  const double stable = facts.scales.largest * facts.span / (method.forces / 2);
  out.steps = at_least(std::max(out.steps, stable), facts);
  if (out.steps > too_many_steps) return objection(fmt::format("it would take about {:.1g} steps", out.steps));
  add_work(method, pilot, facts, out);
  out.error = pilot.error * method.error * *out.rtol / pilot.rtol;
  out.why = "steps are limited by accuracy and not by stability, and this method takes the least work";
  return out;
}

Prospect equal_steps_prospect(const ProblemFacts& facts, const Question& question, const OscillatorBehaviour& method) {
  const Pilot& pilot = facts.symplectic8;
  if (!pilot.ran) return objection(without_pilot(pilot, "equal steps"));
  if (question.rtol) return objection("it has no error control, and a tolerance was given");
  if (!(pilot.error > 0)) return objection("the error of equal steps is not known");
  // The pilot's error belongs to some frequency, at which all these methods are compared. The angle that the run
  // turns through is at least one.
  const double turns = std::max(1.0, facts.scales.largest * facts.span);
  const double angle = std::pow(pilot.error / (phase_constant_of_composition8 * turns), 1.0 / 8);
  const double aim = safety * question.accuracy;
  const double wanted = std::pow(aim / (method.error_constant * turns), 1 / method.order);
  double h = pilot.h * std::min(wanted, 1.5) / angle;
  h = std::min(h, 4 * pilot.h);
  if (facts.scales.largest > 0) h = std::min(h, method.most_angle / facts.scales.largest);
  Prospect out;
  out.steps = at_least(std::ceil(facts.span / h), facts);
  out.h = facts.span / out.steps;
  add_work(method, pilot, facts, out);
  out.error = method.error_constant * turns * std::pow(angle * *out.h / pilot.h, method.order);
  out.why = facts.has_potential
                ? "the motion conserves energy, and equal symplectic steps follow it with the least work"
                : "nothing damps the motion, and equal steps follow it with the least work";
  return out;
}

Prospect implicit_prospect(const ProblemFacts& facts, const Question& question, const ImplicitBehaviour& method) {
  const Pilot& pilot = facts.implicit;
  if (facts.gaps > 0 && question.wanted != Delivers::full && !method.skips_gaps)
    return objection("it would follow the fast motion with small steps");
  if (!pilot.ran) return objection(without_pilot(pilot, "radau"));
  Prospect out;
  out.rtol = rtol_for(pilot, method.error, question, method.loosest);
  // Where a motion jumps, errors look larger than they are.
  if (!question.rtol && facts.growth == 0) out.rtol = std::max(*out.rtol, finest_of_implicit * question.accuracy);
  out.steps = at_least(method.steps * pilot.steps * std::pow(pilot.rtol / *out.rtol, 1 / method.order), facts);
  add_work(method, pilot, facts, out);
  out.error = pilot.error * method.error * *out.rtol / pilot.rtol;
  const Pilot& tried = facts.explicit8;
  const bool stiff = !tried.ran || tried.steps > many_more * pilot.steps;
  out.why = stiff ? "the problem is stiff: explicit steps would be limited by stability"
                  : "implicit steps of high order take the least work for this accuracy";
  return out;
}

Prospect only_by_name(std::string reason) { return objection(std::move(reason)); }
}  // namespace trill
