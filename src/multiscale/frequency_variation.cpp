// SPDX-License-Identifier: BSD-3-Clause
#include "frequency_variation.hpp"

#include "trill/formulation/slow_point.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr int points_beside = 3;
constexpr double share_of_distance = 0.2;
constexpr double differ_by = 1e-3;

bool equal_masses(const MechanicalProblem& stiff, In q) {
  if (stiff.mass_kind() == MassKind::identity) return true;
  if (stiff.mass_kind() != MassKind::diagonal) return false;
  MatrixSlot mass = stiff.mass_pattern();
  stiff.mass(q, mass);
  for (Index i = 1; i < q.size(); ++i)
    if (mass.value(i, i) != mass.value(0, 0)) return false;
  return true;
}
}  // namespace

bool frequencies_vary(const MechanicalProblem& stiff, const State& s, const FastSpectrum& spectrum, double distance) {
  if (!stiff.strong_potential()) return spectrum.count() != 1 || !equal_masses(stiff, s.q());
  const LiftedForm form(stiff);
  SlowPoint here(form), beside(form);
  if (here.find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return true;
  const Index n = s.layout.nq;
  for (int k = 1; k <= points_beside; ++k) {
    Vec direction = (Vec::LinSpaced(n, 1, static_cast<double>(n)).array() * (1.7 * k)).sin();
    here.make_tangential(direction);
    const Vec q = here.q + share_of_distance * distance * direction;
    if (beside.find(s.t, q, s.v()) != SlowPoint::Status::ok || here.frequencies_differ(beside) > differ_by) return true;
  }
  return false;
}
}  // namespace trill
