// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/simplicial_factors.hpp"

#include <cmath>
#include <vector>

#include <Eigen/SparseCholesky>

namespace trill {
namespace {
// As many right-hand sides as a pass over the factor serves. Reading the factor takes most of the time of a solve, so
// eight sides cost little more than one.
constexpr Index widest = 8;

template <Index width>
using Sides = Eigen::Array<double, 1, width>;

// x becomes (L D L^T)^-1 x. The numbers of all right-hand sides for one unknown lie beside each other. L has no
// diagonal.
template <Index width>
void solve_in_place(const SpMat& l, const Vec& d, std::vector<Sides<width>>& x) {
  const auto at = [&](Index i) -> Sides<width>& { return x[static_cast<std::size_t>(i)]; };
  for (Index j = 0; j < l.cols(); ++j) {
    const Sides<width> known = at(j);
    for (SpMat::InnerIterator it(l, j); it; ++it) at(it.row()) -= it.value() * known;
  }
  for (Index j = l.cols(); j-- > 0;) {
    Sides<width> sum = at(j) / d[j];
    for (SpMat::InnerIterator it(l, j); it; ++it) sum -= it.value() * at(it.row());
    at(j) = sum;
  }
}
}  // namespace

struct SimplicialFactors::Ldlt : Eigen::SimplicialLDLT<SpMat> {
  using Eigen::SimplicialLDLT<SpMat>::SimplicialLDLT;
  const SpMat& lower() const { return m_matrix; }
  Index place(Index i) const { return m_P.size() > 0 ? m_P.indices()[i] : i; }

  template <Index width>
  void solve_columns(const Vec& pivots, Index first, Mat& x) const {
    std::vector<Sides<width>> sides(static_cast<std::size_t>(x.rows()));
    const auto side = [&](Index i) -> Sides<width>& { return sides[static_cast<std::size_t>(place(i))]; };
    for (Index i = 0; i < x.rows(); ++i) side(i) = x.row(i).template segment<width>(first);
    solve_in_place<width>(lower(), pivots, sides);
    for (Index i = 0; i < x.rows(); ++i) x.row(i).template segment<width>(first) = side(i);
  }
};

SimplicialFactors::SimplicialFactors(const SpMat& a) : ldlt_(std::make_unique<Ldlt>(a)), size_(a.rows()) {
  if (ldlt_->info() != Eigen::Success || !Vec(ldlt_->vectorD()).allFinite()) return;
  pivots_ = ldlt_->vectorD();
  const Vec diagonal = a.diagonal();
  for (Index i = 0; i < diagonal.size(); ++i)
    if (!(std::abs(pivots_[ldlt_->place(i)]) > rounded_pivot * std::abs(diagonal[i]))) rounded_ = true;
}

SimplicialFactors::~SimplicialFactors() = default;

double SimplicialFactors::bytes() const {
  const auto entries = static_cast<double>(ldlt_->lower().nonZeros());
  return entries * (sizeof(double) + sizeof(SpMat::StorageIndex));
}

void SimplicialFactors::solve(Mat& x) const {
  Index first = 0;
  for (; first + widest <= x.cols(); first += widest) ldlt_->solve_columns<widest>(pivots_, first, x);
  for (; first + 2 <= x.cols(); first += 2) ldlt_->solve_columns<2>(pivots_, first, x);
  if (first < x.cols()) x.col(first) = Vec(ldlt_->solve(Vec(x.col(first))));
}

std::unique_ptr<SparseFactors> simplicial_factors(const SpMat& a) { return std::make_unique<SimplicialFactors>(a); }

double operations_per_entry(const SpMat& a) {
  struct Analysis : Eigen::SimplicialLDLT<SpMat> {
    const SpMat& lower() const { return m_matrix; }
  } analysis;
  analysis.analyzePattern(a);
  const auto* starts = analysis.lower().outerIndexPtr();
  double entries = 0, operations = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    const double height = starts[j + 1] - starts[j];
    entries += height + 1;
    operations += height * height;
  }
  return entries > 0 ? operations / entries : 0;
}
}  // namespace trill
