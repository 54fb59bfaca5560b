// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/complex_klu.hpp"

#include "linalg/solver_parts.hpp"

#if TRILL_HAVE_KLU
#if __has_include(<klu.h>)
#include <klu.h>
#else
#include <suitesparse/klu.h>
#endif
#else
#include <Eigen/SparseLU>
#endif

namespace trill {
namespace {
#if TRILL_HAVE_KLU
// As in the real case: the ordering is computed once, and the pivots are reused as long as they are good enough.
class ComplexKlu final : public ComplexSolver {
 public:
  explicit ComplexKlu(const MatrixSlot& pattern) : pattern_(pattern), values_(pattern.stored()) {
    klu_defaults(&common_);
    common_.tol = 0.1;
    symbolic_ = klu_analyze(size(), outer(), inner(), &common_);
    if (symbolic_ == nullptr && common_.status != KLU_SINGULAR)
      throw std::runtime_error("klu: the analysis of the sparsity pattern failed");
  }
  ComplexKlu(const ComplexKlu&) = delete;
  ComplexKlu& operator=(const ComplexKlu&) = delete;
  ~ComplexKlu() override {
    forget();
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }

  bool factorise(const Complex* values) override {
    values_ = Eigen::Map<const Eigen::VectorXcd>(values, values_.size());
    if (symbolic_ == nullptr || !values_.allFinite()) return false;
    if (numeric_ != nullptr) {
      if (klu_z_refactor(outer(), inner(), numbers(), symbolic_, numeric_, &common_) == 1 && is_regular(1e-6))
        return true;
      forget();
    }
    numeric_ = klu_z_factor(outer(), inner(), numbers(), symbolic_, &common_);
    if (numeric_ != nullptr && common_.status == KLU_OK && is_regular(0)) return true;
    forget();
    return false;
  }

  void solve(Complex* x) override {
    klu_z_solve(symbolic_, numeric_, size(), 1, reinterpret_cast<double*>(x), &common_);
  }

  void forget() override {
    if (numeric_ != nullptr) klu_z_free_numeric(&numeric_, &common_);
  }

 private:
  int size() const { return static_cast<int>(pattern_.rows()); }
  // KLU takes pointers to non-const and does not write through them.
  int* outer() const { return const_cast<int*>(pattern_.as_sparse().outerIndexPtr()); }
  int* inner() const { return const_cast<int*>(pattern_.as_sparse().innerIndexPtr()); }
  double* numbers() { return reinterpret_cast<double*>(values_.data()); }

  // With reused pivots the entries of the factors may grow too much.
  bool is_regular(double least_growth) {
    if (klu_z_rcond(symbolic_, numeric_, &common_) != 1 || !(common_.rcond > 1e-30)) return false;
    return least_growth == 0 || (klu_z_rgrowth(outer(), inner(), numbers(), symbolic_, numeric_, &common_) == 1 &&
                                 common_.rgrowth > least_growth);
  }

  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  MatrixSlot pattern_;
  Eigen::VectorXcd values_;
};
#else
class ComplexSparseLu final : public ComplexSolver {
 public:
  explicit ComplexSparseLu(const MatrixSlot& pattern) : a_(pattern.as_sparse().cast<Complex>()) {
    lu_.analyzePattern(a_);
  }
  bool factorise(const Complex* values) override {
    Eigen::Map<Eigen::VectorXcd>(a_.valuePtr(), a_.nonZeros()) =
        Eigen::Map<const Eigen::VectorXcd>(values, a_.nonZeros());
    lu_.factorize(a_);
    return lu_.info() == Eigen::Success;
  }
  void solve(Complex* x) override {
    Eigen::Map<Eigen::VectorXcd> given(x, a_.rows());
    given = lu_.solve(Eigen::VectorXcd(given)).eval();
  }

 private:
  Eigen::SparseMatrix<Complex> a_;
  Eigen::SparseLU<Eigen::SparseMatrix<Complex> > lu_;
};
#endif
}  // namespace

std::unique_ptr<ComplexSolver> make_complex_sparse(const MatrixSlot& pattern) {
#if TRILL_HAVE_KLU
  return std::make_unique<ComplexKlu>(pattern);
#else
  return std::make_unique<ComplexSparseLu>(pattern);
#endif
}
}  // namespace trill
