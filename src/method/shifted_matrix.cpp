// SPDX-License-Identifier: BSD-3-Clause
#include "method/shifted_matrix.hpp"

#include "linalg/stored_entries.hpp"
#include "method/stage_sums.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
Index at(std::size_t mode) { return static_cast<Index>(mode); }
}  // namespace

ShiftedMatrix::ShiftedMatrix(const MatrixSlot& pattern, const StageBlock& block, Index balanced)
    : block_(block),
      pattern_(pattern),
      balanced_(balanced),
      balance_(pattern_, balanced > 0 ? balanced : pattern.rows()),
      real_powers_(block.reals.size()),
      pair_powers_(block.pairs.size()),
      values_(static_cast<std::size_t>(pattern.stored())),
      x_(Eigen::MatrixXcd::Zero(pattern.rows(), at(block.pairs.size()))),
      real_x_(Mat::Zero(pattern.rows(), at(block.reals.size()))),
      pair_real_(Vec::Zero(pattern.rows())),
      pair_imag_(pair_real_) {
  for (std::size_t k = 0; k < block.reals.size(); ++k) reals_.push_back(make_linear_solver(pattern));
  for (std::size_t k = 0; k < block.pairs.size(); ++k) pairs_.push_back(make_complex_solver(pattern));
}

void ShiftedMatrix::add(const MatrixSlot& source, Index row, Index col, bool transposed, int power, double sign) {
  Term term{&source, {}, power, sign};
  each_stored(source, [&](Index i, Index j, Index) {
    term.places.push_back(pattern_.entry(row + (transposed ? j : i), col + (transposed ? i : j)) - pattern_.values());
  });
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
  for (Index i = 0; i < balanced_; ++i) x[i] = plain_product(x[i], sigma.front());
  balance_.scale(x);
}

template <class Scalar>
void ShiftedMatrix::scale_columns(const Powers<Scalar>& sigma, Scalar* x) const {
  if (balanced_ == 0) return;
  balance_.scale(x);
  for (Index i = balanced_; i < size(); ++i) x[i] = plain_product(x[i], sigma.back());
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

// x = T (T^-1 rhs, solved mode by mode); for a complex pair one solve is enough. The modes are solved one after another
// with nothing in between, since the processor then works at several of these short solves at a time.
void ShiftedMatrix::solve(const double* rhs, double* x) {
  with_small(size(), [&](auto n) {
    with_stages(block_.count, [&](auto count) {
      take_modes(n, count, rhs);
      for (std::size_t k = 0; k < reals_.size(); ++k) reals_[k]->solve(real_x_.col(at(k)), real_x_.col(at(k)));
      for (std::size_t k = 0; k < pairs_.size(); ++k) pairs_[k]->solve(&x_(0, at(k)));
      add_modes(n, count, x);
    });
  });
}

void ShiftedMatrix::take_modes(auto n, auto count, const double* rhs) {
  using Sum = StageSum<decltype(n)>;
  const auto take = [&](const Vec& left, double* place) __attribute__((always_inline)) {
    auto sum = Sum::zero(place, n);
    Sum::add(
        count, [from = left.data()](Index j) { return from[j]; }, rhs, n, n, sum);
    return sum;
  };
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    double* found = real_x_.col(at(k)).data();
    typename Sum::Write(found, n) = take(block_.reals[k].left, found);
    scale_rows(real_powers_[k], found);
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto real = take(block_.pairs[k].left_real, pair_real_.data());
    const auto imag = take(block_.pairs[k].left_imag, pair_imag_.data());
    Complex* both = &x_(0, at(k));
    for (Index i = 0; i < n; ++i) both[i] = {real[i], imag[i]};
    scale_rows(pair_powers_[k], both);
  }
}

void ShiftedMatrix::add_modes(auto n, auto count, double* x) {
  using Sum = StageSum<decltype(n)>;
  std::fill_n(x, n * count, 0.0);
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    double* place = real_x_.col(at(k)).data();
    scale_columns(real_powers_[k], place);
    const auto found = Sum::kept(place, n);
    const double* right = block_.reals[k].right.data();
    each_index(
        count, [&](Index j) __attribute__((always_inline)) { typename Sum::Write(x + j * n, n) += right[j] * found; });
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    Complex* both = &x_(0, at(k));
    scale_columns(pair_powers_[k], both);
    auto real = Sum::zero(pair_real_.data(), n), imag = Sum::zero(pair_imag_.data(), n);
    for (Index i = 0; i < n; ++i) {
      real[i] = both[i].real();
      imag[i] = both[i].imag();
    }
    const double *right_real = block_.pairs[k].right_real.data(), *right_imag = block_.pairs[k].right_imag.data();
    each_index(
        count, [&](Index j) __attribute__((always_inline)) {
          typename Sum::Write(x + j * n, n) += right_real[j] * real - right_imag[j] * imag;
        });
  }
}
}  // namespace trill
