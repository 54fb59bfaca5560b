// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trill {
// What a run gives of the motion.
enum class Delivers { full, slow, amplitude, statistics };

constexpr const char* to_text(Delivers delivers) {
  switch (delivers) {
    case Delivers::full:
      return "full motion";
    case Delivers::slow:
      return "slow motion";
    case Delivers::amplitude:
      return "amplitudes";
    case Delivers::statistics:
      return "statistics";
  }
  return "";
}
}  // namespace trill
