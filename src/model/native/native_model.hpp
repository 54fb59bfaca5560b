// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/native/native_library.hpp"

namespace trill {
// Implemented by problems whose functions are routines: they can run as machine code that gives the same bits.
class NativeModel {
 public:
  virtual ~NativeModel() = default;
  struct Cost {
    double compiling = 0;         // approximate seconds
    double saved_each_force = 0;  // seconds that machine code saves in each evaluation of all forces
  };
  virtual Cost native_cost() const = 0;
  // Applies to all clones made afterwards. Returns "", or why it cannot be done; then nothing has changed.
  virtual std::string use_native(NativeUse use) const = 0;
};
}  // namespace trill
