// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/extended_lu.hpp"

#include "linalg/eigenpairs.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace trill {
namespace {
constexpr Extended last_digit = std::numeric_limits<Extended>::epsilon();
constexpr int max_refinements = 10;

using ComplexVec = ExtendedLu<ExtendedComplex>::Vector;

Extended length(const ComplexVec& x) {
  Extended sum = 0;
  for (Index i = 0; i < x.size(); ++i) sum += std::norm(x[i]);
  return std::sqrt(sum);
}

Extended largest_entry(const ExtendedMat& a) {
  Extended largest = 0;
  for (Index i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a.data()[i]));
  return largest;
}

ExtendedComplexMat shifted(const ExtendedMat& a, ExtendedComplex value) {
  ExtendedComplexMat m(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) m(i, j) = i == j ? a(i, j) - value : ExtendedComplex(a(i, j));
  return m;
}

// With (A - value) w = x the Rayleigh quotient of w is value + w^H x / w^H w. It converges quadratically.
void refine(const ExtendedMat& a, ExtendedComplex& value, ComplexVec& x) {
  const Extended smallest = last_digit * largest_entry(a);
  for (int k = 0; k < max_refinements; ++k) {
    ComplexVec w = ExtendedLu<ExtendedComplex>(shifted(a, value), smallest).solve(x);
    const Extended size = length(w);
    ExtendedComplex change = 0;
    for (Index i = 0; i < w.size(); ++i) change += std::conj(w[i]) * x[i];
    for (Index i = 0; i < w.size(); ++i) x[i] = w[i] / size;
    value += change / (size * size);
    if (std::abs(change) <= 4 * last_digit * std::abs(value) * size * size) return;
  }
}
}  // namespace

template <class Scalar>
ExtendedLu<Scalar>::ExtendedLu(Matrix a, Extended smallest_pivot)
    : lu_(std::move(a)), rows_(static_cast<std::size_t>(lu_.rows())) {
  const Index n = lu_.rows();
  std::iota(rows_.begin(), rows_.end(), Index{0});
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(lu_(i, k)) > std::abs(lu_(pivot, k))) pivot = i;
    if (pivot != k) {
      for (Index j = 0; j < n; ++j) std::swap(lu_(k, j), lu_(pivot, j));
      std::swap(rows_[static_cast<std::size_t>(k)], rows_[static_cast<std::size_t>(pivot)]);
      odd_ = !odd_;
    }
    if (lu_(k, k) == Scalar(0)) lu_(k, k) = smallest_pivot;
    if (lu_(k, k) == Scalar(0)) continue;
    for (Index i = k + 1; i < n; ++i) lu_(i, k) /= lu_(k, k);
    for (Index j = k + 1; j < n; ++j)
      for (Index i = k + 1; i < n; ++i) lu_(i, j) -= lu_(i, k) * lu_(k, j);
  }
}

template <class Scalar>
typename ExtendedLu<Scalar>::Vector ExtendedLu<Scalar>::solve(const Vector& b) const {
  const Index n = lu_.rows();
  Vector x(n);
  for (Index i = 0; i < n; ++i) x[i] = b[rows_[static_cast<std::size_t>(i)]];
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i) x[i] -= lu_(i, j) * x[j];
  for (Index j = n - 1; j >= 0; --j) {
    x[j] /= lu_(j, j);
    for (Index i = 0; i < j; ++i) x[i] -= lu_(i, j) * x[j];
  }
  return x;
}

template <class Scalar>
typename ExtendedLu<Scalar>::Matrix ExtendedLu<Scalar>::inverse() const {
  const Index n = lu_.rows();
  Matrix result(n, n);
  Vector unit = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    unit[j] = 1;
    const Vector column = solve(unit);
    for (Index i = 0; i < n; ++i) result(i, j) = column[i];
    unit[j] = 0;
  }
  return result;
}

template <class Scalar>
Scalar ExtendedLu<Scalar>::determinant() const {
  Scalar product = odd_ ? -1 : 1;
  for (Index i = 0; i < lu_.rows(); ++i) product *= lu_(i, i);
  return product;
}

template class ExtendedLu<Extended>;
template class ExtendedLu<ExtendedComplex>;

ExtendedMat extended_product(const ExtendedMat& a, const ExtendedMat& b) { return a.lazyProduct(b); }

ExtendedModes extended_modes(const ExtendedMat& a) {
  const Index n = a.rows();
  const Eigenvalues start = eigenvalues(a.cast<double>());
  if (!start.converged) throw std::runtime_error("eigenvalues of a tableau: " + start.message);
  ExtendedModes modes{{}, ExtendedComplexMat(n, n)};
  for (Index k = 0; k < n; ++k) {
    ExtendedComplex value(start.values[k].real(), start.values[k].imag());
    ComplexVec x(n);  // a start vector without symmetry, to have a part of every eigenvector
    for (Index i = 0; i < n; ++i) x[i] = 1 + static_cast<Extended>(i) / static_cast<Extended>(n);
    if (value.imag() < 0) {  // its complex conjugate comes directly before it
      value = std::conj(modes.values.back());
      for (Index i = 0; i < n; ++i) x[i] = std::conj(modes.vectors(i, k - 1));
    } else {
      refine(a, value, x);
    }
    modes.values.push_back(value);
    for (Index i = 0; i < n; ++i) modes.vectors(i, k) = x[i];
  }
  return modes;
}
}  // namespace trill
