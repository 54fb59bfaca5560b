// SPDX-License-Identifier: BSD-3-Clause
// How well the formulation `slow` knows its own error: errors and estimates of random chains, and how often a warning
// is missing or false. The arguments are the number of chains and the seed of the first one.
#include "support/slow_judgement.hpp"

#include <cstdlib>

namespace {
using namespace trill;
using slow_judgement::judge_chain, slow_judgement::Judgement;

const char* what_was_said(const Judgement& judgement) {
  if (judgement.refusal.empty()) return judgement.warned_of_resonance ? "resonance" : "";
  return judgement.at_start ? "refused at its start" : "refused on its way";
}

void print_summary(const std::vector<Judgement>& judgements) {
  fmt::print("\n{:>9} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "tolerance", "right", "silent", "near", "missed", "false");
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    int alarms = 0, silent = 0, near = 0, missed = 0, wrong = 0;
    for (const Judgement& v : judgements) {
      if (v.missed(tolerance))
        ++missed;
      else if (v.false_alarm(tolerance))
        ++wrong;
      else if (v.error >= tolerance / 3 && v.error <= 3 * tolerance)
        ++near;
      else
        ++(v.alarm(tolerance) ? alarms : silent);
    }
    fmt::print("{:>9} {:>7} {:>7} {:>7} {:>7} {:>7}\n", tolerance, alarms, silent, near, missed, wrong);
  }
}
}  // namespace

int main(int argc, char** argv) {
  const int chains = argc > 1 ? std::atoi(argv[1]) : 500, first = argc > 2 ? std::atoi(argv[2]) : 1001;
  std::vector<Judgement> judgements;
  fmt::print("{:>6} {:>7} {:>7} {:>10} {:>10}  {}\n", "seed", "masses", "omega", "error", "estimate", "said");
  for (int seed = first; seed < first + chains; ++seed) {
    const auto chain = random_chain::make_chain(static_cast<std::uint64_t>(seed));
    const Judgement& v = judgements.emplace_back(judge_chain(static_cast<std::uint64_t>(seed)));
    fmt::print("{:>6} {:>7} {:>7.4g} {:>10.2e} {:>10.2e}  {}\n", seed, chain.masses.size(), chain.omega, v.error,
               v.estimate, what_was_said(v));
  }
  print_summary(judgements);
}
