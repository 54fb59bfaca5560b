// SPDX-License-Identifier: BSD-3-Clause
// The slider crank with a flexible rod (YPR98 sec. 4.3), solved by an exponential integrator. For flexible mechanisms
// the survey leaves open whether this pays (PJY97 sec. 3.3). The integrator is exponential Rosenbrock-Euler on the
// underlying ordinary differential equation, with a projection onto the constraints after each step. It is compared
// with generalized_alpha and radau on the constrained equations. Printed are errors of slider and rod and the
// processor time. There is no limit, since the question is which method to use.
#include "formulation/constraint_manifold.hpp"
#include "linalg/oscillator_response.hpp"
#include "papers/runs.hpp"
#include "ratio.hpp"
#include "trill/formulation/underlying_ode.hpp"
#include "trill/model/text_problem.hpp"

#include <algorithm>
#include <cmath>

namespace {
using namespace trill;
using namespace trill::bench;
using papers::Steps;

constexpr double end_of_run = 0.1;
constexpr int rows = 50;

// For y' = F(y) with y = (q, v), a step is y + h phi_1(h J) F(y), where J is found by differences.
class ExponentialSteps {
 public:
  ExponentialSteps(const MechanicalProblem& problem, double h)
      : ode_(problem), manifold_(problem, *problem.constraints()), h_(h), state_(problem.initial_state()) {
    n_ = problem.layout().nq;
    lambda_ = Vec::Zero(ode_.multipliers());
    mu_ = lambda_;
  }

  bool step() {
    const Vec y = state_.y.head(2 * n_);
    const Vec f = slope(y);
    Mat a = Mat::Zero(2 * n_ + 1, 2 * n_ + 1);
    a.col(2 * n_).head(2 * n_) = h_ * f;
    for (Index j = 0; j < 2 * n_; ++j) {
      Vec beside = y;
      const double width = 1e-7 * std::max(1.0, std::abs(y[j]));
      beside[j] += width;
      a.col(j).head(2 * n_) = h_ / width * (slope(beside) - f);
    }
    const Mat moved = matrix_exponential(a);
    const Vec next = y + moved.col(2 * n_).head(2 * n_);
    state_.t += h_;
    if (!ok_ || !next.allFinite()) return false;
    Vec q(n_), v = next.tail(n_);
    if (manifold_.nearest(state_.t, next.head(n_), q, mu_) != Closing::ok) return false;
    if (!manifold_.stand_at(state_.t, q)) return false;
    manifold_.project_velocity(v, mu_);
    state_.q() = q;
    state_.v() = v;
    return true;
  }
  const State& state() const { return state_; }

 private:
  Vec slope(const Vec& y) {
    Vec f(2 * n_), a(n_);
    ok_ = ok_ && ode_.solve(state_.t, y.head(n_), y.tail(n_), a, lambda_);
    f << y.tail(n_), a;
    return f;
  }

  UnderlyingOde ode_;
  ConstraintManifold manifold_;
  double h_;
  State state_;
  Index n_ = 0;
  Vec lambda_, mu_;
  bool ok_ = true;
};

// The positions in the rows, one column each. Empty if a step failed.
template <class Run>
Mat positions(Run&& run, Index unknowns, int per_row) {
  Mat found(unknowns, rows);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < per_row; ++k)
      if (!run.step()) return {};
    found.col(i) = run.state().q();
  }
  return found;
}

class ByMethod {
 public:
  ByMethod(const Problem& problem, const char* method, const OptionSet& options, double h)
      : steps_(problem, method, options), h_(h) {}
  bool step() { return steps_.advance(h_); }
  const State& state() const { return steps_.state(); }

 private:
  Steps steps_;
  double h_;
};

double largest(const Mat& found, const Mat& exact, Index row) {
  return found.size() == 0 ? NAN : (found.row(row) - exact.row(row)).cwiseAbs().maxCoeff();
}
}  // namespace

int main() {
  const TextModel model = make_model("slider_crank", {});
  const auto& problem = model.problem->as<MechanicalProblem>("the bench");
  const Index n = problem.layout().nq;
  const auto names = problem.components();
  const auto place = [&](const char* name) {
    return std::find_if(names.begin(), names.end(), [&](const Quantity& q) { return q.name == name; }) - names.begin();
  };
  const Index rod = place("w[3]"), slider = place("x3");
  const double row = end_of_run / rows;
  const Mat exact = positions(ByMethod(problem, "radau", {}, row / 512), n, 512);
  std::printf("slider crank with %ld coordinates; nan: a step failed\n", static_cast<long>(n));
  std::printf("%-18s %10s %12s %12s %10s\n", "method", "h", "slider", "rod", "seconds");
  for (const int per_row : {1, 2, 4, 8, 16, 32, 64}) {
    const double h = row / per_row;
    const auto show = [&](const char* name, const auto& run) {
      Mat found;
      const double taken = processor_seconds([&] { found = run(); });
      std::printf("%-18s %10.3e %12.3e %12.3e %10.4f\n", name, h, largest(found, exact, slider),
                  largest(found, exact, rod), taken);
    };
    show("exponential", [&] { return positions(ExponentialSteps(problem, h), n, per_row); });
    show("generalized_alpha", [&] {
      return positions(ByMethod(problem, "generalized_alpha", {{"rho", "0.8"}}, h), n, per_row);
    });
    show("radau", [&] { return positions(ByMethod(problem, "radau", {}, h), n, per_row); });
  }
  return 0;
}
