// SPDX-License-Identifier: BSD-3-Clause
// Block Ritz vectors compared with steps with all unknowns, at errors of 1e-3 in the ten lowest modal coordinates, and
// products inside Chebyshev polynomials compared with plain ones. Times are processor times. All steps of equal length
// take the same time, so only a part of a run is measured.
#include "multiscale/chebyshev_motion.hpp"
#include "papers/runs.hpp"
#include "ritz_run.hpp"

#include <cmath>
#include <cstdio>
#include <string>

namespace {
using namespace trill;
using namespace trill::bench;
using papers::Steps;
using namespace trill::papers::structures;

constexpr double end_of_run = 10;
// The seconds of a run to t = 10, extrapolated from its first part without the first step.
double by_steps(const RoughCase& c, const char* method, const OptionSet& options, double h, int measured) {
  Steps steps(c.structure, method, options);
  if (!steps.advance(h)) return NAN;
  const double part = processor_seconds([&] {
    for (int i = 0; i < measured; ++i) steps.advance(h);
  });
  return part * end_of_run / (measured * h);
}

void compare_products(const char* name, const RoughCase& c) {
  const auto& s = c.structure;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> k(s.k);
  ChebyshevMotion motion(s);
  Vec u = s.u0, v = s.v0, y = s.u0;
  // After two steps the responses to the load are known.
  const double h = 100 / motion.fastest();
  for (int i = 0; i < 3; ++i) motion.advance(h * i, h, 1e-10, u, v);
  const long before = motion.products();
  motion.advance(3 * h, h, 1e-10, u, v);
  const long products = motion.products() - before;
  const double value = median_ratio([&] { motion.advance(3 * h, h, 1e-10, u, v); },
                                    [&] {
                                      for (long i = 0; i < products; ++i) {
                                        y.noalias() = k * u;
                                        keep(y[0]);
                                      }
                                    },
                                    9);
  print_ratio(name, value, 1.6);
}
void plate() {
  const RoughCase plate = rough_membrane(100, true);
  const Timed ritz = by_ritz(plate);
  const double alpha = by_steps(plate, "generalized_alpha", {{"rho", "0.8"}}, 1.0 / 320, 160);
  std::printf("plate, n = 1e4: ritz %.3f s with error %.2e, generalized_alpha %.2f s\n", ritz.seconds, ritz.error,
              alpha);
  print_ratio("structures/ritz_over_alpha_plate", ritz.seconds / alpha, 1.0 / 15);
  compare_products("structures/chebyshev_product_plate", plate);
}

void membrane() {
  const RoughCase membrane = rough_membrane(316, false);
  const Timed ritz = by_ritz(membrane);
  const double verlet =
      by_steps(membrane, "damped_verlet", {}, 1.9 / ChebyshevMotion(membrane.structure).fastest(), 300);
  std::printf("membrane, n = 1e5: ritz %.2f s with error %.2e, damped_verlet %.2f s\n", ritz.seconds, ritz.error,
              verlet);
  print_ratio("structures/ritz_over_verlet_membrane", ritz.seconds / verlet, 1.0 / 3);
  compare_products("structures/chebyshev_product_membrane", membrane);
}
}  // namespace

// Both parts, or the one that is named.
int main(int count, char** words) {
  const std::string only = count > 1 ? words[1] : "";
  if (only != "membrane") plate();
  std::fflush(stdout);
  if (only != "plate") membrane();
  return 0;
}
