// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_cholesky.hpp"

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

struct SparseCholesky::Factors {
  explicit Factors(const SpMat& a) : ldlt(a) {}

  template <Index width>
  void solve_columns(const Mat& b, Index first, Mat& x) const {
    const auto& place = ldlt.permutationP().indices();
    const bool permuted = place.size() > 0;
    std::vector<Sides<width>> sides(static_cast<std::size_t>(b.rows()));
    const auto side = [&](Index i) -> Sides<width>& {
      return sides[static_cast<std::size_t>(permuted ? place[i] : i)];
    };
    for (Index i = 0; i < b.rows(); ++i) side(i) = b.row(i).template segment<width>(first);
    solve_in_place<width>(ldlt.matrixL().nestedExpression(), diagonal, sides);
    for (Index i = 0; i < b.rows(); ++i) x.row(i).template segment<width>(first) = side(i);
  }

  Eigen::SimplicialLDLT<SpMat> ldlt;
  Vec diagonal = ldlt.info() == Eigen::Success ? Vec(ldlt.vectorD()) : Vec();
};

SparseCholesky::SparseCholesky(const SpMat& a) : factors_(std::make_unique<Factors>(a)) {}
SparseCholesky::~SparseCholesky() = default;

bool SparseCholesky::succeeded() const { return factors_->ldlt.info() == Eigen::Success; }

bool SparseCholesky::is_positive_definite() const { return succeeded() && (factors_->diagonal.array() > 0).all(); }

const Vec& SparseCholesky::pivots() const { return factors_->diagonal; }

Mat SparseCholesky::solve(const Mat& b) const {
  Mat x(b.rows(), b.cols());
  Index first = 0;
  for (; first + widest <= b.cols(); first += widest) factors_->solve_columns<widest>(b, first, x);
  for (; first + 2 <= b.cols(); first += 2) factors_->solve_columns<2>(b, first, x);
  if (first < b.cols()) x.col(first) = solve(Vec(b.col(first)));
  return x;
}

Vec SparseCholesky::solve(const Vec& b) const { return factors_->ldlt.solve(b); }
}  // namespace trill
