// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/circuit_equations.hpp"
#include "problem/driven.hpp"
#include "problem/leaping.hpp"
#include "problem/least_values.hpp"
#include "problem/run_results.hpp"
#include "problem/switched.hpp"
#include "problem/time_marks.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// A circuit that a netlist describes. The mode of its state has an entry for every switch: 1 if it is closed.
class NetlistProblem final : public CircuitProblem,
                             public TimeMarked,
                             public WishesResults,
                             public Switched,
                             public Leaping,
                             public HasLeastValues,
                             public Driven {
 public:
  NetlistProblem(std::string name, std::shared_ptr<const Circuit> circuit, double begin);
  std::string name() const override { return name_; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<NetlistProblem>(*this); }
  Layout layout() const override { return {equations_.size(), 0, 0, 0}; }
  std::vector<Parameter> parameters() const override { return circuit().parameters; }
  std::vector<Quantity> components() const override;
  State initial_state() const override { return start_; }
  std::string time_unit() const override { return "s"; }

  void charge(In x, Out c) const override { equations_.charge(x, c); }
  void current(double t, In x, Out i) const override { equations_.current(t, x, i); }
  MatrixSlot jacobian_pattern() const override { return equations_.pattern(); }
  void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override {
    equations_.jacobians(t, x, dcharge, dcurrent);
  }
  void limit(In x_old, Out x_new) const override;
  std::optional<double> clock_period() const override;  // the shortest period of a source
  std::string equation_name(Index k) const override;

  std::vector<EventInfo> events() const override;
  double event_value(int event, const State& s) const override;
  void on_event(int event, State& s) const override;
  bool turn_switches(In x, std::vector<int>& closed) const override;
  bool leap(double dt, State& s) const override;
  Vec least_values() const override;
  std::vector<double> source_periods() const override;
  std::vector<double> slow_corners(double period, double t0, double t1) const override;
  CycleWish cycle_wish() const override { return {circuit().envelope.period, circuit().envelope.tolerance}; }
  void see_slow_sources_later(double period, double ahead) const override;
  std::vector<double> breakpoints(double t0, double t1) const override;
  std::vector<TimeMark> time_marks(double t0, double t1) const override;
  bool limits_every_step() const override { return true; }

  std::vector<RunResultWish> wished_results() const override;  // the .measure lines

  // A source that repeats, but not after this period.
  struct OtherPeriod {
    std::string source;  // name and place
    double period;
  };
  std::vector<OtherPeriod> sources_with_other_periods(double period) const;
  // Name and place of a source whose formula has another value after this time, in a run of the given length; "": none.
  std::string formula_that_does_not_repeat(double after, double run) const;

  const Circuit& circuit() const { return equations_.circuit(); }

 private:
  struct Junction {
    Index plus, minus;
    double sign, thermal, critical;
  };
  void enter(const State& s, Formulas) const override { equations_.setting.closed = s.mode; }
  void leave() const noexcept override {
    equations_.setting.closed = start_.mode;
    std::fill(equations_.setting.ahead.begin(), equations_.setting.ahead.end(), 0.0);
  }
  void find_junctions();
  void find_start();
  // Calls use(wave, how much later it is seen) for every source.
  template <class Use>
  void each_source(Use use) const;
  double distance(std::size_t k, In x, bool closed) const;

  std::string name_;
  mutable CircuitEquations equations_;  // a run sets its switches
  std::vector<Junction> junctions_;
  State start_;
};
}  // namespace trill
