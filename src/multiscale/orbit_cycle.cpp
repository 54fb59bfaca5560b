// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/orbit_cycle.hpp"

#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* orbit_asker = "the envelope of an orbit";
constexpr const char* mu_name = "mu";
constexpr double full_turn = 2 * std::numbers::pi;
constexpr double most_perturbed = 0.1;  // of the attraction
constexpr double least_rtol = 2e-14;
constexpr double most_correction = 0.1;  // of a revolution, from where the section was expected
constexpr double taylor_angle = 1e-8;    // the rest of the way to the section needs no step of the method
constexpr double period_reserve = 1e-3;  // by which the time of a revolution may grow before it is computed again
constexpr int most_corrections = 12;
constexpr std::int64_t most_inner_steps = 100000;
constexpr double most_error_of_old_steps = 3;  // in tolerances, in steps that an earlier revolution has chosen
constexpr double unlimited = std::numeric_limits<double>::infinity();

void add(const Counters& more, Counters& work) {
  for (std::size_t k = 0; k < work.forces.size(); ++k) work.forces[k] += more.forces[k];
  work.steps += more.steps;
  work.rejected += more.rejected;
}

double parameter_mu(const Problem& problem) {
  for (const Parameter& parameter : problem.parameters())
    if (parameter.name == mu_name) return parameter.value;
  return 0;
}

Vec3 attraction(const MechanicalProblem& problem, double t, const Vec& q) {
  Vec force(3);
  problem.force(all_groups, t, q, Vec::Zero(3), force);
  return force;
}

double mu_of(const Problem& problem, const State& start) {
  const double given = parameter_mu(problem);
  const auto& mechanics = dynamic_cast<const MechanicalProblem&>(problem);
  return given > 0 ? given : attraction(mechanics, start.t, start.q()).norm() * start.q().squaredNorm();
}

// Steps of dop853 on a circular orbit have this size. A first step that is much smaller than the others would be part
// of every revolution.
double typical_step(double rtol, double dynamic_time) { return 3.3 * std::pow(rtol, 1.0 / 8) * dynamic_time; }

const Problem& checked_orbit(const Problem& problem, const State& start) {
  if (const std::string why = why_no_orbit(problem, start); !why.empty())
    throw UsageError(
        fmt::format("'{}' is no orbit that can be followed revolution by revolution: {}", problem.name(), why));
  for (const EventInfo& event : problem.events())
    if (!event.stops && !event.restarts)
      throw UsageError(
          fmt::format("the event '{}' of '{}' may change the state within a revolution, which an envelope "
                      "cannot follow; use a method such as dop853",
                      event.name, problem.name()));
  return problem;
}

// One tolerance for a whole vector, so that no component is followed more closely where it passes zero. Distance and
// speed are smallest at different ends of the orbit.
AdaptiveStep control_of(double rtol, double mu, const OrbitPoint& start) {
  const double r = start.q.norm(), momentum = start.q.cross(start.v).norm();
  const double inverse_a = 2 / r - start.v.squaredNorm() / mu;
  const double e = std::sqrt(std::max(0.0, 1 - momentum * momentum * inverse_a / mu));
  Vec atol(6);
  atol.head<3>().setConstant(rtol * (1 - e) / inverse_a);
  atol.tail<3>().setConstant(rtol * std::sqrt(mu * inverse_a * (1 - e) / (1 + e)));
  return {.rtol = rtol, .atol = atol};
}
}  // namespace

std::string why_no_orbit(const Problem& problem, const State& start) {
  const auto* mechanics = dynamic_cast<const MechanicalProblem*>(&problem);
  const Layout layout = problem.layout();
  if (!mechanics || layout != Layout{.nq = 3, .nv = 3} || mechanics->constraints())
    return "an orbit is the motion of one free body with three coordinates";
  if (mechanics->mass_kind() != MassKind::identity) return "the body must have the mass 1";
  const Vec q = start.q();
  const Vec3 near = attraction(*mechanics, start.t, q), far = attraction(*mechanics, start.t, 2 * q);
  const bool central = near.norm() > 0 && (near.normalized() + q.normalized()).norm() < most_perturbed;
  if (!central) return "the force at the start does not point to the origin";
  if (!(std::abs(4 * far.norm() / near.norm() - 1) < most_perturbed))
    return "the force at the start does not fall with the square of the distance";
  return "";
}

OrbitCycle::OrbitCycle(const Problem& problem, const State& start, const Options& options)
    : start_(start),
      options_(options),
      problem_(checked_orbit(problem, start).clone()),
      session_(*problem_, Formulas::of_each_state),
      mechanics_(problem_->as<MechanicalProblem>(orbit_asker)),
      acceleration_(mechanics_),
      stepper_(Catalogue::all().method("dop853").make(*problem_, {})),
      section_(point_of(start), mu_of(problem, start), options.place),
      control_(control_of(std::max(options.rtol, least_rtol), mu_of(problem, start), point_of(start))),
      state_(start),
      before_(start) {
  const std::vector<EventInfo> events = problem_->events();
  for (std::size_t k = 0; k < events.size(); ++k)
    if (events[k].stops) stops_.emplace_back(static_cast<int>(k), events[k]);
  session_.enter(start_);
  acceleration_.start(start_.q());
  stepper_->start(state_, {.rtol = control_.rtol, .atol = control_.atol, .controlled = true});
}

std::vector<Quantity> OrbitCycle::components() const {
  return section_.components(problem_->components().front().unit, problem_->time_unit());
}

State OrbitCycle::initial_state() const {
  State z(layout());
  if (!to_section(start_, z.y)) throw UsageError(trouble_);
  z.t = time(0, z.y);
  return z;
}

std::unique_ptr<Problem> OrbitCycle::clone() const {
  auto copy = std::make_unique<OrbitCycle>(*problem_, start_, options_);
  copy->turn_ = turn_;
  copy->turn_known_ = turn_known_;
  copy->grid_ = grid_;
  return copy;
}

bool OrbitCycle::fail(std::string why) const {
  trouble_ = std::move(why);
  return false;
}

OrbitPoint OrbitCycle::point_of(const State& s) const { return {s.q(), s.v(), s.t}; }

bool OrbitCycle::fail_to_integrate(double begin) const {
  return fail(
      fmt::format("the revolution that begins at t = {:.10g} could not be integrated beyond t = {:.10g}; does the "
                  "orbit come close to the centre?",
                  begin, before_.t));
}

// times: where its steps end, if somebody wants to know.
bool OrbitCycle::integrate(State& s, double t_end, std::vector<double>* times) const {
  AdaptiveStep control = control_;
  control.h0 = typical_step(control.rtol, section_.dynamic_time(s.q()));
  Advancer advancer(*stepper_, control);
  advancer.start(s, t_end);
  const double begin = s.t;
  bool ok = true;
  while (ok && s.t != t_end) {
    before_.t = s.t;
    before_.y = s.y;
    const AdvanceStatus status = advancer.one(s, t_end).status;
    if (status != AdvanceStatus::ok || !all_finite(s.y) || advancer.counters().steps > most_inner_steps)
      ok = fail_to_integrate(begin);
    else
      ok = passes_stops(before_, s);
    if (times) times->push_back(s.t);
  }
  add(advancer.counters(), work_);
  return ok;
}

// A whole revolution, in the steps of an earlier one as long as they are small enough. Steps that follow the error
// estimate anew each time would make revolutions differ in a way that is not smooth, which an envelope over many of
// them would multiply.
bool OrbitCycle::integrate_revolution(State& s, double span) const {
  const double begin = s.t;
  const Vec start = s.y;
  bool small_enough = !grid_.empty();
  const ErrorScale scale{.rtol = control_.rtol, .atol = control_.atol, .controlled = true};
  for (std::size_t k = 1; small_enough && k < grid_.size(); ++k) {
    before_.t = s.t;
    before_.y = s.y;
    const StepResult step = stepper_->step(
        s, {(grid_[k] - grid_[k - 1]) * span, scale, weights_, unlimited, k == 1, false, notes_, work_, {}});
    s.t = begin + grid_[k] * span;
    small_enough = step.status == StepStatus::ok && step.error <= most_error_of_old_steps && all_finite(s.y);
    if (small_enough && !passes_stops(before_, s)) return false;
  }
  if (small_enough) return true;
  s.t = begin;
  s.y = start;
  grid_ = {begin};
  const bool ok = integrate(s, begin + span, &grid_);
  for (double& t : grid_) t = (t - begin) / span;
  if (!ok) grid_.clear();
  return ok;
}

// Events that end the run, such as a fall to the ground, may happen within a revolution.
bool OrbitCycle::passes_stops(const State& before, State& s) const {
  for (const auto& [index, event] : stops_) {
    const double from = problem_->event_value(index, before), to = problem_->event_value(index, s);
    const bool falls = from > 0 && to <= 0, rises = from < 0 && to >= 0;
    if (!((falls && event.direction <= 0) || (rises && event.direction >= 0))) continue;
    State inside = s;
    double early = 0, late = 1;
    while (late - early > 1e-9) {
      const double middle = (early + late) / 2;
      stepper_->interpolate(middle, inside.y);
      inside.t = before.t + middle * (s.t - before.t);
      ((problem_->event_value(index, inside) > 0) == (from > 0) ? early : late) = middle;
    }
    return fail(fmt::format("the event '{}' ends the orbit at t = {:.8g}, within a revolution", event.name,
                            before.t + late * (s.t - before.t)));
  }
  return true;
}

// From a state near the section to the section, by Newton's method for the time on the motion itself.
bool OrbitCycle::find_section(State& s, double period, OrbitPoint& at) const {
  Vec a(3);
  double away = 0;
  for (int k = 0; k < most_corrections; ++k) {
    work_.count_forces(acceleration_.counted_groups());
    if (!acceleration_(s.t, s.q(), s.v(), a)) break;
    at = point_of(s);
    const double rate = section_.rate(at, a);
    const double dt = -section_.value(at) / rate;
    away += dt;
    if (!(rate > 0) || !(std::abs(away) <= most_correction * period)) break;
    if (std::abs(dt) <= taylor_angle * period / full_turn) {
      at.q += dt * at.v + dt * dt / 2 * Vec3(a);
      at.v += dt * Vec3(a);
      at.t += dt;
      return true;
    }
    if (!integrate(s, s.t + dt)) return false;
  }
  return fail(
      fmt::format("the orbit was not found on its section again near t = {:.10g}; it changes too much in one "
                  "revolution, or another section suits it better",
                  s.t));
}

bool OrbitCycle::change(double, In z, Out change) const {
  if (!state_at(z, state_)) return false;
  OrbitPoint at;
  const double period = section_.period(z);
  if (!integrate_revolution(state_, turn_ * period)) return false;
  if (!find_section(state_, period, at)) return false;
  section_.to_coordinates(at, z, change);
  if (!(section_.period(change) > 0)) return fail(fmt::format("the orbit is not closed any more at t = {:.10g}", at.t));
  change -= z;
  if (!turn_known_) turn_ = change[OrbitSection::time] / period;
  turn_known_ = true;
  return true;
}

double OrbitCycle::cycles_until(double t, double, In z) const {
  const double cycles = (t - z[OrbitSection::time]) / (turn_ * section_.period(z));
  return std::max(0.0, std::floor(cycles * (1 - period_reserve)));
}

bool OrbitCycle::part(double, In z, double t, Out end) const {
  end = z;
  return t >= z[OrbitSection::time];
}

void OrbitCycle::sizes(In z, In, Out sizes) const { section_.sizes(z, sizes); }

bool OrbitCycle::to_section(const State& given, Out z) const {
  state_ = given;
  OrbitPoint at = point_of(given);
  const double period = section_.period(at);
  if (!(period > 0)) return fail(fmt::format("the orbit is not closed at t = {:.10g}", given.t));
  const double turn = full_turn * section_.time_to(at) / period;
  const bool there = std::min(turn, full_turn - turn) < taylor_angle;
  if (!there && !integrate(state_, given.t + turn / full_turn * period)) return false;
  if (!find_section(state_, period, at)) return false;
  z.setZero();
  section_.to_coordinates(at, z, z);
  return true;
}

bool OrbitCycle::state_at(In z, State& out) const {
  OrbitPoint at;
  if (!section_.from_coordinates(z, at))
    return fail(fmt::format("the orbit is not closed any more at t = {:.10g}", z[OrbitSection::time]));
  out = start_;
  out.t = at.t;
  out.y << at.q, at.v;
  return true;
}

bool OrbitCycle::state_at(In z, double t, State& out) const {
  if (!state_at(z, out)) return false;
  const bool there = std::abs(t - out.t) <= landing_slack(0, t);
  return there || integrate(out, t);
}
}  // namespace trill
