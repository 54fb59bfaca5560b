// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/impulse_stepper.hpp"

#include "multiscale/force_products.hpp"
#include "multiscale/projected_flow.hpp"
#include "multiscale/resonance_outlook.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double stable_angle = 2;  // stability limit of omega tau for Verlet steps
constexpr double coarse_angle = 1;
constexpr int watch_every = 100;
}  // namespace

void TwoLevelOptions::two_level_fields(OptionVisitor& v) {
  v.text("fast", fast, "names of force groups, such as bonds+angles",
         "groups of fast forces; empty: those that the model marks as fast");
  v.integer("inner", inner, Range::between(0, 1000000),
            "number of inner steps in half a step; 0: enough for omega tau <= 0.25 in the fastest mode at the start, "
            "where tau is the inner step");
  v.choice("inner_order", inner_order, {{"2", 2}, {"4", 4}, {"6", 6}, {"8", 8}}, "order of the symmetric inner steps");
}

std::vector<ForceLevel> TwoLevelOptions::levels(const MechanicalProblem& problem, std::string_view method) const {
  if (fast.empty()) return read_levels(problem, "", method);
  const Groups groups = named_groups(problem, fast, method);
  return {{known_groups(problem) & ~groups, 1}, {groups, 0}};
}

FlowOptions TwoLevelOptions::flow() const { return {.inner = inner, .inner_order = inner_order}; }

void NestedOptions::fields(OptionVisitor& v) {
  v.text("levels", levels, "force groups, such as bonds+angles:8, pair:1 or pair, angles/2, bonds/4",
         "levels of forces; :8 means eight steps in a step of the run, /2 two steps in one of the level before "
         "(slowest first then); empty: slow and fast forces of the model");
  resonance_field(v, refuses);
}

void resonance_field(OptionVisitor& v, bool& refuses) {
  v.choice("resonance", refuses, NamedValues<bool>{{"refuse", true}, {"warn", false}},
           "what to do with a step size at which the kicks drive the fastest oscillation");
}

SplitForm ImpulseStepper::without_filters() {
  const auto one = [](double) { return 1.0; };
  return {one, one};
}

const MechanicalProblem& ImpulseStepper::accepted(const Problem& problem, const std::string& method) {
  if (dynamic_cast<const LangevinProblem*>(&problem))
    throw UsageError(method + " follows motion without a heat bath, and '" + problem.name() +
                     "' is in one; use langevin_respa");
  const auto& p = problem.as<MechanicalProblem>(method);
  if (p.constraints()) throw UsageError(method + " cannot satisfy constraints; use rattle for '" + p.name() + "'");
  if (p.mass_kind() == MassKind::of_q)
    throw UsageError(
        method + " needs a constant mass matrix, not a position-dependent mass; use implicit_midpoint or dopri5 for '" +
        p.name() + "'");
  if (p.velocity_dependent(all_groups))
    throw UsageError(method + " needs fast and slow forces that do not depend on velocity; use dopri5 for '" +
                     p.name() + "'");
  return p;
}

ImpulseStepper::ImpulseStepper(MethodInfo info, const MechanicalProblem& problem, const ImpulsePlan& plan)
    : info_(std::move(info)), problem_(problem), levels_(plan.levels), refuses_resonance_(plan.refuses_resonance) {
  build(plan);
}

// Builds from the fastest level outwards. The flow of the fastest forces also averages for the level around it if these
// are the forces to be averaged; other levels get averaging flows with steps as long as their own.
void ImpulseStepper::build(const ImpulsePlan& plan) {
  inner_order_ = plan.flow.inner_order;
  steps_given_ = plan.flow.inner > 0 || levels_.back().steps > 0;
  const bool has_flow = !plan.kicks_only && levels_.size() > 1;
  std::shared_ptr<Flow> flow = std::make_shared<FreeFlow>();
  for (std::size_t i = has_flow ? levels_.size() - 1 : levels_.size(); i-- > 0;) {
    std::vector<SlowForce> slow{{levels_[i].groups, {}}};
    if (!plan.phi.empty()) slow = slow_forces(problem_, levels_[i].groups, plan.phi, plan.psi, info_.name);
    std::vector<WeightPair> pairs;
    std::vector<Groups> groups;
    for (const SlowForce& force : slow) {
      pairs.push_back(force.pair);
      groups.push_back(force.groups);
    }
    FlowOptions options = plan.flow;
    if (levels_.back().steps > 0) options.inner = (levels_.back().steps + 1) / 2;
    if (has_flow && !reduced_) flow = reduced_ = make_fast_flow(problem_, levels_.back().groups, pairs, options);
    const bool averages = has_flow && plan.projected == 0 &&
                          !std::all_of(pairs.begin(), pairs.end(), std::mem_fn(&WeightPair::is_impulse));
    std::shared_ptr<FastFlow> averaging;
    if (has_flow && plan.projected != 0)
      averaging = std::make_shared<ProjectedFlow>(problem_, plan.projected, reduced_);
    else if (averages && flow == reduced_ && plan.averaged == levels_.back().groups)
      averaging = reduced_;
    else if (averages)
      averaging = make_fast_flow(problem_, plan.averaged, pairs, plan.flow);
    top_ = std::make_shared<KickedFlow>(problem_, groups, flow, averaging, levels_[i].steps);
    if (!innermost_) innermost_ = top_;
    flow = top_;
    fast_ = averages ? averaging : reduced_;
    if (averages) averaged_ = plan.averaged;
    pairs_ = pairs;
  }
  if (!reduced_ || plan.projected == 0) return;
  projected_ = plan.projected;
  // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
  info_.saves_memory = false;
}

void ImpulseStepper::start(State& s, const ErrorScale&) {
  constexpr int products_for_rough_value = 6;  // slow forces are expensive: a rough value is enough
  v0_ = s.v();
  h_ = longest_h_ = 0;
  t_first_ = s.t;
  told_ = false;
  since_watched_ = 0;
  top_->start(s);
  if (levels_.size() < 2) return;
  const FastestMode fastest = fast_ ? FastestMode{fast_->fastest_frequency(), fast_->fastest_mode()}
                                    : find_fastest_mode(problem_, levels_.back().groups, s.t, s.q());
  const WeightPair first = pairs_.empty() || projected_ != 0 ? WeightPair{} : pairs_.front();
  resonance_ = find_resonance(problem_, fastest, first, levels_.front().groups, s.t, s.q());
  // A projected force has no share along the motion that it is projected off.
  if (projected_ & levels_.back().groups) resonance_.slow_stiffness = 0;
  const Groups others = known_groups(problem_) & ~averaged_;
  unaveraged_frequency_ = averaged_ != 0 && others != 0
                              ? find_fastest_mode(problem_, others, s.t, s.q(), products_for_rough_value).frequency
                              : 0;
}

std::string ImpulseStepper::outlook(const State& start, double h) {
  return refuses_resonance_ ? resonance_outlook(problem_, levels_, info_.name, "mollified_impulse", start, h) : "";
}

StepResult ImpulseStepper::step(State& s, const StepRequest& request) {
  const double h = request.h;
  if (request.jumped || (request.restart && projected_ != 0)) top_->forget();
  if (!told_) warn(s.t, h, request.notes);
  told_ = true;
  v0_ = s.v();
  // Steps begin where the last one ended, and its last kick is the first of this one.
  if (!top_->knows(s.t, h) && !top_->kick_force(s.t, h, s.q(), request.work)) return give_up();
  if (!top_->flow_on(s.t, h, s.q(), s.v(), request.work)) {
    s.q() = top_->kick_before().q;
    s.v() = v0_;
    return give_up();
  }
  t0_ = s.t;
  h_ = h;
  longest_h_ = std::max(longest_h_, std::abs(h));
  s.t += h;
  if (++since_watched_ >= watch_every) watch_inner_steps(s, request);
  return {.h_taken = h};
}

StepResult ImpulseStepper::give_up() {
  top_->forget();
  return {.status = StepStatus::non_finite};
}

void ImpulseStepper::interpolate(double theta, Out y) {
  const KickedFlow::Kick &first = top_->kick_before(), &last = top_->kick();
  const Index n = v0_.size();
  const double half = 0.5 * theta * h_;
  Counters unseen;
  auto q = y.head(n), v = y.segment(n, n);
  q = first.q;
  v = v0_;
  top_->inner().flow_after_kick(t0_, theta * h_, half, first.a, q, v, unseen);
  v += half * ((1 - theta) * first.a + theta * last.a);
}

// After the whole kick, other than in interpolate(), which smoothes the motion.
void ImpulseStepper::inner_state(Index k, Out q, Out v) {
  const KickedFlow::Kick& first = top_->kick_before();
  const double theta = (static_cast<double>(k) + 0.5) / static_cast<double>(points_inside);
  Counters unseen;
  q = first.q;
  v = v0_;
  top_->inner().flow_after_kick(t0_, theta * h_, 0.5 * h_, first.a, q, v, unseen);
}

double ImpulseStepper::inner_angle(double h) const {
  if (levels_.size() < 2) return 0;
  for (std::size_t i = 1; i + 1 < levels_.size(); ++i) h /= levels_[i].steps;
  if (reduced_) return reduced_->inner_angle(h);
  return resonance_.frequency * std::abs(h) / innermost_->steps(h);
}

void ImpulseStepper::warn(double t, double h, Notes& notes) const {
  if (levels_.size() < 2) {
    notes.raise(t, "undivided",
                "Neither the model nor an option says which forces are fast. All are treated as slow, so that this is "
                "the velocity Verlet method. Name the fast groups by --set fast=GROUPS, or mark them in the model.",
                Severity::warning, 1, 2);
    return;
  }
  if (levels_.front().groups == 0)
    notes.raise(t, "no_slow_force", "All forces are fast, so the run consists of inner steps alone.", Severity::warning,
                0, 1);
  if (resonance_.frequency == 0 && !steps_given_)
    notes.raise(t, "no_fast_frequency",
                "The fast forces have no stiffness at the start, so that the number of inner steps cannot be chosen "
                "from it. Give it by --set inner=NUMBER.",
                Severity::warning, 0, 0);
  resonance_.raise(t, h, notes);
  if (projected_ != 0)
    notes.raise(t, "projected",
                "Slow forces act at the nearest position with closed gaps, and not along these gaps. The run samples "
                "another potential, whatever the step: in flexible water the mean O-H length comes out as 1.013 A "
                "instead of 1.030 A.",
                Severity::warning, 0, 0);
  if (averaged_ != 0)
    for (const WeightPair& pair : pairs_) raise_weight_notes(t, pair, notes);
  const double angle = inner_angle(h);
  if (angle >= coarse_angle)
    notes.raise(t, "inner_steps",
                "The inner steps are too long for the fastest mode: omega tau must be below 2 for stability and about "
                "0.25 for accuracy. Use more inner steps.",
                angle >= stable_angle ? Severity::doubt : Severity::warning, angle, coarse_angle);
}

void ImpulseStepper::watch_inner_steps(const State& s, const StepRequest& request) {
  since_watched_ = 0;
  if (!reduced_ || resonance_.frequency == 0) return;
  const double now = reduced_->frequency_at(s.t, s.q(), request.work);
  const double angle = inner_angle(h_) * now / reduced_->fastest_frequency();
  if (angle < coarse_angle) return;
  request.notes.raise(s.t, "inner_steps_later",
                      "The fast frequency has grown, and omega tau of the inner steps, whose number was chosen at the "
                      "start, is now too large. Use more inner steps.",
                      angle >= stable_angle ? Severity::doubt : Severity::warning, angle, coarse_angle);
}

std::vector<Quantity> ImpulseStepper::diagnostics() const {
  if (averaged_ == 0 && projected_ == 0) return {};
  return {{"averaging_shift", ""}, {"mollifier_shift", ""}};
}

void ImpulseStepper::diagnose(Out values) const {
  if (values.size() == 0) return;
  const KickedFlow::Shifts shifts = top_->shifts();
  values[0] = shifts.average;
  values[1] = shifts.mollifier;
}

std::string ImpulseStepper::summary() const {
  if (levels_.size() < 2 || h_ == 0) return "";
  std::string text =
      fmt::format("fast forces {}: {}", names_of(problem_, levels_.back().groups),
                  resonance_.frequency > 0 ? resonance_.text(longest_h_) : "they have no stiffness at the start");
  if (reduced_) text += "; " + reduced_->text();
  if (projected_ != 0) text += fmt::format("; slow forces at closed gaps of {}", names_of(problem_, projected_));
  if (averaged_ != 0) {
    text += fmt::format("; averaged along {}", names_of(problem_, averaged_));
    if (unaveraged_frequency_ > 0)
      text += fmt::format(", the largest frequency of the other forces is {:.3g} or more (h omega/pi = {:.3g})",
                          unaveraged_frequency_, longest_h_ * unaveraged_frequency_ / std::numbers::pi);
  }
  if (const double phase = phase_error(t0_ + h_); phase > 0.1)
    text +=
        fmt::format("; the phase of the fastest mode is wrong by about {:.2g} rad at the end{}", phase,
                    reduced_ ? ", use inner_order=8 to follow it" : ", use more steps in the last level to follow it");
  return text;
}

// Verlet steps advance the angle of an oscillator too far, by the share (omega tau)^2/24.
double ImpulseStepper::phase_error(double t) const {
  const double angle = inner_angle(longest_h_);
  return inner_order_ == 2 ? resonance_.frequency * std::abs(t - t_first_) * angle * angle / 24 : 0;
}

void ImpulseStepper::memory(Archive& archive) {
  archive(*top_, told_, since_watched_, resonance_.frequency, resonance_.slow_stiffness);
  archive(unaveraged_frequency_, h_, longest_h_, t_first_);
}
}  // namespace trill
