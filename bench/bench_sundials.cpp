// SPDX-License-Identifier: BSD-3-Clause
// dopri5, compared with ERKStep of SUNDIALS ARKODE with the same pair, and the CVODE methods, compared with CVODE
// called directly. The problem is that of the two springs with omega2 = 1000, with the same right-hand side.
#include "ratio.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double t_end = 10, rtol = 1e-6, atol = 1e-9;

PreparedRun prepared(const char* method) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.parameters = {{"omega2", "1000"}};
  plan.method = method;
  plan.rtol = rtol;
  plan.atol = atol;
  plan.to = t_end;
  plan.output = Times{{}};
  return prepare(plan);
}

int rhs(double t, N_Vector y, N_Vector dy, void* problem) {
  const auto& p = *static_cast<const MechanicalProblem*>(problem);
  const Eigen::Map<const Vec> in(N_VGetArrayPointer(y), 8);
  Eigen::Map<Vec> out(N_VGetArrayPointer(dy), 8);
  out.head(4) = in.tail(4);
  p.force(all_groups, t, in.head(4), in.tail(4), out.tail(4));
  return 0;
}

struct Jacobian {
  const MechanicalProblem* problem;
  MatrixSlot dq, dv;
};

int cvode_rhs(double t, N_Vector y, N_Vector dy, void* user) {
  return rhs(t, y, dy, const_cast<MechanicalProblem*>(static_cast<Jacobian*>(user)->problem));
}

int cvode_jacobian(double t, N_Vector y, N_Vector, SUNMatrix j, void* user, N_Vector, N_Vector, N_Vector) {
  auto& data = *static_cast<Jacobian*>(user);
  const Eigen::Map<const Vec> in(N_VGetArrayPointer(y), 8);
  data.problem->force_jacobian(all_groups, t, in.head(4), in.tail(4), data.dq, data.dv);
  Eigen::Map<Mat> out(SUNDenseMatrix_Data(j), 8, 8);
  out.setZero();
  for (int i = 0; i < 4; ++i) {
    out(i, 4 + i) = 1;
    for (int k = 0; k < 4; ++k) out(4 + i, k) = data.dq.value(i, k);
  }
  return 0;
}

double erkstep(const MechanicalProblem& problem, const State& start, long& steps) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  Vec data = start.y;
  N_Vector y = N_VMake_Serial(8, data.data(), context);
  void* memory = ERKStepCreate(rhs, 0, y, context);
  ERKStepSStolerances(memory, rtol, atol);
  ERKStepSetUserData(memory, const_cast<MechanicalProblem*>(&problem));
  ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5);
  ERKStepSetMaxNumSteps(memory, -1);
  ERKStepSetStopTime(memory, t_end);
  double t = 0;
  ERKStepEvolve(memory, t_end, y, &t, ARK_NORMAL);
  ERKStepGetNumSteps(memory, &steps);
  ERKStepFree(&memory);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return data[0];
}

double cvode(int kind, const MechanicalProblem& problem, const State& start) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  Vec data = start.y;
  Jacobian jacobian{&problem, problem.stiffness_pattern(), problem.damping_pattern()};
  N_Vector y = N_VMake_Serial(8, data.data(), context);
  void* memory = CVodeCreate(kind, context);
  CVodeInit(memory, cvode_rhs, 0, y);
  CVodeSStolerances(memory, rtol, atol);
  CVodeSetUserData(memory, &jacobian);
  CVodeSetMaxNumSteps(memory, -1);
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  if (kind == CV_BDF) {
    matrix = SUNDenseMatrix(8, 8, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(memory, linear, matrix);
    CVodeSetJacFn(memory, cvode_jacobian);
  } else {
    nonlinear = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(memory, nonlinear);
  }
  CVodeSetStopTime(memory, t_end);
  double t = 0;
  CVode(memory, t_end, y, &t, CV_NORMAL);
  CVodeFree(&memory);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  if (nonlinear) SUNNonlinSolFree(nonlinear);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return data[0];
}

double end_of(const Solution& s) { return s.y()(0, s.rows() - 1); }

// Runs with the same tolerance must agree in a slow coordinate, otherwise their times cannot be compared.
bool agree(const char* what, double ours, double theirs) {
  const bool ok = std::abs(ours - theirs) < 2e-2;
  if (!ok) std::fprintf(stderr, "%s: the results differ: %.10g and %.10g\n", what, ours, theirs);
  return ok;
}
}  // namespace

int main() {
  PreparedRun dopri5 = prepared("dopri5"), bdf = prepared("cvode_bdf"), adams = prepared("cvode_adams");
  const auto& problem = dynamic_cast<const MechanicalProblem&>(*dopri5.problem);
  long steps = 0;
  const Solution ours = dopri5.run();
  if (!agree("dopri5", end_of(ours), erkstep(problem, dopri5.start, steps)) ||
      !agree("cvode_bdf", end_of(bdf.run()), cvode(CV_BDF, problem, bdf.start)) ||
      !agree("cvode_adams", end_of(adams.run()), cvode(CV_ADAMS, problem, adams.start)))
    return 1;
  const double whole = ratio([&] { keep(end_of(dopri5.run())); }, [&] { keep(erkstep(problem, dopri5.start, steps)); });
  print_ratio("dopri5/over_erkstep_same_pair_and_rtol", whole, 1.0);
  const double per_step = whole * static_cast<double>(steps) / static_cast<double>(ours.outcome.counters.steps);
  std::fprintf(stderr, "dopri5 took %ld accepted steps, ERKStep %ld; per accepted step the ratio is %.3f\n",
               static_cast<long>(ours.outcome.counters.steps), steps, per_step);
  print_ratio("cvode_bdf/over_direct_call",
              ratio([&] { keep(end_of(bdf.run())); }, [&] { keep(cvode(CV_BDF, problem, bdf.start)); }), 1.1);
  print_ratio("cvode_adams/over_direct_call",
              ratio([&] { keep(end_of(adams.run())); }, [&] { keep(cvode(CV_ADAMS, problem, adams.start)); }), 1.1);
  return 0;
}
