// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_solver.hpp"

#include "linalg/saddle_pattern.hpp"
#include "linalg/solver_parts.hpp"

namespace trill {
class SaddleSolver::WholeMatrix {
 public:
  WholeMatrix(const MatrixSlot& mass, const MatrixSlot& G)
      : mass_(mass),
        G_(G),
        matrix_(saddle_pattern(mass, G)),
        mass_places_(matrix_, mass),
        G_places_(matrix_, G, mass.rows(), 0),
        transposed_places_(SlotMap::transposed(matrix_, G, 0, mass.rows())),
        solver_(make_linear_solver(matrix_)),
        right_(matrix_.rows()),
        solution_(matrix_.rows()) {}

  bool factorise() {
    matrix_.set_zero();
    matrix_.scale_add(1, mass_, mass_places_);
    matrix_.scale_add(1, G_, G_places_);
    matrix_.scale_add(1, G_, transposed_places_);
    return solver_->factorise(matrix_);
  }

  void solve(In r, In c, Out x, Out mu) {
    right_.head(mass_.rows()) = r;
    right_.tail(G_.rows()) = -c;
    solver_->solve(right_, solution_);
    x = solution_.head(mass_.rows());
    mu = solution_.tail(G_.rows());
  }

  // M (-x) + G^T mu = 0.
  void smallest(In c, Out x, Out mu) {
    right_.head(mass_.rows()).setZero();
    right_.tail(G_.rows()) = -c;
    solver_->solve(right_, solution_);
    x = -solution_.head(mass_.rows());
    mu = solution_.tail(G_.rows());
  }

  void forget() { solver_->analyse(matrix_); }

 private:
  const MatrixSlot& mass_;
  const MatrixSlot& G_;
  MatrixSlot matrix_;
  SlotMap mass_places_, G_places_, transposed_places_;
  std::unique_ptr<LinearSolver> solver_;
  Vec right_, solution_;
};

SaddleSolver::SaddleSolver(MassShape shape, MatrixSlot mass, MatrixSlot G, Way way)
    : mass_(std::move(mass)), G_(std::move(G)), shape_(shape), way_(way) {
  const bool may_be_dense = way == Way::schur_first && !has_sparse_saddle(mass_, G_);
  if (shape != MassShape::full || may_be_dense || way == Way::schur_only)
    schur_.emplace(shape, mass_, G_);
  else
    whole_ = std::make_unique<WholeMatrix>(mass_, G_);
}

SaddleSolver::~SaddleSolver() = default;

bool SaddleSolver::factorise() {
  if (!whole_) {
    const bool regular = !mass_changed_ || schur_->take_mass();
    if (!regular && way_ == Way::schur_only) return false;
    if (!regular || (!chosen_ && way_ != Way::schur_only && !schur_->is_accurate()))
      whole_ = std::make_unique<WholeMatrix>(mass_, G_);
    mass_changed_ = false;
    chosen_ = true;
  }
  return whole_ ? whole_->factorise() : schur_->take_rows();
}

void SaddleSolver::solve(In r, In c, Out x, Out mu) {
  if (whole_) return whole_->solve(r, c, x, mu);
  schur_->solve(r, c, x, mu);
}

void SaddleSolver::smallest(In c, Out x, Out mu) {
  if (whole_) return whole_->smallest(c, x, mu);
  mu = c;
  schur_->divide_by_schur(mu);
  schur_->lift(mu, x);
}

bool SaddleSolver::has_sparse_factors() const {
  const bool has_sparse_mass = shape_ == MassShape::full && mass_.is_sparse() && mass_.rows() > small_lu_limit;
  return has_sparse_mass || has_sparse_saddle(mass_, G_);
}

void SaddleSolver::forget() {
  if (schur_) schur_->forget();
  if (whole_) whole_->forget();
  mass_changed_ = true;
}

void SaddleSolver::choose_again() {
  if (schur_) whole_.reset();
  chosen_ = false;
  mass_changed_ = true;
}
}  // namespace trill
