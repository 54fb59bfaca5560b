// SPDX-License-Identifier: BSD-3-Clause
// For programs that check a run by a more accurate one.
#pragma once

#include "trill/driver/plan.hpp"

#include <span>

namespace trill {
struct TrustOptions {
  double most_seconds = 10;  // the repetition is abandoned after this time
  const std::atomic<bool>* stop = nullptr;
};

enum class When { automatic, always, never };
// automatic: when the repetition of a run takes less than ten seconds.
bool wants_trust(const RunPlan& plan, const Counters& counters, When when);

// Repeats the run with h/2 or rtol/10 and compares at up to two thousand of its output times, component by component.
// If that takes no more steps than the run, it is repeated once more, with h/8 or rtol/1000.
// `rows` are the rows of the run, `outcome` how it ended.
Trust check_trust(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows,
                  const TrustOptions& options = {});

// A plan and what came of it: the run is repeated more accurately, or with the next best method, until the check finds
// what was asked for. Every attempt is listed, the best one is the solution.
struct Answer {
  Solution solution;              // with its trust statement; info.attempts are those before it
  std::string choice;             // why this method, if trill chose it
  std::vector<Attempt> attempts;  // all that were given up
  std::string shortfall;          // why the accuracy was not reached; empty: it was, or it is not known
};
// UsageError as prepare() throws it, if no attempt could be begun.
Answer answer(const RunPlan& plan, const TrustOptions& options = {});
Answer answer(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults = {},
              const TrustOptions& options = {});

// The check in two parts, so that the repetitions of several runs can be computed together. `run` must outlive this.
class TrustCheck {
 public:
  TrustCheck(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows);
  TrustCheck(TrustCheck&&) noexcept;
  ~TrustCheck();

 private:
  friend std::vector<Trust> answers(std::span<TrustCheck> checks, const TrustOptions& options);
  struct Parts;
  Trust answer(const RunOutcome& repeated, const TrustOptions& options) const;
  Trust decide(const RunOutcome& repeated, const TrustOptions& options);
  void add_model_error(Trust& trust) const;
  std::unique_ptr<Parts> parts_;
};
// Runs the repetitions, all together where this is possible.
std::vector<Trust> answers(std::span<TrustCheck> checks, const TrustOptions& options = {});
}  // namespace trill
