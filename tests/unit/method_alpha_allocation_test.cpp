// SPDX-License-Identifier: BSD-3-Clause
// Steps of the alpha methods on mechanisms allocate no memory, with dense and with sparse factorisations, for every
// formulation of the constraints.
#include "support/allocation_count.hpp"
#include "trill/control/advance.hpp"
#include "trill/driver/plan.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
struct Mechanism {
  const char* model;
  OptionSet parameters;
  bool sparse;
};

TEST(AlphaSteps, AllocateNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const Mechanism& m : {Mechanism{"rigid", {}, false},
                             {"bushing_pendulum", {}, false},
                             {"slider_crank", {}, false},
                             {"slider_crank", {{"k", "30"}}, true},
                             {"link_chain", {{"n", "30"}}, true}})
    for (const char* form : {"index2", "cs", "cm", "ggl"})
      for (const bool adaptive : {false, true}) {
        const auto problem = make_model(m.model, m.parameters).problem;
        const auto stepper = Catalogue::all().method("generalized_alpha").make(*problem, {{"formulation", form}});
        EXPECT_EQ(stepper->info().saves_memory, !m.sparse) << m.model;
        AdaptiveStep tolerances;
        tolerances.rtol = 1e-4;
        Advancer advancer(*stepper, adaptive ? StepControl(tolerances) : StepControl(FixedStep{1e-4}));
        State s = problem->initial_state();
        advancer.start(s, 0.25);
        for (int k = 0; k < 5; ++k) ASSERT_EQ(advancer.one(s, 0.25).status, AdvanceStatus::ok) << m.model << form;
        const AllocationGuard guard;
        for (int k = 0; k < 10; ++k) advancer.one(s, 0.25);
        EXPECT_EQ(guard.count(), 0u) << m.model << " " << form << (adaptive ? " adaptive" : "");
      }
}
}  // namespace
}  // namespace trill::test
