// SPDX-License-Identifier: BSD-3-Clause
// A sine-Gordon lattice of 1e5 points with a linear fast force: whole steps of mollified_impulse, compared with the
// products with the sparse matrix that they need, computed one by one with Eigen.
#include "ratio.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>

namespace {
using namespace trill;
using namespace trill::bench;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

RowMatrix stiffness_of(const MechanicalProblem& problem, const State& s) {
  MatrixSlot dq = problem.stiffness_pattern(), dv = problem.damping_pattern();
  problem.force_jacobian(fast_groups(problem), s.t, s.q(), s.v(), dq, dv);
  return RowMatrix((-1.0 * dq.as_sparse()).pruned());
}

class Steps {
 public:
  Steps(const Problem& problem, const OptionSet& options)
      : stepper_(Catalogue::all().method("mollified_impulse").make(problem, options)),
        s_(problem.initial_state()),
        scale_{.rtol = 1e-10, .atol = Vec::Constant(s_.y.size(), 1e-12)},
        weights_(Vec::Ones(s_.y.size())) {
    stepper_->start(s_, scale_);
  }
  bool step(double h) {
    return stepper_->step(s_, {h, scale_, weights_, HUGE_VAL, false, false, notes_, work_, RandomKey{}}).status ==
           StepStatus::ok;
  }
  const State& state() const { return s_; }
  const Counters& work() const { return work_; }

 private:
  std::unique_ptr<Stepper> stepper_;
  State s_;
  ErrorScale scale_;
  Vec weights_;
  Notes notes_;
  Counters work_;
};
}  // namespace

int main() {
  const auto problem = ModelRegistry::all().find("sine_gordon").make({{"points", "100000"}, {"length", "10000"}});
  const auto& mechanics = problem->as<MechanicalProblem>("the benchmark");
  const RowMatrix k = stiffness_of(mechanics, problem->initial_state());
  Vec x = problem->initial_state().v(), y = x;
  // The largest frequency of the lattice is 2/0.1.
  for (const auto& [name, reach] :
       {std::pair{"filters/step_over_products_h_omega_10", 10.0}, {"filters/step_over_products_h_omega_40", 40.0}}) {
    const double h = reach / 20;
    Steps steps(*problem, {{"phi", "short"}, {"psi", "short*long"}});
    if (!steps.step(h) || !steps.step(h)) return 1;
    const auto before = steps.work().products;
    if (!steps.step(h)) return 1;
    const auto products = steps.work().products - before;
    std::printf("h omega = %g: %ld products in a step\n", reach, static_cast<long>(products));
    print_ratio(name,
                median_ratio([&] { steps.step(h); },
                             [&] {
                               for (auto i = products; i > 0; --i) {
                                 y.noalias() = k * x;
                                 keep(y[0]);
                               }
                             }),
                1.3);
  }
  return 0;
}
