// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/sweep.hpp"

#include <cstdint>
#include <mutex>

namespace trill {
// Which block of members comes next. Where several threads or processes share the work, long runs should not be the
// last to begin: then all others wait for them. The steps of finished members predict those of the others, by
// log(steps) = a + sum of b_k x_k, where x_k is the place of a member on axis k, from 0 to 1.
class SweepOrder {
 public:
  SweepOrder(const Sweep& sweep, std::size_t blocks);
  std::size_t blocks() const { return taken_.size(); }
  // Each block is given once. `next_longest` is for blocks of one member.
  std::size_t next();
  std::size_t next_longest();
  void learn(std::size_t member, std::int64_t steps);

 private:
  Vec place_of(std::size_t member) const;
  std::size_t take_first_of(const std::vector<std::size_t>& order, std::size_t& at);
  void predict();

  std::vector<std::size_t> axis_sizes_;
  std::vector<bool> taken_;
  std::vector<std::size_t> natural_, longest_;
  std::size_t next_natural_ = 0, next_longest_ = 0;
  std::vector<std::pair<std::size_t, double>> known_;  // members, and the logarithms of their steps
  std::size_t known_when_predicted_ = 0;
  std::mutex mutex_;
};
}  // namespace trill
