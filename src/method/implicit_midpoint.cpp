// SPDX-License-Identifier: BSD-3-Clause
// Implicit midpoint rule, the Gauss method with one stage: JP95 sec. 2, PJY97 sec. 2.2.
// Mechanical systems are solved for the midpoint velocity alone, so the Newton matrix has the size of q.
#include "trill/linalg/differences.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/linalg/matrix_free.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
namespace {
// What a Newton matrix was formed from; a resumed run forms the same one again.
struct Prepared {
  bool valid = false;
  double t = 0, h = 0;
  Vec y0, x;
};

// One step posed as r(x) = 0; x is the midpoint of y, or of v.
class MidpointSystem : public MatrixSystem {
 public:
  // Without a matrix the pattern is only a diagonal, for its size.
  MidpointSystem(const MatrixSlot& pattern, bool matrix_free)
      : MatrixSystem(matrix_free ? diagonal_pattern(pattern.rows()) : pattern) {
    if (matrix_free) krylov_.emplace(pattern.rows());
  }
  virtual void guess(Out x) const = 0;
  virtual void finish(In x, Vec& y1) const = 0;  // y1 from the midpoint
  virtual void newton_weights(In w, Out x_weights) const = 0;
  virtual Groups counted_groups() const = 0;

  void begin(double t, double h, const Vec& y0) {
    t_ = t;
    h_ = h;
    y0_ = y0;
  }
  bool prepare(In x) override {
    if (krylov_) krylov_->at(*this, x);
    prepared.valid = krylov_ || MatrixSystem::prepare(x);
    prepared.t = t_;
    prepared.h = h_;
    prepared.y0 = y0_;
    prepared.x = x;
    ++preparations;
    return prepared.valid;
  }
  void correct(In r, Out dx) override {
    if (krylov_)
      linear_iterations += krylov_->solve(r, dx).iterations;
    else
      MatrixSystem::correct(r, dx);
  }
  bool is_matrix_free() const { return krylov_.has_value(); }
  bool has_sparse_factors() const { return !krylov_ && matrix().is_sparse(); }
  void prepare_again() {
    begin(prepared.t, prepared.h, prepared.y0);
    Vec r(size());
    residual(prepared.x, r);
    prepare(Vec(prepared.x));
  }

  Prepared prepared;
  int evaluations = 0, preparations = 0, linear_iterations = 0;

 protected:
  static MatrixSlot diagonal_pattern(Index n) {
    SpMat identity(n, n);
    identity.setIdentity();
    return MatrixSlot::sparse(identity);
  }
  std::optional<MatrixFreeJacobian> krylov_;
  double t_ = 0, h_ = 0;
  Vec y0_;
};

class FirstOrderMidpoint final : public MidpointSystem {
 public:
  FirstOrderMidpoint(const FirstOrderProblem& p, bool matrix_free)
      : MidpointSystem(union_pattern(p.jacobian_pattern(), diagonal_pattern(p.layout().size())), matrix_free),
        p_(p),
        differences_(p.jacobian_pattern()),
        j_(p.jacobian_pattern()) {}
  Groups counted_groups() const override { return 1; }
  void guess(Out x) const override { x = y0_; }
  void residual(In x, Out r) override {
    ++evaluations;
    p_.rhs(t_ + 0.5 * h_, x, r);
    r = x - y0_ - 0.5 * h_ * r;
  }
  void jacobian(In x, MatrixSlot& j) override {
    if (!p_.jacobian(t_ + 0.5 * h_, x, j_)) {
      const auto rhs = [this](In y, Out f) { p_.rhs(t_ + 0.5 * h_, y, f); };
      differences_.evaluate(std::cref(rhs), x, j_);
    }
    j.scale_add(-0.5 * h_, j_);
    for (Index i = 0; i < size(); ++i) j.add(i, i, 1);
  }
  void finish(In x, Vec& y1) const override { y1 = 2 * x - y0_; }
  void newton_weights(In w, Out x_weights) const override { x_weights = w; }

 private:
  const FirstOrderProblem& p_;
  DifferenceJacobian differences_;
  MatrixSlot j_;
};

class MechanicalMidpoint final : public MidpointSystem {
 public:
  MechanicalMidpoint(const MechanicalProblem& p, bool matrix_free)
      : MidpointSystem(union_pattern(union_pattern(p.mass_pattern(), p.stiffness_pattern()), p.damping_pattern()),
                       matrix_free),
        p_(p),
        n_(p.layout().nq),
        mass_(p.mass_pattern()),
        dq_(p.stiffness_pattern()),
        dv_(p.damping_pattern()),
        q_differences_(dq_),
        v_differences_(dv_),
        q_(n_),
        a_(n_),
        product_(n_),
        counted_(known_groups(p)) {}
  Groups counted_groups() const override { return counted_; }
  void guess(Out x) const override { x = y0_.tail(n_); }
  // M(q) (v - v0) - h/2 f(q, v) at the midpoint, q = q0 + h/2 v
  void residual(In v, Out r) override {
    ++evaluations;
    midpoint(v);
    p_.force(all_groups, t_ + 0.5 * h_, q_, v, r);
    a_ = v - y0_.tail(n_);
    r *= -0.5 * h_;
    if (p_.mass_kind() == MassKind::identity) {
      r += a_;
      return;
    }
    p_.mass(q_, mass_);
    mass_.multiply(a_, product_);
    r += product_;
  }
  void jacobian(In v, MatrixSlot& j) override {
    const double t = t_ + 0.5 * h_;
    midpoint(v);
    if (!p_.force_jacobian(all_groups, t, q_, v, dq_, dv_)) {
      // By reference: a function object of that size would be allocated.
      const auto of_q = [&](In q, Out f) { p_.force(all_groups, t, q, v, f); };
      const auto of_v = [&](In w, Out f) { p_.force(all_groups, t, q_, w, f); };
      q_differences_.evaluate(std::cref(of_q), q_, dq_);
      if (dv_.stored() > 0) v_differences_.evaluate(std::cref(of_v), v, dv_);
    }
    if (p_.mass_kind() == MassKind::of_q) {
      a_ = v - y0_.tail(n_);
      p_.mass_product_derivative(q_, a_, j);  // d(M(q) (v - v0))/dq
      j.scale(0.5 * h_);
    }
    p_.mass(q_, mass_);
    j.scale_add(1, mass_);
    j.scale_add(-0.25 * h_ * h_, dq_);
    if (dv_.stored() > 0) j.scale_add(-0.5 * h_, dv_);
  }
  void finish(In v, Vec& y1) const override {
    y1.head(n_) = y0_.head(n_) + h_ * v;
    y1.tail(n_) = 2 * v - y0_.tail(n_);
  }
  // An error of v is one of h/2 v in q: the sharper of the two tests counts.
  void newton_weights(In w, Out x_weights) const override {
    x_weights = w.segment(n_, n_).cwiseMax(0.5 * std::abs(h_) * w.head(n_));
  }

 private:
  void midpoint(In v) { q_ = y0_.head(n_) + 0.5 * h_ * v; }
  const MechanicalProblem& p_;
  Index n_;
  MatrixSlot mass_, dq_, dv_;
  DifferenceJacobian q_differences_, v_differences_;
  Vec q_, a_, product_;
  Groups counted_;
};

std::unique_ptr<MidpointSystem> make_system(const Problem& problem, bool matrix_free) {
  if (const auto* first_order = dynamic_cast<const FirstOrderProblem*>(&problem))
    return std::make_unique<FirstOrderMidpoint>(*first_order, matrix_free);
  if (!dynamic_cast<const MechanicalProblem*>(&problem))
    throw UsageError("implicit_midpoint needs a first-order or a mechanical system; '" + problem.name() +
                     "' is neither");
  const auto& mechanical = dynamic_cast<const MechanicalProblem&>(problem);
  if (mechanical.constraints())
    throw UsageError("implicit_midpoint cannot keep constraints; use rattle for '" + problem.name() + "'");
  return std::make_unique<MechanicalMidpoint>(mechanical, matrix_free);
}
}  // namespace

class ImplicitMidpoint final : public Stepper {
 public:
  struct Options {
    std::string linear = "factorise";
    void fields(OptionVisitor& v) {
      v.choice("linear", linear, {"factorise", "krylov"},
               "Newton corrections by a factorised matrix, or without a matrix by GMRES");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"linear", "krylov"}}}; }
  static LinearForm linear_form(const Options&) { return runge_kutta_form(extended_tableau(ImplicitFamily::gauss, 1)); }
  static MethodInfo describe(const Options&) {
    return {.name = "implicit_midpoint",
            .title = "Implicit midpoint rule",
            .reference = "JP95 sec. 2; PJY97 sec. 2.2",
            .accepts = {.first_order = true, .mechanical = true},
            .order = 2,
            .dense_order = 2,
            .implicit_step = true,
            .symmetric = true,
            .symplectic = true,
            .p_stable = true,
            .constant_step = true};
  }

  ImplicitMidpoint(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        nv_(dynamic_cast<const MechanicalProblem*>(&problem) ? problem.layout().nv : 0),
        system_(make_system(problem, options.linear == "krylov")),
        newton_(system_->size(), {.tolerance = 0.1, .max_iterations = 12, .jacobian_every = 0}) {
    // A sparse factorisation depends on the matrices before it; it starts afresh at every checkpoint.
    info_.saves_memory = !system_->has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    y0_ = y1_ = s.y;
    x_ = weights_ = Vec::Zero(system_->size());
    system_->begin(s.t, 0, s.y);
    system_->prepared = {false, 0, 0, s.y, x_};
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    if ((request.jumped || request.restart) && system_->has_sparse_factors()) system_->forget();
    system_->begin(s.t, h, s.y);
    system_->guess(x_);
    system_->newton_weights(request.weights, weights_);
    // Differences of residuals belong to one step: only a factorised matrix outlives it.
    const bool reuse = !request.jumped && !request.restart && !system_->is_matrix_free() && system_->prepared.valid &&
                       system_->prepared.h == h;
    const int evaluations = system_->evaluations, preparations = system_->preparations;
    const int linear_iterations = system_->linear_iterations;
    StepResult result{.h_taken = h};
    result.newton = newton_.solve(*system_, x_, weights_, reuse);
    for (int i = evaluations; i < system_->evaluations; ++i) request.work.count_forces(system_->counted_groups());
    request.work.jacobians += system_->preparations - preparations;
    request.work.linear_iterations += system_->linear_iterations - linear_iterations;
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    y0_ = s.y;
    system_->finish(x_, y1_);
    if (!all_finite(y1_)) return {.status = StepStatus::non_finite};
    h_ = h;
    s.y = y1_;
    s.t += h;
    return result;
  }

  void interpolate(double theta, Out y) override {
    // Linear in all but the positions: with a step that spans oscillations, end slopes say nothing of the inside.
    y = (1 - theta) * y0_ + theta * y1_;
    if (nv_ > 0) hermite(theta, h_, y0_.head(nv_), y0_.tail(nv_), y1_.head(nv_), y1_.tail(nv_), y.head(nv_));
  }

  void save(Archive& archive) const override {
    archive.write(system_->prepared.valid);
    archive.write(system_->prepared.t);
    archive.write(system_->prepared.h);
    archive.write(system_->prepared.y0);
    archive.write(system_->prepared.x);
  }
  void load(Archive& archive) override {
    Prepared& p = system_->prepared;
    archive.read(p.valid);
    archive.read(p.t);
    archive.read(p.h);
    archive.read(p.y0);
    archive.read(p.x);
    if (p.valid && !system_->is_matrix_free()) system_->prepare_again();
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<ImplicitMidpoint>(problem, options_);
  }

 private:
  MethodInfo info_;
  Options options_;
  Index nv_;
  std::unique_ptr<MidpointSystem> system_;
  Newton newton_;
  Vec y0_, y1_, x_, weights_;
  double h_ = 0;
};
}  // namespace trill
TRILL_METHOD(implicit_midpoint, ImplicitMidpoint)
