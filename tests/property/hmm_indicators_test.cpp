// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method on random chains: it must be right, or refuse, or say that it is wrong.
#include "support/slow_judgement.hpp"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

namespace trill {
namespace {
using slow_judgement::judge_chain, slow_judgement::Judgement;

TEST(HmmIndicators, AreRightOnRandomChains) {
  const int chains = std::getenv("TRILL_LONG") ? 300 : 40;
  int taken = 0;
  std::map<double, std::vector<int>> missed{{1e-2, {}}, {1e-3, {}}};
  for (int seed = 3001; seed <= 3000 + chains; ++seed) {
    const Judgement judgement = judge_chain(static_cast<std::uint64_t>(seed), "hmm");
    if (!judgement.refusal.empty()) continue;
    ++taken;
    for (auto& [tolerance, seeds] : missed)
      if (judgement.missed(tolerance) && !judgement.doubted) seeds.push_back(seed);
  }
  EXPECT_GT(taken, chains / 5);
  for (const auto& [tolerance, seeds] : missed)
    EXPECT_LE(seeds.size(), 1 + chains / 150) << tolerance << ": " << testing::PrintToString(seeds);
}
}  // namespace
}  // namespace trill
