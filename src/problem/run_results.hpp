// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <limits>
#include <utility>

namespace trill {
// A number that a model asks for after a run, such as the mean of a voltage between two times.
struct RunResultWish {
  enum class What { average, rms, peak_to_peak, max, min, integral };
  std::string name, unit;
  What what = What::average;
  std::vector<std::pair<Index, double>> signal;  // components of the state with their weights
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
};

// A problem that asks for such numbers.
class WishesResults {
 public:
  virtual std::vector<RunResultWish> wished_results() const = 0;

 protected:
  ~WishesResults() = default;
};

inline std::vector<RunResultWish> wished_results_of(const Problem& problem) {
  const auto* wishes = dynamic_cast<const WishesResults*>(&problem);
  return wishes ? wishes->wished_results() : std::vector<RunResultWish>();
}
}  // namespace trill
