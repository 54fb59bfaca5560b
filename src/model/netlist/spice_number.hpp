// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace trill {
struct SpiceNumber {
  double value = 0;
  std::size_t length = 0;  // characters it takes, with suffix and unit
};
// A number at the beginning of a text in small letters: digits, an exponent, a scale (f p n u m k meg g t mil) and
// letters of a unit, which mean nothing: 4.7uF, 10kohm. Empty if no finite number begins there.
std::optional<SpiceNumber> leading_number(std::string_view text);
// The whole text as a number.
std::optional<double> spice_number(std::string_view text);
}  // namespace trill
