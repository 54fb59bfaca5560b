// SPDX-License-Identifier: BSD-3-Clause
// The system's C compiler as a child process.
#pragma once

#include "base/folder.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace trill {
// Why there is no native code; the text is one phrase.
struct NativeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The compiler command: the words of $CC, or else cc, gcc or clang; the first word is an absolute path. Throws
// NativeFailure if none is in PATH.
std::vector<std::string> find_compiler();

// Runs the command without a shell in this folder, where its output goes to a new file `messages`. Throws NativeFailure
// if it fails or takes too long.
void run_compiler(const std::vector<std::string>& command, const Folder& folder, double seconds);
}  // namespace trill
