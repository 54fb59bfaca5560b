// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"
#include "problem/cycle_map.hpp"
#include "trill/base/archive.hpp"
#include "trill/solution/counters.hpp"

namespace trill {
// A problem seen cycle by cycle: the map of its cycles, and how the states of the problem and of the map correspond.
class CycleView {
 public:
  virtual ~CycleView() = default;
  virtual const CycleMap& map() const = 0;
  // The start of cycle 0, which is where the given state is or the next one after it.
  virtual State first() const = 0;
  // How large a change of each component of the map is that matters as much as a change by 1 of the problem's unknowns.
  virtual Vec scale() const { return Vec::Ones(map().layout().size()); }
  // The unknowns of the problem where the cycle begins that begins at t with z; false: there are no such values.
  virtual bool leave(double t, In z, State& out) const = 0;
  // The same at out.t, where the last part of a cycle has ended with `end`.
  virtual bool leave_part(In end, State& out) const = 0;
  virtual const CycleTrace* trace() const { return nullptr; }  // of the last cycle computed; null: none is kept
  virtual double period() const = 0;                           // of the cycles now
  virtual double cycles_before() const { return 0; }           // that were computed to find out what a cycle is
  // Whether a few cycles can say how many more will have to be computed.
  virtual bool is_foreseeable() const { return map().derives_cheaply() || map().layout().size() <= few_unknowns; }
  virtual State typical() const { return first(); }  // where cycles have become regular, for forecasts
  virtual void count(Counters& work) const = 0;      // adds what was evaluated since the view was made
  virtual void memory(Archive&) {}

 private:
  static constexpr Index few_unknowns = 8;  // for differences of whole cycles
};

class CircuitProblem;
std::unique_ptr<CycleView> view_circuit(const CircuitProblem& problem, const State& start, double period, double rtol);
// Cycles of a circuit that oscillates by itself. A transient that ends at `until` at the latest finds out what a cycle
// is; UsageError if it does not. until <= start.t: nothing is computed, and the cycles are only good for their layout.
std::unique_ptr<CycleView> view_free_circuit(const CircuitProblem& problem, const State& start, double rtol,
                                             double until);
// Cycles of any other problem that is driven with this period, or whose own period is constant.
std::unique_ptr<CycleView> view_driven(const Problem& problem, const State& start, double period, double rtol);
std::unique_ptr<CycleView> view_orbit(const Problem& problem, const State& start, double rtol);
}  // namespace trill
