// SPDX-License-Identifier: BSD-3-Clause
// SIN(R): stochastic isokinetic dynamics. Every direction of motion has thermostats with which it shares an energy that
// is kept exactly, so that no resonance of multiple time steps can blow it up. Leimkuhler, Margul, Tuckerman 2013.
#include "method/heat_bath_stepper.hpp"
#include "method/inner_states.hpp"
#include "method/prospects.hpp"
#include "multiscale/force_levels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
class Sinr final : public HeatBathStepper, public KeptInnerStates {
 public:
  struct Options {
    std::string fast;
    int inner = 1, thermostats = 4;
    double answer = 0;
    void fields(OptionVisitor& v) {
      v.text("fast", fast, "names of force groups, such as bonds+angles",
             "groups of fast forces, which every inner step evaluates; empty: those that the model marks as fast");
      v.integer("inner", inner, Range::between(1, 1000000), "number of inner steps in a step");
      v.integer("thermostats", thermostats, Range::between(1, 20), "L: thermostats of each direction of motion");
      v.number("answer", answer, Range::at_least(0),
               "time in which the thermostats respond; 0: 1/gamma of the heat bath, but no longer than 40 inner steps");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"inner", "3"}, {"thermostats", "1"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it for averages with very long outer steps; its paths have no meaning");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "sinr",
            .title = "SIN(R): stochastic isokinetic dynamics with inner steps",
            .reference = "Leimkuhler, Margul, Tuckerman, Mol. Phys. 111 (2013) 3579-3594",
            .also_called = {"sin_r"},
            .accepts = {.langevin = true},
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  Sinr(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem),
        options_(options),
        kT_(problem.as<LangevinProblem>("sinr").kT()),
        fast_groups_(options.fast.empty() ? fast_groups(mechanics()) : named_groups(mechanics(), options.fast, "sinr")),
        slow_groups_(known_groups(mechanics()) & ~fast_groups_),
        fast_(mechanics(), fast_groups_),
        slow_(mechanics(), slow_groups_) {
    if (mechanics().constraints())
      throw UsageError("sinr cannot satisfy constraints; use langevin_splitting for '" + problem.name() + "'");
    answer_ = options.answer > 0 ? options.answer : gamma() > 0 ? 1 / gamma() : 0;
    if (kT_ > 0 && !(answer_ > 0))
      throw UsageError(
          "sinr takes the time in which its thermostats answer from the friction of the bath, which is 0 "
          "in '" +
          problem.name() + "'; give it by --set answer=TIME");
  }

  void start(State& s, const ErrorScale& scale) override {
    const Index n = s.layout.nq;
    fast_.start(s.q());
    slow_.start(s.q());
    fast_a_ = slow_a_ = Vec::Zero(n);
    expect_inner_states(n, options_.inner);
    HeatBathStepper::start(s, scale);
    mass_ = Vec::Ones(n);
    accelerate().divide_by_mass(s.q(), mass_);
    mass_ = mass_.cwiseInverse();
    first_ = second_ = Mat::Zero(options_.thermostats, n);
    thermostat_mass_ = kT_ * answer_ * answer_;
    knows_pace_ = options_.answer > 0;
    if (kT_ > 0) join(s.v());
    keep();
  }
  StepResult step(State& s, const StepRequest& request) override {
    if (!knows_pace_) keep_pace_with(std::abs(request.h) / options_.inner);
    keep();
    forget_inner_states();
    const StepResult result = HeatBathStepper::step(s, request);
    if (result.status != StepStatus::ok) {
      fast_a_ = before_.fast_a;
      slow_a_ = before_.slow_a;
      first_ = before_.first;
      second_ = before_.second;
    }
    return result;
  }
  // By how much a direction of motion and its thermostats have left their energy, relative to it.
  std::vector<Quantity> diagnostics() const override { return {{"isokinetic_error", "", QuantityKind::constraint}}; }
  void diagnose(Out values) const override { values[0] = worst_; }
  void memory(Archive& archive) override {
    HeatBathStepper::memory(archive);
    archive(fast_a_, slow_a_, first_, second_, worst_, thermostat_mass_, knows_pace_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Sinr>(problem, options_);
  }

 private:
  double count() const { return static_cast<double>(options_.thermostats); }
  double shared() const { return count() * kT_; }  // m v^2 + L/(L+1) sum Q w_j^2 = L kT
  double thermostat_energy(Index i) const {
    return count() / (count() + 1) * thermostat_mass_ * first_.col(i).squaredNorm();
  }

  // The thermostats take what the velocities leave of the energy; a direction that is too hot is slowed down. They only
  // scale velocities, so that a direction at rest is given one.
  void join(Out v) {
    constexpr double most = 0.9;
    for (Index i = 0; i < v.size(); ++i) {
      if (v[i] == 0)
        v[i] = std::sqrt(kT_ / mass_[i]) * random_normal({0x73696e72, 1, 0}, static_cast<std::uint32_t>(i));
      const double own = mass_[i] * v[i] * v[i];
      if (own > most * shared()) v[i] *= std::sqrt(most * shared() / own);
      const double left = shared() - mass_[i] * v[i] * v[i];
      first_.col(i).setConstant(std::sqrt(left * (count() + 1) / (count() * count() * thermostat_mass_)));
      for (Index j = 0; j < second_.rows(); ++j)
        second_(j, i) = std::sqrt(kT_ / thermostat_mass_) *
                        random_normal({0x73696e72, 0, 0}, static_cast<std::uint32_t>(i * second_.rows() + j));
    }
  }

  void find_acceleration(double t, In q, In v, const StepRequest* request, Out a) override {
    fast_(t, q, v, fast_a_);
    slow_(t, q, v, slow_a_);
    if (request) {
      request->work.count_forces(fast_.counted_groups());
      request->work.count_forces(slow_.counted_groups());
    }
    a = fast_a_ + slow_a_;
  }

  StepStatus advance(Moving& now) override {
    const double h = now.request.h, tau = h / options_.inner;
    push(slow_a_, now.v, 0.5 * h);
    for (int k = 0; k < options_.inner; ++k) {
      share(now.v, 0.5 * tau);
      push(fast_a_, now.v, 0.5 * tau);
      if (const StepStatus status = drift(now, 0.5 * tau); status != StepStatus::ok) return status;
      stir(tau, now.request.random, static_cast<std::uint32_t>(k));
      if (const StepStatus status = drift(now, 0.5 * tau); status != StepStatus::ok) return status;
      fast_(now.t, now.q, now.v, fast_a_);
      now.request.work.count_forces(fast_.counted_groups());
      push(fast_a_, now.v, 0.5 * tau);
      share(now.v, 0.5 * tau);
      keep_inner_state(now.q, now.v);
    }
    slow_(now.t, now.q, now.v, slow_a_);
    now.request.work.count_forces(slow_.counted_groups());
    push(slow_a_, now.v, 0.5 * h);
    acceleration() = fast_a_ + slow_a_;
    measure_error(now.v);
    return StepStatus::ok;
  }

  // Inner steps resolve the fast motion. Thermostats that answer in many of its periods cannot take up what kicks near
  // its resonance give it: flexible water at 300 K with an answer of 200 fs settles at 340 K (kinetic, of 240 K).
  void keep_pace_with(double tau) {
    constexpr double most_inner_steps = 40;
    knows_pace_ = true;
    const double answer = std::min(answer_, most_inner_steps * tau);
    if (!(answer > 0)) return;
    // Their energies stay the same.
    first_ *= answer_ / answer;
    second_ *= answer_ / answer;
    thermostat_mass_ = kT_ * answer * answer;
  }

  // A constant force on a direction that keeps its energy: v = (v + F s/m)/s', w = w/s' with
  // s = sinh(x)/sqrt(b) + a (cosh(x) - 1)/b, x = sqrt(b) tau, a = F v/(L kT), b = F^2/(m L kT), scaled by exp(-x),
  // since the functions themselves overflow.
  void push(const Vec& acceleration, Out v, double tau) {
    if (!(kT_ > 0)) {
      v += tau * acceleration;
      return;
    }
    for (Index i = 0; i < v.size(); ++i) {
      const double force = acceleration[i];
      const double a = mass_[i] * force * v[i] / shared(), root = std::sqrt(mass_[i] / shared()) * std::abs(force);
      const double x = root * std::abs(tau), sign = tau < 0 ? -1 : 1;
      double s, slope;
      if (x < 1e-4) {
        s = tau * (1 + x * x / 6) + 0.5 * a * tau * tau * (1 + x * x / 12);
        slope = 1 + 0.5 * x * x + a * tau * (1 + x * x / 6);
      } else {
        const double small = std::exp(-x), sinh = 0.5 * (1 - small * small), cosh = 0.5 * (1 + small * small);
        s = sign * sinh / root + a * (cosh - small) / (root * root);
        slope = cosh + sign * a * sinh / root;
        // Both have lost the factor exp(x); v keeps its own.
        v[i] = (v[i] * small + force * s) / slope;
        first_.col(i) *= small / slope;
        continue;
      }
      v[i] = (v[i] + force * s) / slope;
      first_.col(i) /= slope;
    }
  }

  // The thermostats of a direction exchange energy with it.
  void share(Out v, double tau) {
    if (!(kT_ > 0)) return;
    for (Index i = 0; i < v.size(); ++i) {
      turn(i, 0.5 * tau);
      for (Index j = 0; j < first_.rows(); ++j) first_(j, i) *= std::exp(-tau * second_(j, i));
      const double scale = std::sqrt(shared() / (mass_[i] * v[i] * v[i] + thermostat_energy(i)));
      v[i] *= scale;
      first_.col(i) *= scale;
      turn(i, 0.5 * tau);
    }
  }
  void turn(Index i, double tau) {
    for (Index j = 0; j < first_.rows(); ++j)
      second_(j, i) += tau * (first_(j, i) * first_(j, i) - kT_ / thermostat_mass_);
  }

  // Friction and noise act on the thermostats alone.
  void stir(double tau, const RandomKey& key, std::uint32_t draw) {
    if (!(kT_ > 0)) return;
    const double decay = std::exp(-gamma() * tau), size = std::sqrt((1 - decay * decay) * kT_ / thermostat_mass_);
    const auto each = static_cast<std::uint32_t>(second_.size());
    for (std::uint32_t k = 0; k < each; ++k) {
      double& w = second_.data()[k];
      w = decay * w + size * random_normal(key, draw * each + k);
    }
  }

  void measure_error(In v) {
    worst_ = 0;
    if (!(kT_ > 0)) return;
    for (Index i = 0; i < v.size(); ++i)
      worst_ = std::max(worst_, std::abs(mass_[i] * v[i] * v[i] + thermostat_energy(i) - shared()) / shared());
  }

  void keep() {
    before_.fast_a = fast_a_;
    before_.slow_a = slow_a_;
    before_.first = first_;
    before_.second = second_;
  }

  struct Kept {
    Vec fast_a, slow_a;
    Mat first, second;
  };
  Options options_;
  double kT_, answer_ = 0, thermostat_mass_ = 0, worst_ = 0;
  bool knows_pace_ = false;
  Groups fast_groups_, slow_groups_;
  Acceleration fast_, slow_;
  Vec fast_a_, slow_a_, mass_;
  Mat first_, second_;  // velocities of the thermostats, and of those that drive them: one column for each direction
  Kept before_;
};
}  // namespace trill
TRILL_METHOD(sinr, Sinr)
