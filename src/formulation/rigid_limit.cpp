// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/rigid_limit.hpp"

#include "formulation/constraint_check.hpp"
#include "formulation/dropped_oscillation.hpp"
#include "trill/formulation/reformulation.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
const MechanicalProblem& with_strong_potential(const MechanicalProblem& p) {
  if (!p.strong_potential())
    throw UsageError("rigid_limit needs a model with stiff gaps ([[stiff]] in a model file); '" + p.name() +
                     "' has none");
  return p;
}

// How far the gaps would open under the forces that hold them: the limit keeps them closed.
class ClosedGaps {
 public:
  explicit ClosedGaps(const MechanicalProblem& stiff) : form_(stiff), open_(Vec::Zero(form_.unknowns())) {
    if (form_.gaps() > 0) point_.emplace(form_);
    low_ = Vec::Constant(open_.size(), std::numeric_limits<double>::infinity());
    high_ = -low_;
  }
  void look(double t, In q, In v) {
    if (!point_ || point_->find(t, q, v) != SlowPoint::Status::ok) return;
    open_ = open_.cwiseMax(point_->open.cwiseAbs());
    low_ = low_.cwiseMin(q);
    high_ = high_.cwiseMax(q);
  }
  // Relative to the range of each coordinate, as far as that is not much smaller than the others. NaN: not known.
  double error() const {
    if (!point_ || !(high_ - low_).allFinite()) return std::nan("");
    const Vec range = high_ - low_;
    const double least = least_range * range.maxCoeff();
    return least > 0 ? open_.cwiseQuotient(range.cwiseMax(least)).maxCoeff() : std::nan("");
  }
  void memory(Archive& archive) { archive(open_, low_, high_); }

 private:
  static constexpr double least_range = 1e-2;  // as the trust statement has it

  LiftedForm form_;
  std::optional<SlowPoint> point_;
  Vec open_, low_, high_;
};

class RigidLimitForm final : public Reformulation {
 public:
  explicit RigidLimitForm(const Problem& given)
      : rigid_(given.as<MechanicalProblem>("rigid_limit")),
        dropped_(given.as<MechanicalProblem>("rigid_limit")),
        closed_(given.as<MechanicalProblem>("rigid_limit")) {}
  const Problem& inner() const override { return rigid_; }
  void expect(const RunScope& scope) override { tolerance_ = scope.tolerance; }
  void enter(const State& given, State& in, Notes& notes) override {
    if (!std::exchange(running_, true)) dropped_.start(given.t, given.q(), given.v());
    in = State(rigid_.layout(), given.t);
    in.mode = given.mode;
    in.q() = given.q();
    in.v() = given.v();
    Vec g(in.layout.nl);
    rigid_.constraints()->value(in.t, in.q(), g);
    const double off = g.head(rigid_.gaps()).cwiseAbs().maxCoeff();
    if (!rigid_.project(in))
      throw UsageError(
          "rigid_limit: no position with closed gaps was found near the start; choose a start nearer to closed gaps, "
          "or "
          "look whether gaps and constraints depend on each other");
    if (!dropped_.applies()) warn_of_energy(given, in, notes);
    if (off > 0)
      notes.raise(in.t, "start_projected",
                  "The start was moved to a position with closed gaps. The value is how far the gaps were open.",
                  Severity::info, off, 0);
  }
  void leave(const State& in, State& out) const override {
    out.t = in.t;
    out.mode = in.mode;
    out.y.head(in.layout.nq + in.layout.nv) = in.y.head(in.layout.nq + in.layout.nv);
    if (out.layout.nl > 0) out.lambda() = in.lambda().tail(out.layout.nl);
  }
  AfterStep after_step(State& s, Notes& notes) override {
    dropped_.look(s.t, s.q(), s.v(), tolerance_, notes);
    closed_.look(s.t, s.q(), s.v());
    return AfterStep::kept;
  }
  double model_error() const override { return closed_.error(); }
  void memory(Archive& archive) override { archive(dropped_, closed_); }

 private:
  // Where the gaps share a group with other forces, it is not known how their frequencies vary.
  void warn_of_energy(const State& given, const State& in, Notes& notes) const {
    constexpr double most_share = 1e-3;
    const double fast = rigid_.opening_energy(given) + rigid_.kinetic_energy(in.q(), given.v() - in.v());
    Vec force(in.layout.nq);
    rigid_.force(all_groups, in.t, in.q(), in.v(), force);
    const double slow =
        rigid_.kinetic_energy(in.q(), in.v()) + in.q().cwiseAbs().maxCoeff() * force.cwiseAbs().maxCoeff();
    if (fast > most_share * (fast + slow))
      notes.raise(in.t, "fast_energy_left_out",
                  "This share of the energy at the start is in the oscillation of the stiff gaps, and its force on the "
                  "slow motion is left out. Whether that matters is known only if the gaps have a group of forces of "
                  "their own.",
                  Severity::doubt, fast / (fast + slow), most_share);
  }

  RigidLimit rigid_;
  DroppedOscillation dropped_;
  ClosedGaps closed_;
  double tolerance_ = 0;
  bool running_ = false;  // after an event the motion has no oscillation of its own
};
}  // namespace

RigidLimit::RigidLimit(const MechanicalProblem& soft)
    : soft_(with_strong_potential(soft)),
      G_(soft.strong_potential()->map->pattern()),
      g_(soft.strong_potential()->map->count()),
      product_(soft.layout().nq) {
  if (const ConstraintMap* hard = soft.constraints()) joined_.emplace(*soft.strong_potential()->map, *hard);
}

Layout RigidLimit::layout() const {
  Layout l = soft_.layout();
  l.nl = constraints()->count();
  return l;
}

std::vector<Quantity> RigidLimit::components() const {
  auto all = soft_.components();
  all.resize(static_cast<std::size_t>(soft_.layout().nq + soft_.layout().nv));
  for (Index i = 0; i < layout().nl; ++i) all.push_back({fmt::format("lambda{}", i + 1), ""});
  return all;
}

State RigidLimit::initial_state() const {
  const State soft = soft_.initial_state();
  State s(layout(), soft.t);
  s.q() = soft.q();
  s.v() = soft.v();
  project(s);
  return s;
}

std::unique_ptr<Problem> RigidLimit::clone() const {
  std::shared_ptr<const Problem> copy = soft_.clone();
  auto limit = std::make_unique<RigidLimit>(copy->as<MechanicalProblem>("rigid_limit"));
  limit->owned_ = std::move(copy);
  return limit;
}

// All forces except that of the strong potential, which is replaced by the multipliers.
void RigidLimit::force(Groups groups, double t, In q, In v, Out f) const {
  soft_.force(groups, t, q, v, f);
  const StrongPotential& strong = *soft_.strong_potential();
  if ((groups & (strong.groups != 0 ? strong.groups : fast_groups(soft_))) == 0) return;
  strong.map->value(t, q, g_);
  g_.array() *= strong.stiffness.array();
  strong.map->jacobian(t, q, G_);
  G_.multiply_transposed(g_, product_);
  f += product_;
}

double RigidLimit::opening_energy(const State& s) const {
  const StrongPotential& strong = *soft_.strong_potential();
  strong.map->value(s.t, s.q(), g_);
  return 0.5 * g_.cwiseAbs2().dot(strong.stiffness);
}

double RigidLimit::kinetic_energy(In q, In v) const {
  MatrixSlot mass = mass_pattern();
  soft_.mass(q, mass);
  mass.multiply(v, product_);
  return 0.5 * v.dot(product_);
}

bool RigidLimit::project(State& s) const { return ConstraintCheck(*this).project(s).has_value(); }

ReformulationEntry rigid_limit_entry() {
  return {.name = "rigid_limit",
          .title = "replaces stiff gaps by hard constraints",
          .reference = "JP95 sec. 3",
          .delivers = Delivers::slow,
          .options = {},
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            OptionReader(options, "rigid_limit").finish();
            return std::make_unique<RigidLimitForm>(problem);
          }};
}
}  // namespace trill
