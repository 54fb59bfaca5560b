// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// A problem that knows how small its components may be and still mean something, as circuits do by the absolute
// tolerances of SPICE: what moves by less than that is rounding, or a current through gmin.
class HasLeastValues {
 public:
  virtual Vec least_values() const = 0;

 protected:
  ~HasLeastValues() = default;
};
}  // namespace trill
