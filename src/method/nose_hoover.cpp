// SPDX-License-Identifier: BSD-3-Clause
// A deterministic heat bath: chains of thermostats around Verlet's method. Martyna, Klein, Tuckerman 1992; the
// reversible factorisation with the weights of Suzuki and Yoshida is that of Martyna, Tuckerman, Tobias, Klein 1996.
#include "method/heat_bath_stepper.hpp"
#include "method/prospects.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trill {
class NoseHoover final : public HeatBathStepper {
 public:
  struct Options {
    int chain = 4, repeats = 1;
    double mass = 0, speed = 0;
    void fields(OptionVisitor& v) {
      v.integer("chain", chain, Range::between(1, 100), "number of thermostats; a single one is often not ergodic");
      v.integer("repeats", repeats, Range::between(1, 1000),
                "number of parts into which the half steps of the thermostats are divided");
      v.number("mass", mass, Range::at_least(0),
               "mass of the thermostats, for each direction of motion; 0: kT/gamma^2, so that they respond in the time "
               "1/gamma");
      v.number("speed", speed, Range{}, "speed of the thermostats at the start");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"chain", "1"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name(
        "langevin_splitting is ergodic by itself; name it where a path without random forces is wanted");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "nose_hoover",
            .title = "Nose-Hoover chains: a heat bath without random forces",
            .reference =
                "PJY97 sec. 4.4; Martyna, Klein, Tuckerman, J. Chem. Phys. 97 (1992) 2635-2643; Martyna, "
                "Tuckerman, Tobias, Klein, Mol. Phys. 87 (1996) 1117-1157",
            .also_called = {"nhc"},
            .accepts = {.langevin = true},
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  NoseHoover(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem),
        options_(options),
        kT_(problem.as<LangevinProblem>("nose_hoover").kT()),
        directions_(static_cast<double>(problem.layout().nv - problem.layout().nl)) {
    const double each = options.mass > 0 ? options.mass : gamma() > 0 ? kT_ / (gamma() * gamma()) : 0;
    const auto links = static_cast<std::size_t>(options.chain);
    if (kT_ > 0 && !(each > 0))
      throw UsageError("nose_hoover takes the mass of its thermostats from the friction of the bath, which is 0 in '" +
                       problem.name() + "'; give it by --set mass=NUMBER");
    // Without heat there is nothing to exchange, and the motion is Verlet's.
    acts_ = kT_ > 0;
    masses_.assign(links, each);
    masses_.front() = each * std::max(1.0, directions_);
    places_.assign(links, 0.0);
    speeds_.assign(links, options.speed);
    diag_ = Vec::Zero(problem.layout().nq);
  }
  void start(State& s, const ErrorScale& scale) override {
    std::fill(places_.begin(), places_.end(), 0.0);
    std::fill(speeds_.begin(), speeds_.end(), acts_ ? options_.speed : 0.0);
    places_before_ = places_;
    speeds_before_ = speeds_;
    mass_ = mechanics().mass_pattern();
    mechanics().mass(s.q(), mass_);
    HeatBathStepper::start(s, scale);
    look(s.t, s.q(), s.v());
  }
  StepResult step(State& s, const StepRequest& request) override {
    places_before_ = places_;
    speeds_before_ = speeds_;
    const StepResult result = HeatBathStepper::step(s, request);
    if (result.status == StepStatus::ok) {
      look(s.t, s.q(), s.v());
    } else {
      places_ = places_before_;
      speeds_ = speeds_before_;
    }
    return result;
  }
  // H + sum Q w^2/2 + kT (n x_1 + x_2 + ...) is conserved; its drift shows whether the step is small enough.
  std::vector<Quantity> diagnostics() const override { return {{"extended_energy", "", QuantityKind::energy}}; }
  void diagnose(Out values) const override {
    double sum = kinetic_ + mechanics().potential(all_groups, t_, q_).value_or(0);
    for (std::size_t j = 0; j < masses_.size() && acts_; ++j)
      sum += 0.5 * masses_[j] * speeds_[j] * speeds_[j] + kT_ * (j == 0 ? directions_ : 1) * places_[j];
    values[0] = sum;
  }
  void memory(Archive& archive) override {
    HeatBathStepper::memory(archive);
    archive(places_, speeds_, t_, q_, kinetic_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<NoseHoover>(problem, options_);
  }

 private:
  void look(double t, In q, In v) {
    t_ = t;
    q_ = q;
    kinetic_ = kinetic(v);
  }
  double kinetic(In v) {
    mass_.multiply(v, diag_);
    return 0.5 * v.dot(diag_);
  }

  StepStatus advance(Moving& now) override {
    const double h = now.request.h;
    exchange(now, 0.5 * h);
    kick(now, 0.5 * h);
    if (const StepStatus status = drift(now, h); status != StepStatus::ok) return status;
    kick(now, 0.5 * h);
    exchange(now, 0.5 * h);
    return StepStatus::ok;
  }

  // Weights of order 4 (Suzuki, Yoshida): chains with few links need it.
  void exchange(Moving& now, double tau) {
    if (!acts_) return;
    static const double outer = 1 / (2 - std::cbrt(2.0));
    const std::array<double, 3> weights{outer, 1 - 2 * outer, outer};
    double twice_kinetic = 2 * kinetic(now.v), scale = 1;
    for (int k = 0; k < options_.repeats; ++k)
      for (const double weight : weights) {
        const double factor = one_exchange(twice_kinetic, weight * tau / options_.repeats);
        scale *= factor;
        twice_kinetic *= factor * factor;
      }
    now.v *= scale;
  }

  double push(std::size_t j, double twice_kinetic) const {
    const double heat =
        j == 0 ? twice_kinetic - directions_ * kT_ : masses_[j - 1] * speeds_[j - 1] * speeds_[j - 1] - kT_;
    return heat / masses_[j];
  }

  // Returns by what velocities are multiplied.
  double one_exchange(double twice_kinetic, double tau) {
    const std::size_t last = masses_.size() - 1;
    const auto turn = [&](std::size_t j) {
      if (j == last) {
        speeds_[j] += 0.5 * tau * push(j, twice_kinetic);
        return;
      }
      const double slowed = std::exp(-0.25 * tau * speeds_[j + 1]);
      speeds_[j] = slowed * (slowed * speeds_[j] + 0.5 * tau * push(j, twice_kinetic));
    };
    for (std::size_t j = last + 1; j-- > 0;) turn(j);
    const double scale = std::exp(-tau * speeds_[0]);
    twice_kinetic *= scale * scale;
    for (std::size_t j = 0; j <= last; ++j) places_[j] += tau * speeds_[j];
    for (std::size_t j = 0; j <= last; ++j) turn(j);
    return scale;
  }

  Options options_;
  double kT_, directions_;
  bool acts_ = false;
  std::vector<double> masses_, places_, speeds_, places_before_, speeds_before_;
  MatrixSlot mass_;
  Vec diag_, q_;
  double t_ = 0, kinetic_ = 0;
};
}  // namespace trill
TRILL_METHOD(nose_hoover, NoseHoover)
