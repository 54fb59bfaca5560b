// SPDX-License-Identifier: BSD-3-Clause
// The formulation `slow`: how states get into the slow system and out of it, the order needed for the tolerance, and
// what is reported about the fast motion that is not followed.
#include "formulation/averaged_motion.hpp"
#include "formulation/energy_share.hpp"
#include "formulation/slow_checks.hpp"
#include "formulation/slow_estimate.hpp"
#include "formulation/slow_jolt.hpp"
#include "formulation/slow_prospect.hpp"
#include "formulation/slow_start.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
std::unique_ptr<Reformulation> make_slow_bath(const Problem& problem);

namespace {
constexpr Index most_coupled_gaps = 300;  // their modes need a dense eigenproblem in every step
constexpr Index most_modes_shown = 12;
constexpr double slow_fixed_step_tolerance = 1e-6;
constexpr double order_0_below = 0.1, order_1_above = 0.3;  // estimated error over the tolerance
constexpr double negligible_share = 0.03;                   // relative to the tolerance: less fast energy is left out

constexpr double most_uncertain = 0.1;  // share of the energy that an event may leave unknown
constexpr double most_left_out = 0.01;  // share of the energy; more only if the user asks for it

struct SlowOptions {
  std::string order = "auto", fast_energy = "auto", start = "matched", project = "on", fast_part = "off";
  void fields(OptionVisitor& v) {
    v.choice("order", order, {"auto", "0", "1"},
             "order of the slow manifold; auto: chosen by its estimated error and the tolerance");
    v.choice(
        "fast_energy", fast_energy, {"auto", "keep", "fixman", "drop"},
        "the force of the oscillation on the slow motion: keep: that of constant actions (adiabatic); fixman: that "
        "of an equilibrium at the temperature of the start; drop: none; auto: keep it unless it is negligible");
    v.choice("start", start, {"matched", "window", "projected"},
             "start of the slow motion; matched: mean of the oscillating motion, in closed form; window: the same by "
             "following the motion; projected: nearest position with closed gaps");
    v.choice("project", project, {"on", "off"}, "move the state back onto the slow manifold after every step");
    v.choice("fast_part", fast_part, {"off", "on"}, "add the oscillation, with its phases, to the recorded values");
  }
};

Index largest_block(const MechanicalProblem& p) {
  const SlowSystem plain(p, {FastEnergy::drop});
  std::vector<Index> sizes(static_cast<std::size_t>(plain.rows()), 0);
  Index most = 0;
  for (Index row = 0; row < plain.gaps(); ++row)
    most = std::max(
        most, ++sizes[static_cast<std::size_t>(plain.manifold().schur().blocks()[static_cast<std::size_t>(row)])]);
  return most;
}

class SlowForm final : public AveragedMotion {
 public:
  SlowForm(const MechanicalProblem& stiff, const SlowOptions& options)
      : AveragedMotion("slow", stiff, slow_fixed_step_tolerance),
        options_(options),
        too_many_(largest_block(stiff) > most_coupled_gaps),
        slow_(stiff, choice(options, too_many_)),
        estimate_(slow_),
        can_be_1_(slow_.can_be_of_order_1()),
        actions_(Vec::Zero(slow_.has_modes() ? slow_.gaps() : 0)) {
    if (options.order == "1" && !can_be_1_)
      refuse(fmt::format("order=1 needs second time derivatives of forces, which '{}' does not provide; use order=0",
                         stiff.name()));
    if ((options.fast_energy == "keep" || options.fast_energy == "fixman") && too_many_)
      refuse(
          fmt::format("more than {} gaps are coupled to each other, too many for their fast modes to be computed in "
                      "every step; fast_energy=drop leaves the force of their oscillation out",
                      most_coupled_gaps));
    if (options.fast_part == "on" && slow_.choice().energy != FastEnergy::keep)
      refuse("fast_part=on needs fast_energy=keep or auto");
    name_quantities();
  }

  const Problem& inner() const override { return slow_; }
  AfterStep after_step(State& s, Notes& notes) override {
    if (options_.project == "on") {
      const double off = slow_.project(s);
      if (off > drift_) drift_ = off;
    }
    if (options_.fast_part == "on" && slow_.fast()) slow_.modes().keep_signs();
    estimate_.look(s, actions(s));
    if (!estimate_.judge(s.t, tolerance(), notes)) return AfterStep::refused;
    if (options_.fast_part == "on" && estimate_.phase_error(s.t) > 1)
      notes.raise(s.t, "phases_lost",
                  "The phases of the added oscillation are no longer known: their estimated error exceeds one radian.",
                  Severity::warning, estimate_.phase_error(s.t), 1);
    if (options_.order == "auto") choose_order(s);
    return AfterStep::moved;
  }
  std::string refusal() const override { return estimate_.refusal(); }

  std::string summary() const override {
    if (!slow_.has_modes() || !slow_.fast())
      return fmt::format(
          "slow motion without oscillation: largest drift from its manifold {:.2g}, estimated error {:.1g}", drift_,
          model_error());
    return fmt::format(
        "fast frequencies {:.4g} to {:.4g}{}, {} in them (balance {:.4g}), {} "
        "resonance{}, "
        "largest drift {:.2g}, estimated error {:.1g}",
        estimate_.smallest_frequency(), estimate_.largest_frequency(),
        estimate_.nearest_frequencies() < 1
            ? fmt::format(", no two nearer than {:.2g}", estimate_.nearest_frequencies())
            : "",
        share_.text(), balance_, estimate_.resonances(), estimate_.resonances() == 1 ? "" : "s", drift_, model_error());
  }

  void reach(Out y) const override {
    y.setZero();
    if (!slow_.fast() || !slow_.at(last().t, last().y).regular) return;
    const Index n = slow_.unknowns();
    const Vec& omega = slow_.modes().frequencies();
    slow_.modes().find_reach(actions(last()), y.head(n));
    slow_.modes().find_reach(actions(last()).cwiseProduct(omega.cwiseAbs2()), y.segment(n, n));
  }

  double model_error() const override { return estimate_.model_error(last().t) + left_out_; }

  void diagnose(Out values) const override {
    Index k = 0;
    const bool regular = slow_.at(last().t, last().y).regular;
    if (slow_.has_modes()) {
      if (regular && !slow_.fast()) slow_.modes().find(slow_.manifold().schur());
      const Vec& omega = slow_.modes().frequencies();
      const Vec& J = actions(last());
      for (Index i = 0; i < shown_; ++i) values[k++] = omega[i];
      for (Index i = 0; i < shown_; ++i) values[k++] = J[i];
      values[k++] = J.dot(omega);
      if (const auto potential = slow_.stiff().potential(all_groups, last().t, last().q()))
        values[k++] = *potential + slow_.kinetic_energy(last().v()) + energy_of_modes(J, omega);
      if (amplitudes() > 0) slow_.modes().find_reach(J, values.segment(k, amplitudes()));
      k += amplitudes();
    }
    if (options_.fast_part == "on") values[k++] = estimate_.phase_error(last().t);
    values[k++] = model_error();
    values[k++] = drift_;
  }

  void memory(Archive& archive) override {
    int order = slow_.order();
    bool fast = slow_.fast();
    double kT = slow_.kT();
    archive(estimate_, order, fast, kT, drift_, left_out_, share_, balance_);
    if (archive.reading()) {
      slow_.set_order(order);
      slow_.set_fast(fast);
      slow_.set_kT(kT);
    }
    if (slow_.has_modes()) archive(slow_.modes().signs());
  }

 private:
  void take(const State& given, State& in, Notes& notes) override {
    slow_.forget();
    if (running() && slow_.fast() && options_.fast_part == "off" && goes_on(given)) return go_on(in, notes);
    if (!running()) slow_.set_order(can_be_1_ && options_.order != "0" ? 1 : 0);
    slow_.set_fast(slow_.has_modes());
    MatchedStart found = take_start(given, in);
    check_drag();
    leave_energy_out(given, in, notes);
    if (const std::string trouble = fast_soft_forces(slow_, in, scope()); !trouble.empty()) refuse(trouble);
    if (!running()) estimate_.start(given.t);
    estimate_.look(in, actions(in));
    if (options_.order == "auto" && choose_order(in)) found = take_start(given, in);
    judge(in, notes);
    if (!running()) {
      const double estimated = slow_energy(in);
      share_ = share_at_start(slow_.stiff(), in, slow_.kinetic_energy(in.v()), estimated, found.fast_energy);
      balance_ = found.balance;
    }
    tell(in, found, notes);
  }

  void judge(const State& s, Notes& notes) {
    if (!estimate_.judge(s.t, tolerance(), notes)) refuse(estimate_.refusal());
  }

  void complete(const State& in, State& out) const override {
    const Index n = slow_.unknowns();
    if (out.layout.nl > 0) out.lambda() = slow_.at(in.t, in.y).reaction.tail(out.layout.nl);
    if (options_.fast_part == "off" || !slow_.fast()) return;
    slow_.at(in.t, in.y);
    slow_.modes().add_oscillation(actions(in), in.y.tail(slow_.gaps()), out.y.head(n), out.y.segment(n, n));
  }

  static SlowSystem::Choice choice(const SlowOptions& options, bool too_many) {
    SlowSystem::Choice made;
    made.energy = options.fast_energy == "drop" || too_many ? FastEnergy::drop
                  : options.fast_energy == "fixman"         ? FastEnergy::thermal
                                                            : FastEnergy::keep;
    made.phases = options.fast_part == "on" && made.energy == FastEnergy::keep;
    return made;
  }

  bool thermal() const { return slow_.choice().energy == FastEnergy::thermal; }
  const Vec& actions(const State& s) const {
    if (thermal() && slow_.fast() && slow_.at(s.t, s.y).regular)
      actions_ = slow_.kT() * slow_.modes().frequencies().cwiseInverse();
    else if (slow_.layout().nx > 0)
      actions_ = s.y.segment(2 * slow_.unknowns(), slow_.gaps());
    else
      actions_.setZero();
    return actions_;
  }
  // What the force of the modes conserves together with the energy of the slow motion.
  double energy_of_modes(const Vec& J, const Vec& omega) const {
    return thermal() ? slow_.kT() * omega.array().log().sum() : J.dot(omega);
  }

  void name_quantities() {
    if (slow_.has_modes()) {
      shown_ = std::min(slow_.gaps(), most_modes_shown);
      for (Index k = 1; k <= shown_; ++k)
        record(fmt::format("frequency_{}", k), QuantityKind::frequency, frequency_unit());
      for (Index k = 1; k <= shown_; ++k) record(fmt::format("action_{}", k), QuantityKind::action);
      record("fast_energy", QuantityKind::energy_part);
      if (slow_.stiff().potential(all_groups, 0, slow_.stiff().initial_state().q()))
        record(thermal() ? "free_energy" : "total_energy", QuantityKind::energy);
      record_amplitudes();
    }
    if (options_.fast_part == "on") record("phase_error", QuantityKind::other, "rad");
    record("model_error", QuantityKind::model_error);
    record("drift", QuantityKind::other);
  }

  // After an event that left the motion as it was the oscillation continues. What a change of the motion does is known
  // only if there is hardly any oscillation: then the result is false, and the start is matched again.
  bool goes_on(const State& given) {
    const double fast = actions(last()).dot(slow_.modes().frequencies());
    const bool moved = given.q() != last().q() || given.v() != last().v();
    if (!moved && !gaps_were_kicked(fast)) return true;
    if (fast <= tolerance() * slow_energy(last())) return false;
    refuse(
        "an event changed the motion of the gaps while they oscillate; its effect depends on the phase of the "
        "oscillation, which this method does not follow; use a method that follows the oscillation");
  }

  // A gap that moves by itself may change its speed at once, as a road does where a slope begins.
  bool gaps_were_kicked(double fast) {
    if (!slow_.map().moving()) return false;
    State now = last();
    slow_.project(now);
    return slow_.kinetic_energy(now.v() - last().v()) > 0.01 * fast;
  }

  void go_on(State& in, Notes& notes) {
    in.t = last().t;
    in.y = last().y;
    take_jolt(in, notes);
    estimate_.look(in, actions(in));
    judge(in, notes);
  }

  void take_jolt(State& in, Notes& notes) {
    if (thermal())
      return notes.raise(in.t, "event_in_oscillation",
                         "An event happened while the gaps oscillate. What it does to the oscillation is not followed: "
                         "its temperature, which is the value, stays that of the start.",
                         Severity::doubt, slow_.kT(), 0);
    const double uncertain = jolt(slow_, in), share = uncertain > 0 ? uncertain / slow_energy(in) : 0;
    if (share > most_uncertain)
      refuse(
          "an event changed the gaps while they oscillate; its effect depends on the phase of the oscillation, which "
          "this method does not follow; use a method that follows the oscillation");
    left_out_ += share;
    if (share > tolerance())
      notes.raise(in.t, "event_in_oscillation",
                  "An event changed the forces on oscillating gaps. What it does to the oscillation depends on the "
                  "phase, which is not followed: the mean over all phases is taken. The value is the share of the "
                  "energy that may differ from it.",
                  Severity::doubt, share, tolerance());
  }

  // Each order has its own slow manifold and momenta.
  MatchedStart take_start(const State& given, State& in) {
    const MatchedStart found = find_start(given);
    in.x().setZero();
    in.q() = found.q;
    in.v() = found.v;
    take_fast_part(found, in);
    return found;
  }

  // Without energies the closed form is only of first order.
  MatchedStart find_start(const State& given) {
    if (options_.start == "projected") return project_start(slow_, given);
    MatchedStart found = match_start(slow_, given);
    const bool oscillates = slow_.has_modes() && found.fast_energy > 0;
    if (oscillates && (options_.start == "window" || std::isnan(found.energy))) found = average_start(slow_, given);
    return found;
  }

  void take_fast_part(const MatchedStart& found, State& in) {
    if (!slow_.has_modes()) return;
    const double scale = slow_energy(in);
    const bool negligible = found.fast_energy <= negligible_share * tolerance() * scale;
    slow_.set_fast(options_.fast_energy == "keep" || thermal() || !negligible);
    if (!slow_.fast()) return;
    if (thermal()) return slow_.set_kT(found.fast_energy / static_cast<double>(slow_.gaps()));
    in.x().head(slow_.gaps()) = found.actions;
    if (slow_.choice().phases) in.x().tail(slow_.gaps()) = found.phases;
  }

  double slow_energy(const State& in) {
    const bool fast = slow_.fast();
    slow_.set_fast(false);
    const SlowSystem::Point& p = slow_.at(in.t, in.y);
    Vec force(slow_.unknowns());
    slow_.times_mass(p.a, force);
    const double size = slow_.kinetic_energy(in.v()) + 0.5 * force.cwiseAbs().dot(in.q().cwiseAbs());
    slow_.set_fast(fast);
    return size;
  }

  void check_drag() {
    if (slow_.fast() && slow_.drag() == Drag::nonlinear && slow_.gaps() > 2)
      refuse(
          "a drag force that is not linear in the velocity can be averaged for one or two fast modes only; "
          "fast_energy=drop leaves the fast energy out");
  }

  // Where modes are not computed, the energy in the gaps is still determined, and its effect is left out.
  void leave_energy_out(const State& given, const State& in, Notes& notes) {
    if (slow_.has_modes() && options_.start != "projected") return;
    const double scale = slow_energy(in);
    Vec g(slow_.rows()), closed(slow_.rows());
    slow_.map().value(given.t, given.q(), g);
    slow_.map().value(given.t, in.q(), closed);
    const double energy = 0.5 * (g - closed).head(slow_.gaps()).cwiseAbs2().dot(slow_.stiffness()) +
                          slow_.kinetic_energy(given.v() - in.v());
    left_out_ = energy > 0 ? energy / std::max(energy, scale) : 0;
    if (too_many_ && options_.fast_energy == "auto" && left_out_ > most_left_out)
      refuse(
          fmt::format("an estimated share of {:.2g} of the energy at the start oscillates in gaps that are coupled in "
                      "blocks of more than {}, too many for their modes to be computed in every step; fast_energy=drop "
                      "leaves the force of their oscillation out",
                      left_out_, most_coupled_gaps));
    if (left_out_ > tolerance())
      notes.raise(in.t, "fast_energy_left_out",
                  "The force of the oscillation on the slow motion is left out. The value is the share of the energy "
                  "that oscillates at the start, estimated from slow velocities and forces.",
                  Severity::warning, left_out_, tolerance());
  }

  // At the switch from one order to the other their manifolds differ by less than the tolerance allows.
  bool choose_order(State& s) {
    if (!can_be_1_) return false;
    const double end = estimate_.offset_error(scope().t_end, 0);
    const int order = slow_.order();
    if (order == 1 && end < order_0_below * tolerance()) slow_.set_order(0);
    if (order == 0 && end > order_1_above * tolerance()) slow_.set_order(1);
    if (slow_.order() == order) return false;
    slow_.project(s);
    return true;
  }

  void tell(const State& in, const MatchedStart& found, Notes& notes) const {
    if (options_.start == "projected" && found.open > 0)
      notes.raise(in.t, "start_projected",
                  "The start was moved to a position with closed gaps. The value is how far they were open.",
                  Severity::info, found.open, 0);
    if (slow_.has_modes() && found.fast_energy > 0)
      notes.raise(
          in.t, "fast_energy",
          slow_.fast()
              ? "The value is the energy of the oscillation at the start, which acts on the slow motion."
              : "The value is the energy of the oscillation at the start. It is too small to matter and is left out.",
          Severity::info, found.fast_energy, 0);
    if (thermal())
      notes.raise(in.t, "thermal_modes",
                  "The oscillation of the gaps is taken to be in equilibrium at the temperature of its energy at the "
                  "start, which is the value: its mean force is that of its free energy.",
                  Severity::info, slow_.kT(), 0);
    if (thermal() && slow_.drag() != Drag::none)
      notes.raise(in.t, "thermal_modes_with_drag",
                  "Drag takes energy from the oscillation of the gaps, but its temperature, which is the value, stays "
                  "that of the start. fast_energy=keep follows the loss.",
                  Severity::doubt, slow_.kT(), 0);
    if (found.balanced && std::abs(found.balance - 1) > 0.1)
      notes.raise(in.t, "energy_balance",
                  "The oscillation is so large that the actions found at the start had to be scaled by this factor for "
                  "the energies to agree.",
                  Severity::warning, found.balance, 1);
    if (slow_.fast() && slow_.drag() == Drag::nonlinear && slow_.gaps() == 2)
      notes.raise(in.t, "two_modes_in_drag", "The nonlinear drag is averaged over the phases of two fast modes.",
                  Severity::info, 2, 0);
  }

  SlowOptions options_;
  bool too_many_;
  SlowSystem slow_;
  SlowEstimate estimate_;
  bool can_be_1_;
  mutable Vec actions_;
  Index shown_ = 0;
  double drift_ = 0, left_out_ = 0;
  EnergyShare share_;
  double balance_ = 1;  // at the start, like share_
};

std::unique_ptr<Reformulation> make_slow(const Problem& problem, const OptionSet& given) {
  const auto options = read_options<SlowOptions>(given, "slow");
  if (const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem))
    return std::make_unique<SlowForm>(*mechanical, options);
  if (!dynamic_cast<const LangevinProblem*>(&problem)) problem.as<MechanicalProblem>("slow");
  if (!given.empty())
    throw UsageError(
        fmt::format("slow: option '{}' cannot be used with a heat bath, where the gaps are closed and their "
                    "oscillation is in equilibrium",
                    given.begin()->first));
  return make_slow_bath(problem);
}
}  // namespace

ReformulationEntry slow_entry() {
  return {.name = "slow",
          .title = "computes the slow motion of a model with stiff gaps, without the oscillation",
          .reference = "after PJY97 sec. 3.2 and 4.3",
          .delivers = Delivers::slow,
          .free_of_oscillation = true,
          .runs = "models with stiff gaps",
          .options = list_options<SlowOptions>(),
          .make = make_slow,
          .driving_method = [](const Problem& problem) -> std::string {
            return dynamic_cast<const LangevinProblem*>(&problem) ? "langevin_splitting" : "dop853";
          },
          .advise = slow_prospect};
}
}  // namespace trill
