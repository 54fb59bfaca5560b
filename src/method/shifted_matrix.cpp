// SPDX-License-Identifier: BSD-3-Clause
#include "shifted_matrix.hpp"

namespace trill {
namespace {
template <class Scalar>
Scalar power_of(Scalar sigma, int power) {
  switch (power) {
    case 0:
      return Scalar(1);
    case 1:
      return sigma;
    case 2:
      return sigma * sigma;
    case -1:
      return Scalar(1) / sigma;
    default:
      return Scalar(1) / (sigma * sigma);
  }
}
}  // namespace

ShiftedMatrix::ShiftedMatrix(const MatrixSlot& pattern, const StageBlock& block, Index balanced)
    : block_(block),
      pattern_(pattern),
      balanced_(balanced),
      values_(static_cast<std::size_t>(pattern.stored())),
      x_(static_cast<std::size_t>(pattern.rows())),
      real_x_(pattern.rows()) {
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
void ShiftedMatrix::assemble(Scalar sigma, Scalar* values) const {
  std::fill_n(values, pattern_.stored(), Scalar(0));
  for (const Term& term : terms_) {
    const Scalar factor = term.sign * power_of(sigma, term.power);
    const double* from = term.source->values();
    const Index* place = term.places.data();
    const Index count = static_cast<Index>(term.places.size());
    for (Index k = 0; k < count; ++k) values[place[k]] += factor * from[k];
  }
}

template <class Scalar>
void ShiftedMatrix::scale_rows(Scalar inverse_square, Scalar* x) const {
  for (Index i = 0; i < balanced_; ++i) x[i] *= inverse_square;
}

template <class Scalar>
void ShiftedMatrix::scale_columns(Scalar square, Scalar* x) const {
  if (balanced_ == 0) return;
  for (Index i = balanced_; i < size(); ++i) x[i] *= square;
}

void ShiftedMatrix::solve_real(Vec& x) {
  const double sigma = block_.reals.front().inverse_gamma / h_;
  scale_rows(1 / (sigma * sigma), x.data());
  reals_.front()->solve(x, x);
  scale_columns(sigma * sigma, x.data());
}

bool ShiftedMatrix::factorise(double h) {
  h_ = h;
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    assemble(block_.reals[k].inverse_gamma / h, pattern_.values());
    if (!reals_[k]->factorise(pattern_)) return false;
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    assemble(block_.pairs[k].inverse_gamma / h, values_.data());
    if (!pairs_[k]->factorise(values_.data())) return false;
  }
  return true;
}

void ShiftedMatrix::forget() {
  for (const auto& solver : reals_) solver->analyse(pattern_);
  for (const auto& solver : pairs_) solver->forget();
}

// x = T (T^-1 rhs mode by mode); of a pair one solve stands for both.
void ShiftedMatrix::solve(const double* rhs, double* x) {
  const Index n = size(), stages = block_.count;
  std::fill_n(x, n * stages, 0.0);
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    const StageBlock::RealMode& mode = block_.reals[k];
    real_x_.setZero();
    for (Index j = 0; j < stages; ++j) {
      const double left = mode.left[j];
      for (Index i = 0; i < n; ++i) real_x_[i] += left * rhs[j * n + i];
    }
    const double sigma = mode.inverse_gamma / h_;
    scale_rows(1 / (sigma * sigma), real_x_.data());
    reals_[k]->solve(real_x_, real_x_);
    scale_columns(sigma * sigma, real_x_.data());
    for (Index j = 0; j < stages; ++j) {
      const double right = mode.right[j];
      for (Index i = 0; i < n; ++i) x[j * n + i] += right * real_x_[i];
    }
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const StageBlock::PairMode& mode = block_.pairs[k];
    std::fill(x_.begin(), x_.end(), Complex{});
    double* sums = reinterpret_cast<double*>(x_.data());
    for (Index j = 0; j < stages; ++j) {
      const double real = mode.left_real[j], imag = mode.left_imag[j];
      for (Index i = 0; i < n; ++i) {
        sums[2 * i] += real * rhs[j * n + i];
        sums[2 * i + 1] += imag * rhs[j * n + i];
      }
    }
    const Complex sigma = mode.inverse_gamma / h_, square = sigma * sigma;
    scale_rows(1.0 / square, x_.data());
    pairs_[k]->solve(x_.data());
    scale_columns(square, x_.data());
    for (Index j = 0; j < stages; ++j) {
      const double real = mode.right_real[j], imag = mode.right_imag[j];
      for (Index i = 0; i < n; ++i) x[j * n + i] += real * sums[2 * i] - imag * sums[2 * i + 1];
    }
  }
}
}  // namespace trill
