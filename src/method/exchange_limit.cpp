// SPDX-License-Identifier: BSD-3-Clause
#include "method/exchange_limit.hpp"

#include "formulation/slow_manifold_start.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double share_of_root = 0.3;      // the energy then moves by 6 to 12 % on a spring pendulum
constexpr double negligible_share = 1e-3;  // of the energy
}  // namespace

void ExchangeLimit::start(const MechanicalProblem& problem, const State& s) {
  most_ = share_ = longest_ = 0;
  // Gaps that are linear keep their directions and frequencies, and a linear step keeps their energy.
  if (!problem.strong_potential() || problem.linear_force(fast_groups(problem))) return;
  State start = s;
  const std::optional<SlowStart> found = take_slow_start(problem, false, start);
  if (!found || !(found->omega > 0)) return;
  const double size = max_abs(found->q);
  const double slow = max_abs(found->v) / size + std::sqrt(max_abs(found->a) / size);
  if (!(slow > 0)) return;
  most_ = share_of_root / std::sqrt(found->omega * slow);
  share_ = found->share;
}

void ExchangeLimit::conclude(double t, Notes& notes) const {
  if (most_ == 0 || !(longest_ > most_) || share_ <= negligible_share) return;
  const auto text = [&] {
    return fmt::format(
        "Steps are longer than 0.3/sqrt(fast * slow frequency), so that the oscillation of the stiff gaps, {:.2g} of "
        "the energy at the start, does not keep its energy, and its force on the slow motion is wrong. On a spring "
        "pendulum half of that energy came or went with steps of 3 times this length, and with 10 times it grew "
        "without bound.",
        share_);
  };
  notes.raise_with(t, "energy_exchange", text, Severity::warning, longest_, most_);
}
}  // namespace trill
