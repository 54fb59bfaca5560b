// SPDX-License-Identifier: BSD-3-Clause
// Implicit midpoint rule, the Gauss method with one stage: JP95 sec. 2, PJY97 sec. 2.2.
// Mechanical systems are solved for the midpoint velocity alone, so the Newton matrix has the size of q.
#include "trill/linalg/differences.hpp"
#include "trill/linalg/kernels.hpp"
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
  explicit MidpointSystem(const MatrixSlot& pattern) : MatrixSystem(pattern) {}
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
    prepared.valid = MatrixSystem::prepare(x);
    prepared.t = t_;
    prepared.h = h_;
    prepared.y0 = y0_;
    prepared.x = x;
    ++preparations;
    return prepared.valid;
  }
  void prepare_again() {
    begin(prepared.t, prepared.h, prepared.y0);
    Vec r(size());
    residual(prepared.x, r);
    prepare(Vec(prepared.x));
  }

  Prepared prepared;
  int evaluations = 0, preparations = 0;

 protected:
  double t_ = 0, h_ = 0;
  Vec y0_;
};

class FirstOrderMidpoint final : public MidpointSystem {
 public:
  explicit FirstOrderMidpoint(const FirstOrderProblem& p)
      : MidpointSystem(with_diagonal(p.jacobian_pattern())),
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
    if (!p_.jacobian(t_ + 0.5 * h_, x, j_))
      differences_.evaluate([this](In y, Out f) { p_.rhs(t_ + 0.5 * h_, y, f); }, x, j_);
    j.scale_add(-0.5 * h_, j_);
    for (Index i = 0; i < size(); ++i) j.add(i, i, 1);
  }
  void finish(In x, Vec& y1) const override { y1 = 2 * x - y0_; }
  void newton_weights(In w, Out x_weights) const override { x_weights = w; }

 private:
  static MatrixSlot with_diagonal(const MatrixSlot& pattern) {
    SpMat identity(pattern.rows(), pattern.cols());
    identity.setIdentity();
    return union_pattern(pattern, MatrixSlot::sparse(identity));
  }
  const FirstOrderProblem& p_;
  DifferenceJacobian differences_;
  MatrixSlot j_;
};

class MechanicalMidpoint final : public MidpointSystem {
 public:
  explicit MechanicalMidpoint(const MechanicalProblem& p)
      : MidpointSystem(union_pattern(union_pattern(p.mass_pattern(), p.stiffness_pattern()), p.damping_pattern())),
        p_(p),
        n_(p.layout().nq),
        mass_(p.mass_pattern()),
        dq_(p.stiffness_pattern()),
        dv_(p.damping_pattern()),
        q_differences_(dq_),
        v_differences_(dv_),
        q_(n_),
        a_(n_),
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
    product_.resize(n_);
    mass_.multiply(a_, product_);
    r += product_;
  }
  void jacobian(In v, MatrixSlot& j) override {
    const double t = t_ + 0.5 * h_;
    midpoint(v);
    if (!p_.force_jacobian(all_groups, t, q_, v, dq_, dv_)) {
      q_differences_.evaluate([&](In q, Out f) { p_.force(all_groups, t, q, v, f); }, q_, dq_);
      if (dv_.stored() > 0) v_differences_.evaluate([&](In w, Out f) { p_.force(all_groups, t, q_, w, f); }, v, dv_);
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

std::unique_ptr<MidpointSystem> make_system(const Problem& problem) {
  if (const auto* first_order = dynamic_cast<const FirstOrderProblem*>(&problem))
    return std::make_unique<FirstOrderMidpoint>(*first_order);
  if (!dynamic_cast<const MechanicalProblem*>(&problem))
    throw UsageError("implicit_midpoint needs a first-order or a mechanical system; '" + problem.name() +
                     "' is neither");
  const auto& mechanical = dynamic_cast<const MechanicalProblem&>(problem);
  if (mechanical.constraints())
    throw UsageError("implicit_midpoint cannot keep constraints; use rattle for '" + problem.name() + "'");
  return std::make_unique<MechanicalMidpoint>(mechanical);
}
}  // namespace

class ImplicitMidpoint final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
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
        nv_(problem.layout().nv),
        system_(make_system(problem)),
        newton_(system_->size(), {.tolerance = 0.1, .max_iterations = 12, .jacobian_every = 0}) {
    // A sparse factorisation depends on the matrices before it; it starts afresh at every checkpoint.
    info_.saves_memory = !system_->matrix().is_sparse();
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
    if (request.jumped && system_->matrix().is_sparse()) system_->forget();
    system_->begin(s.t, h, s.y);
    system_->guess(x_);
    system_->newton_weights(request.weights, weights_);
    const bool reuse = !request.jumped && system_->prepared.valid && system_->prepared.h == h;
    const int evaluations = system_->evaluations, preparations = system_->preparations;
    StepResult result{.h_taken = h};
    result.newton = newton_.solve(*system_, x_, weights_, reuse);
    for (int i = evaluations; i < system_->evaluations; ++i) request.work.count_forces(system_->counted_groups());
    request.work.jacobians += system_->preparations - preparations;
    if (!result.newton.converged) {
      result.status = result.newton.non_finite ? StepStatus::non_finite
                      : result.newton.singular ? StepStatus::singular_matrix
                                               : StepStatus::newton_diverged;
      return result;
    }
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
    if (p.valid) system_->prepare_again();
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<ImplicitMidpoint>(problem, Options{});
  }

 private:
  MethodInfo info_;
  Index nv_;
  std::unique_ptr<MidpointSystem> system_;
  Newton newton_;
  Vec y0_, y1_, x_, weights_;
  double h_ = 0;
};
}  // namespace trill
TRILL_METHOD(implicit_midpoint, ImplicitMidpoint)
