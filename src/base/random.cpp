// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/random.hpp"

#include <cmath>
#include <numbers>

namespace trill {
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

namespace {
std::array<std::uint32_t, 4> block(const RandomKey& key, std::uint32_t component) {
  return philox({static_cast<std::uint32_t>(key.step), static_cast<std::uint32_t>(key.step >> 32), component, key.run},
                {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
}
// 53 bits, shifted by half a unit so that neither 0 nor 1 can come out.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}
}  // namespace

double random_uniform(const RandomKey& key, std::uint32_t component) {
  const auto b = block(key, component);
  return unit(b[0], b[1]);
}

double random_normal(const RandomKey& key, std::uint32_t component) {
  const auto b = block(key, component);
  // Box-Muller; the second number of the pair is not used, so that the components are independent of each other.
  return std::sqrt(-2 * std::log(unit(b[0], b[1]))) * std::cos(2 * std::numbers::pi * unit(b[2], b[3]));
}
}  // namespace trill
