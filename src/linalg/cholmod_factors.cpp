// SPDX-License-Identifier: BSD-3-Clause
// CHOLMOD (Chen, Davis, Hager, Rajamanickam, ACM Trans. Math. Softw. 35 (2008) 22). Its part that works on blocks of
// columns is under the GPL, so trill is built without it unless someone asks.
#include "linalg/sparse_factors.hpp"

#ifdef TRILL_HAVE_CHOLMOD
#include <cmath>

#include <cholmod.h>
#include <fmt/format.h>

namespace trill {
namespace {
// CHOLMOD changes to blocks of columns at 40 operations for each entry of L, where columns are still quicker here.
constexpr double operations_worth_blocks = 200;

class CholmodFactors final : public SparseFactors {
 public:
  explicit CholmodFactors(const SpMat& a) {
    cholmod_start(&common_);
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_METIS;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_AUTO;
    common_.supernodal_switch = operations_worth_blocks;
    common_.print = 0;
    common_.quick_return_if_not_posdef = 1;
    cholmod_sparse view = lower_triangle(a);
    factor_ = cholmod_analyze(&view, &common_);
    factorise(view);
    look_at_pivots(a.diagonal());
  }
  ~CholmodFactors() override {
    cholmod_free_dense(&work_, &common_);
    cholmod_free_dense(&more_work_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  CholmodFactors(const CholmodFactors&) = delete;
  CholmodFactors& operator=(const CholmodFactors&) = delete;

  bool succeeded() const override { return succeeded_; }
  Index negative_pivots() const override { return negative_; }
  bool has_rounded_pivot() const override { return rounded_; }
  double bytes() const override {
    const auto entries = static_cast<double>(factor_->is_super ? factor_->xsize : factor_->nzmax);
    return entries * (sizeof(double) + (factor_->is_super ? 0 : sizeof(int)));
  }

  void solve(Mat& x) const override {
    if (x.cols() == 0) return;
    cholmod_dense given{};
    given.nrow = given.d = static_cast<std::size_t>(x.rows());
    given.ncol = static_cast<std::size_t>(x.cols());
    given.nzmax = given.nrow * given.ncol;
    given.x = x.data();
    given.xtype = CHOLMOD_REAL;
    given.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* found = nullptr;
    if (!cholmod_solve2(CHOLMOD_A, factor_, &given, nullptr, &found, nullptr, &work_, &more_work_, &common_))
      throw std::bad_alloc();
    x = Eigen::Map<const Mat>(static_cast<const double*>(found->x), x.rows(), x.cols());
    cholmod_free_dense(&found, &common_);
  }

 private:
  static cholmod_sparse lower_triangle(const SpMat& a) {
    cholmod_sparse view{};
    view.nrow = view.ncol = static_cast<std::size_t>(a.rows());
    view.nzmax = static_cast<std::size_t>(a.nonZeros());
    view.p = const_cast<int*>(a.outerIndexPtr());
    view.i = const_cast<int*>(a.innerIndexPtr());
    view.x = const_cast<double*>(a.valuePtr());
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    return view;
  }

  // By blocks only positive definite matrices are factorised, and others once more by columns.
  void factorise(cholmod_sparse& view) {
    cholmod_factorize(&view, factor_, &common_);
    if (common_.status == CHOLMOD_NOT_POSDEF && factor_->is_super) {
      common_.supernodal = CHOLMOD_SIMPLICIAL;
      cholmod_free_factor(&factor_, &common_);
      factor_ = cholmod_analyze(&view, &common_);
      cholmod_factorize(&view, factor_, &common_);
    }
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    succeeded_ = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
  }

  template <class Visit>
  void each_diagonal_entry(Visit visit) const {
    const auto* x = static_cast<const double*>(factor_->x);
    if (!factor_->is_super) {
      const int* begin = static_cast<const int*>(factor_->p);
      for (std::size_t j = 0; j < factor_->n; ++j) visit(j, factor_->is_ll ? x[begin[j]] * x[begin[j]] : x[begin[j]]);
      return;
    }
    const int *first = static_cast<const int*>(factor_->super), *rows = static_cast<const int*>(factor_->pi),
              *values = static_cast<const int*>(factor_->px);
    for (std::size_t s = 0; s < factor_->nsuper; ++s) {
      const int height = rows[s + 1] - rows[s];
      for (int c = 0; c < first[s + 1] - first[s]; ++c) {
        const double entry = x[values[s] + c * (height + 1)];
        visit(static_cast<std::size_t>(first[s] + c), entry * entry);
      }
    }
  }

  void look_at_pivots(const Vec& diagonal) {
    if (!succeeded_) return;
    const int* order = static_cast<const int*>(factor_->Perm);
    each_diagonal_entry([&](std::size_t j, double pivot) {
      if (pivot < 0) ++negative_;
      if (!(std::abs(pivot) > rounded_pivot * std::abs(diagonal[order[j]]))) rounded_ = true;
    });
  }

  mutable cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  mutable cholmod_dense *work_ = nullptr, *more_work_ = nullptr;
  Index negative_ = 0;
  bool succeeded_ = false, rounded_ = false;
};
}  // namespace

std::unique_ptr<SparseFactors> cholmod_factors(const SpMat& a) { return std::make_unique<CholmodFactors>(a); }

std::string cholmod_release() {
  return fmt::format("{}.{}.{}", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION);
}
}  // namespace trill
#else
namespace trill {
std::unique_ptr<SparseFactors> cholmod_factors(const SpMat&) { return nullptr; }
std::string cholmod_release() { return ""; }
}  // namespace trill
#endif
