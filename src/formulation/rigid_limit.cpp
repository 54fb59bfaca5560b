// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/rigid_limit.hpp"

#include "formulation/constraint_check.hpp"
#include "trill/formulation/reformulation.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
const MechanicalProblem& with_strong_potential(const MechanicalProblem& p) {
  if (!p.strong_potential())
    throw UsageError("rigid_limit needs a model that names its strong potential; '" + p.name() + "' does not");
  return p;
}

class RigidLimitForm final : public Reformulation {
 public:
  explicit RigidLimitForm(const Problem& given) : rigid_(given.as<MechanicalProblem>("rigid_limit")) {}
  const Problem& inner() const override { return rigid_; }
  void enter(const State& given, State& in, Notes& notes) override {
    in = State(rigid_.layout(), given.t);
    in.mode = given.mode;
    in.q() = given.q();
    in.v() = given.v();
    Vec g(in.layout.nl);
    rigid_.constraints()->value(in.t, in.q(), g);
    const double off = g.head(rigid_.gaps()).cwiseAbs().maxCoeff();
    if (!rigid_.project(in))
      throw UsageError(
          "rigid_limit: the start could not be moved onto closed gaps; they are too far open, or gaps and constraints "
          "depend on each other");
    if (off > 0)
      notes.raise(in.t, "start_projected",
                  "The start was moved onto the rigid limit; the value is how far the gaps were open.", Severity::info,
                  off, 0);
  }
  void leave(const State& in, State& out) const override {
    out.t = in.t;
    out.mode = in.mode;
    out.y.head(in.layout.nq + in.layout.nv) = in.y.head(in.layout.nq + in.layout.nv);
    if (out.layout.nl > 0) out.lambda() = in.lambda().tail(out.layout.nl);
  }

 private:
  RigidLimit rigid_;
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

bool RigidLimit::project(State& s) const { return ConstraintCheck(*this).project(s).has_value(); }

ReformulationEntry rigid_limit_entry() {
  return {.name = "rigid_limit",
          .title = "stiff gaps become hard constraints",
          .reference = "JP95 sec. 3",
          .options = {},
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            OptionReader(options, "rigid_limit").finish();
            return std::make_unique<RigidLimitForm>(problem);
          }};
}
}  // namespace trill
