// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS CVODE as two methods, cvode_bdf and cvode_adams, so that users can compare with what they know.
// CVODE chooses its own steps and cannot save its history: it starts afresh at every checkpoint.
#ifdef TRILL_HAVE_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

#include "method/prospects.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

namespace trill {
#ifdef TRILL_HAVE_SUNDIALS
namespace {
constexpr Index dense_up_to = 200;

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
struct FreeVector {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};
struct FreeMatrix {
  void operator()(SUNMatrix a) const { SUNMatDestroy(a); }
};
struct FreeLinear {
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};
struct FreeNonlinear {
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
template <class Handle, class Free>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

void be_silent(int, const char*, const char*, char*, void*) {}

template <int Kind>
class Cvode final : public Stepper {
 public:
  struct Options {
    int max_order = Kind == CV_BDF ? 5 : 12;
    void fields(OptionVisitor& v) {
      v.integer("max_order", max_order, Range::between(1, Kind == CV_BDF ? 5 : 12), "max order of the formula");
    }
  };
  static MethodInfo describe(const Options& options) {
    return {.name = Kind == CV_BDF ? "cvode_bdf" : "cvode_adams",
            .title = Kind == CV_BDF ? "CVODE, backward differentiation formulas" : "CVODE, Adams-Moulton formulas",
            .reference = "Hindmarsh et al., ACM Trans. Math. Software 31 (2005) 363-396",
            .accepts = {.first_order = true, .mechanical = true, .constrained = true},
            .dense_degree = options.max_order,
            .implicit_step = true,
            .owns_step = true,
            .saves_memory = false};
  }

  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    if (Kind == CV_ADAMS)
      return explicit_prospect(
          facts, question,
          {.order = 9, .steps = 6.5, .forces = 1.7, .error = 20, .overhead = 1.5e-6, .overhead_of_unknown = 5e-8});
    return implicit_prospect(facts, question,
                             {.order = 4,
                              .steps = 6,
                              .forces = 1.7,
                              .factorisations = 0.2,
                              .error = 300,
                              .overhead = 1.5e-6,
                              .overhead_of_unknown = 5e-8});
  }
  Cvode(const Problem& problem, const Options& options)
      : info_(describe(options)), options_(options), form_(problem, info_.name) {
    if (Kind == CV_BDF) pattern_ = form_.jacobian_pattern();  // a dense one may need more memory than there is
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    const Index n = form_.size();
    form_.start(s);
    y_ = s.y.head(n);
    atol_ = scale.atol.head(n);
    form_.multipliers(s.t, s.y, s.lambda());
    jacobian_ = pattern_;
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    context_.reset(context);
    vector_.reset(N_VMake_Serial(n, y_.data(), context));
    Owned<N_Vector, FreeVector> atol(N_VMake_Serial(n, atol_.data(), context));
    memory_.reset(CVodeCreate(Kind, context));
    CVodeSetErrHandlerFn(memory_.get(), be_silent, nullptr);
    CVodeInit(memory_.get(), rhs, s.t, vector_.get());
    CVodeSVtolerances(memory_.get(), scale.rtol, atol.get());
    CVodeSetUserData(memory_.get(), this);
    CVodeSetMaxOrd(memory_.get(), options_.max_order);
    CVodeSetMaxNumSteps(memory_.get(), -1);
    CVodeSetMaxHnilWarns(memory_.get(), -1);
    if (Kind == CV_BDF)
      attach_newton(n, s.t, context);
    else
      attach_fixed_point(context);
    stop_ = s.t;
    before_ = {};
  }

  StepResult step(State& s, const StepRequest& request) override {
    const Index n = form_.size();
    work_ = &request.work;
    const double stop = s.t + request.h;
    const bool afresh = request.jumped || request.restart;
    if (afresh) {
      y_ = s.y.head(n);
      CVodeReInit(memory_.get(), s.t, vector_.get());
      before_ = {};
    }
    if (afresh || stop != stop_) CVodeSetStopTime(memory_.get(), stop);
    stop_ = stop;
    double reached = s.t;
    tried_ = s.t;
    const int flag = CVode(memory_.get(), stop, vector_.get(), &reached, CV_ONE_STEP);
    work_ = nullptr;
    count(request.work);
    if (flag < 0) return {.status = status_of(flag), .h_taken = tried_ != s.t ? tried_ - s.t : planned_step()};
    if (!all_finite(y_)) return {.status = StepStatus::non_finite, .h_taken = reached - s.t};
    t0_ = s.t;
    s.y.head(n) = y_;
    s.t = flag == CV_TSTOP_RETURN ? stop : reached;
    if (form_.has_multipliers()) {
      form_.multipliers(s.t, s.y, s.lambda());
      request.work.count_forces(form_.counted_groups());
    }
    h_ = s.t - t0_;
    return {.h_taken = h_};
  }

  void interpolate(double theta, Out y) override {
    const Index n = form_.size();
    Owned<N_Vector, FreeVector> out(N_VMake_Serial(n, y.data(), context_.get()));
    CVodeGetDky(memory_.get(), t0_ + theta * h_, 0, out.get());
    if (form_.has_multipliers()) form_.multipliers(t0_ + theta * h_, y, y.tail(y.size() - n));
  }

  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Cvode>(problem, options_);
  }

 private:
  struct Snapshot {
    long rejected = 0, newton = 0, failures = 0, setups = 0;
  };

  static int rhs(double t, N_Vector y, N_Vector dy, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    const Index n = me.form_.size();
    if (me.work_) me.work_->count_forces(me.form_.counted_groups());
    me.tried_ = t;
    const Eigen::Map<const Vec> in(N_VGetArrayPointer(y), n);
    Eigen::Map<Vec> out(N_VGetArrayPointer(dy), n);
    if (!me.form_.rhs(t, in, out)) return 1;
    return all_finite(out.data(), n) ? 0 : 1;
  }

  static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix j, void* self, N_Vector, N_Vector, N_Vector) {
    auto& me = *static_cast<Cvode*>(self);
    const Index n = me.form_.size();
    const Eigen::Map<const Vec> in(N_VGetArrayPointer(y), n);
    if (!me.form_.jacobian(t, in, me.jacobian_)) return -1;
    if (me.work_) ++me.work_->jacobians;
    Eigen::Map<Mat> out(SUNDenseMatrix_Data(j), n, n);
    if (me.jacobian_.is_sparse())
      out = me.jacobian_.as_sparse();
    else
      out = me.jacobian_.as_dense();
    return 0;
  }

  void attach_newton(Index n, double t, SUNContext context) {
    if (n > dense_up_to) {
      linear_.reset(SUNLinSol_SPGMR(vector_.get(), SUN_PREC_NONE, 30, context));
      CVodeSetLinearSolver(memory_.get(), linear_.get(), nullptr);
      return;
    }
    matrix_.reset(SUNDenseMatrix(n, n, context));
    linear_.reset(SUNLinSol_Dense(vector_.get(), matrix_.get(), context));
    CVodeSetLinearSolver(memory_.get(), linear_.get(), matrix_.get());
    if (form_.jacobian(t, y_, jacobian_)) CVodeSetJacFn(memory_.get(), jacobian);
  }

  void attach_fixed_point(SUNContext context) {
    nonlinear_.reset(SUNNonlinSol_FixedPoint(vector_.get(), 0, context));
    CVodeSetNonlinearSolver(memory_.get(), nonlinear_.get());
  }

  static StepStatus status_of(int flag) {
    if (flag == CV_CONV_FAILURE || flag == CV_LSETUP_FAIL || flag == CV_LSOLVE_FAIL) return StepStatus::newton_diverged;
    if (flag == CV_ERR_FAILURE) return StepStatus::step_too_small;
    return flag == CV_RHSFUNC_FAIL || flag == CV_REPTD_RHSFUNC_ERR || flag == CV_FIRST_RHSFUNC_ERR
               ? StepStatus::non_finite
               : StepStatus::refused;
  }

  double planned_step() const {
    double h = 0;
    CVodeGetCurrentStep(memory_.get(), &h);
    return h;
  }

  Snapshot read_counters() const {
    Snapshot s;
    CVodeGetNumErrTestFails(memory_.get(), &s.rejected);
    CVodeGetNumNonlinSolvIters(memory_.get(), &s.newton);
    CVodeGetNumNonlinSolvConvFails(memory_.get(), &s.failures);
    CVodeGetNumLinSolvSetups(memory_.get(), &s.setups);
    return s;
  }
  void count(Counters& work) {
    const Snapshot now = read_counters();
    work.rejected += now.rejected - before_.rejected;
    work.newton_iterations += now.newton - before_.newton;
    work.newton_failures += now.failures - before_.failures;
    work.factorisations += now.setups - before_.setups;
    before_ = now;
  }

  MethodInfo info_;
  Options options_;
  FirstOrderForm form_;
  MatrixSlot pattern_, jacobian_;
  Vec y_, atol_;
  double t0_ = 0, h_ = 0, stop_ = 0;
  double tried_ = 0;  // where the forces were last wanted: the end of a step that failed
  Counters* work_ = nullptr;
  Snapshot before_;
  Owned<SUNContext, FreeContext> context_;  // must outlive all members below
  Owned<N_Vector, FreeVector> vector_;
  Owned<SUNMatrix, FreeMatrix> matrix_;
  Owned<SUNLinearSolver, FreeLinear> linear_;
  Owned<SUNNonlinearSolver, FreeNonlinear> nonlinear_;
  std::unique_ptr<void, FreeCvode> memory_;
};
}  // namespace

void register_method_cvode(Catalogue& catalogue) {
  add_method<Cvode<CV_BDF>>(catalogue);
  add_method<Cvode<CV_ADAMS>>(catalogue);
}
#else
void register_method_cvode(Catalogue&) {}
#endif
}  // namespace trill
