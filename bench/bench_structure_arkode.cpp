// SPDX-License-Identifier: BSD-3-Clause
// Block Ritz vectors on a beam against ARKODE's implicit Runge-Kutta method of order five, with steps of one length, so
// that the matrix of its stages is factorised once, at the longest step whose error is no larger.
#include "ritz_run.hpp"

#include <cstdio>

#if __has_include(<arkode/arkode_arkstep.h>)
#include "linalg/sparse_cholesky.hpp"

#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

namespace {
using namespace trill;
using namespace trill::bench;
using namespace trill::papers::structures;

constexpr int samples = 10;

// (u, v)' = (v, M^-1 (f - C v - K u)), and x_u - g x_v = r_u, x_v + g M^-1 (C x_v + K x_u) = r_v for its stages.
class BeamInArkode {
 public:
  explicit BeamInArkode(const RoughCase& c) : case_(c), s_(c.structure), n_(s_.m.rows()), mass_(s_.m) {
    damping_ = mass_damping * s_.m + stiffness_damping * s_.k;
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(2 * n_, context_);
    map(y_) << s_.u0, s_.v0;
    memory_ = ARKStepCreate(nullptr, rates, 0, y_, context_);
    ARKStepSetUserData(memory_, this);
    ARKStepSetTableNum(memory_, ARKODE_ARK548L2SA_DIRK_8_4_5, ARKODE_ERK_NONE);
    ARKStepSetLinear(memory_, 0);
    ARKStepSStolerances(memory_, 1e-8, 1e-12);  // not used for steps of one length
    solver_ = SUNLinSolNewEmpty(context_);
    solver_->content = this;
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_MATRIX_EMBEDDED; };
    solver_->ops->solve = [](SUNLinearSolver self, SUNMatrix, N_Vector x, N_Vector b, realtype) {
      return static_cast<BeamInArkode*>(self->content)->solve(x, b);
    };
    ARKStepSetLinearSolver(memory_, solver_, nullptr);
  }
  BeamInArkode(const BeamInArkode&) = delete;
  BeamInArkode& operator=(const BeamInArkode&) = delete;
  ~BeamInArkode() {
    ARKStepFree(&memory_);
    SUNLinSolFreeEmpty(solver_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  // The error of a whole run with this step.
  double run(double h) {
    ARKStepSetFixedStep(memory_, h);
    ARKStepSetMaxNumSteps(memory_, 1'000'000'000);
    Mat found(coordinates_judged, samples);
    for (int i = 0; i < samples; ++i) {
      double t = 0;
      ARKStepSetStopTime(memory_, i + 1);
      if (ARKStepEvolve(memory_, i + 1, y_, &t, ARK_NORMAL) < 0) return NAN;
      found.col(i) = case_.phi.transpose() * (s_.m * map(y_).head(n_));
    }
    return case_.error(found);
  }
  int factorisations() const { return factorisations_; }

 private:
  Eigen::Map<Vec> map(N_Vector x) const { return {N_VGetArrayPointer(x), 2 * n_}; }

  static int rates(double t, N_Vector y, N_Vector dy, void* self) {
    auto& b = *static_cast<BeamInArkode*>(self);
    const auto state = b.map(y);
    auto rate = b.map(dy);
    Vec force(b.n_);
    b.s_.load(t, force);
    force -= b.damping_ * state.tail(b.n_) + b.s_.k * state.head(b.n_);
    rate.head(b.n_) = state.tail(b.n_);
    rate.tail(b.n_) = b.mass_.solve(force);
    return 0;
  }

  int solve(N_Vector x, N_Vector b) {
    double gamma = 0;
    ARKStepGetCurrentGamma(memory_, &gamma);
    if (!stages_ || std::abs(gamma - gamma_) > 1e-9 * gamma) {
      stages_ = std::make_unique<SparseCholesky>(s_.m + gamma * damping_ + gamma * gamma * s_.k);
      gamma_ = gamma;
      ++factorisations_;
    }
    const auto rest = map(b);
    auto out = map(x);
    const Vec v = stages_->solve(Vec(s_.m * rest.tail(n_) - gamma * (s_.k * rest.head(n_))));
    out.head(n_) = rest.head(n_) + gamma * v;
    out.tail(n_) = v;
    return 0;
  }

  const RoughCase& case_;
  const papers::GivenStructure& s_;
  Index n_;
  SparseCholesky mass_;
  SpMat damping_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  std::unique_ptr<SparseCholesky> stages_;
  double gamma_ = 0;
  int factorisations_ = 0;
};
}  // namespace

int main() {
  const RoughCase beam = rough_beam(501);
  Timed ritz = by_ritz(beam);
  for (int turn = 0; turn < 4; ++turn) ritz.seconds = std::min(ritz.seconds, by_ritz(beam).seconds);
  double taken = 0, theirs = HUGE_VAL;
  for (double h = 1.0 / 40; theirs > ritz.error && taken < 60; h /= 2) {
    BeamInArkode arkode(beam);
    taken = processor_seconds([&] { theirs = arkode.run(h); });
    std::printf("ARKODE DIRK5, h = 1/%.0f: %.3f s, %d factorisations, error %.2e\n", 1 / h, taken,
                arkode.factorisations(), theirs);
    std::fflush(stdout);
    if (!(theirs < HUGE_VAL)) theirs = HUGE_VAL;
  }
  std::printf("beam, n = 1000: ritz %.4f s with error %.2e, ARKODE %.3f s with error %.2e\n", ritz.seconds, ritz.error,
              taken, theirs);
  print_ratio("structures/ritz_over_arkode_beam", ritz.seconds / taken, 0.01);
  return 0;
}
#else
int main() { std::printf("the headers of ARKODE are not installed\n"); }
#endif
