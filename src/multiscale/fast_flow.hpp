// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/weight.hpp"
#include "trill/base/archive.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/solution/counters.hpp"

#include <memory>

namespace trill {
// The motion between two kicks of a slow force: that of the reduced problem M q'' = f(q), SS08 sec. 2. The steps of
// multiscale methods are built from flows, and flows may contain other flows. Unlike a Stepper, a flow knows only
// positions and velocities: no errors, no output inside a step, no state of a run.
//
// Refers to its problem, which must outlive it. start() and the first call with a new h may allocate, no other call
// does. Calls do not throw; false: a result is not finite, and the output must not be used.
class Flow {
 public:
  virtual ~Flow() = default;
  virtual void start(const State& s) = 0;
  // Moves (q, v) from t to t + h. h may be negative and may differ from earlier calls.
  virtual bool flow(double t, double h, Out q, Out v, Counters& work) = 0;
  // The same after v += kick a. Long vectors should pass through the processor once for both.
  virtual bool flow_after_kick(double t, double h, double kick, In a, Out q, Out v, Counters& work) {
    add_scaled(v.data(), kick, a.data(), v.size());
    return flow(t, h, q, v, work);
  }
  virtual void refine() {}          // halves the size of inner steps if their number is not given
  virtual void forget() {}          // drops forces kept from earlier calls: something outside has changed
  virtual void memory(Archive&) {}  // writes or reads what a bit-identical restart with equal counters needs
};

// The reduced problem with what a (phi, psi)-method needs: averages of its positions along a motion from rest, and
// mollified forces. A flow has one pair of weights per slow force; all of them share one sweep forward and one back.
//
// A step of the method is: half kick, flow, half kick by G = sum_k Mol_k(q) g_k(A_k(q)). average() and mollify() give
// one G, which is used at the end of a step and at the beginning of the next.
class FastFlow : public Flow {
 public:
  virtual const std::vector<WeightPair>& pairs() const = 0;
  // Puts A_k(q) for a step h into column k, with time held at t.
  virtual bool average(double t, double h, In q, Eigen::Ref<Mat> a, Counters& work) = 0;
  // sum_k Mol_k(q) g_k at the t, h and q of the last average(); column k of g is the force g_k at A_k. These are
  // forces, not accelerations: with a mass matrix Mol is M hatpsi M^-1 for a linear f.
  virtual bool mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) = 0;

  // Highest frequency of the fast force at the start and its mode, |mode| = 1; 0 and zeros if there is none.
  virtual double fastest_frequency() const = 0;
  virtual const Vec& fastest_mode() const = 0;
  // The same at another q, starting from the mode at the start; costs a few products.
  virtual double frequency_at(double t, In q, Counters& work) = 0;
  // omega tau of the longest inner step used for a step h; 0: the flow is exact.
  virtual double inner_angle(double h) const = 0;
  virtual std::string text() const = 0;  // description for reports: "16 inner steps of order 2"
};

struct FlowOptions {
  int inner = 0;        // inner steps in half a step; 0: enough for omega tau <= 0.25
  int inner_order = 2;  // order of the symmetric inner steps: 2, 4, 6 or 8
  // Max count of numbers stored along a sweep; longer sweeps are computed again backwards.
  Index most_stored = Index{1} << 26;
};

// For the forces of these groups, which must not depend on velocities. Sweeps work for every force.
std::unique_ptr<FastFlow> make_sweep_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                          const FlowOptions& options);
// Chooses the flow that suits the force.
std::unique_ptr<FastFlow> make_fast_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                         const FlowOptions& options);
}  // namespace trill
