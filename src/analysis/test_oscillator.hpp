// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/stepper.hpp"

namespace trill {
// q'' = -q in a form that a method accepts: as it is, with a second coordinate held by a constraint, in a heat bath at
// zero temperature and friction, or as an LC circuit. The first entry of q oscillates; its velocity is entry
// velocity_index of y.
struct TestOscillator {
  std::unique_ptr<Problem> problem;
  Index velocity_index = 1;
};
TestOscillator make_test_oscillator(const Accepts& accepts);
}  // namespace trill
