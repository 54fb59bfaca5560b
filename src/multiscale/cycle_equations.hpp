// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_matrix.hpp"
#include "problem/cycle_map.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/options.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/solution/counters.hpp"

#include <optional>

namespace trill {
// How the linear systems of an implicit step are solved. dense: with the matrix of the derivative. gmres: with products
// of the derivative with vectors. picard: with the products that earlier systems have left, and by gmres where that
// does not converge (Newton's method for the slow directions, Picard's for the others). automatic: by their number.
enum class CycleSolver { automatic, dense, gmres, picard };
void list_solver(OptionVisitor& v, CycleSolver& solver);

// The equations of an implicit step on a cycle map: w_i = base_i + sum_j alpha_ij g(w_j), where g is the change in one
// cycle that starts at w_j. The matrix has the derivative of g at the last of the w, for all of them.
//
// A single equation with few unknowns gets its derivative together with every cycle, since it then costs little more
// than the cycle. If the derivative has hardly changed since the step before, one cycle is enough for a step. In all
// other cases what is known of the derivative is kept from step to step, while alpha changes with the length of the
// step, and it is computed again where the iteration contracts slowly.
class CycleEquations final : public NonlinearSystem {
 public:
  enum class Effort { plain, refreshed, damped };  // what a solution has taken

  // unknowns: the most w that are solved for at once.
  CycleEquations(const CycleMap& map, Index unknowns, CycleSolver solver);
  // base has one column and n one value for each unknown.
  void pose(const Mat& alpha, const Mat& base, const Vec& n, Counters& work);
  // w: a guess in, the solution out, one column each.
  NewtonStats solve(Mat& w, In weights);
  auto change(Index i) const { return changes_.col(i); }  // at the solution
  Effort effort() const { return effort_; }
  // Takes those components out of an error on which the end of a cycle does not depend: whatever they are at its start,
  // they have the same value at its end. The others are enlarged, so that a mean over all components is one over the
  // others.
  void leave_out_indifferent(Out error) const;
  void forget();
  void memory(Archive& archive);  // between two steps

  Index size() const override { return alpha_.rows() * size_; }
  void residual(In x, Out r) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  double next_correction(In dx, In weights) const override;

 private:
  bool evaluate(In x);
  bool derives_now(In x);
  bool derive(double n, In z, Out change);
  bool assemble();
  bool assemble_matrix();
  void multiply(In v, Out av);
  void measure(In weights);
  void find_indifferent();

  const CycleMap& map_;
  Index size_;
  CycleSolver solver_kind_;  // never automatic
  bool derives_always_;      // the derivative comes with every cycle
  Mat alpha_, inverse_, base_, changes_, derivative_, earlier_;
  Vec n_, unknowns_, guess_, weights_, indifferent_;
  MatrixSlot matrix_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<KrylovCycleMatrix> products_;  // instead of the matrix
  Vec sizes_, scaled_, solved_;                // for the products, which see all components in tolerances
  Newton newton_;
  Counters* work_ = nullptr;
  bool has_derivative_ = false, has_earlier_ = false, invertible_ = false;
  Index indifferent_count_ = 0;
  Effort effort_ = Effort::plain;
  bool reusing_ = false, solves_anew_ = false;
  int evaluations_ = 0;
};
}  // namespace trill
