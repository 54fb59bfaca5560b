// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/structure_space.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
SpMat shifted_stiffness(const SpMat& k, const SpMat& m, double shift) { return shift == 0 ? k : SpMat(k - shift * m); }

StructureSpace::Signs signs_of(const SparseCholesky& factors) {
  return {factors.succeeded(), factors.has_rounded_pivot(), factors.negative_pivots()};
}
}  // namespace

double StructureSpace::length(const Vec& x) const { return std::sqrt(std::max(products(x, mass_times(x))(0, 0), 0.0)); }

std::string text_of_factors(const std::string& engine, double bytes, Index unknowns) {
  return fmt::format("factors by {}: {:.3g} MB, {:.2g} kB for each unknown", engine, 1e-6 * bytes,
                     1e-3 * bytes / static_cast<double>(unknowns));
}

double WholeSpace::stiffness_norm() const {
  double most = 0;
  for (Index j = 0; j < k_.outerSize(); ++j) {
    double sum = 0;
    for (SpMat::InnerIterator it(k_, j); it; ++it) sum += std::abs(it.value());
    most = std::max(most, sum);
  }
  return most;
}

double WholeSpace::diagonal_ratio() const {
  return Vec(k_.diagonal()).cwiseAbs().sum() / Vec(m_.diagonal()).cwiseAbs().sum();
}

StructureSpace::Signs WholeSpace::factorise(double shift) {
  inverse_.reset();  // before the next factors need their memory
  inverse_ = std::make_unique<StiffnessInverse>(shifted_stiffness(k_, m_, shift));
  return signs_of(inverse_->factors());
}

StructureSpace::Signs WholeSpace::factorise_without(const Mat& rigid) {
  inverse_.reset();
  inverse_ = std::make_unique<StiffnessInverse>(k_, m_, rigid);
  return signs_of(inverse_->factors());
}

StructureSpace::Signs WholeSpace::signs_at(double shift) const {
  return signs_of(SparseCholesky(shifted_stiffness(k_, m_, shift)));
}

std::string WholeSpace::engine() const { return inverse_ ? name_of(inverse_->factors().engine()) : ""; }
}  // namespace trill
