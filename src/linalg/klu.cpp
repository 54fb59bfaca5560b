// SPDX-License-Identifier: BSD-3-Clause
#if TRILL_HAVE_KLU
#include "linalg/solver_parts.hpp"
#include "trill/linalg/kernels.hpp"

#if __has_include(<klu.h>)
#include <klu.h>
#else
#include <suitesparse/klu.h>
#endif

namespace trill {
namespace {
// SuiteSparse KLU on a fixed pattern: the ordering is computed once, the pivots are chosen at the first factorisation
// and reused as long as they are good enough. For clone(), the matrix for which the pivots were chosen and the last
// matrix are kept.
class Klu final : public LinearSolver {
 public:
  Klu() {
    klu_defaults(&common_);
    common_.tol = 0.1;  // the default 1e-3 lost four digits on random patterns
    // Without a bound, the search for a zero-free diagonal took quadratic time for chains of saddle points.
    common_.maxwork = 10;
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() override { release(); }

  std::string name() const override { return "klu"; }
  Index size() const override { return last_.rows(); }

  std::unique_ptr<LinearSolver> clone() const override {
    auto copy = std::make_unique<Klu>();
    copy->analyse(last_);
    if (numeric_ == nullptr) return copy;
    copy->factorise(pivoting_);
    if (refactored_) copy->factorise(last_);
    return copy;
  }

  void analyse(const MatrixSlot& pattern) override {
    require_square(pattern, "klu");
    if (!pattern.is_sparse()) throw std::invalid_argument("klu: the matrix is dense; use dense_lu or a sparse pattern");
    release();
    last_ = pattern;
    pivoting_ = pattern;
    row_max_ = Vec::Zero(size());
    column_max_ = Vec::Zero(size());
    if (size() == 0) return;
    const SpMat& a = last_.as_sparse();
    symbolic_ = klu_analyze(static_cast<int>(size()), const_cast<int*>(a.outerIndexPtr()),
                            const_cast<int*>(a.innerIndexPtr()), &common_);
    if (symbolic_ == nullptr && common_.status != KLU_SINGULAR)
      throw std::runtime_error("klu: the analysis of the sparsity pattern failed");
  }

  bool factorise(const MatrixSlot& a) override {
    last_.assign_values(a);
    if (size() == 0) return true;
    if (symbolic_ == nullptr || !all_finite(a.values(), a.stored())) return false;
    measure_rows_and_columns();
    if (numeric_ != nullptr) {
      refactored_ = true;
      if (klu_refactor(outer(), inner(), last_.values(), symbolic_, numeric_, &common_) == 1 && pivots_are_kept() &&
          growth_is_small())
        return true;
      klu_free_numeric(&numeric_, &common_);
    }
    refactored_ = false;
    pivoting_.assign_values(a);
    numeric_ = klu_factor(outer(), inner(), last_.values(), symbolic_, &common_);
    if (numeric_ != nullptr && common_.status == KLU_OK && pivots_are_kept()) return true;
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    return false;
  }

  void solve(In b, Out x) override {
    x = b;
    if (size() > 0) klu_solve(symbolic_, numeric_, static_cast<int>(size()), 1, x.data(), &common_);
  }

 private:
  // KLU takes pointers to non-const and does not write through them.
  int* outer() const { return const_cast<int*>(last_.as_sparse().outerIndexPtr()); }
  int* inner() const { return const_cast<int*>(last_.as_sparse().innerIndexPtr()); }

  void measure_rows_and_columns() {
    row_max_.setZero();
    const SpMat& a = last_.as_sparse();
    for (Index j = 0; j < size(); ++j) {
      double largest = 0;
      for (SpMat::InnerIterator it(a, j); it; ++it) {
        const double magnitude = std::abs(it.value());
        largest = std::max(largest, magnitude);
        row_max_[it.row()] = std::max(row_max_[it.row()], magnitude);
      }
      column_max_[j] = largest;
    }
  }

  bool pivots_are_kept() const {
    const double* diagonal = static_cast<const double*>(numeric_->Udiag);
    for (Index k = 0; k < size(); ++k) {
      const double scale = numeric_->Rs == nullptr ? 1.0 : numeric_->Rs[k];  // KLU stores it in pivot order
      if (pivot_is_lost(diagonal[k] * scale, row_max_[numeric_->Pnum[k]], column_max_[symbolic_->Q[k]], size()))
        return false;
    }
    return true;
  }

  // With reused pivots the entries of the factors may grow; if this costs too many digits, new pivots are chosen.
  bool growth_is_small() {
    return klu_rgrowth(outer(), inner(), last_.values(), symbolic_, numeric_, &common_) == 1 && common_.rgrowth > 1e-6;
  }

  void release() {
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }

  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  MatrixSlot last_, pivoting_;
  bool refactored_ = false;
  Vec row_max_, column_max_;
};
}  // namespace

std::unique_ptr<LinearSolver> make_klu() { return std::make_unique<Klu>(); }
}  // namespace trill
#endif
