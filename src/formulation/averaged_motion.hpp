// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/reformulation.hpp"

namespace trill {
// What the formulations that follow a mean motion in place of an oscillating one have in common (slow, also in a heat
// bath, hmm and sam): what is asked of the run, the state that was left last, the quantities that are recorded beside
// it, and the form of their refusals.
class AveragedMotion : public Reformulation {
 public:
  void expect(const RunScope& scope) final;
  void enter(const State& given, State& in, Notes& notes) final;
  void leave(const State& in, State& out) const final;
  std::vector<Quantity> diagnostics() const final { return quantities_; }

 protected:
  // tolerance: that of runs with steps of a fixed size, which give none.
  AveragedMotion(std::string name, const Problem& given, double tolerance)
      : name_(std::move(name)), given_(given), tolerance_(tolerance), fixed_step_tolerance_(tolerance) {}

  // Fills `in`, which has the layout of inner(), and the time and the mode of the given state.
  virtual void take(const State& given, State& in, Notes& notes) = 0;
  // What `out` has beside positions and velocities, which are there already.
  virtual void complete(const State& /*in*/, State& /*out*/) const {}

  [[noreturn]] void refuse(const std::string& reason) const;
  const RunScope& scope() const { return scope_; }
  double tolerance() const { return tolerance_; }
  double span() const;                       // of time, without sign; infinite where it is not known
  bool running() const { return running_; }  // a start was taken before, and an event interrupted the run
  const State& last() const { return last_; }
  std::vector<double> jumps() const;  // of forces, at known times of the run

  // Quantities of diagnose(), in its order. A name that the model has already is preceded by that of the formulation.
  void record(const std::string& name, QuantityKind kind, const std::string& unit = "");
  void record_amplitudes();  // of the coordinates, unless they are too many for a page
  Index amplitudes() const { return amplitudes_; }
  std::string frequency_unit() const;

 private:
  std::string name_;
  const Problem& given_;
  RunScope scope_;
  double tolerance_, fixed_step_tolerance_;
  bool running_ = false;
  mutable State last_;
  std::vector<Quantity> quantities_;
  Index amplitudes_ = 0;
};
}  // namespace trill
