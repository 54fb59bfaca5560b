// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_tableau.hpp"
#include "multiscale/section_cycle.hpp"
#include "trill/method/error_scale.hpp"

namespace trill {
// Steps over many cycles of an oscillation whose period changes: a Runge-Kutta method of order 4 on its quasi-envelope,
// with the number of cycles of a step chosen by its error. The motion inside a step is known too: its cycles begin on
// the quasi-envelope, and each is computed where it is asked for.
class EnvelopeSteps {
 public:
  enum class Outcome { ok, no_room, too_short, lost, rejected };

  // y at t is where a cycle begins. sizes: of the components, for the scale of errors.
  EnvelopeSteps(const Problem& problem, double t, In y, Section section, double period, InnerMotion::Accuracy accuracy,
                In sizes);

  // One step that ends at t_stop or earlier. Any outcome but ok leaves everything as it was. no_room: hardly any cycle
  // is left; too_short: single cycles would cost no more; lost: a cycle does not come back to the section.
  Outcome step(double t_stop, const ErrorScale& scale, Counters& work);
  bool goes_on() const { return cycles_ >= fewest; }  // false: the next step would be too short

  double t() const { return z_[z_.size() - 1]; }
  auto y() const { return z_.head(z_.size() - 1); }
  double error() const { return error_norm_; }  // of the last step
  double cycles() const { return taken_; }      // in it
  double period() const { return map_->period(); }
  void inside(double t, Out y);                              // in the last step
  void take_work(Counters& total) { take_new_work(total); }  // of inside(), too
  void memory(Archive& archive);

 private:
  static constexpr double fewest = 5;  // a step computes four cycles

  bool attempt(double cycles, const ErrorScale& scale, Counters& work);
  bool change(In z, Out change, Counters& work);
  void take_new_work(Counters& total);
  double cycle_before(double t);
  void on_envelope(double n, Out z) const;

  std::unique_ptr<SectionCycle> map_;
  std::unique_ptr<InnerMotion> rebuilt_;  // the cycle that was looked at last
  double rebuilt_cycle_ = -1;
  Vec z_, next_, error_, sizes_;
  Mat changes_;
  Mat corners_;  // the quasi-envelope at 0, 1, M and M + 1 cycles of the last step
  bool change_known_ = false;
  double cycles_ = fewest, taken_ = 0, error_norm_ = 0;
  CycleTableau tableau_;
  double tableau_cycles_ = 0;
  Counters map_seen_, rebuilt_seen_;
  Vec corner_;
};
}  // namespace trill
