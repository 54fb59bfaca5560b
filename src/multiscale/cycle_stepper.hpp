// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_equations.hpp"
#include "multiscale/cycle_history.hpp"
#include "multiscale/cycle_pace.hpp"
#include "problem/cycle_map.hpp"
#include "trill/base/options.hpp"
#include "trill/method/stepper.hpp"

#include <array>

namespace trill {
// What methods on cycle maps have in common. They choose the number of cycles of a step themselves, because it is a
// whole number, because a step of one cycle is exact and needs no method, and because going back to single cycles is
// the answer to most failures.
class CycleStepper : public Stepper {
 public:
  struct CycleOptions {
    int cycles = 0;
    void fields(OptionVisitor& v) {
      v.integer("cycles", cycles, Range::between(0, 1e9), "cycles in every step; 0: as many as the tolerance allows");
    }
  };

  const MethodInfo& info() const final { return info_; }
  void start(State& s, const ErrorScale& scale) final;
  StepResult step(State& s, const StepRequest& request) final;
  void interpolate(double theta, Out z) final;
  std::vector<Quantity> diagnostics() const final;
  void diagnose(Out values) const final;
  std::string summary() const final;
  void memory(Archive& archive) final;

 protected:
  // smallest: see CyclePace. past: the earlier points that its formula needs, even for steps of fixed length.
  CycleStepper(MethodInfo info, const Problem& map, const CycleOptions& options, int smallest, int past = 0);
  static MethodInfo describe_as(std::string name, std::string title, std::string reference, int order);

  // What a step had to do to get there, each more than the one before: a new derivative for its equations, shorter
  // steps of Newton's method, fewer cycles because of its error, a quarter of the cycles, cycles one by one, and an
  // ordinary method where even a single cycle cannot be computed.
  enum class Rung { step, refreshed, damped, shorter, quarter, single, transient };
  static constexpr std::size_t rungs = 7;
  void note_rung(Rung rung) { log_.rung = std::max(log_.rung, rung); }
  void note_effort(CycleEquations::Effort effort);

  // Tries a step of this number of cycles from the newest point of points(). Fills `next`, and the estimated error in
  // `error` if it has one.
  virtual StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) = 0;
  // Takes components out of an error that the tolerance does not concern.
  virtual void leave_out(Out /*error*/) const {}
  virtual void allocate(const ErrorScale& /*scale*/) {}
  virtual void forget() {}                 // the motion changed: what is remembered of earlier steps is stale
  virtual void took(double /*cycles*/) {}  // the attempted step was accepted, or a single cycle was made
  virtual void more_memory(Archive&) {}
  // The order of the attempted step; and, once it is accepted, the order of the next one and the error that the
  // attempted step would have had with that order.
  struct Outlook {
    int order;
    double error;
  };
  virtual int order() const { return info_.order; }
  virtual Outlook outlook(double error, const StepRequest&) { return {info_.order, error}; }

  const CycleMap& map() const { return map_; }
  Index size() const { return size_; }
  const CycleHistory& points() const { return points_; }
  bool change(double n, In z, Out change, const StepRequest& request) const;
  bool has_change() const { return change_known_; }  // at the newest point
  bool find_change(const StepRequest& request);
  const Vec& change_here() const { return change_; }
  void set_next_change(In change);                                   // the attempt has computed the change at its end
  const Vec& error_sizes() { return find_sizes(points_.value(0)); }  // what errors are compared with
  bool fixed_cycles() const { return pace_.is_fixed(); }
  // Difference to the polynomial through earlier points as an estimate of the error of a method of this order.
  void compare_with_past(double cycles, In next, Out error, int order) const;

 private:
  StepResult single(State& s, const StepRequest& request);
  bool pass_plainly(const StepRequest& request);
  StepResult rest(State& s, const StepRequest& request);
  void fail(double cycles, StepStatus status, double t, const StepRequest& request);
  double accept(State& s, double cycles);
  const Vec& find_sizes(In z);
  double those_that_fit(double cycles, const State& s, const StepRequest& request) const;

  MethodInfo info_;
  const CycleMap& map_;
  Index size_;
  CyclePace pace_;
  CycleHistory points_;
  Vec change_, next_change_, next_, error_, largest_, sizes_;
  bool change_known_ = false, next_change_known_ = false;

  struct Log {
    double cycles = 0;  // of the last step
    Rung rung = Rung::step;
    std::array<std::int64_t, rungs> counts{};  // of steps that ended on each rung
    double longest = 0;
    void memory(Archive& archive) { archive(cycles, rung, counts, longest); }
  };
  Log log_;
};
}  // namespace trill
