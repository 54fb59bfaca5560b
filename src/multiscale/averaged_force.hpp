// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_spectrum.hpp"
#include "multiscale/micro_window.hpp"

#include <limits>
#include <utility>

namespace trill {
// The micro-step and the weights with which means are taken.
struct WindowPlan {
  double h = 0;  // micro-step
  AveragingWeights weights{Vec::Ones(1)};
  double length() const { return 2 * static_cast<double>(weights.reach()) * h; }
};

// The slow system of the heterogeneous multiscale method as an ordinary first-order problem (SAT09 sec. 3): q' = v,
// v' = mean of the stiff acceleration over a window around (q, v). Any method of the library can drive it.
//   staged: the window begins at the means of a first window, because the stages of a method lie off the slow
//           manifold, and that distance would put energy into the oscillation
//   lifted: the energy of the fast modes, given by their actions J, is put into the windows, with both signs; J are
//           unknowns that are damped by linear drag
class AveragedForce final : public FirstOrderProblem {
 public:
  AveragedForce(const MechanicalProblem& stiff, Index actions);
  std::string name() const override { return stiff_.name() + " (averaged)"; }
  Layout layout() const override { return {n_, n_, 0, actions_}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override;
  void rhs(double t, In y, Out dy) const override;

  void start(In q);  // allocates
  void plan(WindowPlan windows, bool staged, bool lifted);
  const WindowPlan& windows() const { return windows_; }
  bool staged() const { return staged_; }
  bool lifted() const { return lifted_; }
  Index actions() const { return actions_; }

  // Means of the motion through a state.
  bool average(double t, In q, In v, MicroWindow::Means& means) const {
    return micro_.follow(windows_.h, windows_.weights, t, q, v, means);
  }
  // The means of the first window if this point was the last one evaluated, otherwise nullptr.
  const MicroWindow::Means* means_at(double t, In y) const { return t == t_ && y == y_ ? &means_ : nullptr; }
  // Marks a point whose first window is to be kept when it is evaluated, for example as the first stage of the next
  // step.
  void mark(const State& s) const;
  bool has_marked() const { return seen_marked_; }
  const State& marked() const { return marked_; }
  const MicroWindow::Means& marked_means() const { return marked_means_; }
  void forget() const { t_ = std::numeric_limits<double>::quiet_NaN(); }

  // The smallest distance between two fast frequencies in windows with energy since the last call.
  double take_nearest() const { return std::exchange(nearest_, std::numeric_limits<double>::infinity()); }

  MicroWindow& micro() const { return micro_; }
  FastSpectrum& spectrum() const { return spectrum_; }
  const MechanicalProblem& stiff() const { return stiff_; }

 private:
  bool evaluate(double t, In y, Out dy) const;
  bool lifted_acceleration(double t, In J, Out dy) const;
  void damp(double t, In J, Out rate) const;

  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& stiff_;
  Index n_, actions_;
  Drag drag_;
  mutable MicroWindow micro_;
  mutable FastSpectrum spectrum_;
  WindowPlan windows_;
  bool staged_ = false, lifted_ = false;
  mutable double t_ = std::numeric_limits<double>::quiet_NaN();
  mutable Vec y_, rate_;
  mutable MicroWindow::Means means_, inner_, marked_means_;
  mutable State marked_;
  mutable bool seen_marked_ = false;
  mutable double nearest_ = std::numeric_limits<double>::infinity();
  mutable Vec kick_, v_, bent_, at_rest_;
};
}  // namespace trill
