// SPDX-License-Identifier: BSD-3-Clause
#include "petsc_space.hpp"

#include "linalg/sparse_factors.hpp"
#include "petsc_calls.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <slepceps.h>

namespace trill {
void need(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(fmt::format("PETSc failed: {}", text ? text : "for a reason that it does not give"));
}

namespace {
constexpr double iteration_tolerance = 1e-12;
constexpr int most_iterations = 10'000;
constexpr double asymmetry_of_rounding = 1e-10;

// A matrix of PETSc that has our rows.
::Mat distributed(const SpMat& own, Index first, Index rows) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = own;
  std::vector<PetscInt> begins(static_cast<std::size_t>(rows) + 1);
  const int* const outer = by_rows.outerIndexPtr() + first;
  for (Index i = 0; i <= rows; ++i) begins[static_cast<std::size_t>(i)] = outer[i] - outer[0];
  ::Mat matrix = nullptr;
  need(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, static_cast<PetscInt>(rows), static_cast<PetscInt>(rows),
                                 static_cast<PetscInt>(own.rows()), static_cast<PetscInt>(own.cols()), begins.data(),
                                 by_rows.innerIndexPtr() + outer[0], by_rows.valuePtr() + outer[0], &matrix));
  return matrix;
}

Mat times(::Mat a, Columns x) {
  Mat y(x.rows(), x.cols());
  for (Index c = 0; c < x.cols(); ++c) {
    ::Vec from = nullptr, to = nullptr;
    const Vec column = x.col(c);
    const auto rows = static_cast<PetscInt>(x.rows());
    need(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, rows, PETSC_DECIDE, column.data(), &from));
    need(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, rows, PETSC_DECIDE, y.col(c).data(), &to));
    need(MatMult(a, from, to));
    need(VecDestroy(&from));
    need(VecDestroy(&to));
  }
  return y;
}

double sum_of_diagonal(::Mat a) {
  ::Vec diagonal = nullptr;
  PetscReal sum = 0;
  need(MatCreateVecs(a, &diagonal, nullptr));
  need(MatGetDiagonal(a, diagonal));
  need(VecNorm(diagonal, NORM_1, &sum));
  need(VecDestroy(&diagonal));
  return sum;
}

struct Factors {
  ::Mat matrix = nullptr, factor = nullptr;
  StructureSpace::Signs signs;
  Factors() = default;
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  ~Factors() {
    MatDestroy(&factor);
    MatDestroy(&matrix);
  }
};

::Mat shifted(::Mat k, ::Mat m, double shift) {
  ::Mat matrix = nullptr;
  need(MatDuplicate(k, MAT_COPY_VALUES, &matrix));
  if (shift != 0) need(MatAXPY(matrix, -shift, m, DIFFERENT_NONZERO_PATTERN));
  need(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  return matrix;
}

// As linalg/mumps_factors.cpp has it, in all processes together.
void factorise_by_mumps(Factors& out) {
  need(MatGetFactor(out.matrix, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &out.factor));
  need(MatMumpsSetIcntl(out.factor, 13, 1));
  need(MatMumpsSetIcntl(out.factor, 24, 1));
  need(MatMumpsSetIcntl(out.factor, 14, 50));
  need(MatMumpsSetCntl(out.factor, 3, -rounded_pivot));
  MatFactorInfo info;
  need(MatFactorInfoInitialize(&info));
  need(MatCholeskyFactorSymbolic(out.factor, out.matrix, nullptr, &info));
  need(MatCholeskyFactorNumeric(out.factor, out.matrix, &info));
  PetscInt status = 0, negative = 0, null = 0;
  need(MatMumpsGetInfog(out.factor, 1, &status));
  need(MatMumpsGetInfog(out.factor, 12, &negative));
  need(MatMumpsGetInfog(out.factor, 28, &null));
  if (status == -13) throw std::bad_alloc();
  out.signs = {status >= 0, null > 0, negative};
}
}  // namespace

struct PetscSpace::Parts {
  ::Mat k = nullptr, m = nullptr, c = nullptr;
  std::unique_ptr<Factors> factors;
  KSP iteration = nullptr;
  ~Parts() {
    factors.reset();
    KSPDestroy(&iteration);
    MatDestroy(&k);
    MatDestroy(&m);
    MatDestroy(&c);
  }
};

PetscSpace::PetscSpace(const SpMat& k, const SpMat& m, const SpMat& c, Index first, Index rows, SharedSolver solver)
    : size_(k.rows()), first_(first), rows_(rows), solver_(solver), parts_(std::make_unique<Parts>()) {
  parts_->k = distributed(k, first, rows);
  parts_->m = distributed(m, first, rows);
  parts_->c = distributed(c, first, rows);
}

PetscSpace::~PetscSpace() = default;

bool PetscSpace::stiffness_is_symmetric() const {
  PetscBool symmetric = PETSC_FALSE;
  need(MatIsSymmetric(parts_->k, asymmetry_of_rounding * stiffness_norm(), &symmetric));
  return symmetric == PETSC_TRUE;
}

Mat PetscSpace::mass_times(Columns x) const { return times(parts_->m, x); }
Mat PetscSpace::stiffness_times(Columns x) const { return times(parts_->k, x); }
Mat PetscSpace::damping_times(Columns x) const { return times(parts_->c, x); }

Mat PetscSpace::products(Columns a, Columns b) const {
  Mat sums = a.transpose() * b;
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return sums;
}

double PetscSpace::stiffness_norm() const {
  PetscReal norm = 0;
  need(MatNorm(parts_->k, NORM_INFINITY, &norm));
  return norm;
}

double PetscSpace::diagonal_ratio() const { return sum_of_diagonal(parts_->k) / sum_of_diagonal(parts_->m); }

StructureSpace::Signs PetscSpace::factorise(double shift) {
  parts_->factors.reset();
  parts_->factors = std::make_unique<Factors>();
  parts_->factors->matrix = shifted(parts_->k, parts_->m, shift);
  if (solver_ == SharedSolver::mumps) {
    factorise_by_mumps(*parts_->factors);
    return parts_->factors->signs;
  }
  need(KSPDestroy(&parts_->iteration));
  need(KSPCreate(PETSC_COMM_WORLD, &parts_->iteration));
  need(KSPSetOperators(parts_->iteration, parts_->factors->matrix, parts_->factors->matrix));
  need(KSPSetType(parts_->iteration, KSPCG));
  need(KSPSetTolerances(parts_->iteration, iteration_tolerance, 1e-300, PETSC_DEFAULT, most_iterations));
  PC pc = nullptr;
  need(KSPGetPC(parts_->iteration, &pc));
  need(PCSetType(pc, PCGAMG));
  need(KSPSetFromOptions(parts_->iteration));
  need(KSPSetUp(parts_->iteration));
  return {true, false, 0};  // conjugate gradients tell by failing
}

StructureSpace::Signs PetscSpace::signs_at(double shift) const {
  Factors factors;
  factors.matrix = shifted(parts_->k, parts_->m, shift);
  factorise_by_mumps(factors);
  return factors.signs;
}

Mat PetscSpace::solve(Columns b) const {
  Mat given = b, found(b.rows(), b.cols());
  const auto rows = static_cast<PetscInt>(rows_), all = static_cast<PetscInt>(size_);
  if (solver_ == SharedSolver::mumps) {
    ::Mat from = nullptr, to = nullptr;
    const auto columns = static_cast<PetscInt>(b.cols());
    need(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, columns, given.data(), &from));
    need(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, columns, found.data(), &to));
    need(MatMatSolve(parts_->factors->factor, from, to));
    need(MatDestroy(&from));
    need(MatDestroy(&to));
    return found;
  }
  for (Index c = 0; c < b.cols(); ++c) {
    ::Vec from = nullptr, to = nullptr;
    need(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, rows, all, given.col(c).data(), &from));
    need(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, rows, all, found.col(c).data(), &to));
    need(KSPSolve(parts_->iteration, from, to));
    KSPConvergedReason reason{};
    need(KSPGetConvergedReason(parts_->iteration, &reason));
    need(VecDestroy(&from));
    need(VecDestroy(&to));
    if (reason < 0)
      throw std::runtime_error(fmt::format(
          "conjugate gradients with multigrid did not solve with K ({}): it may be singular or indefinite; --solver "
          "mumps tells",
          KSPConvergedReasons[reason]));
  }
  return found;
}

double PetscSpace::bytes_of_factors() const {
  if (solver_ != SharedSolver::mumps || !parts_->factors) return 0;
  PetscInt megabytes = 0;
  need(MatMumpsGetInfog(parts_->factors->factor, 22, &megabytes));
  return 1e6 * megabytes;
}

std::string PetscSpace::engine() const {
  return solver_ == SharedSolver::mumps ? "mumps with petsc" : "conjugate gradients and multigrid (no factors)";
}

Vec PetscSpace::lowest_by_slepc(Index count) const {
  EPS solver = nullptr;
  need(EPSCreate(PETSC_COMM_WORLD, &solver));
  need(EPSSetOperators(solver, parts_->k, parts_->m));
  need(EPSSetProblemType(solver, EPS_GHEP));
  need(EPSSetDimensions(solver, static_cast<PetscInt>(count), PETSC_DEFAULT, PETSC_DEFAULT));
  need(EPSSetTolerances(solver, 1e-10, PETSC_DEFAULT));
  need(EPSSetTarget(solver, 0));
  need(EPSSetWhichEigenpairs(solver, EPS_TARGET_MAGNITUDE));
  ST transform = nullptr;
  KSP direct = nullptr;
  PC factors = nullptr;
  need(EPSGetST(solver, &transform));
  need(STSetType(transform, STSINVERT));
  need(STGetKSP(transform, &direct));
  need(KSPSetType(direct, KSPPREONLY));
  need(KSPGetPC(direct, &factors));
  need(PCSetType(factors, PCCHOLESKY));
  need(PCFactorSetMatSolverType(factors, MATSOLVERMUMPS));
  need(EPSSetFromOptions(solver));
  need(EPSSolve(solver));
  PetscInt converged = 0;
  need(EPSGetConverged(solver, &converged));
  Vec values(std::min<Index>(count, converged));
  for (Index i = 0; i < values.size(); ++i)
    need(EPSGetEigenvalue(solver, static_cast<PetscInt>(i), &values[i], nullptr));
  need(EPSDestroy(&solver));
  std::sort(values.begin(), values.end());
  return values;
}
}  // namespace trill
