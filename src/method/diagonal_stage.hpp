// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/differences.hpp"
#include "linalg/matrix_free.hpp"
#include "trill/base/archive.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/solution/counters.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace trill {
// What a Newton matrix was formed from; a resumed run forms the same one again.
struct PreparedDiagonalStage {
  bool valid = false;
  double t = 0, delta = 0;
  Vec base, x;
};

// One stage Y = base + delta f(t, Y) of a diagonally implicit method as r(x) = 0. x is Y itself, or for a mechanical
// system its velocities alone, so that the Newton matrix has the size of q.
class DiagonalStage : public MatrixSystem {
 public:
  // Without a Newton matrix the pattern is only a diagonal and gives the size.
  DiagonalStage(const MatrixSlot& pattern, bool matrix_free);
  virtual void guess(In y, Out x) const = 0;  // the unknowns x that belong to the state y
  virtual void stage(In x, Out y) const = 0;  // the stage Y
  virtual void slope(In x, Out k) const = 0;  // f(t, Y) from the solved equation, without an evaluation
  virtual void damp(In e, Out damped) = 0;    // (I - delta J)^-1 e with the prepared matrix
  virtual void newton_weights(In w, Out x_weights) const = 0;
  virtual Groups counted_groups() const = 0;

  void begin(double t, double delta, In base);
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  bool is_matrix_free() const { return krylov_.has_value(); }
  bool has_sparse_factors() const { return !krylov_ && matrix().is_sparse(); }
  bool prepared_for(double delta) const { return !krylov_ && prepared.valid && prepared.delta == delta; }
  void memory(Archive& archive);

  PreparedDiagonalStage prepared;
  int evaluations = 0, preparations = 0, linear_iterations = 0;

 protected:
  std::optional<MatrixFreeJacobian> krylov_;
  double t_ = 0, delta_ = 0;
  Vec base_;

 private:
  void prepare_again();
};

// For a first-order or an unconstrained mechanical system; for other kinds it throws a UsageError that names the asker.
std::unique_ptr<DiagonalStage> make_diagonal_stage(const Problem& problem, std::string_view asker, bool matrix_free);

// Solves one stage with Newton's iteration and counts the work.
NewtonStats solve_diagonal_stage(Newton& newton, DiagonalStage& system, Out x, In weights, bool reuse, Counters& work);
}  // namespace trill
