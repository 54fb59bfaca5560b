// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/charge_cycle.hpp"
#include "multiscale/cycle_trace.hpp"
#include "multiscale/switched_motion.hpp"
#include "problem/cycle_map.hpp"
#include "trill/problem/circuit.hpp"

#include <atomic>
#include <functional>
#include <optional>

namespace trill {
struct CircuitCycleOptions {
  double rtol = 1e-5;         // of the change in one cycle; a tenth of what is wanted of the envelope, or less
  Vec absolute = {};          // sizes of all unknowns below which they do not matter; empty: see ChargeCycle
  double longest_share = 1;   // of the longest steps that the problem allows
  double tape_bytes = 256e6;  // what record() may store; beyond, tangent() computes the cycle again
  long most_steps = 0;        // of one cycle; 0: see ChargeCycle
  const std::atomic<bool>* stop = nullptr;  // a cycle fails once this is true
};

// One period of a driven circuit as a map. The unknown z has the charges and fluxes that are independent of each other;
// all else follows from them. Every cycle is computed by the same rules from n and z alone, so that equal arguments
// give equal results to the last bit. The one exception are switches that hysteresis leaves open at the start of a
// cycle: they begin as they were at the end of the last cycle computed, or as set_mode() says.
//
// A cycle at a fractional n begins at phase 0 of all sources that repeat with the period; sources that do not, such as
// the ramp of a load, are seen at the time t0 + n T.
class CircuitCycle final : public CycleMap {
 public:
  // start: time, values and switches at which cycle 0 begins.
  CircuitCycle(const CircuitProblem& problem, const State& start, double period,
               const CircuitCycleOptions& options = {});

  std::string name() const override { return problem().name(); }
  Layout layout() const override { return {independent(), 0, 0, 0}; }
  std::vector<Quantity> components() const override;  // "charge of v(out)", "flux of i(l1)"
  State initial_state() const override;               // z of the start; its t is the cycle number 0
  std::string time_unit() const override { return problem().time_unit(); }
  std::unique_ptr<Problem> clone() const override;

  bool change(double n, In z, Out change) const override;
  bool change_and_derivative(double n, In z, Out change, Mat& derivative) const override;  // of the change: Phi - I
  bool change_plainly(double n, In z, Out change) const override;                          // by radau
  bool derives_cheaply() const override { return true; }
  std::string trouble() const override { return failure(); }
  double time(double n, In /*z*/) const override { return start_.t + n * period_; }
  double cycles_until(double t, double n, In /*z*/) const override { return (t - start_.t) / period_ - n; }
  bool part(double n, In z, double t, Out end) const override;
  // Around the cycles in which a source has a corner that does not repeat: the cycles before and behind are not alike.
  std::vector<double> breakpoints(double t0, double t1) const override;

  const CircuitProblem& problem() const { return engine_.problem(); }
  double period() const { return period_; }
  void set_period(double period);  // for circuits without a clock, whose period is an unknown too
  Index independent() const { return engine_.independent(); }
  Vec reduce(In x) const;  // all unknowns -> z
  // z -> all unknowns where cycle n starts. x is the guess on entry. false: there are no such values.
  bool expand(double n, In z, Out x) const;
  const std::vector<int>& mode() const { return mode_; }  // of switches that hysteresis leaves open
  void set_mode(std::vector<int> mode) { mode_ = std::move(mode); }

  // A cycle in steps of half the length, without any influence on what this map computes later.
  struct HalfSteps {
    Mat moved;  // the derivative of the cycle times the directions
    FastOscillation fastest;
    CycleCounts counts;
  };
  // sizes: of the components, for square directions.
  std::optional<HalfSteps> with_half_steps(double n, In z, const Mat& directions, const Vec& sizes) const;

  // These belong to the last cycle computed, by whatever function.
  const CycleTrace& trace() const { return engine_.trace(); }
  Vec end_values() const { return engine_.x(); }                        // of all unknowns
  Vec end_rate() const;                                                 // dz/dt at its end
  void keep_waveform(bool keep) { engine_.trace().keep_points(keep); }  // trace() then has times and values
  const CycleCounts& counts() const { return engine_.counts(); }        // since the map was made
  bool ran_out_of_steps() const { return engine_.ran_out_of_steps(); }
  const std::string& failure() const { return engine_.failure(); }  // why the last cycle could not be computed

  // Computes a cycle and stores what its derivative needs; tangent() then multiplies P' = Phi with a vector in one
  // sweep. A tape is valid until the next record().
  bool record(double n, In z, Out change) const override;
  bool tangent(In v, Out phi_v) const override;

 private:
  ChargeCycle::Span span(double n, double duration) const;
  bool run(double n, In z, Out change, ChargeCycle::Derivative derivative, const Mat* directions = nullptr) const;

  State start_;
  double period_;
  CircuitCycleOptions options_;
  mutable ChargeCycle engine_;
  mutable std::vector<int> mode_;
  mutable double recorded_n_ = 0;
  mutable Vec recorded_z_;
  mutable std::vector<int> recorded_mode_;
  mutable std::unique_ptr<SwitchedMotion> plain_;  // made where it is needed
};

// The independent charges and fluxes as quantities, and those that belong to all unknowns x.
std::vector<Quantity> charge_quantities(const CircuitProblem& problem, const ChargeCoordinates& coordinates);
Vec reduced_charges(const CircuitProblem& problem, const ChargeCoordinates& coordinates, In x);
// What a volt or ampere more makes of each charge or flux at x: charges count as voltages across their capacitors,
// fluxes as currents. reduce: x -> the charges.
Vec charge_scale(In x, const std::function<Vec(In)>& reduce);

// The period of a circuit whose sources repeat: the shortest common multiple of their periods, if that is a few times
// the longest. Sources that do not repeat are left out. none: no source repeats, or they have no such multiple.
std::optional<double> common_period(const CircuitProblem& problem);
}  // namespace trill
