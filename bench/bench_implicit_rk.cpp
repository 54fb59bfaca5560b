// SPDX-License-Identifier: BSD-3-Clause
// Radau and Gauss on stiff mechanical systems with steps set by the slow motion: what a run costs whatever epsilon is,
// against methods that follow the oscillation, and against a dense Newton matrix of all stages; and how the cost of a
// step grows with the number of stiff springs.
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/formulation/slow_point.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"
#include "trill/method/stage_block.hpp"
#include "trill/method/stage_polynomial.hpp"

#include <fstream>
#include <functional>
#include <optional>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double end_time = 20, slow_error = 1e-7;
// Direction of the rigid pendulum from rest at (1, 0), at t = 20.
constexpr double end_x = -0.51771970743929452, end_y = 0.85555029369540951;

double error_of(double x, double y) {
  const double r = std::hypot(x, y);
  return std::hypot(x / r - end_x, y / r - end_y);
}

// x0 lies 3 epsilon^4 off the rigid pendulum.
std::unique_ptr<Problem> pendulum(double epsilon) {
  return native_model("pendulum/stiff_spring",
                      {{"epsilon", written(epsilon)}, {"x0", written(1 - 3 * std::pow(epsilon, 4))}, {"y0", "0"}});
}

AdaptiveStep tolerance(double rtol) {
  AdaptiveStep control;
  control.rtol = rtol;
  control.atol = Vec::Constant(1, rtol);
  return control;
}

struct Outcome {
  double error = HUGE_VAL, seconds = HUGE_VAL;
  Counters work;
  bool finished = false;
};

// A whole solution, the start of the method included; given up after `most_seconds`.
Outcome solve(Stepper& stepper, const Problem& problem, const StepControl& control, double most_seconds = 20) {
  using Clock = std::chrono::steady_clock;
  Outcome outcome;
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Advancer advancer(stepper, control);
  State s = problem.initial_state();
  advancer.start(s, end_time);
  outcome.finished = true;
  while (s.t < end_time && outcome.finished) {
    for (int k = 0; k < 100 && s.t < end_time; ++k)
      if (advancer.several(s, end_time, end_time, 1000).status != AdvanceStatus::ok)
        throw std::runtime_error(stepper.info().name + " failed");
    outcome.finished = passed() < most_seconds;
  }
  outcome.seconds = passed();
  outcome.work = advancer.counters();
  outcome.error = error_of(s.y[0], s.y[1]);
  return outcome;
}

// The fastest of several.
Outcome best_of(int turns, const std::function<Outcome()>& run) {
  Outcome best = run();
  for (int k = 1; k < turns; ++k) {
    const Outcome next = run();
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

void print_row(const std::string& name, const Outcome& o) {
  std::printf("%-34s %s%10.3f ms  error %.1e  %9lld steps %9lld iterations %9lld matrices %10lld forces\n",
              name.c_str(), o.finished ? "          " : "more than ", 1e3 * o.seconds, o.error,
              static_cast<long long>(o.work.steps), static_cast<long long>(o.work.newton_iterations),
              static_cast<long long>(o.work.factorisations), static_cast<long long>(o.work.most_forces()));
  std::fflush(stdout);
}

Outcome radau_outcome(double epsilon, double rtol, int turns) {
  const auto problem = pendulum(epsilon);
  const auto stepper = MethodRegistry::all().find("radau").make(*problem, {});
  return best_of(turns, [&] { return solve(*stepper, *problem, tolerance(rtol)); });
}

// The loosest tolerance that gives the slow error.
constexpr double radau_rtol = 1e-7;

Outcome bench_epsilons() {
  std::optional<Outcome> at_stiff;
  double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {0, 0, 0};
  for (int digits = 3; digits <= 8; ++digits) {
    const double epsilon = std::pow(10, -digits);
    const Outcome o = radau_outcome(epsilon, radau_rtol, 50);
    print_row(fmt::format("radau, epsilon = {:g}", epsilon), o);
    const double costs[3] = {o.seconds, static_cast<double>(o.work.steps),
                             static_cast<double>(o.work.newton_iterations)};
    for (int k = 0; k < 3; ++k) {
      least[k] = std::min(least[k], costs[k]);
      most[k] = std::max(most[k], costs[k]);
    }
    if (digits == 5) at_stiff = o;
  }
  print_ratio("implicit_rk/most_over_least_steps_of_all_epsilon", most[1] / least[1], 1.2);
  print_ratio("implicit_rk/most_over_least_iterations_of_all_epsilon", most[2] / least[2], 1.2);
  print_ratio("implicit_rk/most_over_least_time_of_all_epsilon", most[0] / least[0], 1.2);
  const Counters& work = at_stiff->work;
  print_ratio("implicit_rk/pendulum_error_over_1e-7", at_stiff->error / slow_error, 1);
  print_ratio("implicit_rk/pendulum_steps_over_160", static_cast<double>(work.steps) / 160, 1);
  print_ratio("implicit_rk/pendulum_iterations_over_1300", static_cast<double>(work.newton_iterations) / 1300, 1);
  print_ratio("implicit_rk/pendulum_matrices_over_steps",
              static_cast<double>(work.factorisations) / static_cast<double>(work.steps + work.rejected), 1);
  return *at_stiff;
}

// Velocity Verlet as one writes it.
Outcome hand_written_verlet(double epsilon, double h) {
  Outcome outcome;
  const Pendulum model{1 / (epsilon * epsilon)};
  outcome.seconds = seconds([&] {
    const auto steps = static_cast<long>(std::ceil(end_time / h));
    const double step = end_time / static_cast<double>(steps);
    double q[2] = {1, 0}, v[2] = {0, 0}, f[2];
    model.force(q, f);
    for (long k = 0; k < steps; ++k) {
      for (int i = 0; i < 2; ++i) {
        v[i] += 0.5 * step * f[i];
        q[i] += step * v[i];
      }
      model.force(q, f);
      for (int i = 0; i < 2; ++i) v[i] += 0.5 * step * f[i];
    }
    outcome.error = error_of(q[0], q[1]);
    outcome.work.steps = outcome.work.forces[0] = steps;
  });
  outcome.finished = true;
  return outcome;
}

// With the loosest tolerance that gives the slow error.
Outcome rival(const std::string& method, const Problem& problem) {
  const auto stepper = MethodRegistry::all().find(method).make(problem, {});
  Outcome last;
  for (double rtol = 1e-4; rtol > 1e-13; rtol /= std::sqrt(10)) {
    last = solve(*stepper, problem, tolerance(rtol));
    if (last.finished && !(last.error <= slow_error)) continue;
    if (last.finished) last = best_of(3, [&] { return solve(*stepper, problem, tolerance(rtol)); });
    print_row(fmt::format("{}, rtol = {:.1e}", method, rtol), last);
    return last;
  }
  print_row(method + ", never that exact", last);
  last.seconds = HUGE_VAL;
  return last;
}

void bench_rivals(double ours) {
  constexpr double epsilon = 1e-5, h = 1.6 * epsilon;
  const auto problem = pendulum(epsilon);
  double best = HUGE_VAL;
  const auto enter = [&](const std::string& name, const Outcome& o) {
    print_row(name, o);
    if (o.error <= slow_error) best = std::min(best, o.seconds);
  };
  enter("velocity Verlet by hand", best_of(15, [&] { return hand_written_verlet(epsilon, h); }));
  const auto verlet = MethodRegistry::all().find("verlet").make(*problem, {});
  enter("verlet", best_of(5, [&] { return solve(*verlet, *problem, FixedStep{h}); }));
  for (const char* method : {"dop853", "cvode_adams", "cvode_bdf"})
    best = std::min(best, rival(method, *problem).seconds);
  print_ratio("implicit_rk/radau_over_best_rival", ours / best, 1 / 15.0);
}

double rms(const Vec& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }

// One step of the same method with Q', V' and the multipliers of all stages as unknowns, and their whole Newton matrix.
class DenseStep {
 public:
  DenseStep(const MechanicalProblem& problem, const ImplicitTableau& tableau)
      : block_(make_stage_block(tableau)),
        form_(problem),
        slow_(form_),
        n_(form_.unknowns()),
        m_(form_.rows()),
        width_(2 * n_ + m_),
        P_(Mat::Zero(n_, block_.stages)) {
    Q_ = V_ = K_ = P_;
    next_K_ = P_;
    L_ = next_L_ = Mat::Zero(m_, block_.stages);
    weights_ = Vec::Zero(block_.stages);
    residual_ = Vec::Zero(width_ * block_.stages);
    matrix_ = Mat::Zero(residual_.size(), residual_.size());
    lu_ = Eigen::PartialPivLU<Mat>(residual_.size());
  }
  int iterations = 0;

  void start(In q, In v) {
    q0_ = q;
    v0_ = v;
    slow_.find(0, q0_, v0_);
    remembers_ = false;
  }

  // Weights and tolerance as in fixed steps of the library.
  void step(double h) {
    guess(h);
    factorise(h);
    const Vec weights = (1e-10 * q0_.cwiseAbs().array() + 1e-12).inverse();
    const double rounding = 2.2e-13 * q0_.cwiseAbs().maxCoeff() * rms(weights);
    double last = HUGE_VAL, norm = HUGE_VAL;
    for (int k = 0; k < 50 && norm > 1e-5 && !(norm > 0.5 * last && norm < rounding); ++k) {
      ++iterations;
      last = norm;
      find_residual(h);
      correction_.noalias() = lu_.solve(residual_);
      double sum = 0;
      for (Index i = 0; i < block_.stages; ++i) {
        const Index at = i * width_;
        P_.col(i) -= correction_.segment(at, n_);
        K_.col(i) -= correction_.segment(at + n_, n_);
        L_.col(i) -= correction_.segment(at + 2 * n_, m_);
        sum += (h * correction_.segment(at, n_).cwiseProduct(weights)).squaredNorm();
      }
      norm = std::sqrt(sum / static_cast<double>(n_ * block_.stages));
    }
    for (Index i = 0; i < block_.stages; ++i) {
      q0_ += h * block_.position.b[i] * P_.col(i);
      v0_ += h * block_.position.b[i] * K_.col(i);
    }
    slow_.find(0, q0_, v0_);
    remembers_ = true;
  }
  const Vec& q() const { return q0_; }

 private:
  void guess(double h) {
    for (Index i = 0; remembers_ && i < block_.stages; ++i) {
      lagrange_weights(block_.position.c, 1 + block_.position.c[i], weights_);
      next_K_.col(i).noalias() = K_ * weights_;
      next_L_.col(i).noalias() = L_ * weights_;
    }
    K_ = next_K_;
    L_ = next_L_;
    for (Index i = 0; !remembers_ && i < block_.stages; ++i) {
      const double far = block_.far[i] / (h * h), rate = -block_.p_v[i] / h;
      K_.col(i) = slow_.a + far * (slow_.q - q0_) + rate * (slow_.v - v0_);
      L_.col(i) = slow_.lambda + far * slow_.mu + rate * slow_.nu;
    }
    P_ = K_ * (h * block_.position.A.transpose());
    P_.colwise() += v0_;
  }

  void factorise(double h) {
    const Mat& A = block_.position.A;
    middle_q_ = slow_.q + 0.5 * h * slow_.v;
    middle_v_ = slow_.v + 0.5 * h * slow_.a;
    form_.linearise(0, middle_q_, middle_v_, slow_.a, slow_.lambda);
    matrix_.setIdentity();
    for (Index i = 0; i < block_.stages; ++i)
      for (Index j = 0; j < block_.stages; ++j) {
        auto part = matrix_.block(i * width_, j * width_, width_, width_);
        for (Index r = 0; r < n_; ++r) {
          part(r, n_ + r) = -h * A(i, j);
          for (Index c = 0; c < n_; ++c) {
            part(n_ + r, c) = h * A(i, j) * form_.slope().value(r, c);
            part(n_ + r, n_ + c) = i == j ? form_.mass().value(r, c) : 0;
          }
        }
        for (Index g = 0; g < m_; ++g) {
          for (Index c = 0; c < n_; ++c) {
            part(2 * n_ + g, c) = h * A(i, j) * form_.jacobian().value(g, c);
            part(n_ + c, 2 * n_ + g) = i == j ? form_.jacobian().value(g, c) : 0;
          }
          part(2 * n_ + g, 2 * n_ + g) = i == j ? -form_.compliance()[g] : 0;
        }
      }
    lu_.compute(matrix_);
  }

  void find_residual(double h) {
    Q_.noalias() = P_ * (h * block_.position.A.transpose());
    V_.noalias() = K_ * (h * block_.position.A.transpose());
    Q_.colwise() += q0_;
    V_.colwise() += v0_;
    for (Index i = 0; i < block_.stages; ++i) {
      residual_.segment(i * width_, n_) = P_.col(i) - V_.col(i);
      form_.residual(0, Q_.col(i), V_.col(i), K_.col(i), L_.col(i), residual_.segment(i * width_ + n_, n_),
                     residual_.segment(i * width_ + 2 * n_, m_));
    }
  }

  StageBlock block_;
  LiftedForm form_;
  SlowPoint slow_;
  Index n_, m_, width_;
  bool remembers_ = false;
  Vec q0_, v0_, middle_q_, middle_v_, residual_, correction_, weights_;
  Mat P_, Q_, V_, K_, L_, next_K_, next_L_, matrix_;
  Eigen::PartialPivLU<Mat> lu_;
};

void bench_dense_matrix(const std::string& method, const ImplicitTableau& tableau) {
  constexpr double h = 0.01;
  constexpr int steps = 200;
  const auto problem = pendulum(1e-5);
  const auto& mechanical = problem->as<MechanicalProblem>("the benchmark");
  const auto stepper = MethodRegistry::all().find(method).make(*problem, {{"s", "5"}});
  State s = problem->initial_state();
  Advancer advancer(*stepper, FixedStep{h});
  DenseStep dense(mechanical, tableau);
  const auto ours = [&] {
    s = problem->initial_state();
    advancer.start(s, end_time);
    for (int k = 0; k < 10; ++k) advancer.one(s, end_time);
    return processor_seconds([&] {
      for (int k = 0; k < steps; ++k) advancer.one(s, end_time);
    });
  };
  const auto theirs = [&] {
    const State given = problem->initial_state();
    dense.start(given.q(), given.v());
    for (int k = 0; k < 10; ++k) dense.step(h);
    dense.iterations = 0;
    return processor_seconds([&] {
      for (int k = 0; k < steps; ++k) dense.step(h);
    });
  };
  std::vector<double> ratios, our_times, their_times;
  for (int turn = 0; turn < 31; ++turn) {
    our_times.push_back(ours());
    their_times.push_back(theirs());
    ratios.push_back(our_times.back() / their_times.back());
  }
  std::printf(
      "%s: a step %.2f us with %.1f iterations, with a dense matrix %.2f us with %.1f; they differ by %.0e\n",
      method.c_str(), 1e6 * median(our_times) / steps,
      static_cast<double>(advancer.counters().newton_iterations) / static_cast<double>(advancer.counters().steps),
      1e6 * median(their_times) / steps, static_cast<double>(dense.iterations) / steps,
      (s.q() - dense.q()).cwiseAbs().maxCoeff());
  print_ratio(fmt::format("implicit_rk/{}_step_over_dense_matrix", method).c_str(), median(ratios), 0.25);
}

// Hangs from the origin; starts level, with a small velocity everywhere.
const char* const chain_text = R"toml([parameters]
n = 100
[sets]
mass = "n"
spring = "n - 1"
[coordinates]
r = { over = "mass", point = 2, start = ["(1 + mass)*sqrt(1/2)", "(1 + cos(pi*mass))/2*sqrt(1/2)"], velocity = [0, "0.1*sin(mass)"] }
[[stiff]]
over = "spring"
gap = "distance(r[spring], r[spring + 1]) - 1"
stiffness = 1e10
group = "springs"
[[stiff]]
gap = "sqrt(r[0].x^2 + r[0].y^2) - 1"
stiffness = 1e10
group = "springs"
[[potential]]
over = "mass"
energy = "-r[mass].y"
group = "gravity"
[run]
to = 1
)toml";

class Chain {
 public:
  Chain(const Workshop& shop, int n)
      : problem_(native_model((shop / "chain.toml").string(), {{"n", std::to_string(n)}})),
        stepper_(MethodRegistry::all().find("radau").make(*problem_, {})),
        advancer_(*stepper_, FixedStep{0.01}),
        s_(problem_->initial_state()) {
    advancer_.start(s_, 1000);
    steps(10);
    advancer_.counters() = {};
  }
  double steps(int count) {
    return processor_seconds([&] {
      for (int k = 0; k < count; ++k)
        if (const auto r = advancer_.one(s_, 1000); r.status != AdvanceStatus::ok) {
          std::printf("%s iterations %d rate %g t %g h %g\n", to_text(r.step.status), r.step.newton.iterations,
                      r.step.newton.rate, s_.t, r.h_tried);
          for (auto& n : advancer_.notes().notices()) std::printf("%s\n", n.code.c_str());
          throw std::runtime_error("chain: radau failed");
        }
    });
  }
  const Counters& work() const { return advancer_.counters(); }

 private:
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Stepper> stepper_;
  Advancer advancer_;
  State s_;
};

void bench_chain(const Workshop& shop) {
  std::ofstream(shop / "chain.toml") << chain_text;
  std::vector<double> times;
  for (const int n : {100, 1000, 10000}) {
    Chain chain(shop, n);
    const int count = 20;
    double least = HUGE_VAL;
    for (int turn = 0; turn < 3; ++turn) least = std::min(least, chain.steps(count) / count);
    times.push_back(least);
    std::printf("chain of %d: %.3f ms a step, %.2f us a spring and iteration, %.1f iterations, %.2f matrices a step\n",
                n, 1e3 * least,
                1e6 * least * static_cast<double>(chain.work().steps) /
                    (n * static_cast<double>(chain.work().newton_iterations)),
                static_cast<double>(chain.work().newton_iterations) / static_cast<double>(chain.work().steps),
                static_cast<double>(chain.work().factorisations) / static_cast<double>(chain.work().steps));
  }
  print_ratio("implicit_rk/chain_of_1000_over_10_times_100", times[1] / (10 * times[0]), 1.3);
  print_ratio("implicit_rk/chain_of_10000_over_10_times_1000", times[2] / (10 * times[1]), 1.3);
}
}  // namespace

void profile(const char* what) {
  const auto problem = pendulum(1e-5);
  const std::string w = what;
  if (w == "start") {
    const auto stepper = MethodRegistry::all().find("radau").make(*problem, {});
    double least = 1;
    for (int k = 0; k < 1000; ++k) {
      Advancer advancer(*stepper, tolerance(1e-7));
      State s = problem->initial_state();
      least = std::min(least, seconds([&] { advancer.start(s, end_time); }));
    }
    std::printf("start %g us\n", 1e6 * least);
    return;
  }
  if (w == "dense") {
    DenseStep dense(problem->as<MechanicalProblem>("x"), gauss_tableau(5));
    const State given = problem->initial_state();
    dense.start(given.q(), given.v());
    for (int k = 0; k < 300000; ++k) dense.step(0.01);
    return;
  }
  const auto stepper = MethodRegistry::all().find(w).make(*problem, {{"s", "5"}});
  State s = problem->initial_state();
  Advancer advancer(*stepper, FixedStep{0.01});
  advancer.start(s, 1e9);
  double t = 1;
  for (int b = 0; b < 3000; ++b) {
    if (b % 10 == 0) {
      s = problem->initial_state();
      advancer.start(s, 1e9);
    }
    t = std::min(t, seconds([&] {
                   for (int k = 0; k < 100; ++k) advancer.one(s, 1e9);
                 }));
  }
  std::printf("%s %g us a step\n", what, t * 1e4);
}

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (const char* what = std::getenv("ONLY")) {
    profile(what);
    return 0;
  }
  const Workshop shop;
  const Outcome radau = bench_epsilons();
  bench_dense_matrix("gauss", gauss_tableau(5));
  bench_dense_matrix("radau", radau_iia_tableau(5));
  bench_chain(shop);
  bench_rivals(radau.seconds);
  return 0;
}
