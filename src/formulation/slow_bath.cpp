// SPDX-License-Identifier: BSD-3-Clause
// The slow motion of stiff gaps in a heat bath: the gaps are closed and in thermal equilibrium. A rigid system samples
// a different measure than the stiff one; the force of the modes' free energy kT sum log Omega_k corrects this, which
// is the Fixman force.
#include "formulation/averaged_motion.hpp"
#include "formulation/fixman.hpp"
#include "formulation/slow_checks.hpp"
#include "formulation/slow_start.hpp"
#include "trill/problem/langevin.hpp"

#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
// Gaps as hard constraints, plus the force from the modes' free energy.
class ThermalMechanics final : public MechanicalProblem {
 public:
  ThermalMechanics(const MechanicalProblem& stiff, double kT)
      : stiff_(stiff), slow_(stiff, {FastEnergy::drop}), kT_(kT), fixman_(stiff, slow_.map(), slow_.gaps()) {}
  std::string name() const override { return slow_.name(); }
  Layout layout() const override { return {slow_.unknowns(), slow_.unknowns(), slow_.rows(), 0}; }
  std::vector<Quantity> components() const override {
    auto all = stiff_.components();
    all.resize(static_cast<std::size_t>(2 * slow_.unknowns()));
    for (Index k = 1; k <= slow_.rows(); ++k) all.push_back({fmt::format("lambda{}", k), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout(), 0);
    take(stiff_.initial_state(), s);
    return s;
  }
  void take(const State& given, State& s) const {
    const MatchedStart closed = project_start(slow_, given);
    s.q() = closed.q;
    s.v() = closed.v;
  }
  std::unique_ptr<Problem> clone() const override {
    std::shared_ptr<const Problem> copy = stiff_.clone();
    auto made = std::make_unique<ThermalMechanics>(copy->as<MechanicalProblem>("slow"), kT_);
    made->owned_ = std::move(copy);
    return made;
  }
  MassKind mass_kind() const override { return stiff_.mass_kind(); }
  MatrixSlot mass_pattern() const override { return stiff_.mass_pattern(); }
  void mass(In q, MatrixSlot& m) const override { stiff_.mass(q, m); }
  void force(Groups, double t, In q, In v, Out f) const override {
    stiff_.force(slow_.soft_groups(), t, q, v, f);
    if (fixman_.stand_at(t, q))
      fixman_.add(kT_, f);
    else
      f.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  const ConstraintMap* constraints() const override { return &slow_.map(); }
  std::string fast_forces(const State& s, const RunScope& scope) const { return fast_soft_forces(slow_, s, scope); }

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& stiff_;
  SlowSystem slow_;
  double kT_;
  mutable FixmanForce fixman_;
};

class SlowBath final : public LangevinProblem {
 public:
  explicit SlowBath(const LangevinProblem& bath) : bath_(bath), mechanics_(bath.mechanics(), bath.kT()) {}
  std::string name() const override { return mechanics_.name(); }
  Layout layout() const override { return mechanics_.layout(); }
  std::vector<Quantity> components() const override { return mechanics_.components(); }
  State initial_state() const override { return mechanics_.initial_state(); }
  std::unique_ptr<Problem> clone() const override {
    std::shared_ptr<const Problem> copy = bath_.clone();
    auto made = std::make_unique<SlowBath>(copy->as<LangevinProblem>("slow"));
    made->owned_ = std::move(copy);
    return made;
  }
  const MechanicalProblem& mechanics() const override { return mechanics_; }
  double gamma() const override { return bath_.gamma(); }
  double kT() const override { return bath_.kT(); }
  const ThermalMechanics& thermal() const { return mechanics_; }

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const LangevinProblem& bath_;
  ThermalMechanics mechanics_;
};

class SlowBathForm final : public AveragedMotion {
 public:
  explicit SlowBathForm(const LangevinProblem& bath)
      : AveragedMotion("slow", bath, 0),
        bath_(bath),
        mass_(bath.mechanics().mass_pattern()),
        momentum_(bath.layout().nv) {
    record("slow_temperature", QuantityKind::other);
  }
  const Problem& inner() const override { return bath_; }

  // Only the free directions have velocities here, so the temperature is that of the free directions.
  void diagnose(Out values) const override {
    bath_.mechanics().mass(last().q(), mass_);
    mass_.multiply(last().v(), momentum_);
    const auto free = static_cast<double>(bath_.layout().nv - bath_.layout().nl);
    values[0] = free > 0 ? last().v().dot(momentum_) / free : 0;
  }

 private:
  void take(const State& given, State& in, Notes& notes) override {
    bath_.thermal().take(given, in);
    if (const std::string trouble = bath_.thermal().fast_forces(in, scope()); !trouble.empty()) refuse(trouble);
    notes.raise(in.t, "thermal_modes",
                "The oscillation of the gaps is assumed to be in equilibrium with the heat bath: its mean force is "
                "that of its free energy, and its own energy is not followed.",
                Severity::info, bath_.kT(), 0);
  }
  void complete(const State& in, State& out) const override {
    if (out.layout.nl > 0) out.lambda() = in.lambda().tail(out.layout.nl);
  }

  SlowBath bath_;
  mutable MatrixSlot mass_;
  mutable Vec momentum_;
};
}  // namespace

std::unique_ptr<Reformulation> make_slow_bath(const Problem& problem) {
  return std::make_unique<SlowBathForm>(problem.as<LangevinProblem>("slow"));
}
}  // namespace trill
