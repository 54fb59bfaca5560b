// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/options.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace trill {
// Atoms or other particles in space: the first coordinates of a problem are x, y, z of each of them.
struct Particles {
  std::vector<std::string> names;  // of each, such as the element O
  std::array<double, 3> box{};     // lengths of the rectangle that repeats itself; 0: free space
  bool has_box() const { return box[0] > 0; }
};

class HasParticles {
 public:
  virtual ~HasParticles() = default;
  virtual Particles particles() const = 0;
};

// A run stores them among its settings, for files that name them: "216 x O H H" and "18.6 18.6 18.6".
void store_particles(const Particles& particles, OptionSet& settings);
std::optional<Particles> stored_particles(const OptionSet& settings);  // nothing if there are none, or not as above
}  // namespace trill
