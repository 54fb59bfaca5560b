// SPDX-License-Identifier: BSD-3-Clause
#include "papers/hopf_cycles.hpp"

#include "multiscale/cycle_methods.hpp"
#include "trill/driver/driver.hpp"

#include <cmath>
#include <complex>

namespace trill::papers::envelopes {
namespace {
constexpr double hopf_growth = 0.002, hopf_detuning = 0.7;

Vec in_the_plane(std::complex<double> z) { return Vec{{z.real(), z.imag()}}; }
}  // namespace

State HopfCycles::initial_state() const {
  State s(layout());
  s.y << 0.3, 0;
  return s;
}

Vec HopfCycles::after(In z, double cycles) {
  const double r2 = z.squaredNorm(), k = 1 / r2 - 1, decay = std::exp(-2 * hopf_growth * cycles);
  const double turn = hopf_growth * hopf_detuning * (cycles + std::log((1 + k * decay) / (1 + k)) / (2 * hopf_growth));
  return in_the_plane(std::complex(z[0], z[1]) * std::polar(1 / std::sqrt((1 + k * decay) * r2), turn));
}

bool HopfCycles::change(double, In z, Out change) const {
  change = after(z, 1) - z;
  return true;
}

State LinearCycles::initial_state() const {
  State s(layout());
  s.y << 1, 0;
  return s;
}

bool LinearCycles::change(double, In z, Out change) const {
  change = in_the_plane((std::complex(real_, imaginary_) - 1.0) * std::complex(z[0], z[1]));
  return true;
}

Vec in_equal_steps(const CycleMap& map, const std::string& method, OptionSet options, int each, double cycles) {
  options["cycles"] = std::to_string(each);
  const auto stepper = cycle_methods().method(method).make(map, options);
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = 1e-13, .atol = Vec::Constant(1, 1e-15)};
  const Solution solution = integrate(map, *stepper, map.initial_state(), cycles, driver);
  if (!solution.ok()) throw UsageError(method + ": " + solution.outcome.message);
  return solution.y().col(solution.y().cols() - 1);
}
}  // namespace trill::papers::envelopes
