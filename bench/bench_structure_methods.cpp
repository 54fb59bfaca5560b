// SPDX-License-Identifier: BSD-3-Clause
// Block Ritz vectors compared with steps with all unknowns, at errors of 1e-3 in the ten lowest modal coordinates, and
// products inside Chebyshev polynomials compared with plain ones. Times are processor times. All steps of equal length
// take the same time, so only a part of a run is measured.
#include "multiscale/chebyshev_motion.hpp"
#include "multiscale/ritz_basis.hpp"
#include "papers/rough_structures.hpp"
#include "papers/runs.hpp"
#include "ratio.hpp"

#include <cmath>

namespace {
using namespace trill;
using namespace trill::bench;
using papers::Steps;
using namespace trill::papers::structures;

constexpr double end_of_run = 10;
constexpr Index vectors = 18;  // six blocks, each of a load and the initial state

struct Timed {
  double seconds = 0, error = 0;
};

Timed by_ritz(const RoughCase& c) {
  const auto& s = c.structure;
  Timed out;
  Mat found;
  out.seconds = processor_seconds([&] {
    WholeSpace space(s.k, s.m);
    space.factorise(0);
    Mat start(s.m.rows(), 3);
    start << s.shapes, s.m * s.u0, s.m * s.v0;
    RitzBasis basis(space, start);
    while (basis.size() < vectors && basis.extend()) {
    }
    if (basis.solve()) found = c.along(basis.vectors() * basis.combinations(), basis.lambda());
  });
  out.error = found.size() > 0 ? c.error(found) : NAN;
  return out;
}

// The seconds of a run to t = 10, extrapolated from its first part without the first step.
double by_steps(const RoughCase& c, const char* method, const OptionSet& options, double h, int measured) {
  Steps steps(c.structure, method, options);
  if (!steps.advance(h)) return NAN;
  const double part = processor_seconds([&] {
    for (int i = 0; i < measured; ++i) steps.advance(h);
  });
  return part * end_of_run / (measured * h);
}

// CVODE's BDF with the loosest of these tolerances whose error is no larger than ours. Returns the seconds. A
// comparison with a DIRK method of ARKODE would need headers that Debian does not install together with CVODE.
Timed by_cvode(const RoughCase& c, double wanted) {
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7}) {
    const auto& s = c.structure;
    const auto stepper = Catalogue::all().method("cvode_bdf").make(s, {});
    State state = s.initial_state();
    const ErrorScale scale{.rtol = rtol, .atol = Vec::Constant(state.y.size(), 1e-2 * rtol)};
    const Vec weights = Vec::Ones(state.y.size());
    Notes notes;
    Counters work;
    Mat found(coordinates_judged, 10);
    bool ok = true;
    const double taken = processor_seconds([&] {
      stepper->start(state, scale);
      for (Index i = 0; i < 10 && ok; ++i) {
        while (ok && state.t < static_cast<double>(i + 1) - 1e-12)
          ok = stepper
                   ->step(state, {static_cast<double>(i + 1) - state.t, scale, weights, HUGE_VAL, false, false, notes,
                                  work, RandomKey{}})
                   .status == StepStatus::ok;
        found.col(i) = c.phi.transpose() * (s.m * state.q());
      }
    });
    const double error = ok ? c.error(found) : NAN;
    std::printf("cvode_bdf rtol %.0e: %.2f s, error %.2e\n", rtol, taken, error);
    if (error <= wanted || rtol <= 1e-7 || taken > 60) return {taken, error};
  }
  return {};
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
}  // namespace

int main() {
  const RoughCase plate = rough_membrane(100, true);
  const Timed plate_ritz = by_ritz(plate);
  const double alpha = by_steps(plate, "generalized_alpha", {{"rho", "0.8"}}, 1.0 / 320, 160);
  std::printf("plate, n = 1e4: ritz %.3f s with error %.2e, generalized_alpha %.2f s\n", plate_ritz.seconds,
              plate_ritz.error, alpha);
  print_ratio("structures/ritz_over_alpha_plate", plate_ritz.seconds / alpha, 1.0 / 15);
  compare_products("structures/chebyshev_product_plate", plate);

  const RoughCase beam = rough_beam(501);
  Timed beam_ritz = by_ritz(beam);
  for (int i = 0; i < 4; ++i) beam_ritz.seconds = std::min(beam_ritz.seconds, by_ritz(beam).seconds);
  const Timed cvode = by_cvode(beam, beam_ritz.error);
  std::printf("beam, n = 1000: ritz %.4f s with error %.2e, cvode_bdf %.2f s with error %.2e\n", beam_ritz.seconds,
              beam_ritz.error, cvode.seconds, cvode.error);
  print_ratio("structures/ritz_over_cvode_beam", beam_ritz.seconds / cvode.seconds, 0.01);

  const RoughCase membrane = rough_membrane(316, false);
  const Timed membrane_ritz = by_ritz(membrane);
  const double verlet =
      by_steps(membrane, "damped_verlet", {}, 1.9 / ChebyshevMotion(membrane.structure).fastest(), 300);
  std::printf("membrane, n = 1e5: ritz %.2f s with error %.2e, damped_verlet %.2f s\n", membrane_ritz.seconds,
              membrane_ritz.error, verlet);
  print_ratio("structures/ritz_over_verlet_membrane", membrane_ritz.seconds / verlet, 1.0 / 3);
  compare_products("structures/chebyshev_product_membrane", membrane);
  return 0;
}
