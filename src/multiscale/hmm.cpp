// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method (SAT09) as a formulation: the way into the averaged system and out of it.
#include "formulation/frequencies.hpp"
#include "multiscale/hmm_start.hpp"
#include "multiscale/hmm_watch.hpp"
#include "multiscale/relaxed_constraints.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/formulation/reformulation.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double tolerance_of_fixed_steps = 1e-6;
constexpr int direct_steps_each_period = 20;
constexpr Index most_bands = 48;
constexpr double bend_factor = 3;  // between 0.6 and 4 on two springs
constexpr int many_projections = 20;
constexpr double least_relaxed = 60;     // frequency of springs for constraints, over the slow rate
constexpr double relaxation_factor = 5;  // 4.5 was measured on a double pendulum

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
  if (options.omega > 0 && options.mode != "paper" && !given.constraints())
    throw UsageError("hmm: omega belongs to mode=paper and dae=relax; frequencies are found otherwise");
  if (given.constraints() && options.dae != "relax")
    throw UsageError("hmm: '" + given.name() + "' has hard constraints; dae=relax replaces them by stiff springs");
  if (given.mass_kind() == MassKind::of_q)
    throw UsageError("hmm needs a constant mass matrix; use slow or radau for '" + given.name() + "'");
}

std::unique_ptr<RelaxedConstraints> relax(const MechanicalProblem& given) {
  return given.constraints() ? std::make_unique<RelaxedConstraints>(given) : nullptr;
}

class Hmm final : public Reformulation {
 public:
  Hmm(const MechanicalProblem& given, const HmmOptions& options)
      : options_(options),
        paper_(options.mode == "paper"),
        given_(given),
        relaxed_(relax(given)),
        stiff_(relaxed_ ? *relaxed_ : given),
        averaged_(stiff_, relaxed_ ? 0 : count_actions(stiff_, options)),
        start_(averaged_),
        watch_(averaged_) {
    if (relaxed_) rigid_.emplace(given, "hmm");
    if (options.fast_energy == "keep" && relaxed_)
      throw UsageError("hmm: dae=relax is for motions that do not oscillate; fast_energy=keep has no meaning there");
    if (options.fast_energy == "keep" && paper_)
      throw UsageError("hmm: mode=paper leaves the force of the oscillation out; fast_energy=keep needs mode=hmm");
    if (options.fast_energy == "keep" && averaged_.actions() == 0)
      throw UsageError(
          fmt::format("hmm: fast_energy=keep needs the fast modes, which are found for up to {} coordinates; use slow",
                      FastSpectrum::dense_up_to));
    averaged_.start(given.initial_state().q());
    name_quantities();
  }

  const Problem& inner() const override { return averaged_; }
  void expect(const RunScope& scope) override {
    tolerance_ = scope.tolerance > 0 ? scope.tolerance : tolerance_of_fixed_steps;
    scope_ = scope;
  }

  void enter(const State& given, State& in, Notes& notes) override {
    const bool unchanged = running_ && given.q() == last_.q() && given.v() == last_.v();
    if (running_ && averaged_.lifted() && !unchanged)
      throw UsageError(
          "hmm: an event changed the motion while it oscillates; what comes of it depends on the phase, which is not "
          "followed");
    in = State(averaged_.layout(), given.t);
    in.mode = given.mode;
    if (relaxed_ && !running_) relax_constraints(given);
    if (unchanged)
      in.y = last_.y;
    else if (paper_)
      enter_as_published(given, in, notes);
    else
      enter_by_spectrum(given, in, notes);
    averaged_.forget();
    last_ = in;
    if (!running_) warn_of_jumps(notes);
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
    switch (watch_.after_step(s, notes)) {
      case HmmWatch::Found::refusal:
        return AfterStep::refused;
      case HmmWatch::Found::nothing:
        return AfterStep::kept;
      case HmmWatch::Found::drift:
        break;
    }
    if (++projections_ == many_projections)
      notes.raise(s.t, "drifts",
                  "The motion leaves the slow manifold again and again; its fast and slow parts may not be apart.",
                  Severity::doubt, projections_, many_projections);
    start_.project(s, s);
    return AfterStep::changed;
  }
  std::string refusal() const override { return watch_.refusal(); }

  void reach(Out y) const override {
    y.setZero();
    y.head(reach_.size()) = reach_;
  }
  double model_error() const override { return bias() + left_out_ + relaxation_error_ + watch_.doubt(); }

  std::string summary() const override {
    const WindowPlan& window = averaged_.windows();
    const double omega = paper_ ? nominal_ : watch_.fastest_seen();
    const double direct =
        std::abs(last_.t - scope_.t_begin) * omega / (2 * std::numbers::pi) * direct_steps_each_period;
    const std::int64_t forces = spent().forces;
    std::string text = fmt::format(
        "fast frequencies {}, micro-steps of {:.3g}, {} forces in a window of {:.3g}; {} force evaluations, where "
        "following the oscillation with {} steps a period would take {:.2g}{}",
        paper_ ? fmt::format("about {:.4g} (nominal)", omega)
               : fmt::format("{:.4g} to {:.4g}", watch_.slowest_seen(), omega),
        window.h, 2 * window.weights.reach() + 1, window.length(), forces, direct_steps_each_period, direct,
        static_cast<double>(forces) > direct ? ", which is less: verlet or dop853 would be quicker" : "");
    if (paper_) return text;
    return text + fmt::format(
                      "; {:.2g} of the energy at the start oscillates{}, largest drift {:.2g}, {} "
                      "reprojection{}, estimated error {:.1g}",
                      share_, averaged_.lifted() ? " and is kept" : "", watch_.largest_drift(), projections_,
                      projections_ == 1 ? "" : "s", model_error());
  }

  void account(Counters& work) const override {
    const Spent all = spent();
    work.forces.fill(0);
    work.micro_steps = all.forces;
    Groups groups = averaged_.micro().groups();
    for (int i = 0; groups != 0; ++i, groups >>= 1)
      if (groups & 1u) work.forces[static_cast<std::size_t>(i)] = all.forces;
    work.jacobians += all.jacobians;
    work.linear_iterations += all.products;
  }

  std::vector<Quantity> diagnostics() const override { return quantities_; }
  void diagnose(Out values) const override {
    Index k = 0;
    if (paper_) return;
    values[k++] = watch_.needs().slowest;
    values[k++] = watch_.needs().fastest;
    values.segment(k, averaged_.actions()) = last_.y.tail(averaged_.actions());
    k += averaged_.actions();
    if (bands_) find_amplitudes(values.segment(k, given_.layout().nq));
    if (bands_) k += given_.layout().nq;
    values[k++] = watch_.largest_drift();
    values[k++] = model_error();
  }

  void save(Archive& archive) const override {
    const Spent all = spent();
    archive.write(all.forces);
    archive.write(all.jacobians);
    archive.write(all.products);
    archive.write(projections_);
    if (!paper_) watch_.save(archive);
  }
  // What does not change after the start has been found again by enter().
  void load(Archive& archive) override {
    before_ = {};
    const Spent here = spent();
    archive.read(before_.forces);
    archive.read(before_.jacobians);
    archive.read(before_.products);
    archive.read(projections_);
    if (!paper_) watch_.load(archive);
    before_.forces -= here.forces;
    before_.jacobians -= here.jacobians;
    before_.products -= here.products;
  }

 private:
  struct Spent {
    std::int64_t forces = 0, jacobians = 0, products = 0;
  };
  Spent spent() const {
    return {averaged_.micro().forces() + before_.forces, averaged_.spectrum().jacobians() + before_.jacobians,
            averaged_.spectrum().products() + before_.products};
  }

  void name_quantities() {
    if (paper_) return;
    const std::string& time = stiff_.time_unit();
    const std::string unit = time.empty() ? "" : "rad/" + time;
    quantities_.push_back({"slowest_fast_frequency", unit, QuantityKind::frequency});
    quantities_.push_back({"fastest_frequency", unit, QuantityKind::frequency});
    for (Index k = 1; k <= averaged_.actions(); ++k)
      quantities_.push_back({fmt::format("action_{}", k), "", QuantityKind::action});
    const auto components = stiff_.components();
    bands_ = given_.layout().nq <= most_bands;
    for (Index i = 0; bands_ && i < given_.layout().nq; ++i) {
      const Quantity& x = components[static_cast<std::size_t>(i)];
      quantities_.push_back({"amplitude_" + x.name, x.unit, QuantityKind::amplitude});
    }
    quantities_.push_back({"drift", ""});
    quantities_.push_back({"model_error", "", QuantityKind::model_error});
  }

  // Of the oscillation that is not followed: by its actions where they are known along the way, else as at the start.
  void find_amplitudes(Out amplitude) const {
    const FastSpectrum& spectrum = averaged_.spectrum();
    amplitude = reach_.head(amplitude.size());
    if (!averaged_.lifted() || spectrum.count() != averaged_.actions()) return;
    amplitude.setZero();
    for (Index k = 0; k < averaged_.actions(); ++k)
      amplitude += std::sqrt(2 * std::max(0.0, last_.y.tail(averaged_.actions())[k]) / spectrum.frequencies()[k]) *
                   spectrum.mode(k).cwiseAbs();
  }

  // Not known: endless.
  double span() const {
    const double length = std::abs(scope_.t_end - scope_.t_begin);
    return length > 0 ? length : std::numeric_limits<double>::infinity();
  }

  void warn_of_jumps(Notes& notes) const {
    if (!given_.breakpoints(std::min(scope_.t_begin, scope_.t_end), std::max(scope_.t_begin, scope_.t_end)).empty())
      notes.raise(
          last_.t, "jumps",
          "Forces jump at known times on the way; windows that reach over a jump, within half their length of it, "
          "average both sides.",
          Severity::doubt, averaged_.windows().length(), 0);
  }

  // What Verlet's method leaves of h^2/12 in the slow acceleration, and a window with a second moment m2 of m2 h^2/2;
  // and how it grows along a motion of that rate.
  double bias() const {
    const WindowPlan& window = averaged_.windows();
    const double rate = paper_ ? slow_rate_ : watch_.needs().rate;
    const double turns = rate * (last_.t - scope_.t_begin), step = rate * window.h;
    return step * step * (1.0 / 12 + std::abs(window.weights.second_moment()) / 2) * (1 + turns * turns / 4);
  }

  // Springs of frequency omega are off by some (rate/omega)^2, while the cost grows by the logarithm of omega only.
  void relax_constraints(const State& given) {
    rigid_->start(given);
    Vec dy(rigid_->size());
    if (!rigid_->rhs(given.t, given.y.head(rigid_->size()), dy))
      throw UsageError("hmm: the constraints depend on each other at the start");
    const double rate = std::max({fastest_frequency(given_, given),
                                  turning_rate(given.q(), given.v(), dy.tail(given.layout.nv), span()), 1 / span()});
    const double omega =
        options_.omega > 0 ? options_.omega : rate * std::max(4 / std::sqrt(tolerance_), least_relaxed);
    relaxed_->set_frequency(omega, given);
    relaxation_error_ = relaxation_factor * std::pow(rate / omega, 2);
  }

  // SAT09 sec. 3.2: both means of the given data.
  void enter_as_published(const State& given, State& in, Notes& notes) {
    nominal_ = options_.omega > 0 ? options_.omega : nominal_frequency(given);
    averaged_.plan(published_windows(nominal_), false, false);
    start_.project(given, in);
    judge_published(in, notes);
  }

  // The published windows fit a nominal frequency, whatever the true ones are.
  void judge_published(const State& in, Notes& notes) {
    FastSpectrum& spectrum = averaged_.spectrum();
    if (!spectrum.find(in.t, in.q(), in.v())) return;
    const WindowPlan& window = averaged_.windows();
    slow_rate_ = std::max(spectrum.rest(), 1 / span());
    if (const double share = window.length() * slow_rate_; share > 1)
      notes.raise(
          in.t, "long_window",
          "The window is longer than the time in which the slow motion changes, by this factor; mode=hmm chooses "
          "shorter ones.",
          Severity::doubt, share, 1);
    double leak = 0;
    for (const double omega : {spectrum.slowest(), spectrum.fastest()})
      leak = std::max(leak, omega * window.h >= 2
                                ? std::numeric_limits<double>::max()
                                : std::abs(window.weights.response(2 * std::asin(omega * window.h / 2))) *
                                      std::pow(omega / slow_rate_, 2));
    if (leak > 1)
      notes.raise(
          in.t, "leak",
          "The window lets so much of the fast force pass, in units of the slow one, that the slow motion may be "
          "unstable; the nominal frequency may be wrong.",
          Severity::doubt, leak, 1);
  }

  double nominal_frequency(const State& given) {
    if (const StrongPotential* strong = stiff_.strong_potential()) return std::sqrt(strong->stiffness.maxCoeff());
    if (averaged_.spectrum().find(given.t, given.q(), given.v())) return averaged_.spectrum().fastest();
    throw UsageError("hmm: mode=paper needs a nominal frequency; give omega=");
  }

  void enter_by_spectrum(const State& given, State& in, Notes& notes) {
    start_.find(
        given,
        {options_.fast_energy, options_.stages, tolerance_, std::copysign(span(), scope_.t_end - scope_.t_begin)}, in,
        notes);
    watch_.start(start_.needs(), start_.share(), tolerance_, span());
    left_out_ = start_.left_out() + bend_factor * std::pow(start_.bend(), 2);
    if (running_) return;
    share_ = start_.share();
    reach_ = start_.reach();
  }

  HmmOptions options_;
  bool paper_;
  const MechanicalProblem& given_;
  std::unique_ptr<RelaxedConstraints> relaxed_;
  mutable std::optional<FirstOrderForm> rigid_;
  const MechanicalProblem& stiff_;
  AveragedForce averaged_;
  HmmStart start_;
  HmmWatch watch_;
  RunScope scope_;
  double tolerance_ = tolerance_of_fixed_steps, nominal_ = 0, share_ = 0, left_out_ = 0, relaxation_error_ = 0,
         slow_rate_ = 0;
  Vec reach_;
  int projections_ = 0;
  Spent before_;  // in the run that is resumed
  bool running_ = false, bands_ = false;
  std::vector<Quantity> quantities_;
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
