// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/native/native_library.hpp"

namespace trill {
// What a problem offers whose functions are routines: to run them as machine code, with the same bits.
class NativeModel {
 public:
  virtual ~NativeModel() = default;
  struct Cost {
    double compiling = 0;         // seconds, about
    double saved_each_force = 0;  // by machine code, in every evaluation of all forces
  };
  virtual Cost native_cost() const = 0;
  // For all clones made afterwards. Returns why it cannot be done, then nothing has changed; or "".
  virtual std::string use_native(NativeUse use) const = 0;
};
}  // namespace trill
