// SPDX-License-Identifier: BSD-3-Clause
// A run of the same problem by another method, which tells the error of the first.
#pragma once

#include "driver/check_curves.hpp"

namespace trill {
inline constexpr double smallest_rtol = 1e-13;  // below this the error of a step is hardly more than rounding
// An error of a whole run that may be that of the method which checks it, even with that tolerance.
inline constexpr double smallest_checked = 1e3 * smallest_rtol;

// The time that a check may take: of the processor, so that other programs do not change the verdict.
class CheckClock {
 public:
  CheckClock(double seconds, const std::atomic<bool>* stop) : seconds_(seconds), stop_(stop) {}
  double spent() const { return now() - begun_; }
  double left() const { return seconds_ - spent(); }
  bool interrupted() const { return stop_ && stop_->load(); }

 private:
  double seconds_;
  const std::atomic<bool>* stop_;
  static double now();
  double begun_ = now();
};

// Runs a part of a check. `unless_hopeless`: it ends early if its progress says that it cannot end in time.
enum class Patience { to_the_last, unless_hopeless };
Solution run_in_time(PreparedRun& run, const CheckClock& clock, double seconds, Patience patience);

struct Auditor {
  const MethodEntry* method = nullptr;
  OptionSet options;
  double rtol = 0;
  std::string text() const;  // "dop853 with rtol 1e-08"
};
// Methods that can audit this run, the most promising first; those other than its own before that one.
std::vector<Auditor> auditors_of(const PreparedRun& run);

struct Audit {
  Auditor by;
  JudgedCurve curve;  // up to the time that was reached
  RunOutcome outcome;
  Extent extent;  // of components, over all steps
  std::int64_t turns = 0;
  Index turning = 0;  // the component that turns so often
  bool complete = false;
  double reached = 0;  // the time of its last step
  double seconds = 0;
};
struct AuditTask {
  const State& start;
  const std::vector<double>& times;  // from the start on
  double to = 0;
  const Vec& scales;  // of the components
  double seconds = 0;
  Patience patience = Patience::to_the_last;
  double least_steps = 500;  // so that an audit does not step over what is short
};
// Empty: the auditor refuses the problem.
std::optional<Audit> audit(const PreparedRun& run, const Auditor& by, const AuditTask& task, const CheckClock& clock);
}  // namespace trill
