// SPDX-License-Identifier: BSD-3-Clause
// Large structures: the cost of solves in blocks and one by one, block Lanczos compared with Spectra on the same
// factors, and the cost per unknown for a million unknowns (only with TRILL_LARGE=1, since it takes minutes and 6 GB).
#include "linalg/block_lanczos.hpp"
#include "linalg/modes.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "problem/generated_structure.hpp"
#include "ratio.hpp"

#include <cmath>
#include <cstdlib>

#if __has_include(<Spectra/SymGEigsShiftSolver.h>)
#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>
#define TRILL_HAVE_SPECTRA 1
#endif
#include <fmt/format.h>
#include <sys/resource.h>

namespace {
using namespace trill;
using namespace trill::bench;
constexpr Index modes_wanted = 20;

GeneratedStructure plate(double elements) { return generate_structure("plate", {{"elements", elements}}); }
GeneratedStructure solid(double across) { return generate_structure("solid", {{"elements_across", across}}); }

void compare_sides(const char* what, const GeneratedStructure& s) {
  const SpMat& k = s.stiffness;
  const Mat b = Mat::Random(k.rows(), 16);
  const Vec one = b.col(0);
  for (const FactorEngine engine : factor_engines()) {
    if (engine == FactorEngine::simplicial && k.nonZeros() > 1'000'000 && factor_engines().size() > 1) continue;
    std::unique_ptr<SparseCholesky> factors;
    const double factor = processor_seconds([&] { factors = std::make_unique<SparseCholesky>(k, engine); });
    double single = 1e300, block = 1e300;
    for (int turn = 0; turn < 5; ++turn) {
      single = std::min(single, processor_seconds([&] { keep(factors->solve(one)[0]); }));
      block = std::min(block, processor_seconds([&] { keep(factors->solve(b)(0, 0)); }) / 16);
    }
    fmt::print("{} n = {}, {}: factors {:.2f} s and {:.1f} kB for each unknown; solve {:.1f} ms alone, {:.1f} of 16\n",
               what, k.rows(), name_of(engine), factor, 1e-3 * factors->bytes() / static_cast<double>(k.rows()),
               1e3 * single, 1e3 * block);
    print_ratio(fmt::format("solve_of_16_to_one_{}_{}", what, name_of(engine)).c_str(), block / single, 1.0 / 3);
  }
}

#ifdef TRILL_HAVE_SPECTRA
class Inverse {
 public:
  using Scalar = double;
  explicit Inverse(const SpMat& k) : k_(k) {}
  Index rows() const { return k_.rows(); }
  Index cols() const { return k_.cols(); }
  void set_shift(double) { factors_ = std::make_unique<SparseCholesky>(k_); }
  void perform_op(const double* x, double* y) const {
    ++solves;
    Eigen::Map<Vec>(y, k_.rows()) = factors_->solve(Vec(Eigen::Map<const Vec>(x, k_.rows())));
  }
  mutable Index solves = 0;

 private:
  const SpMat& k_;
  std::unique_ptr<SparseCholesky> factors_;
};

// Both factorise K once with the same library. Our time includes the search for missing modes.
void compare_with_spectra(const char* what, const GeneratedStructure& s) {
  Vec found;
  Index solves = 0;
  const auto spectra = [&] {
    Inverse inverse(s.stiffness);
    Spectra::SparseSymMatProd<double> mass(s.mass);
    Spectra::SymGEigsShiftSolver<Inverse, Spectra::SparseSymMatProd<double>, Spectra::GEigsMode::ShiftInvert> solver(
        inverse, mass, modes_wanted, 2 * modes_wanted, 0.0);
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-10, Spectra::SortRule::SmallestAlge);
    found = solver.eigenvalues();
    solves = inverse.solves;
  };
  Modes modes;
  const auto ours = [&] { modes = lowest_modes(s.stiffness, s.mass, {.count = modes_wanted}); };
  const double mine = processor_seconds(ours), theirs = processor_seconds(spectra);
  fmt::print("{} n = {}: ours {:.2f} s, {} solves; Spectra {:.2f} s, {} solves; last modes {:.6g} and {:.6g}\n", what,
             s.stiffness.rows(), mine, modes.solves, theirs, solves, std::sqrt(modes.pairs.values[modes_wanted - 1]),
             found.size() > 0 ? std::sqrt(found.maxCoeff()) : 0);
  print_ratio(fmt::format("block_lanczos_to_spectra_{}", what).c_str(), mine / theirs, 1.3);
}
#else
void compare_with_spectra(const char*, const GeneratedStructure&) { fmt::print("Spectra is not installed\n"); }
#endif

// The inertia of a factorisation gives the number of modes below the last one, so that a missing mode would be
// noticed.
void look_for_missing_modes() {
  double missing = 0;
  for (const double across : {2, 4, 6, 8, 12, 16}) {
    const GeneratedStructure s = solid(across);
    const Modes modes = lowest_modes(s.stiffness, s.mass, {.count = modes_wanted, .check = CountCheck::inertia});
    fmt::print("square solid n = {}: {}, {} found by the check\n", s.mass.rows(),
               modes.pairs.converged ? "no mode is missing" : modes.pairs.message, modes.found_by_check);
    if (!modes.pairs.converged) ++missing;
  }
  print_ratio("square_solids_with_a_missing_mode", missing, 0);
}

double seconds_of_modes(const GeneratedStructure& s) {
  return processor_seconds([&] { lowest_modes(s.stiffness, s.mass, {.count = modes_wanted}); }) /
         static_cast<double>(s.mass.rows());
}

void go_to_a_million() {
  const double small = seconds_of_modes(plate(158)), large = seconds_of_modes(plate(500));
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  fmt::print("modes of plates: {:.3g} us for each unknown of 1e5, {:.3g} us of 1e6; peak memory {:.1f} kB for each\n",
             1e6 * small, 1e6 * large, static_cast<double>(use.ru_maxrss) / 1e6);
  print_ratio("modes_per_unknown_1e6_to_1e5", large / small, 2.5);
}
}  // namespace

int main() {
  compare_sides("plate", plate(100));
  compare_sides("solid", solid(12));
  compare_with_spectra("plate", plate(158));
  compare_with_spectra("solid", solid(14));
  look_for_missing_modes();
  if (std::getenv("TRILL_LARGE")) go_to_a_million();
}
