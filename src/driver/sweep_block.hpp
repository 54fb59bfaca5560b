// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/packed_runs.hpp"
#include "trill/driver/sweep.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace trill {
inline constexpr double most_bytes_of_rows = 1 << 29;  // in memory, all threads together

// Adds up the progress of all members.
class Tally {
 public:
  Tally(std::size_t members, const std::function<void(double)>& report)
      : members_(static_cast<double>(members)), report_(report) {}
  void add(double share) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    done_ += share;
    report_(std::clamp(done_ / members_, 0.0, 1.0));
  }

 private:
  double members_, done_ = 0;
  const std::function<void(double)>& report_;
  std::mutex mutex_;
};

// Members that another process is writing, or was killed while it did. They are looked at again when all others are
// done.
class Busy {
 public:
  void add(std::size_t member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(member);
  }
  std::vector<std::size_t> take() { return std::exchange(members_, {}); }
  std::size_t size() const { return members_.size(); }

 private:
  std::vector<std::size_t> members_;
  std::mutex mutex_;
};

struct SweepWork {
  Sweep& sweep;
  const SweepOptions& options;
  Tally& tally;
  Busy& busy;
  Claims* claims;     // nullptr: nothing is written, so nobody shares it
  PackedRuns* packs;  // nullptr: every run has a file of its own
};

// Runs the members begin .. end - 1, together if they can be joined. `goes_on`: unfinished runs of other processes that
// were killed are continued.
void run_block(const SweepWork& work, bool goes_on, std::size_t begin, std::size_t end);
}  // namespace trill
