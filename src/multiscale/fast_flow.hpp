// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/weight.hpp"
#include "trill/base/archive.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/solution/counters.hpp"

#include <memory>

namespace trill {
// The motion between two kicks of a slow force: that of the reduced problem M q'' = f(q), SS08 sec. 2. It is what the
// steps of multiscale methods are made of, and flows own flows. Beside a Stepper it knows positions and velocities
// alone: no errors, no output inside a step, no state of a run.
//
// It refers to its problem, which must outlive it. start() and the first call with a new h may allocate, all others
// do not. Calls throw nothing; false: a number came out not finite, and what was to be filled is not to be used.
class Flow {
 public:
  virtual ~Flow() = default;
  virtual void start(const State& s) = 0;
  // (q, v) at t becomes that at t + h. h may be negative, and another one than before.
  virtual bool flow(double t, double h, Out q, Out v, Counters& work) = 0;
  virtual void refine() {}          // half the size for inner steps whose number is not given
  virtual void forget() {}          // forces kept from earlier calls: something outside has changed
  virtual void memory(Archive&) {}  // what a bit-identical restart with equal counters needs, written or read
};

// The reduced problem with what a (phi, psi)-method asks of it: averages of its positions along a motion from rest, and
// mollified forces. A flow has one pair of weights per slow force; all of them share one sweep forward and one back.
//
// A step of the method is: half kick, flow, half kick by G = sum_k Mol_k(q) g_k(A_k(q)). average() and mollify() give
// one G, which closes a step and opens the next.
class FastFlow : public Flow {
 public:
  virtual const std::vector<WeightPair>& pairs() const = 0;
  // A_k(q) for a step h into column k, time held at t.
  virtual bool average(double t, double h, In q, Eigen::Ref<Mat> a, Counters& work) = 0;
  // sum_k Mol_k(q) g_k at the t, h and q of the last average(); column k of g is the force g_k at A_k. Forces, not
  // accelerations: with a mass matrix Mol is M hatpsi M^-1 for a linear f.
  virtual bool mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) = 0;

  // Largest frequency of the fast force at the start and a mode that has it, |mode| = 1; 0 and zeros: none.
  virtual double fastest_frequency() const = 0;
  virtual const Vec& fastest_mode() const = 0;
  // The same at another q, from the mode at the start; a few products.
  virtual double frequency_at(double t, In q, Counters& work) = 0;
  // omega tau of the longest inner step made for a step h; 0: the flow is exact.
  virtual double inner_angle(double h) const = 0;
  virtual std::string text() const = 0;  // how it is done, for reports: "16 inner steps of order 2"
};

struct FlowOptions {
  int inner = 0;                       // inner steps in half a step; 0: so many that omega tau <= 0.25
  int inner_order = 2;                 // of the symmetric inner steps: 2, 4, 6 or 8
  Index most_stored = Index{1} << 26;  // numbers kept of a sweep; longer ones are walked back along again
};

// For the forces of these groups, which must not depend on velocities. Sweeps serve every force.
std::unique_ptr<FastFlow> make_sweep_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                          const FlowOptions& options);
// The way that suits the force.
std::unique_ptr<FastFlow> make_fast_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                         const FlowOptions& options);
}  // namespace trill
