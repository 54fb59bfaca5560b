// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_cholesky.hpp"

#include "linalg/sparse_factors.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace trill {
namespace {
// Measured on plates, solids and membranes from 500 to 100,000 unknowns: below this, solves by columns are quicker, and
// the factorisation takes about as long.
constexpr double operations_worth_blocks = 200;
constexpr Index certainly_large = 5'000'000;  // entries; looking closer would take long, and Eigen's counts overflow

FactorEngine best_engine(const SpMat& a) {
  const std::vector<FactorEngine> engines = factor_engines();
  const bool finite = Eigen::Map<const Vec>(a.valuePtr(), a.nonZeros()).allFinite();
  if (engines.size() == 1 || !finite) return FactorEngine::simplicial;
  const bool large = a.nonZeros() > certainly_large || operations_per_entry(a) > operations_worth_blocks;
  return large ? engines.back() : FactorEngine::simplicial;
}

std::unique_ptr<SparseFactors> factorise(const SpMat& a, FactorEngine engine) {
  switch (engine) {
    case FactorEngine::mumps:
      return mumps_factors(a);
    case FactorEngine::cholmod:
      return cholmod_factors(a);
    case FactorEngine::simplicial:
      break;
  }
  return simplicial_factors(a);
}
}  // namespace

std::vector<FactorEngine> factor_engines() {
  std::vector<FactorEngine> engines{FactorEngine::simplicial};
  if (!mumps_version().empty()) engines.push_back(FactorEngine::mumps);
  if (!cholmod_release().empty()) engines.push_back(FactorEngine::cholmod);
  return engines;
}

const char* name_of(FactorEngine engine) {
  return engine == FactorEngine::mumps ? "mumps" : engine == FactorEngine::cholmod ? "cholmod" : "eigen";
}

std::string factor_engines_text() {
  std::string text = name_of(FactorEngine::simplicial);
  if (const std::string version = mumps_version(); !version.empty()) text += ", mumps " + version;
  if (const std::string version = cholmod_release(); !version.empty()) text += ", cholmod " + version;
  return text;
}

SparseCholesky::SparseCholesky(const SpMat& a) : SparseCholesky(a, best_engine(a)) {}

SparseCholesky::SparseCholesky(const SpMat& a, FactorEngine engine) : engine_(engine), factors_(factorise(a, engine)) {
  if (!factors_) throw std::invalid_argument("this factorisation is not available here");
}

SparseCholesky::~SparseCholesky() = default;

bool SparseCholesky::succeeded() const { return factors_->succeeded(); }

bool SparseCholesky::is_positive_definite() const { return succeeded() && negative_pivots() == 0; }

Index SparseCholesky::negative_pivots() const { return factors_->negative_pivots(); }

bool SparseCholesky::has_rounded_pivot() const { return factors_->has_rounded_pivot(); }

double SparseCholesky::bytes() const { return factors_->bytes(); }

Mat SparseCholesky::solve(const Mat& b) const {
  Mat x = b;
  factors_->solve(x);
  return x;
}

Vec SparseCholesky::solve(const Vec& b) const { return solve(Mat(b)).col(0); }
}  // namespace trill
