// SPDX-License-Identifier: BSD-3-Clause
// For everyone: the errors that trill throws, one for misuse and one for files.
#pragma once

#include <stdexcept>

namespace trill {
// Misuse of the library: wrong name, wrong size, missing capability. Thrown only before a run starts.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// A file that cannot be read or written: missing, truncated, disk full.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
}  // namespace trill
