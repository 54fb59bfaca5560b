// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/differences.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"

#include <memory>

namespace trill {
// The Newton matrices of the Numerov family with J = M^-1 f'(q) frozen: even = I - h^2/12 J + 5/6 alpha h^4 J^2 for
// sums of neighbours and odd = I - h^2/6 J for their difference. The two factors of the first may be a complex pair.
// Therefore it is solved with z = h^2 J x as additional unknowns, which works for dense and sparse J and any constant
// mass.
class NumerovMatrix {
 public:
  NumerovMatrix(const MechanicalProblem& problem, double alpha);
  bool prepare(double t, In q, double h, bool with_odd);
  void solve_even(In r, Out x);
  void solve_odd(In r, Out x);
  bool is_sparse() const { return even_.is_sparse(); }
  void forget();

  // What the matrix was formed from; a resumed run forms it again.
  bool valid = false;
  double t = 0, h = 0;
  Vec q;

 private:
  void evaluate(double t, In q);
  const MechanicalProblem& p_;
  double alpha_;
  Index n_;
  MatrixSlot mass_, k_, dv_, even_, odd_;
  SlotMap mass_in_xx_, mass_in_xz_, mass_in_zz_, k_in_xz_, k_in_zx_, mass_in_odd_, k_in_odd_;
  DifferenceJacobian differences_;
  std::unique_ptr<LinearSolver> even_solver_, odd_solver_;
  Vec v_, product_, pair_;
};

// A point of the path with its acceleration.
struct NumerovPoint {
  double t = 0;
  Vec q, g;
};

// y_{n+1} - 2 y_n + y_{n-1} = h^2/12 (g_{n+1} + 10 g(t_n, Y) + g_{n-1}),
// Y = y_n - alpha h^2 (g_{n+1} - 2 g_n + g_{n-1}).
class NumerovFormula {
 public:
  NumerovFormula(Acceleration& accelerate, double alpha, Index n)
      : accelerate_(accelerate), alpha_(alpha), inner_(n), g_inner_(n), v_(Vec::Zero(n)) {}
  void acceleration(double t, In q, Out g) {
    ++evaluations;
    accelerate_(t, q, v_, g);
  }
  void right_side(double h, const NumerovPoint& now, In g_before, In g_after, Out rhs) {
    inner_ = now.q - alpha_ * h * h * (g_after - 2 * now.g + g_before);
    acceleration(now.t, inner_, g_inner_);
    rhs = h * h / 12 * (g_after + 10 * g_inner_ + g_before);
  }
  int evaluations = 0;

 private:
  Acceleration& accelerate_;
  double alpha_;
  Vec inner_, g_inner_, v_;
};

// What a step and the start have in common: a known point and the unknown one after it.
class NumerovSystem : public NonlinearSystem {
 public:
  NumerovPoint after;
  int preparations = 0;

 protected:
  NumerovSystem(NumerovFormula& formula, NumerovMatrix& matrix, Index n) : formula_(formula), matrix_(matrix), n_(n) {}
  void stand_at(double h, const NumerovPoint& now) {
    h_ = h;
    now_ = now;
    after.t = now.t + h;
  }

  NumerovFormula& formula_;
  NumerovMatrix& matrix_;
  Index n_;
  double h_ = 0;
  NumerovPoint now_;
};

// The two-step formula for the increment x = y_{n+1} - y_n.
class NumerovAhead final : public NumerovSystem {
 public:
  NumerovAhead(NumerovFormula& formula, NumerovMatrix& matrix, Index n) : NumerovSystem(formula, matrix, n) {}
  void begin(double h, const NumerovPoint& now, In g_before, In increment_before);
  Index size() const override { return n_; }
  void residual(In x, Out r) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override { matrix_.solve_even(r, dx); }
  void allocate();

 private:
  Vec g_before_, increment_before_;
};

// Both neighbours of a state (q, v) from the two-step formula and v = (y_1 - y_{-1})/(2 h) - h/12 (g_1 - g_{-1}), which
// is of order 4. x = ((y_1 + y_{-1})/2 - q, (y_1 - y_{-1})/2).
class NumerovStart final : public NumerovSystem {
 public:
  NumerovStart(NumerovFormula& formula, NumerovMatrix& matrix, Index n) : NumerovSystem(formula, matrix, n) {}
  void begin(double h, const NumerovPoint& now, In v);
  Index size() const override { return 2 * n_; }
  void residual(In x, Out r) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  void allocate();

 private:
  Vec v_, q_before_, g_before_;
};
}  // namespace trill
