// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_spectrum.hpp"
#include "multiscale/micro_window.hpp"

#include <limits>
#include <utility>

namespace trill {
// How means are taken.
struct WindowPlan {
  double h = 0;  // micro-step
  AveragingWeights weights{Vec::Ones(1)};
  double length() const { return 2 * static_cast<double>(weights.reach()) * h; }
};

// The slow system of the heterogeneous multiscale method as an ordinary first-order problem (SAT09 sec. 3): q' = v,
// v' = mean of the stiff acceleration over a window around (q, v). Any method of the library can drive it.
//   staged: the window begins at the means of a first one, because stages of a method lie off the slow manifold, and
//           their distance would carry energy
//   lifted: energy of the fast modes, given by their actions J, is put into the windows, with both signs; J are
//           unknowns that linear drag damps
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
  // What the first window gave, where this point was the last one evaluated; else nullptr.
  const MicroWindow::Means* means_at(double t, In y) const { return t == t_ && y == y_ ? &means_ : nullptr; }
  // A point whose first window is kept when it is evaluated, as the first stage of the next step.
  void mark(const State& s) const;
  bool has_marked() const { return seen_marked_; }
  const State& marked() const { return marked_; }
  const MicroWindow::Means& marked_means() const { return marked_means_; }
  void forget() const { t_ = std::numeric_limits<double>::quiet_NaN(); }

  // The smallest distance of two fast frequencies in windows with energy since it was asked last.
  double take_nearest() const { return std::exchange(nearest_, std::numeric_limits<double>::infinity()); }

  MicroWindow& micro() const { return micro_; }
  FastSpectrum& spectrum() const { return spectrum_; }
  const MechanicalProblem& stiff() const { return stiff_; }

 private:
  bool evaluate(double t, In y, Out dy) const;
  bool lifted_acceleration(double t, In J, Out dy) const;
  void damp(double t, In J, Out rate) const;

  std::shared_ptr<const Problem> owned_;  // of a clone
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
