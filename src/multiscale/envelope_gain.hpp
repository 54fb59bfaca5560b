// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/cycle_map.hpp"

#include <string>
#include <vector>

namespace trill {
// How many cycles an envelope run will have to compute, and what that saves.
struct EnvelopeGain {
  double cycles = 0;    // of the whole run
  double computed = 0;  // those that have to be computed; 0: not known
  double gain() const { return cycles / computed; }
};

// A forecast is usually right within this factor.
inline constexpr double forecast_factor = 1.5;
std::string foreseen(const EnvelopeGain& gain);  // the number with its range

// How many cycles cycle_bdf computes until so many have passed, from z on, where the change in a cycle is linear.
double rehearse(In change, const Mat& derivative, In at, Vec& z, double cycles, double tolerance);

// A rehearsal of the run that begins with z in cycle 0. Soon after the start, and after each of the first few cycles
// given by `corners`, in which sources change what all further cycles do, some cycles are computed; what they have
// found is followed as if it were linear until the next corner. false: a cycle could not be computed.
bool predict_gain(const CycleMap& map, In z, double cycles, const std::vector<double>& corners, double tolerance,
                  EnvelopeGain& gain);
}  // namespace trill
