// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/sdirk_tableau.hpp"
#include "trill/linalg/linear_solver.hpp"
#include "trill/problem/circuit.hpp"

#include <array>
#include <string>
#include <vector>

namespace trill {
// How much work cycles took.
struct CycleCounts {
  long cycles = 0, derivatives = 0, steps = 0, rejected = 0, iterations = 0, factorisations = 0, events = 0;
  // Stages and starts whose values follow from leakage alone, so that Newton's method finds them up to rounding only.
  long rounded = 0;
};

// What a user reads of them.
std::string rounded_text(long stages);

// What is small: of charges when steps are tested, and of unknowns when Newton is.
struct ChargeTolerances {
  double rtol = 1e-6;
  Vec unknown;  // absolute, of every unknown
  Vec charge;   // absolute, of every charge
  // Share of the tolerances that Newton's method may leave over: so little that cycles are smooth functions of their
  // start.
  double newton = 1e-3;
  // The charge of a junction grows exponentially with its voltage. An error of the charge does no harm if it is small
  // as an error of the voltage and small compared with the charge that flows through the junction in a period.
  bool junctions_by_voltage = false;
};

// One step of d/dt charge(x) + current(t, x) = 0 by the stiffly accurate method of order 3 with three equal implicit
// stages (R. Alexander, SIAM J. Numer. Anal. 14, 1977). It uses the charges at the start of the step and nothing else,
// so that switches may turn and sources jump there, and it ends on the algebraic equations. Nothing allocates.
class ChargeStep {
 public:
  static constexpr int stages = 3;
  ChargeStep(const CircuitProblem& problem, ChargeTolerances tolerances, CycleCounts& counts);

  // A cycle begins: nothing that was computed before has any influence from here on.
  void begin_cycle(In charges, In x, double period);
  void forget_past() { has_past_ = false; }  // values jump here: they are not extrapolated
  void forget_factors() { factored_ = false; }
  void tighten(double times);  // the test of the error
  // Solves the stages of a step of length h from (t, charges); x: values at its start, for guesses. false: Newton
  // found no solution, and the step has to be shorter.
  bool attempt(double t, double h, In charges, In x);
  double error();  // of the last attempt, in tolerances
  void accept();   // the next step goes on from the last attempt

  // These belong to the last attempt.
  const Mat& values() const { return x_; }  // one column per stage; the last is the end
  auto end() const { return x_.col(stages - 1); }
  const Vec& end_charges() const { return q_; }
  double t() const { return t_; }
  double h() const { return h_; }
  double stage_time(int i) const { return t_ + tableau_.c[i] * h_; }
  double node(int i) const { return tableau_.c[i]; }
  double weight(int i) const { return tableau_.a(stages - 1, i); }
  const SdirkTableau& tableau() const { return tableau_; }

 private:
  bool solve_stage(int i);
  void guess(int i, In start);
  bool refactor(double t, In x);
  double size_of(In dx, In x) const;
  bool is_rounding(In x);

  const CircuitProblem& problem_;
  ChargeTolerances tolerances_;
  CycleCounts& counts_;
  SdirkTableau tableau_;
  std::array<double, stages> error_weights_{};
  MatrixSlot dcharge_, dcurrent_, matrix_;
  std::unique_ptr<LinearSolver> solver_;
  bool factored_ = false, has_past_ = false;
  double t_ = 0, h_ = 0, sigma_ = 0, factored_sigma_ = 0, past_h_ = 0;
  Mat x_, k_, past_;
  Vec q0_, base_, q_, r_, dx_, moved_, limited_;
  // The largest charges of the cycle so far, and what the largest of their slopes would make of them in a cycle.
  Vec largest_, travel_;
  std::vector<bool> keeps_charge_;
  Vec extent_;  // of the unknowns in the cycle so far
  double period_ = 1;
};
}  // namespace trill
