// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/inner_motion.hpp"
#include "multiscale/section.hpp"
#include "problem/cycle_map.hpp"

namespace trill {
// Cycles from one crossing of a section to the next, for oscillations whose period changes. The unknown is z = (y, t):
// the time is one more component, and its change in a cycle is the period (PJY97 section 5, the change of the
// independent variable).
class SectionCycle final : public CycleMap {
 public:
  // period: about, or measured already. The first cycle begins where the motion from `start` first crosses the section,
  // or at `start` if it is on it. UsageError if the motion does not cross it.
  SectionCycle(const Problem& problem, const State& start, Section section, double period,
               InnerMotion::Accuracy accuracy, bool period_is_measured = false);

  std::string name() const override { return "cycles of " + motion_.problem().name(); }
  Layout layout() const override { return {.nq = start_.y.size()}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override { return start_; }
  std::unique_ptr<Problem> clone() const override;
  std::string time_unit() const override { return motion_.problem().time_unit(); }

  bool change(double n, In z, Out change) const override;
  // Along the flow onto the section, with the time. Stage values of explicit methods leave the section, and a cycle
  // would bring them back at once, which such a method multiplies by the number of cycles of its step.
  bool settle(double n, Out z) const override;
  void sizes(In z, In largest, Out sizes) const override;  // an error in time counts as the error in phase that it is
  double time(double, In z) const override { return z[z.size() - 1]; }
  double cycles_until(double t, double n, In z) const override;
  bool part(double n, In z, double t, Out end) const override;

  double period() const { return period_; }  // of the last cycle computed
  Counters work() const;
  std::int64_t evaluations() const { return work().most_forces(); }
  void memory(Archive& archive) { archive(period_, expected_); }

 private:
  bool find_crossing(double t, In y, double longest) const;
  bool end_of_cycle(double t, In y) const;

  mutable InnerMotion motion_;
  mutable SectionValue section_;
  State start_;                  // with the time as the last component
  mutable double period_;        // of the last cycle
  mutable double expected_;      // close to the period: cycles are integrated for this time, and then to the section
  mutable double end_time_ = 0;  // of the last crossing found
  mutable Vec end_;
};
}  // namespace trill
