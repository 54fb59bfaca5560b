// SPDX-License-Identifier: BSD-3-Clause
// Trigonometric integrators for q'' = -A q + g(q): exact for the linear force, with filters at the other ones. E.
// Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., 2006, sec. XIII.2.
#include "linalg/matrix_functions.hpp"
#include "method/prospects.hpp"
#include "multiscale/modal_mechanics.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double function_tolerance = 1e-14;
double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }
double squared(double x) { return x * x; }

// psi, and psi_1 = psi / sinc for velocities where that is bounded.
struct Filter {
  EvenFunction phi, psi, psi_1;
  bool two_step = false;  // psi_1 has poles: positions follow the two-step form, and velocities those of impulses
};

Filter filter_named(const std::string& name) {
  const EvenFunction one = [](double) { return 1.0; }, fejer = [](double x) { return squared(sinc(x / 2)); };
  if (name == "impulse") return {one, sinc, one};
  if (name == "mollified") return {sinc, [](double x) { return squared(sinc(x)); }, sinc};
  if (name == "smoothest")
    return {sinc, [](double x) { return std::pow(sinc(x), 3); }, [](double x) { return squared(sinc(x)); }};
  if (name == "gautschi") return {one, fejer, one, true};
  return {[](double x) { return sinc(x) * (1 + squared(std::sin(x / 2)) / 3); }, fejer, one,
          true};  // HLW06 eq. XIII.2.10
}
}  // namespace

class Trigonometric final : public Stepper {
 public:
  struct Options {
    std::string filter = "impulse";
    void fields(OptionVisitor& v) {
      v.choice("filter", filter, {"impulse", "gautschi", "hochbruck_lubich", "mollified", "smoothest"},
               "how forces besides the linear ones are filtered: impulse has the smallest error on spectra without "
               "gaps, hochbruck_lubich is safe where single fast frequencies could resonate");
    }
  };
  static MethodInfo describe(const Options& options) {
    const bool two_step = filter_named(options.filter).two_step;
    return {.name = "trigonometric",
            .title = "trigonometric integrator with filter " + options.filter,
            .reference = "M. Hochbruck, C. Lubich, Numer. Math. 83 (1999) 403-426; PJY97 sec. 3.3",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .symmetric = !two_step,
            .symplectic = options.filter == "impulse",
            .multistep = two_step,
            .constant_step = true};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name(
        "name it, with a step size h, for large systems whose linear forces are fast and whose other forces are weak");
  }

  Trigonometric(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        filter_(filter_named(options.filter)),
        p_(problem.as<MechanicalProblem>("trigonometric")),
        linear_(linear_groups(p_)),
        counted_((known_groups(p_) & ~linear_) != 0 ? known_groups(p_) & ~linear_ : linear_),
        accelerate_(p_, known_groups(p_) & ~linear_) {
    if (p_.constraints())
      throw UsageError("trigonometric cannot satisfy constraints; use rattle for '" + p_.name() + "'");
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError(
          "trigonometric needs a constant mass matrix, not a position-dependent mass; use implicit_midpoint or dopri5 "
          "for '" +
          p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("trigonometric needs forces that do not depend on velocity; use radau or dopri5 for '" +
                       p_.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq;
    y0_ = y1_ = s.y;
    q_ = before_ = g0_ = g1_ = constant_ = start_force_ = Vec::Zero(n);
    accelerate_.start(s.q());
    whole_ = functions(s, families());
    inside_.reset();
    constant_part_.setZero(n, 2);
    h_ = 0;
    knows_before_ = knows_force_ = false;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const Index n = s.layout.nq;
    const double h = request.h;
    if (h != h_ || request.jumped) knows_before_ = knows_force_ = false;
    if (!prepare(h, s.t, request.notes)) return {.status = StepStatus::refused};
    if (!knows_force_ && !force_at(s.t, s.q(), g0_, request)) return {.status = StepStatus::non_finite};
    knows_force_ = true;
    y0_ = s.y;
    const Mat* of_q = apply(*whole_, of_position, s.q(), request);
    const Mat* of_v = apply(*whole_, of_velocity, s.v(), request);
    const Mat* of_g = apply(*whole_, of_force, g0_, request);
    if (!of_q || !of_v || !of_g) return {.status = StepStatus::non_finite};
    auto q = y1_.head(n), v = y1_.tail(n);
    if (filter_.two_step && knows_before_)
      q = 2 * of_q->col(0) - before_ + h * h * of_g->col(0) + 2 * h * h * constant_part_.col(0);
    else
      q = of_q->col(0) + h * of_v->col(0) + 0.5 * h * h * of_g->col(0) + h * h * constant_part_.col(0);
    v = of_v->col(1) - of_q->col(1) / h + 0.5 * h * of_g->col(2) + h * constant_part_.col(1);
    if (!all_finite(y1_) || !force_at(s.t + h, q, g1_, request)) return {.status = StepStatus::non_finite};
    const Mat* of_next = apply(*whole_, of_force, g1_, request);
    if (!of_next) return {.status = StepStatus::non_finite};
    v += 0.5 * h * of_next->col(1);
    if (!all_finite(y1_)) return {.status = StepStatus::non_finite};
    before_ = y0_.head(n);
    knows_before_ = true;
    start_force_.swap(g0_);
    g0_ = g1_;
    s.y = y1_;
    s.t += h;
    return {.h_taken = h};
  }

  // The motion by the force at the start of the step, and what it is off at the end in proportion.
  void interpolate(double theta, Out y) override {
    const Index n = q_.size();
    if (theta <= 0) {
      y = y0_;
      return;
    }
    if (!inside_) inside_ = functions(State(p_.layout()), families());
    Vec at(2 * n), end(2 * n);
    if (!flow_inside(theta * h_, at) || !flow_inside(h_, end)) {
      y = (1 - theta) * y0_ + theta * y1_;
      return;
    }
    y.head(n) = at.head(n) + theta * theta * (y1_.head(n) - end.head(n));
    y.tail(n) = at.tail(n) + theta * (y1_.tail(n) - end.tail(n));
  }

  std::string summary() const override {
    return linear_ == 0 ? "no force group is linear, so that steps are those of Verlet's method" : "";
  }
  void memory(Archive& archive) override {
    double h = h_;
    archive(g0_, before_, knows_before_, knows_force_, h);
    if (!archive.reading() || h == 0) return;
    Notes unheard;
    prepare(h, 0, unheard);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Trigonometric>(problem, options_);
  }

 private:
  enum Family : std::size_t { of_position, of_velocity, of_force, of_average, of_constant };
  FunctionFamilies families() const {
    const EvenFunction cosine = [](double x) { return std::cos(x); };
    const EvenFunction psi_1 = filter_.psi_1;
    return {{cosine, [](double x) { return x * std::sin(x); }},
            {sinc, cosine},
            {filter_.psi, psi_1, [psi_1](double x) { return std::cos(x) * psi_1(x); }},
            {filter_.phi},
            {[](double x) { return 0.5 * squared(sinc(x / 2)); }, sinc}};
  }

  std::unique_ptr<MatrixFunctions> functions(const State& s, FunctionFamilies families) {
    const Index n = s.layout.nq;
    MatrixSlot mass = p_.mass_pattern(), dq = p_.stiffness_pattern(), dv = p_.damping_pattern();
    const Vec zero = Vec::Zero(n);
    p_.mass(s.q(), mass);
    dq.set_zero();
    if (linear_ != 0) {
      p_.force_jacobian(linear_, s.t, zero, zero, dq, dv);
      dq.scale(-1);
      p_.force(linear_, s.t, zero, zero, constant_);
      accelerate_.divide_by_mass(zero, constant_);
    }
    return make_matrix_functions({dq, mass}, std::move(families), function_tolerance);
  }

  const Mat* apply(MatrixFunctions& f, std::size_t family, In x, const StepRequest& request) {
    const long before = f.products();
    const Mat* y = f.apply(family, x);
    request.work.products += f.products() - before;
    return y;
  }

  bool prepare(double h, double t, Notes& notes) {
    if (h == h_) return true;
    h_ = 0;
    try {
      whole_->prepare(h);
    } catch (const UsageError& e) {
      notes.raise(t, "trigonometric_step", e.what(), Severity::error, h, 0);
      return false;
    }
    if (constant_.cwiseAbs().maxCoeff() > 0) {
      const Mat* part = whole_->apply(of_constant, constant_);
      if (!part) return false;
      constant_part_ = *part;
    }
    h_ = h;
    return true;
  }

  // g at the filtered position.
  bool force_at(double t, In q, Vec& g, const StepRequest& request) {
    const Mat* filtered = apply(*whole_, of_average, q, request);
    if (!filtered) return false;
    q_ = filtered->col(0);
    accelerate_(t, q_, y0_.tail(q.size()), g);
    request.work.count_forces(counted_);
    return all_finite(g);
  }

  bool flow_inside(double h, Vec& y) {
    const Index n = q_.size();
    inside_->prepare(h);
    const Mat* of_q = inside_->apply(of_position, y0_.head(n));
    const Mat* of_v = inside_->apply(of_velocity, y0_.tail(n));
    const Mat* of_c = inside_->apply(of_constant, start_force_ + constant_);
    if (!of_q || !of_v || !of_c) return false;
    y.head(n) = of_q->col(0) + h * of_v->col(0) + h * h * of_c->col(0);
    y.tail(n) = of_v->col(1) - of_q->col(1) / h + h * of_c->col(1);
    return true;
  }

  MethodInfo info_;
  Options options_;
  Filter filter_;
  const MechanicalProblem& p_;
  Groups linear_, counted_;
  Acceleration accelerate_;
  std::unique_ptr<MatrixFunctions> whole_, inside_;
  double h_ = 0;
  bool knows_before_ = false, knows_force_ = false;
  Vec y0_, y1_, q_, before_, g0_, g1_, constant_, start_force_;
  Mat constant_part_;
};
}  // namespace trill
TRILL_METHOD(trigonometric, Trigonometric)
