// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/structure_space.hpp"

#include <vector>

namespace trill {
// How K - shift M is solved: by a factorisation of MUMPS in all processes, or by conjugate gradients with algebraic
// multigrid, for what is too large to be factorised.
enum class SharedSolver { mumps, gamg };

// A structure of which every process has some rows, by PETSc. K, M and C have entries in the own rows alone.
class PetscSpace final : public StructureSpace {
 public:
  PetscSpace(const SpMat& k, const SpMat& m, const SpMat& c, Index first, Index rows, SharedSolver solver);
  ~PetscSpace() override;
  PetscSpace(const PetscSpace&) = delete;
  PetscSpace& operator=(const PetscSpace&) = delete;

  Index size() const override { return size_; }
  Index first() const override { return first_; }
  Index rows() const override { return rows_; }
  bool stiffness_is_symmetric() const;

  Mat mass_times(Columns x) const override;
  Mat stiffness_times(Columns x) const override;
  Mat damping_times(Columns x) const override;
  Mat products(Columns a, Columns b) const override;
  double stiffness_norm() const override;
  double diagonal_ratio() const override;
  Signs factorise(double shift) override;
  Signs signs_at(double shift) const override;
  Mat solve(Columns b) const override;
  double bytes_of_factors() const override;  // of all processes together
  std::string engine() const override;

  // By SLEPc, a second opinion: the lowest eigenvalues of K x = lambda M x, ascending.
  Vec lowest_by_slepc(Index count) const;

 private:
  struct Parts;
  Index size_, first_, rows_;
  SharedSolver solver_;
  std::unique_ptr<Parts> parts_;
};
}  // namespace trill
