// SPDX-License-Identifier: BSD-3-Clause
// The names by which messages call the constraints and gaps of a model.
#include "formulation/joined_map.hpp"
#include "support/twins/twins.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/mechanical.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;

const char* const links = R"toml(
[sets]
rod = 2
[coordinates]
r = { over = "rod", point = 2, start = ["1 + rod", 0] }
z = { start = 0 }
[[stiff]]
gap = "z"
stiffness = 10
[[constraint]]
equation = "r[1].y"
[[constraint]]
over = "rod"
equation = "norm(r[rod]) - 1 - rod"
)toml";

TEST(RowNames, SayTheEquationItsLineAndTheElement) {
  const TextModel model = read_model("links.toml", links);
  const auto& p = dynamic_cast<const MechanicalProblem&>(*model.problem);
  EXPECT_EQ(p.constraints()->name(0), "constraint 'r[1].y' (links.toml:11)");
  EXPECT_EQ(p.constraints()->name(1), "constraint 'norm(r[rod]) - 1 - rod' (links.toml:14) for element 0 of 'rod'");
  EXPECT_EQ(p.constraints()->name(2), "constraint 'norm(r[rod]) - 1 - rod' (links.toml:14) for element 1 of 'rod'");
  EXPECT_EQ(p.strong_potential()->map->name(0), "gap 'z' (links.toml:8)");
  const JoinedMap joined(*p.strong_potential()->map, *p.constraints());
  EXPECT_EQ(joined.name(0), "gap 'z' (links.toml:8)");
  EXPECT_EQ(joined.name(1), "constraint 'r[1].y' (links.toml:11)");
}

TEST(RowNames, OfMapsWithoutATextAreNumbers) {
  const auto twin = test::twins().find("rigid").make({});
  EXPECT_EQ(dynamic_cast<const MechanicalProblem&>(*twin).constraints()->name(0), "constraint 1");
}
}  // namespace
