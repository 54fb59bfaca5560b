// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS IDA on the formulation of Gear, Gupta and Leimkuhler (PJY97 eq. 3.4) of a constrained mechanical system,
// with exact Jacobians. With y = (q, v, mu, lambda) the equations are
//   q' - v + G^T mu = 0,  M(q) v' + G^T lambda - f = 0,  G v + g_t = 0,  g = 0.
#pragma once

#include "trill/formulation/underlying_ode.hpp"
#include "trill/problem/mechanical.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace trill::bench {
struct IdaSetting {
  double rtol = 1e-6, atol = 1e-6;
  bool velocities = true;  // velocities are in the error test; multipliers never are
  int most_order = 5;
};

struct IdaRun {
  bool ok = false;
  Mat rows;  // q and v, one column for each time
  long steps = 0, residuals = 0, failures = 0;
};

// Constraints for a system that has none.
class NoConstraints final : public ConstraintMap {
 public:
  explicit NoConstraints(Index n) : n_(n) {}
  Index count() const override { return 0; }
  MatrixSlot pattern() const override { return MatrixSlot::dense(0, n_); }
  void value(double, In, Out) const override {}
  void jacobian(double, In, MatrixSlot&) const override {}
  void curvature(double, In, In, Out) const override {}
  void transpose_derivative(double, In, In, MatrixSlot& d) const override { d.set_zero(); }

 private:
  Index n_;
};

class IdaGgl {
 public:
  explicit IdaGgl(const MechanicalProblem& problem)
      : problem_(problem),
        none_(problem.layout().nq),
        map_(problem.constraints() ? *problem.constraints() : none_),
        n_(problem.layout().nq),
        m_(map_.count()),
        mass_(problem.mass_pattern()),
        G_(map_.pattern()),
        by_velocity_(map_.pattern()),
        bent_(map_.transpose_pattern()),
        mass_change_(MatrixSlot::dense(n_, n_)),
        dq_(problem.stiffness_pattern()),
        dv_(problem.damping_pattern()),
        work_(n_),
        y_(size()),
        yp_(size()) {
    if (m_ > 0) ode_.emplace(problem);
    if (SUNContext_Create(nullptr, &context_) != 0) throw std::runtime_error("no SUNDIALS context");
  }
  ~IdaGgl() { SUNContext_Free(&context_); }
  IdaGgl(const IdaGgl&) = delete;
  IdaGgl& operator=(const IdaGgl&) = delete;

  // The first event of the model happens at `event`. There the run stops and starts again.
  IdaRun run(State start, const std::vector<double>& times, const IdaSetting& setting, long most_steps,
             std::optional<double> event = std::nullopt) {
    ProblemSession session(problem_, Formulas::of_each_state);
    session.enter(start);
    IdaRun result;
    result.rows.resize(2 * n_, static_cast<Index>(times.size()));
    result.ok = true;
    std::size_t done = 0;
    if (event) {
      std::vector<double> before;
      for (const double t : times)
        if (t <= *event) before.push_back(t);
      done = before.size();
      if (before.back() < *event) before.push_back(*event);
      piece(start, before, setting, most_steps, result, 0);
      problem_.on_event(0, start);
      session.enter(start);
    }
    if (result.ok)
      piece(start, {times.begin() + static_cast<std::ptrdiff_t>(done), times.end()}, setting, most_steps, result, done);
    return result;
  }

 private:
  Index size() const { return 2 * (n_ + m_); }

  // Integrates from s to the last of the times, where s is left.
  void piece(State& s, const std::vector<double>& times, const IdaSetting& setting, long most_steps, IdaRun& result,
             std::size_t first) {
    y_.setZero();
    yp_.setZero();
    y_.head(2 * n_) = s.y.head(2 * n_);
    yp_.head(n_) = s.v();
    accelerate(s);
    N_Vector y = N_VMake_Serial(size(), y_.data(), context_), yp = N_VMake_Serial(size(), yp_.data(), context_);
    N_Vector id = N_VClone(y), tolerances = N_VClone(y);
    Eigen::Map<Vec> differential(N_VGetArrayPointer(id), size()), atol(N_VGetArrayPointer(tolerances), size());
    differential.setZero();
    differential.head(setting.velocities ? 2 * n_ : n_).setOnes();
    atol.setConstant(setting.atol);
    // Multipliers remain in the norm of Newton's iteration, so they get a large tolerance.
    atol.tail(2 * m_).setConstant(1);
    void* memory = IDACreate(context_);
    IDASetErrFile(memory, nullptr);  // failures are reported by the return values
    IDAInit(memory, residual, s.t, y, yp);
    IDASVtolerances(memory, setting.rtol, tolerances);
    IDASetUserData(memory, this);
    IDASetId(memory, id);
    IDASetSuppressAlg(memory, SUNTRUE);
    IDASetMaxOrd(memory, setting.most_order);
    IDASetMaxNumSteps(memory, most_steps);
    SUNMatrix matrix = SUNDenseMatrix(size(), size(), context_);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context_);
    IDASetLinearSolver(memory, solver, matrix);
    IDASetJacFn(memory, jacobian);
    IDASetStopTime(memory, times.back());
    for (std::size_t k = 0; k < times.size() && result.ok; ++k) {
      result.ok = IDASolve(memory, times[k], &s.t, y, yp, IDA_NORMAL) >= 0 && y_.allFinite();
      if (first + k < static_cast<std::size_t>(result.rows.cols()))
        result.rows.col(static_cast<Index>(first + k)) = y_.head(2 * n_);
    }
    s.y.head(2 * n_) = y_.head(2 * n_);
    s.t = times.back();
    long count = 0;
    IDAGetNumSteps(memory, &count);
    result.steps += count;
    IDAGetNumResEvals(memory, &count);
    result.residuals += count;
    IDAGetNumNonlinSolvConvFails(memory, &count);
    result.failures += count;
    IDAFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    for (N_Vector v : {y, yp, id, tolerances}) N_VDestroy(v);
  }

  static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
    return static_cast<IdaGgl*>(self)->residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                                                N_VGetArrayPointer(r));
  }
  static int jacobian(double t, double c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix j, void* self, N_Vector,
                      N_Vector, N_Vector) {
    return static_cast<IdaGgl*>(self)->jacobian(t, c, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                                                SUNDenseMatrix_Data(j));
  }

  void accelerate(const State& s) {
    if (ode_) {
      if (!ode_->solve(s.t, s.q(), s.v(), yp_.segment(n_, n_), y_.tail(m_))) throw std::runtime_error("singular start");
      return;
    }
    slope(s.t, s.q());
    problem_.force(all_groups, s.t, s.q(), s.v(), work_);
    Mat mass = Mat::Identity(n_, n_);
    if (problem_.mass_kind() != MassKind::identity)
      for (Index i = 0; i < n_; ++i)
        for (Index j = 0; j < n_; ++j) mass(i, j) = mass_.value(i, j);
    yp_.segment(n_, n_) = mass.partialPivLu().solve(work_);
  }

  void slope(double t, In q) {
    map_.jacobian(t, q, G_);
    if (problem_.mass_kind() != MassKind::identity) problem_.mass(q, mass_);
  }

  int residual(double t, const double* y_data, const double* yp_data, double* r_data) {
    const Eigen::Map<const Vec> y(y_data, size()), yp(yp_data, size());
    Eigen::Map<Vec> r(r_data, size());
    const auto q = y.head(n_), v = y.segment(n_, n_);
    slope(t, q);
    G_.multiply_transposed(y.segment(2 * n_, m_), r.head(n_));
    r.head(n_) += yp.head(n_) - v;
    G_.multiply_transposed(y.tail(m_), r.segment(n_, n_));
    if (problem_.mass_kind() == MassKind::identity) {
      r.segment(n_, n_) += yp.segment(n_, n_);
    } else {
      mass_.multiply(yp.segment(n_, n_), work_);
      r.segment(n_, n_) += work_;
    }
    problem_.force(all_groups, t, q, v, work_);
    r.segment(n_, n_) -= work_;
    G_.multiply(v, r.segment(2 * n_, m_));
    if (map_.moving()) {
      map_.time_derivative(t, q, r.tail(m_));
      r.segment(2 * n_, m_) += r.tail(m_);
    }
    map_.value(t, q, r.tail(m_));
    return r.allFinite() ? 0 : 1;
  }

  int jacobian(double t, double c, const double* y_data, const double* yp_data, double* j_data) {
    const Eigen::Map<const Vec> y(y_data, size()), yp(yp_data, size());
    Eigen::Map<Mat> j(j_data, size(), size());
    const auto q = y.head(n_), v = y.segment(n_, n_);
    slope(t, q);
    problem_.force_jacobian(all_groups, t, q, v, dq_, dv_);
    map_.velocity_derivative(t, q, v, by_velocity_);
    j.setZero();
    map_.transpose_derivative(t, q, y.segment(2 * n_, m_), bent_);
    add(bent_, 1, j, 0, 0);
    j.block(0, 0, n_, n_).diagonal().array() += c;
    j.block(0, n_, n_, n_).diagonal().array() -= 1;
    map_.transpose_derivative(t, q, y.tail(m_), bent_);
    add(bent_, 1, j, n_, 0);
    if (problem_.mass_kind() == MassKind::of_q) {
      mass_change_.set_zero();
      problem_.mass_product_derivative(q, yp.segment(n_, n_), mass_change_);
      add(mass_change_, 1, j, n_, 0);
    }
    add(dq_, -1, j, n_, 0);
    add(dv_, -1, j, n_, n_);
    if (problem_.mass_kind() == MassKind::identity)
      j.block(n_, n_, n_, n_).diagonal().array() += c;
    else
      add(mass_, c, j, n_, n_);
    add(by_velocity_, 1, j, 2 * n_, 0);
    add(G_, 1, j, 2 * n_, n_);
    add(G_, 1, j, 2 * n_ + m_, 0);
    j.block(0, 2 * n_, n_, m_) = j.block(2 * n_ + m_, 0, m_, n_).transpose();
    j.block(n_, 2 * n_ + m_, n_, m_) = j.block(2 * n_ + m_, 0, m_, n_).transpose();
    return 0;
  }

  static void add(const MatrixSlot& a, double factor, Eigen::Map<Mat>& j, Index row, Index col) {
    if (!a.is_sparse()) {
      if (a.stored() > 0) j.block(row, col, a.rows(), a.cols()) += factor * a.as_dense();
      return;
    }
    for (Index k = 0; k < a.cols(); ++k)
      for (SpMat::InnerIterator it(a.as_sparse(), k); it; ++it) j(row + it.row(), col + k) += factor * it.value();
  }

  const MechanicalProblem& problem_;
  NoConstraints none_;
  const ConstraintMap& map_;
  std::optional<UnderlyingOde> ode_;
  Index n_, m_;
  MatrixSlot mass_, G_, by_velocity_, bent_, mass_change_, dq_, dv_;
  Vec work_, y_, yp_;
  SUNContext context_ = nullptr;
};
}  // namespace trill::bench
