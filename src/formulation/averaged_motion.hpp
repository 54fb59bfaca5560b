// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/reformulation.hpp"

namespace trill {
// What the formulations have in common that follow a mean motion instead of an oscillating one (slow, also in a heat
// bath, hmm and sam): the settings of the run, the last state handed out, the additional quantities that are recorded,
// and the wording of error messages.
class AveragedMotion : public Reformulation {
 public:
  void expect(const RunScope& scope) final;
  void enter(const State& given, State& in, Notes& notes) final;
  void leave(const State& in, State& out) const final;
  std::vector<Quantity> diagnostics() const final { return quantities_; }

 protected:
  // tolerance: used in runs with a fixed step size, which have no tolerance of their own.
  AveragedMotion(std::string name, const Problem& given, double tolerance)
      : name_(std::move(name)), given_(given), tolerance_(tolerance), fixed_step_tolerance_(tolerance) {}

  // Fills `in`, which has the layout of inner(); its time and mode are already those of the given state.
  virtual void take(const State& given, State& in, Notes& notes) = 0;
  // Fills what `out` has besides positions and velocities, which are there already.
  virtual void complete(const State& /*in*/, State& /*out*/) const {}

  [[noreturn]] void refuse(const std::string& reason) const;
  const RunScope& scope() const { return scope_; }
  double tolerance() const { return tolerance_; }
  double span() const;                       // length of the time interval, positive; infinite where it is not known
  bool running() const { return running_; }  // a start was taken before, and an event interrupted the run
  const State& last() const { return last_; }
  std::vector<double> jumps() const;  // known times in the run at which forces jump

  // The quantities that diagnose() gives, in its order. If the model already has a name, the name of the formulation is
  // put before it.
  void record(const std::string& name, QuantityKind kind, const std::string& unit = "");
  void record_amplitudes();  // amplitudes of the coordinates, unless there are too many of them to be readable
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
