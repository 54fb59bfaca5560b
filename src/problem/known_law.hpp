// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <optional>

namespace trill {
// A problem in a heat bath that knows the exact distribution of some of its measures.
class KnownLaw {
 public:
  virtual ~KnownLaw() = default;
  struct Range {
    double low, high;  // of the values that the measure can have
  };
  virtual std::optional<Range> law_range(Index measure) const = 0;  // empty: the law of this measure is not known
  virtual double law(Index measure, double value) const = 0;        // its density, up to a factor
};
}  // namespace trill
