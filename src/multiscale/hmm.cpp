// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method (SAT09) as a formulation: the way into the averaged system and out of it, windows
// chosen from the spectrum, and what is watched along the way.
#include "frequency_variation.hpp"
#include "relaxed_constraints.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/formulation/frequencies.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/linalg/kernels.hpp"
#include "window_choice.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double tolerance_of_fixed_steps = 1e-6;
constexpr double energy_that_matters = 1e-2;  // of the tolerance: share of fast energy that is lifted
constexpr double most_energy_left_out = 1e-2;
constexpr double drift_staged = 0.5, drift_plain = 0.01;  // of the largest velocity, where frequencies vary
constexpr double rough_share = 0.35;  // of the largest frequency: where the first window begins to stop
constexpr int most_rough_passes = 4;
constexpr double least_relaxed = 60;      // frequency of springs for constraints, over the slow rate
constexpr double relaxation_factor = 5;   // 4.5 was measured on a double pendulum
constexpr int longest_look_interval = 8;  // steps
constexpr int direct_steps_each_period = 20;

struct HmmOptions {
  std::string mode = "hmm", fast_energy = "auto", stages = "auto", dae = "refuse";
  double omega = 0;
  void fields(OptionVisitor& v) {
    v.choice("mode", mode, {"hmm", "paper"},
             "hmm: windows chosen from the frequencies found; paper: ten nominal periods to either side, as in SAT09");
    v.number("omega", omega, Range::at_least(0),
             "mode=paper: the nominal fast frequency; dae=relax: that of the springs; 0: found");
    v.choice("fast_energy", fast_energy, {"auto", "keep", "drop"}, "the force of the oscillation on the slow motion");
    v.choice("stages", stages, {"auto", "projected", "plain"},
             "projected: a first window moves every stage of the method onto the slow motion");
    v.choice("dae", dae, {"refuse", "relax"},
             "hard constraints; relax: replaced by springs as stiff as the tolerance asks");
  }
};

Index count_actions(const MechanicalProblem& stiff, const HmmOptions& options) {
  if (options.mode == "paper" || options.fast_energy == "drop") return 0;
  const State s = stiff.initial_state();
  FastSpectrum spectrum(stiff);
  if (!spectrum.has_modes()) return 0;
  if (const StrongPotential* strong = stiff.strong_potential()) return strong->map->count();
  spectrum.start(s.q());
  return spectrum.find(s.t, s.q(), s.v()) ? spectrum.count() : 0;
}

void check_suited(const MechanicalProblem& given, const HmmOptions& options) {
  if (given.constraints() && options.dae != "relax")
    throw UsageError("hmm: '" + given.name() + "' has hard constraints; dae=relax replaces them by stiff springs");
  if (given.mass_kind() == MassKind::of_q)
    throw UsageError("hmm needs a constant mass matrix; use slow or radau for '" + given.name() + "'");
}

std::unique_ptr<RelaxedConstraints> relax(const MechanicalProblem& given) {
  return given.constraints() ? std::make_unique<RelaxedConstraints>(given) : nullptr;
}

// How fast a velocity changes; from rest, how fast the positions do.
double turning_rate(In q, In v, In a) {
  const double force = a.norm();
  return force > 0 ? std::min(force / v.norm(), std::sqrt(force / q.norm())) : 0;
}

class Hmm final : public Reformulation {
 public:
  Hmm(const MechanicalProblem& given, const HmmOptions& options)
      : options_(options),
        paper_(options.mode == "paper"),
        given_(given),
        relaxed_(relax(given)),
        stiff_(relaxed_ ? *relaxed_ : given),
        averaged_(stiff_, count_actions(stiff_, options)) {
    if (relaxed_) rigid_.emplace(given, "hmm");
    if (options.fast_energy == "keep" && paper_)
      throw UsageError("hmm: mode=paper leaves the force of the oscillation out; fast_energy=keep needs mode=hmm");
    if (options.fast_energy == "keep" && averaged_.actions() == 0)
      throw UsageError(
          fmt::format("hmm: fast_energy=keep needs the fast modes, which are found for up to {} coordinates; use slow",
                      FastSpectrum::dense_up_to));
    means_.q = means_.v = means_.a = Vec::Zero(given.layout().nq);
    averaged_.start(given.initial_state().q());
    name_quantities();
  }

  const Problem& inner() const override { return averaged_; }
  void expect(const RunScope& scope) override {
    tolerance_ = scope.tolerance > 0 ? scope.tolerance : tolerance_of_fixed_steps;
    scope_ = scope;
  }

  void enter(const State& given, State& in, Notes& notes) override {
    const bool goes_on = running_ && given.q() == last_.q() && given.v() == last_.v();
    if (running_ && averaged_.lifted() && !goes_on)
      throw UsageError(
          "hmm: an event changed the motion while it oscillates; what comes of it depends on the phase, which is not "
          "followed");
    in = State(averaged_.layout(), given.t);
    in.mode = given.mode;
    if (relaxed_ && !running_) relax_constraints(given);
    if (paper_)
      enter_as_published(given, in);
    else if (goes_on && averaged_.lifted())
      in.y = last_.y;
    else
      enter_by_spectrum(given, in, notes);
    averaged_.forget();
    last_ = in;
    running_ = true;
  }

  void leave(const State& in, State& out) const override {
    out.t = in.t;
    if (!in.mode.empty()) out.mode = in.mode;
    out.q() = in.q();
    out.v() = in.v();
    last_ = in;
    if (relaxed_) rigid_->multipliers(out.t, out.y.head(rigid_->size()), out.lambda());
  }

  AfterStep after_step(State& s, Notes& notes) override {
    if (paper_) return AfterStep::kept;
    largest_velocity_ = std::max(largest_velocity_, max_abs(s.v()));
    const bool seen = averaged_.was_at(s.t, s.y);
    if (++steps_since_look_ >= look_interval_ && !look_again(s, notes)) return AfterStep::refused;
    if (!seen) return AfterStep::kept;
    const MicroWindow::Means& means = averaged_.means();
    const double drift = std::max(max_abs(means.v - s.v()) / largest_velocity_, drift_in_position(s, means)),
                 most = most_drift();
    drift_ = std::max(drift_, drift);
    if (drift <= most) return AfterStep::kept;
    notes.raise(s.t, "reprojected",
                "The motion had left the slow manifold by this share of its size and was put back onto it.",
                Severity::info, drift, most);
    ++projections_;
    s.q() = means.q;
    s.v() = means.v;
    return AfterStep::changed;
  }
  std::string refusal() const override { return refusal_; }

  void reach(Out y) const override {
    y.setZero();
    y.head(reach_.size()) = reach_;
  }

  double model_error() const override {
    if (paper_) return std::numeric_limits<double>::quiet_NaN();
    return bias() + left_out_ + relaxation_error_;
  }

  std::string summary() const override {
    const auto& window = averaged_.windows();
    const double direct =
        std::abs(last_.t - scope_.t_begin) * frequency() / (2 * std::numbers::pi) * direct_steps_each_period;
    std::string text = fmt::format(
        "fast frequencies {}, micro-steps of {:.3g}, {} forces in a window of {:.3g}; {} force evaluations, where "
        "following the oscillation with {} steps a period would take {:.2g}",
        paper_ ? fmt::format("about {:.4g} (nominal)", frequency())
               : fmt::format("{:.4g} to {:.4g}", seen_slowest_, seen_fastest_),
        window.h, 2 * window.weights.reach() + 1, window.length(), averaged_.micro().forces() + counted_before_,
        direct_steps_each_period, direct);
    if (paper_) return text;
    return text + fmt::format(
                      "; {:.2g} of the energy at the start oscillates{}, largest drift {:.2g}, {} "
                      "reprojection{}, estimated error {:.1g}",
                      share_, averaged_.lifted() ? " and is kept" : "", drift_, projections_,
                      projections_ == 1 ? "" : "s", model_error());
  }

  void account(Counters& work) const override {
    work.forces.fill(0);
    work.micro_steps = averaged_.micro().forces() + counted_before_;
    Groups groups = averaged_.micro().groups();
    for (int i = 0; groups != 0; ++i, groups >>= 1)
      if (groups & 1u) work.forces[static_cast<std::size_t>(i)] = work.micro_steps;
    work.jacobians += averaged_.spectrum().jacobians();
    work.linear_iterations += averaged_.spectrum().products();
  }

  std::vector<Quantity> diagnostics() const override { return quantities_; }
  void diagnose(Out values) const override {
    Index k = 0;
    values[k++] = needs_.slowest;
    values[k++] = needs_.fastest;
    if (averaged_.actions() > 0) {
      const auto J = last_.y.tail(averaged_.actions());
      for (Index i = 0; i < averaged_.actions(); ++i) values[k++] = J[i];
    }
    values[k++] = drift_;
    values[k++] = model_error_for_file();
  }

  void save(Archive& archive) const override {
    archive.write(averaged_.spectrum().expected());
    archive.write(beyond_double_);
    for (const double x : {needs_.slowest, needs_.fastest, needs_.nearest, needs_.rate, planned_.slowest,
                           planned_.fastest, planned_.nearest, planned_.rate, seen_slowest_, seen_fastest_, drift_,
                           share_, left_out_, largest_velocity_, first_rate_, relaxation_error_})
      archive.write(x);
    archive.write(planned_.constant);
    archive.write(averaged_.staged());
    archive.write(averaged_.lifted());
    archive.write(steps_since_look_);
    archive.write(look_interval_);
    archive.write(projections_);
    archive.write(averaged_.micro().forces() + counted_before_);
  }
  void load(Archive& archive) override {
    Index expected = 0;
    archive.read(expected);
    averaged_.spectrum().expect(expected);
    archive.read(beyond_double_);
    for (double* x : {&needs_.slowest, &needs_.fastest, &needs_.nearest, &needs_.rate, &planned_.slowest,
                      &planned_.fastest, &planned_.nearest, &planned_.rate, &seen_slowest_, &seen_fastest_, &drift_,
                      &share_, &left_out_, &largest_velocity_, &first_rate_, &relaxation_error_})
      archive.read(*x);
    bool staged = false, lifted = false;
    archive.read(planned_.constant);
    archive.read(staged);
    archive.read(lifted);
    archive.read(steps_since_look_);
    archive.read(look_interval_);
    archive.read(projections_);
    archive.read(counted_before_);
    counted_before_ -= averaged_.micro().forces();
    needs_.constant = planned_.constant;
    if (!paper_) averaged_.plan(choose_windows(planned_), staged, lifted);
  }

 private:
  void name_quantities() {
    const std::string& time = stiff_.time_unit();
    const std::string unit = time.empty() ? "" : "rad/" + time;
    quantities_.push_back({"slowest_fast_frequency", unit});
    quantities_.push_back({"fastest_frequency", unit});
    for (Index k = 1; k <= averaged_.actions(); ++k) quantities_.push_back({fmt::format("action_{}", k), ""});
    quantities_.push_back({"drift", ""});
    quantities_.push_back({"model_error", ""});
  }

  double frequency() const { return needs_.fastest; }
  double span() const { return std::max(std::abs(scope_.t_end - scope_.t_begin), 1e-300); }

  // Off the slow manifold the windows oscillate. Where frequencies vary, the energy of that acts on the slow motion;
  // where they do not, its amplitude does, by its square.
  double drift_in_position(const State& s, const MicroWindow::Means& means) const {
    const double off = max_abs(means.q - s.q());
    return needs_.constant ? off / std::max(max_abs(s.q()), 1e-300) : off * needs_.fastest / largest_velocity_;
  }
  double most_drift() const {
    if (needs_.constant) return std::sqrt(tolerance_);
    return averaged_.staged() ? drift_staged : drift_plain;
  }
  double model_error_for_file() const { return paper_ ? 0 : model_error(); }

  // What Verlet's method leaves of h^2/12 in the slow acceleration, and how it grows along a motion of that rate.
  double bias() const {
    const double turns = first_rate_ * (last_.t - scope_.t_begin), step = first_rate_ * averaged_.windows().h;
    return step * step / 12 * (1 + turns * turns / 4);
  }

  // Springs of frequency omega are off by some (rate/omega)^2, while the cost grows by the logarithm of omega only.
  void relax_constraints(const State& given) {
    rigid_->start(given);
    Vec dy(rigid_->size());
    if (!rigid_->rhs(given.t, given.y.head(rigid_->size()), dy))
      throw UsageError("hmm: the constraints depend on each other at the start");
    const double rate = std::max(
        {fastest_frequency(given_, given), turning_rate(given.q(), given.v(), dy.tail(given.layout.nv)), 1 / span()});
    const double omega =
        options_.omega > 0 ? options_.omega : rate * std::max(4 / std::sqrt(tolerance_), least_relaxed);
    relaxed_->set_frequency(omega, given);
    relaxation_error_ = relaxation_factor * std::pow(rate / omega, 2);
  }

  // SAT09 sec. 3.2: both means of the given data.
  void enter_as_published(const State& given, State& in) {
    needs_.slowest = needs_.fastest = options_.omega > 0 ? options_.omega : nominal_frequency(given);
    averaged_.plan(published_windows(needs_.fastest), false, false);
    project(given, in);
  }

  double nominal_frequency(const State& given) {
    if (const StrongPotential* strong = stiff_.strong_potential()) return std::sqrt(strong->stiffness.maxCoeff());
    look(given.t, given.q(), given.v());
    return needs_.fastest;
  }

  void project(const State& given, State& in) {
    if (!averaged_.average(given.t, given.q(), given.v(), means_))
      throw UsageError(fmt::format("hmm: the stiff motion around t = {:.6g} cannot be followed", given.t));
    in.q() = means_.q;
    in.v() = means_.v;
    if (running_) return;
    reach_.resize(2 * given.layout.nq);
    reach_ << (given.q() - means_.q).cwiseAbs(), (given.v() - means_.v).cwiseAbs();
  }

  void look(double t, In q, In v) {
    FastSpectrum& spectrum = averaged_.spectrum();
    if (!spectrum.find(t, q, v))
      throw UsageError(fmt::format("hmm: no oscillation was found at t = {:.6g}; use dop853", t));
    needs_.slowest = spectrum.slowest();
    needs_.fastest = spectrum.fastest();
    needs_.rate = spectrum.rest();
  }

  // Frequencies are known only on the slow motion: an open gap stiffens what it does across its direction, too. So the
  // first window is a short one, which stops the upper part of the spectrum, and looks again from its means.
  void enter_by_spectrum(const State& given, State& in, Notes& notes) {
    needs_ = {};
    averaged_.spectrum().expect(stiff_.strong_potential() ? stiff_.strong_potential()->map->count() : 0);
    look(given.t, given.q(), given.v());
    needs_.slowest = std::max(needs_.slowest, rough_share * needs_.fastest);
    for (int pass = 0; pass < most_rough_passes; ++pass) {
      const double stopped = needs_.slowest;
      averaged_.plan(rough_windows(), false, false);
      project(given, in);
      look(given.t, in.q(), in.v());
      if (needs_.slowest >= 0.9 * stopped) break;
    }
    averaged_.spectrum().expect(averaged_.spectrum().count());
    find_rate();
    decide(given, in, notes);
    largest_velocity_ = std::max(max_abs(in.v()), 1e-300);
    first_rate_ = needs_.rate;
    seen_slowest_ = needs_.slowest;
    seen_fastest_ = needs_.fastest;
    steps_since_look_ = 0;
    look_interval_ = 1;
  }

  WindowPlan rough_windows() const {
    const double h = 1.7 / (1.06 * needs_.fastest);
    return {h, stopping_weights({2 * std::asin(0.85 * needs_.slowest * h / 2), 2 * std::asin(0.85), 1e-6})};
  }

  // By the slow frequencies, and by how fast the velocity turns.
  void find_rate() { needs_.rate = std::max({needs_.rate, turning_rate(means_.q, means_.v, means_.a), 1 / span()}); }

  void decide(const State& given, State& in, Notes& notes) {
    if (const std::string complaint = gap_complaint(needs_); !complaint.empty()) throw UsageError("hmm: " + complaint);
    needs_.constant = !frequencies_vary(stiff_, in, averaged_.spectrum());
    const bool staged = options_.stages == "auto" ? !needs_.constant : options_.stages == "projected";
    const double energy = find_actions(given, in);
    share_ = energy > 0 ? energy / (energy + slow_energy(in)) : 0;
    const bool lifted = options_.fast_energy == "keep" ||
                        (averaged_.actions() > 0 && !needs_.constant && share_ > energy_that_matters * tolerance_);
    if (lifted) needs_.nearest = averaged_.spectrum().nearest();
    check_energy(lifted, in, notes);
    planned_ = needs_;
    averaged_.plan(choose_windows(needs_), staged || lifted, lifted);
    project(given, in);
    if (lifted)
      find_actions(given, in);
    else
      in.x().setZero();
  }

  // Of the difference between the data and their means, at the modes found last.
  double find_actions(const State& given, State& in) {
    const FastSpectrum& spectrum = averaged_.spectrum();
    if (averaged_.actions() == 0 || spectrum.count() != averaged_.actions()) return oscillating_energy(given, in);
    Vec dq(given.q() - in.q()), dv(given.v() - in.v()), Mq(dq.size()), Mv(dq.size());
    reach_.setZero();
    spectrum.times_mass(dq, Mq);
    spectrum.times_mass(dv, Mv);
    double energy = 0;
    for (Index k = 0; k < averaged_.actions(); ++k) {
      const double omega = spectrum.frequencies()[k];
      const double p = spectrum.mode(k).dot(Mv), x = omega * spectrum.mode(k).dot(Mq);
      in.x()[k] = (p * p + x * x) / (2 * omega);
      energy += (p * p + x * x) / 2;
      reach_ += std::sqrt(p * p + x * x) *
                (Vec(2 * dq.size()) << spectrum.mode(k) / omega, spectrum.mode(k)).finished().cwiseAbs();
    }
    return energy;
  }

  double oscillating_energy(const State& given, const State& in) const {
    Vec dv(given.v() - in.v()), Mv(dv.size()), f0(dv.size()), f1(dv.size()), zero = Vec::Zero(dv.size());
    averaged_.spectrum().times_mass(dv, Mv);
    stiff_.force(all_groups, given.t, given.q(), zero, f1);
    stiff_.force(all_groups, given.t, in.q(), zero, f0);
    return 0.5 * dv.dot(Mv) + 0.5 * std::abs((given.q() - in.q()).dot(f1 - f0));
  }

  double slow_energy(const State& in) const {
    Vec Mv(means_.v.size()), Ma(means_.v.size());
    averaged_.spectrum().times_mass(in.v(), Mv);
    averaged_.spectrum().times_mass(means_.a, Ma);
    return 0.5 * in.v().dot(Mv) + 0.5 * Ma.cwiseAbs().dot(in.q().cwiseAbs());
  }

  void check_energy(bool lifted, const State& in, Notes& notes) {
    if (share_ > tolerance_ && stiff_.drag(all_groups) == Drag::nonlinear)
      throw UsageError(fmt::format(
          "hmm: {:.2g} of the energy oscillates, and a drag that is not linear in the velocity has another mean with "
          "the oscillation than without; use slow, which averages it over the phases",
          share_));
    left_out_ = lifted || needs_.constant ? 0 : share_;
    if (left_out_ > most_energy_left_out)
      notes.raise(
          in.t, "fast_energy_left_out",
          "This share of the energy oscillates at frequencies that vary along the motion; its force on the slow "
          "motion is left out. fast_energy=keep, or the method slow, takes it in.",
          Severity::doubt, left_out_, most_energy_left_out);
    else if (share_ > 0)
      notes.raise(in.t, "fast_energy",
                  lifted ? "Share of the energy that oscillates at the start, kept as actions of the fast modes."
                         : "Share of the energy that oscillates at the start; it has no force on the slow motion.",
                  Severity::info, share_, 0);
  }

  // New windows where the frequencies have moved; false: refused.
  bool look_again(const State& s, Notes& notes) {
    steps_since_look_ = 0;
    const bool seen = averaged_.was_at(s.t, s.y);
    if (!averaged_.spectrum().find(s.t, seen ? averaged_.means().q : s.q(), s.v())) return true;
    const FastSpectrum& spectrum = averaged_.spectrum();
    needs_.slowest = spectrum.slowest();
    needs_.fastest = spectrum.fastest();
    seen_slowest_ = std::min(seen_slowest_, needs_.slowest);
    seen_fastest_ = std::max(seen_fastest_, needs_.fastest);
    watch_variation(s.t, notes);
    watch_resonance(s.t, notes);
    if (averaged_.lifted()) needs_.nearest = spectrum.nearest();
    if (const std::string complaint = gap_complaint(needs_); !complaint.empty()) {
      refusal_ = complaint;
      return false;
    }
    const double moved = std::max({needs_.fastest / planned_.fastest - 1, planned_.slowest / needs_.slowest - 1,
                                   needs_.nearest > 0 ? planned_.nearest / needs_.nearest - 1 : 0});
    look_interval_ =
        moved > 0.3 * window_slack(needs_.constant) ? 1 : std::min(2 * look_interval_, longest_look_interval);
    if (moved <= window_slack(needs_.constant)) return true;
    try {
      planned_ = needs_;
      averaged_.plan(choose_windows(needs_), averaged_.staged(), averaged_.lifted());
    } catch (const UsageError& e) {
      refusal_ = e.what();
      return false;
    }
    return true;
  }

  // Frequencies were taken for constant: when they are not, energy that was dropped does act.
  void watch_variation(double t, Notes& notes) {
    const double varied = seen_fastest_ / seen_slowest_ - 1;
    if (!needs_.constant || averaged_.spectrum().count() != 1 || varied < window_slack(true) ||
        share_ < most_energy_left_out)
      return;
    left_out_ = share_;
    notes.raise(
        t, "frequency_varies",
        "A fast frequency that seemed constant varies along the motion, and the oscillation has energy: its force "
        "on the slow motion is left out. fast_energy=keep takes it in.",
        Severity::doubt, varied, window_slack(true));
  }

  // Where one fast frequency passes the double of another, actions change by an amount of the order of the square root
  // of slow over fast rates.
  void watch_resonance(double t, Notes& notes) {
    if (!averaged_.lifted()) return;
    const auto omega = averaged_.spectrum().frequencies();
    Index passed = 0;
    for (Index i = 0; i < omega.size(); ++i)
      for (Index j = i + 1; j < omega.size(); ++j) passed += omega[j] > 2 * omega[i] ? 1 : 0;
    if (passed != beyond_double_ && beyond_double_ >= 0) {
      left_out_ = std::max(left_out_, share_ * std::sqrt(needs_.rate / needs_.fastest));
      notes.raise(t, "resonance",
                  "A fast frequency passed the double of another one, where oscillations exchange energy; the force of "
                  "their actions is known less well from then on. The value is an estimate of the relative error.",
                  Severity::warning, left_out_, tolerance_);
    }
    beyond_double_ = passed;
  }

  HmmOptions options_;
  bool paper_;
  const MechanicalProblem& given_;
  std::unique_ptr<RelaxedConstraints> relaxed_;
  mutable std::optional<FirstOrderForm> rigid_;
  const MechanicalProblem& stiff_;
  AveragedForce averaged_;
  MicroWindow::Means means_;
  RunScope scope_;
  double tolerance_ = tolerance_of_fixed_steps;
  WindowNeeds needs_, planned_;
  double seen_slowest_ = 0, seen_fastest_ = 0, drift_ = 0, share_ = 0, left_out_ = 0, largest_velocity_ = 0,
         first_rate_ = 0, relaxation_error_ = 0;
  Index beyond_double_ = -1;
  int steps_since_look_ = 0, look_interval_ = 1, projections_ = 0;
  std::int64_t counted_before_ = 0;  // in the run that is resumed
  bool running_ = false;
  std::string refusal_;
  std::vector<Quantity> quantities_;
  Vec reach_;
  mutable State last_;
};

std::unique_ptr<Reformulation> make_hmm(const Problem& problem, const OptionSet& given) {
  const auto options = read_options<HmmOptions>(given, "hmm");
  const auto& mechanical = problem.as<MechanicalProblem>("hmm");
  check_suited(mechanical, options);
  return std::make_unique<Hmm>(mechanical, options);
}
}  // namespace

ReformulationEntry hmm_entry() {
  return {.name = "hmm",
          .title = "heterogeneous multiscale method: the slow motion by means over short windows",
          .reference = "SAT09",
          .delivers = "slow motion",
          .options = list_options<HmmOptions>(),
          .make = make_hmm,
          .driving_method = [](const Problem&) -> std::string { return "dopri5"; }};
}
}  // namespace trill
