// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/constraint_projection.hpp"
#include "trill/method/stepper.hpp"
#include "trill/problem/langevin.hpp"

#include <optional>

namespace trill {
// What methods for Langevin dynamics (PJY97 eq. 4.5) share: the parts of which their steps consist, each of which keeps
// constraints by projection ("g-BAOAB", Leimkuhler and Matthews 2016). Random numbers are functions of seed, step,
// component and draw.
class HeatBathStepper : public Stepper {
 public:
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale&) override;
  StepResult step(State& s, const StepRequest& request) override;
  // A random path is rough, so linear interpolation is as good as any other; it is moved onto the constraints.
  void interpolate(double theta, Out y) override;
  void memory(Archive& archive) override {
    archive(a_);
    stands_elsewhere_ = stands_elsewhere_ || archive.reading();
  }

 protected:
  HeatBathStepper(MethodInfo info, const Problem& problem);

  // A step under way: the time that the drifts have reached, and the state.
  struct Moving {
    double t;
    Out q, v;
    const StepRequest& request;
    NewtonStats& newton;
  };
  virtual StepStatus advance(Moving& now) = 0;
  virtual void find_acceleration(double t, In q, In v, const StepRequest* request, Out a);  // M^-1 f

  void kick(Moving& now, double tau);  // v += tau M^-1 f along the constraints
  // q += tau v; with constraints a step of Rattle without forces, along the directions taken at its start.
  StepStatus drift(Moving& now, double tau);
  // Friction and noise over tau, solved exactly. Noise that is projected orthogonally in the metric of the mass has the
  // covariance kT P M^-1 of the tangent space, so this part is exact with constraints too.
  void exchange_heat(Moving& now, double tau, std::uint32_t draw);
  // v += size sqrt(kT/m) R along the constraints, with the random numbers of this key and draw.
  void add_noise(Moving& now, double size, const RandomKey& key, std::uint32_t draw);
  void renew_forces(Moving& now);  // unless they belong to the present position

  double gamma() const { return bath_.gamma(); }
  Vec& acceleration() { return a_; }  // the last one that was found
  const MechanicalProblem& mechanics() const { return p_; }
  Acceleration& accelerate() { return accelerate_; }

 private:
  bool stand_at(double t, In q) { return !projection_ || projection_->stand_at(t, q); }
  void evaluate(double t, In q, In v, const StepRequest* request);
  void find_multipliers(State& s);
  StepStatus take_step(State& s, const StepRequest& request, NewtonStats& newton);

  MethodInfo info_;
  const LangevinProblem& bath_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  std::optional<ConstraintProjection> projection_;
  Vec a_, a0_, free_, free_a_, multiplier_, multiplier_weights_, y0_, y1_, thermal_;
  double t1_ = 0;
  bool forces_are_here_ = true;      // a_ belongs to the present position
  bool directions_are_here_ = true;  // and so do the directions in which constraints push
  bool stands_elsewhere_ = false;    // the projection of velocities is not that of the state
};
}  // namespace trill
