// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics with forces in nested levels: the kicks of r-RESPA around steps of BAOAB with the fastest forces.
// PJY97 sec. 4.4 and 4.5; Tuckerman, Berne, Martyna 1992; Leimkuhler, Matthews 2013.
#include "method/heat_bath_stepper.hpp"
#include "method/inner_states.hpp"
#include "method/prospects.hpp"
#include "multiscale/force_products.hpp"
#include "multiscale/impulse_stepper.hpp"
#include "multiscale/resonance_outlook.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <fmt/format.h>

namespace trill {
class LangevinRespa final : public HeatBathStepper, public KeptInnerStates {
 public:
  using Options = NestedOptions;
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, where slow forces are expensive and fast ones cheap");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "langevin_respa",
            .title = "r-RESPA in a heat bath: nested kicks around BAOAB steps of the fastest forces",
            .reference =
                "PJY97 sec. 4.5; Tuckerman, Berne, Martyna, J. Chem. Phys. 97 (1992) 1990-2001; Leimkuhler, "
                "Matthews, Appl. Math. Res. Express 2013, 34-56",
            .also_called = {"respa_baoab"},
            .accepts = {.langevin = true},
            .order = 2,
            .dense_order = 2,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  LangevinRespa(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem),
        options_(options),
        levels_(read_levels(mechanics(), options.levels, "langevin_respa")) {
    if (mechanics().constraints())
      throw UsageError("langevin_respa cannot satisfy constraints; use langevin_splitting or ln for '" +
                       problem.name() + "'");
    for (const ForceLevel& level : levels_) accelerations_.emplace_back(mechanics(), level.groups);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LangevinRespa>(problem, options_);
  }

  void start(State& s, const ErrorScale& scale) override {
    for (Acceleration& acceleration : accelerations_) acceleration.start(s.q());
    frequency_ =
        levels_.back().steps > 0 ? 0 : find_fastest_mode(mechanics(), levels_.back().groups, s.t, s.q()).frequency;
    known_.assign(levels_.size(), Vec::Zero(s.layout.nq));
    known_at_ = Vec::Constant(s.layout.nq, std::numeric_limits<double>::quiet_NaN());
    expected_h_ = 0;
    HeatBathStepper::start(s, scale);
  }

  std::string outlook(const State& start, double h) override {
    return options_.refuses ? resonance_outlook(mechanics(), levels_, info().name, "ln", start, h) : "";
  }

  void memory(Archive& archive) override {
    HeatBathStepper::memory(archive);
    archive(known_at_, frequency_);
    for (Vec& a : known_) archive(a);
  }

 private:
  StepStatus advance(Moving& now) override {
    const double h = now.request.h;
    if (h != expected_h_) {
      Index inner = 1;
      for (std::size_t i = 1; i < levels_.size(); ++i) inner *= steps(i, h / static_cast<double>(inner));
      expect_inner_states(now.q.size(), inner);
      expected_h_ = h;
    }
    forget_inner_states();
    if (now.request.jumped || now.q != known_at_)
      for (std::size_t i = 0; i < levels_.size(); ++i) find(i, now);
    draw_ = 0;
    const StepStatus status = run_level(0, h, now);
    known_at_ = now.q;
    return status;
  }

  // Half a kick, the steps of the levels within, half a kick; the forces at the start are known.
  StepStatus run_level(std::size_t i, double h, Moving& now) {
    const int count = i == 0 ? 1 : steps(i, h);
    const double tau = h / count;
    for (int k = 0; k < count; ++k) {
      add_scaled(now.v.data(), 0.5 * tau, known_[i].data(), now.v.size());
      const bool last = i + 1 == levels_.size();
      if (const StepStatus status = last ? move(tau, now) : run_level(i + 1, tau, now); status != StepStatus::ok)
        return status;
      find(i, now);
      add_scaled(now.v.data(), 0.5 * tau, known_[i].data(), now.v.size());
      if (last) keep_inner_state(now.q, now.v);
    }
    return StepStatus::ok;
  }

  StepStatus move(double tau, Moving& now) {
    if (const StepStatus status = drift(now, 0.5 * tau); status != StepStatus::ok) return status;
    exchange_heat(now, tau, draw_++);
    return drift(now, 0.5 * tau);
  }

  void find(std::size_t i, Moving& now) {
    accelerations_[i](now.t, now.q, now.v, known_[i]);
    now.request.work.count_forces(accelerations_[i].counted_groups());
  }

  int steps(std::size_t i, double h) const {
    return levels_[i].steps > 0 ? levels_[i].steps : steps_for(frequency_, h);
  }

  Options options_;
  std::vector<ForceLevel> levels_;
  std::vector<Acceleration> accelerations_;
  std::vector<Vec> known_;  // of each level, where the last step ended
  Vec known_at_;
  double frequency_ = 0, expected_h_ = 0;
  std::uint32_t draw_ = 0;
};
}  // namespace trill
TRILL_METHOD(langevin_respa, LangevinRespa)
