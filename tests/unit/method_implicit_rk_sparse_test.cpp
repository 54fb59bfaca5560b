// SPDX-License-Identifier: BSD-3-Clause
// Implicit Runge-Kutta methods on chains of many stiff springs, where their Newton matrices are sparse.
#include "method/stage_system.hpp"
#include "support/allocation_count.hpp"
#include "support/text_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
using testing_models::mechanics;

// A zigzag chain that hangs from the origin by one of its ends.
TextModel chain_of(int n) {
  return read_model("chain.toml", R"toml([parameters]
n = 10
[sets]
mass = "n"
spring = "n - 1"
[coordinates]
r = { over = "mass", point = 2, start = ["(1 + mass)*sqrt(1/2)", "(1 + cos(pi*mass))/2*sqrt(1/2)"], velocity = [0, "0.1*sin(mass)"] }
[[stiff]]
gap = "sqrt(r[0].x^2 + r[0].y^2) - 1"
stiffness = 1e8
group = "springs"
[[stiff]]
over = "spring"
gap = "distance(r[spring], r[spring + 1]) - 1"
stiffness = 1e8
group = "springs"
[[potential]]
over = "mass"
energy = "-r[mass].y"
group = "gravity"
)toml",
                    {{"n", std::to_string(n)}});
}

// The same problem, but without the information which derivatives vanish.
class Unstructured final : public MechanicalProblem {
 public:
  explicit Unstructured(const MechanicalProblem& inner) : inner_(inner) {}
  std::string name() const override { return "unstructured"; }
  Layout layout() const override { return inner_.layout(); }
  std::vector<Quantity> components() const override { return inner_.components(); }
  State initial_state() const override { return inner_.initial_state(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Unstructured>(*this); }
  std::vector<GroupInfo> groups() const override { return inner_.groups(); }
  void force(Groups groups, double t, In q, In v, Out f) const override { inner_.force(groups, t, q, v, f); }
  const StrongPotential* strong_potential() const override { return inner_.strong_potential(); }

 private:
  const MechanicalProblem& inner_;
};

State after_steps(const Problem& problem, const std::string& method, int count) {
  const auto stepper = Catalogue::all().method(method).make(problem, {{"s", "3"}});
  Advancer advancer(*stepper, FixedStep{0.01});
  State s = problem.initial_state();
  advancer.start(s, 1);
  for (int k = 0; k < count; ++k) EXPECT_EQ(advancer.one(s, 1).status, AdvanceStatus::ok);
  return s;
}

TEST(ImplicitRkSparse, MatricesOfAChainAreSparse) {
  const TextModel chain = chain_of(200);
  LiftedForm form(mechanics(chain));
  const StageBlock block = make_stage_block(radau_iia_tableau(3));
  EXPECT_TRUE(MechanicalStages(block, form).has_sparse_factors());
  EXPECT_LT(form.slope().stored(), 10 * form.unknowns());
}

TEST(ImplicitRkSparse, SparseAndDenseMatricesGiveTheSameSteps) {
  const TextModel chain = chain_of(40);
  const Unstructured dense(mechanics(chain));
  LiftedForm form(dense);
  const StageBlock block = make_stage_block(radau_iia_tableau(3));
  ASSERT_FALSE(MechanicalStages(block, form).has_sparse_factors());
  for (const char* method : {"radau", "gauss", "lobatto_iiia"}) {
    const State ours = after_steps(*chain.problem, method, 5), theirs = after_steps(dense, method, 5);
    EXPECT_GT((ours.y - chain.problem->initial_state().y).cwiseAbs().maxCoeff(), 1e-3) << method;
    EXPECT_LT((ours.q() - theirs.q()).cwiseAbs().maxCoeff(), 1e-10) << method;
    EXPECT_LT((ours.v() - theirs.v()).cwiseAbs().maxCoeff(), 1e-10) << method;
  }
}

TEST(ImplicitRkSparse, StepsAllocateNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  const TextModel chain = chain_of(200);
  AdaptiveStep adaptive;
  adaptive.rtol = 1e-6;
  for (const char* method : {"radau", "gauss"})
    for (const StepControl& control : {StepControl(FixedStep{0.01}), StepControl(adaptive)}) {
      const auto stepper = Catalogue::all().method(method).make(*chain.problem, {});
      if (std::holds_alternative<AdaptiveStep>(control) && stepper->info().error_order == 0) continue;
      Advancer advancer(*stepper, control);
      State s = chain.problem->initial_state();
      advancer.start(s, 10);
      for (int k = 0; k < 10; ++k) advancer.one(s, 10);
      const AllocationGuard guard;
      for (int k = 0; k < 10; ++k) ASSERT_EQ(advancer.one(s, 10).status, AdvanceStatus::ok);
      EXPECT_EQ(guard.count(), 0u) << method << (control.index() == 0 ? ", fixed steps" : ", rtol");
    }
}
}  // namespace
}  // namespace trill
