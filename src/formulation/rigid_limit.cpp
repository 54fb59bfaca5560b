// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/rigid_limit.hpp"

#include "formulation/constraint_check.hpp"
#include "formulation/dropped_oscillation.hpp"
#include "problem/group_names.hpp"
#include "problem/named_gaps.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
const MechanicalProblem& with_strong_potential(const MechanicalProblem& p, const std::string& asked_by) {
  if (p.strong_potential()) return p;
  const auto* named = dynamic_cast<const NamedGaps*>(&p);
  if (const std::string why = named ? named->without_gaps(all_groups) : ""; !why.empty())
    throw UsageError(asked_by + ": " + why);
  throw UsageError(asked_by + " needs a model with stiff gaps ([[stiff]] in a model file); '" + p.name() +
                   "' has none");
}

// The gaps of these groups of forces; empty: all of them.
std::vector<Index> gaps_of(const MechanicalProblem& p, Groups groups, const std::string& asked_by) {
  const Groups own = known_groups(p);
  const auto* named = dynamic_cast<const NamedGaps*>(&p);
  if (named)
    if (const std::string why = named->over_determined(groups); !why.empty()) throw UsageError(asked_by + ": " + why);
  if ((groups & own) == own) return {};
  if (!named)
    throw UsageError(asked_by + ": '" + p.name() +
                     "' does not say to which groups its stiff gaps belong; leave out the option 'constraints'");
  std::vector<Index> rows;
  Groups found = 0;
  const std::vector<Groups>& group_of = named->group_of_gap();
  for (std::size_t k = 0; k < group_of.size(); ++k)
    if (group_of[k] & groups) {
      rows.push_back(static_cast<Index>(k));
      found |= group_of[k];
    }
  if (const Groups without = groups & own & ~found) {
    const std::string why = named->without_gaps(without);
    throw UsageError(why.empty() ? fmt::format("{}: the force group {} of '{}' has no stiff gaps ([[stiff]] in a model "
                                               "file), so it cannot be made rigid",
                                               asked_by, names_of(p, without), p.name())
                                 : asked_by + ": " + why);
  }
  if (rows.size() == group_of.size()) rows.clear();
  return rows;
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

// The rigid system in the heat bath of the stiff one.
class RigidBath final : public LangevinProblem {
 public:
  RigidBath(const LangevinProblem& bath, const RigidChoice& choice)
      : bath_(bath), choice_(choice), rigid_(bath.mechanics(), choice) {}
  std::string name() const override { return rigid_.name(); }
  Layout layout() const override { return rigid_.layout(); }
  std::vector<Quantity> components() const override { return rigid_.components(); }
  std::vector<Parameter> parameters() const override { return rigid_.parameters(); }
  State initial_state() const override { return rigid_.initial_state(); }
  std::unique_ptr<Problem> clone() const override {
    std::shared_ptr<const Problem> copy = bath_.clone();
    auto made = std::make_unique<RigidBath>(copy->as<LangevinProblem>("rigid_limit"), choice_);
    made->owned_ = std::move(copy);
    return made;
  }
  const MechanicalProblem& mechanics() const override { return rigid_; }
  double gamma() const override { return bath_.gamma(); }
  double kT() const override { return bath_.kT(); }

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const LangevinProblem& bath_;
  RigidChoice choice_;
  RigidLimit rigid_;
};

struct RigidOptions {
  std::string constraints, correction = "none";
  int block = 4;
  void fields(OptionVisitor& v) {
    v.text("constraints", constraints, "names of force groups, such as bonds+angles",
           "groups whose stiff gaps become rigid; empty: all stiff gaps of the model");
    v.choice(
        "correction", correction, {"none", "fixman", "fixman_blocks"},
        "fixman: in a heat bath, add the force that gives rigid gaps the distribution of stiff ones; fixman_blocks: "
        "the same with gaps that couple only within blocks, for comparison");
    v.integer("block", block, Range::between(1, 1000000), "gaps in a block of fixman_blocks");
  }
};

RigidChoice choice_of(const Problem& given, const RigidOptions& options) {
  const auto* bath = dynamic_cast<const LangevinProblem*>(&given);
  const MechanicalProblem& p = bath ? bath->mechanics() : given.as<MechanicalProblem>("rigid_limit");
  RigidChoice choice;
  if (!options.constraints.empty()) choice.groups = named_groups(p, options.constraints, "rigid_limit");
  if (options.correction == "none") return choice;
  if (!bath)
    throw UsageError("correction=fixman needs a model with a [heat_bath], whose temperature it takes; '" + p.name() +
                     "' has none");
  choice.fixman_kT = bath->kT();
  if (options.correction == "fixman_blocks") choice.fixman_block = options.block;
  return choice;
}

class RigidLimitForm : public Reformulation {
 public:
  void enter(const State& given, State& in, Notes& notes) override {
    in = State(rigid().layout(), given.t);
    in.mode = given.mode;
    in.q() = given.q();
    in.v() = given.v();
    Vec g(in.layout.nl);
    rigid().constraints()->value(in.t, in.q(), g);
    const double off = g.head(rigid().gaps()).cwiseAbs().maxCoeff();
    if (!rigid().project(in)) {
      const std::string why = ConstraintCheck(rigid()).dependence(in.t, in.q());
      throw UsageError(why.empty()
                           ? "rigid_limit: no position with closed gaps was found near the start; choose a start "
                             "nearer to closed gaps"
                           : "rigid_limit: with closed gaps as constraints, " + why);
    }
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

 private:
  virtual const RigidLimit& rigid() const = 0;
};

class RigidMotion final : public RigidLimitForm {
 public:
  RigidMotion(const Problem& given, const RigidChoice& choice)
      : rigid_(given.as<MechanicalProblem>("rigid_limit"), choice) {
    // Both look at all gaps of the problem.
    if (!rigid_.closes_all()) return;
    dropped_.emplace(given.as<MechanicalProblem>("rigid_limit"));
    closed_.emplace(given.as<MechanicalProblem>("rigid_limit"));
  }
  const Problem& inner() const override { return rigid_; }
  void expect(const RunScope& scope) override { tolerance_ = scope.tolerance; }
  void enter(const State& given, State& in, Notes& notes) override {
    if (!std::exchange(running_, true) && dropped_) dropped_->start(given.t, given.q(), given.v());
    RigidLimitForm::enter(given, in, notes);
    if (!dropped_ || !dropped_->applies()) warn_of_energy(given, in, notes);
  }
  AfterStep after_step(State& s, Notes& notes) override {
    if (!dropped_) return AfterStep::kept;
    dropped_->look(s.t, s.q(), s.v(), tolerance_, notes);
    closed_->look(s.t, s.q(), s.v());
    return AfterStep::kept;
  }
  double model_error() const override { return closed_ ? closed_->error() : std::nan(""); }
  void memory(Archive& archive) override {
    if (dropped_) archive(*dropped_, *closed_);
  }

 private:
  const RigidLimit& rigid() const override { return rigid_; }
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
  std::optional<DroppedOscillation> dropped_;
  std::optional<ClosedGaps> closed_;
  double tolerance_ = 0;
  bool running_ = false;  // after an event the motion has no oscillation of its own
};

class RigidBathForm final : public RigidLimitForm {
 public:
  RigidBathForm(const LangevinProblem& bath, const RigidChoice& choice)
      : bath_(bath, choice), rigid_(static_cast<const RigidLimit&>(bath_.mechanics())) {}
  const Problem& inner() const override { return bath_; }
  void leave(const State& in, State& out) const override {
    RigidLimitForm::leave(in, out);
    const auto free = static_cast<double>(in.layout.nv - in.layout.nl);
    temperature_ = free > 0 ? 2 * rigid_.kinetic_energy(in.q(), in.v()) / free : 0;
  }
  // Only the free directions have velocities, so this is their temperature.
  std::vector<Quantity> diagnostics() const override { return {{"rigid_temperature", ""}}; }
  void diagnose(Out values) const override { values[0] = temperature_; }

 private:
  const RigidLimit& rigid() const override { return rigid_; }
  RigidBath bath_;
  const RigidLimit& rigid_;
  mutable double temperature_ = 0;
};
}  // namespace

RigidLimit::RigidLimit(const MechanicalProblem& soft, const RigidChoice& choice)
    : soft_(with_strong_potential(soft, choice.asked_by)), choice_(choice), product_(soft.layout().nq) {
  const StrongPotential& strong = *soft.strong_potential();
  stiffness_ = strong.stiffness;
  closed_groups_ = strong.groups != 0 ? strong.groups : fast_groups(soft);
  if (const std::vector<Index> rows = gaps_of(soft, choice.groups, choice.asked_by); !rows.empty()) {
    chosen_.emplace(*strong.map, rows);
    stiffness_.resize(chosen_->count());
    for (Index k = 0; k < stiffness_.size(); ++k) stiffness_[k] = strong.stiffness[rows[static_cast<std::size_t>(k)]];
    closed_groups_ = choice.groups & known_groups(soft);
  }
  by_themselves_ = strong.groups != 0;
  G_ = closed().pattern();
  g_.resize(closed().count());
  if (const ConstraintMap* hard = soft.constraints()) joined_.emplace(closed(), *hard);
  if (choice.fixman_kT > 0) fixman_.emplace(soft, *constraints(), gaps(), choice.fixman_block);
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
  auto limit = std::make_unique<RigidLimit>(copy->as<MechanicalProblem>("rigid_limit"), choice_);
  limit->owned_ = std::move(copy);
  return limit;
}

// All forces except those of the closed gaps, which are replaced by the multipliers. The Fixman force takes their
// place.
void RigidLimit::force(Groups groups, double t, In q, In v, Out f) const {
  const bool with_gaps = (groups & closed_groups_) != 0;
  soft_.force(by_themselves_ ? groups & known_groups(soft_) & ~closed_groups_ : groups, t, q, v, f);
  if (with_gaps && !by_themselves_) open_gaps(t, q, f);
  const Groups first = closed_groups_ & (~closed_groups_ + 1);
  if (!fixman_ || (groups & first) == 0) return;
  if (fixman_->stand_at(t, q))
    fixman_->add(choice_.fixman_kT, f);
  else
    f.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void RigidLimit::open_gaps(double t, In q, Out f) const {
  closed().value(t, q, g_);
  g_.array() *= stiffness_.array();
  closed().jacobian(t, q, G_);
  G_.multiply_transposed(g_, product_);
  f += product_;
}

double RigidLimit::opening_energy(const State& s) const {
  closed().value(s.t, s.q(), g_);
  return 0.5 * g_.cwiseAbs2().dot(stiffness_);
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
          .title = "replaces stiff gaps by hard constraints, all of them or those of some force groups",
          .reference = "JP95 sec. 3; correction: Fixman, Proc. Natl. Acad. Sci. 71 (1974) 3050",
          .delivers = Delivers::slow,
          .options = list_options<RigidOptions>(),
          .make = [](const Problem& problem, const OptionSet& given) -> std::unique_ptr<Reformulation> {
            const RigidChoice choice = choice_of(problem, read_options<RigidOptions>(given, "rigid_limit"));
            if (const auto* bath = dynamic_cast<const LangevinProblem*>(&problem))
              return std::make_unique<RigidBathForm>(*bath, choice);
            return std::make_unique<RigidMotion>(problem, choice);
          }};
}
}  // namespace trill
