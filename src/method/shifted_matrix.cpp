// SPDX-License-Identifier: BSD-3-Clause
#include "method/shifted_matrix.hpp"

#include "method/stage_sums.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
ShiftedMatrix::ShiftedMatrix(const MatrixSlot& pattern, const StageBlock& block, Index balanced)
    : block_(block),
      pattern_(pattern),
      balanced_(balanced),
      balance_(pattern_, balanced > 0 ? balanced : pattern.rows()),
      real_powers_(block.reals.size()),
      pair_powers_(block.pairs.size()),
      values_(static_cast<std::size_t>(pattern.stored())),
      x_(static_cast<std::size_t>(pattern.rows())),
      real_x_(pattern.rows()),
      imag_x_(pattern.rows()) {
  for (std::size_t k = 0; k < block.reals.size(); ++k) reals_.push_back(make_linear_solver(pattern));
  for (std::size_t k = 0; k < block.pairs.size(); ++k) pairs_.push_back(make_complex_solver(pattern));
}

void ShiftedMatrix::add(const MatrixSlot& source, Index row, Index col, bool transposed, int power, double sign) {
  Term term{&source, {}, power, sign};
  const auto place = [&](Index i, Index j) {
    term.places.push_back(pattern_.entry(row + (transposed ? j : i), col + (transposed ? i : j)) - pattern_.values());
  };
  for (Index j = 0; j < source.cols(); ++j) {
    if (source.is_sparse()) {
      for (SpMat::InnerIterator it(source.as_sparse(), j); it; ++it) place(it.row(), j);
    } else {
      for (Index i = 0; i < source.rows(); ++i) place(i, j);
    }
  }
  terms_.push_back(std::move(term));
}

template <class Scalar>
ShiftedMatrix::Powers<Scalar> ShiftedMatrix::powers_of(Scalar sigma) {
  const Scalar inverse = Scalar(1) / sigma;
  return {inverse * inverse, inverse, Scalar(1), sigma, sigma * sigma};
}

template <class Scalar>
void ShiftedMatrix::assemble(const Powers<Scalar>& sigma, Scalar* values) const {
  std::fill_n(values, pattern_.stored(), Scalar(0));
  for (const Term& term : terms_) {
    const Scalar factor = term.sign * sigma[static_cast<std::size_t>(term.power + 2)];
    const double* from = term.source->values();
    const Index* place = term.places.data();
    const Index count = static_cast<Index>(term.places.size());
    for (Index k = 0; k < count; ++k) values[place[k]] += factor * from[k];
  }
}

template <class Scalar>
void ShiftedMatrix::scale_rows(const Powers<Scalar>& sigma, Scalar* x) const {
  for (Index i = 0; i < balanced_; ++i) x[i] *= sigma.front();
  balance_.scale(x);
}

template <class Scalar>
void ShiftedMatrix::scale_columns(const Powers<Scalar>& sigma, Scalar* x) const {
  if (balanced_ == 0) return;
  balance_.scale(x);
  for (Index i = balanced_; i < size(); ++i) x[i] *= sigma.back();
}

bool ShiftedMatrix::factorise(double h) {
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    real_powers_[k] = powers_of(block_.reals[k].inverse_gamma / h);
    assemble(real_powers_[k], pattern_.values());
    if (k == 0) balance_.find(pattern_.values());
    balance_.apply(pattern_.values());
    if (!reals_[k]->factorise(pattern_)) return false;
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    pair_powers_[k] = powers_of(block_.pairs[k].inverse_gamma / h);
    assemble(pair_powers_[k], values_.data());
    if (k == 0 && reals_.empty()) balance_.find(values_.data());
    balance_.apply(values_.data());
    if (!pairs_[k]->factorise(values_.data())) return false;
  }
  return true;
}

void ShiftedMatrix::forget() {
  for (const auto& solver : reals_) solver->analyse(pattern_);
  for (const auto& solver : pairs_) solver->forget();
}

void ShiftedMatrix::solve_real(Vec& x) {
  scale_rows(real_powers_.front(), x.data());
  reals_.front()->solve(x, x);
  scale_columns(real_powers_.front(), x.data());
}

// x = T (T^-1 rhs, solved mode by mode); for a complex pair one solve is enough.
void ShiftedMatrix::solve(const double* rhs, double* x) {
  with_small(size(), [&](auto n) {
    std::fill_n(x, n * block_.count, 0.0);
    for (std::size_t k = 0; k < reals_.size(); ++k) add_real_mode(k, n, rhs, x);
    for (std::size_t k = 0; k < pairs_.size(); ++k) add_pair(k, n, rhs, x);
  });
}

void ShiftedMatrix::add_real_mode(std::size_t k, auto n, const double* rhs, double* x) {
  using Sum = StageSum<decltype(n)>;
  const StageBlock::RealMode& mode = block_.reals[k];
  typename Sum::Write found(real_x_.data(), n);
  auto sum = Sum::zero(found.data(), n);
  for (Index j = 0; j < block_.count; ++j) sum += mode.left[j] * typename Sum::Read(rhs + j * n, n);
  found = sum;
  scale_rows(real_powers_[k], real_x_.data());
  reals_[k]->solve(real_x_, real_x_);
  scale_columns(real_powers_[k], real_x_.data());
  for (Index j = 0; j < block_.count; ++j) typename Sum::Write(x + j * n, n) += mode.right[j] * found;
}

void ShiftedMatrix::add_pair(std::size_t k, auto n, const double* rhs, double* x) {
  using Sum = StageSum<decltype(n)>;
  const StageBlock::PairMode& mode = block_.pairs[k];
  auto real = Sum::zero(real_x_.data(), n), imag = Sum::zero(imag_x_.data(), n);
  const Index count = block_.count;
  const double *left_real = mode.left_real.data(), *left_imag = mode.left_imag.data();
  for (Index j = 0; j < count; ++j) {
    const typename Sum::Read r(rhs + j * n, n);
    real += left_real[j] * r;
    imag += left_imag[j] * r;
  }
  for (Index i = 0; i < n; ++i) x_[static_cast<std::size_t>(i)] = {real[i], imag[i]};
  scale_rows(pair_powers_[k], x_.data());
  pairs_[k]->solve(x_.data());
  scale_columns(pair_powers_[k], x_.data());
  for (Index i = 0; i < n; ++i) {
    real[i] = x_[static_cast<std::size_t>(i)].real();
    imag[i] = x_[static_cast<std::size_t>(i)].imag();
  }
  const double *right_real = mode.right_real.data(), *right_imag = mode.right_imag.data();
  for (Index j = 0; j < count; ++j) typename Sum::Write(x + j * n, n) += right_real[j] * real - right_imag[j] * imag;
}
}  // namespace trill
