// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/frequency_variation.hpp"

#include "formulation/slow_point.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr int points_beside = 3;
constexpr double near = 0.2, far = 1;  // in units of the distance
constexpr double differ_by = 1e-3;
constexpr double faster_by = 1.1;  // a squared frequency beyond those of all gaps together

bool equal_masses(const MechanicalProblem& stiff, In q) {
  if (stiff.mass_kind() == MassKind::identity) return true;
  if (stiff.mass_kind() != MassKind::diagonal) return false;
  MatrixSlot mass = stiff.mass_pattern();
  stiff.mass(q, mass);
  for (Index i = 1; i < q.size(); ++i)
    if (mass.value(i, i) != mass.value(0, 0)) return false;
  return true;
}

Vec some_direction(Index n, int k) { return (Vec::LinSpaced(n, 1, static_cast<double>(n)).array() * (1.7 * k)).sin(); }

// At the far points there may be no nearest point on the slow manifold; only the near ones must have one.
bool vary_on_manifold(const MechanicalProblem& stiff, const State& s, double distance) {
  const LiftedForm form(stiff);
  SlowPoint here(form), beside(form);
  if (here.find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return true;
  for (int k = 1; k <= points_beside; ++k) {
    Vec direction = some_direction(s.layout.nq, k);
    here.make_tangential(direction);
    for (const double share : {near, far}) {
      const Vec q = here.q + share * distance * direction;
      const bool found = beside.find(s.t, q, s.v()) == SlowPoint::Status::ok;
      if (found ? here.frequencies_differ(beside) > differ_by : share == near) return true;
    }
  }
  return false;
}

// Compares at points moved at right angles to the only fast mode. Off the slow manifold a frequency may differ slightly
// without really varying.
bool varies_across(const State& s, FastSpectrum& spectrum, double distance) {
  const double here = spectrum.fastest();
  const Vec mode = spectrum.mode(0);
  bool varies = false;
  for (int k = 1; k <= points_beside && !varies; ++k) {
    Vec direction = some_direction(s.layout.nq, k);
    direction -= mode.dot(direction) / mode.squaredNorm() * mode;
    const Vec q = s.q() + near * distance * direction;
    varies = !spectrum.find(s.t, q, s.v()) || std::abs(spectrum.fastest() / here - 1) > 10 * differ_by;
  }
  return !spectrum.find(s.t, s.q(), s.v()) || varies;
}
}  // namespace

bool gaps_are_fastest(const MechanicalProblem& stiff, const State& s) {
  const StrongPotential* strong = stiff.strong_potential();
  if (!strong) return false;
  FastSpectrum spectrum(stiff);
  if (!spectrum.has_modes()) return true;
  ConstraintManifold gaps(stiff, *strong->map, SaddleSolver::Way::schur_only);
  spectrum.start(s.q());
  if (!gaps.stand_at(s.t, s.q()) || !spectrum.find(s.t, s.q(), s.v())) return true;
  double squares = 0;  // the sum of the squared frequencies of the gaps
  for (Index i = 0; i < strong->map->count(); ++i) squares += strong->stiffness[i] * gaps.schur().entry(i, i);
  return spectrum.fastest() * spectrum.fastest() <= faster_by * squares;
}

bool frequencies_vary(const MechanicalProblem& stiff, const State& s, FastSpectrum& spectrum, double distance,
                      bool of_gaps) {
  if (of_gaps && stiff.strong_potential()->groups != 0) return vary_on_manifold(stiff, s, distance);
  if (spectrum.count() != 1 || !spectrum.has_modes() || !equal_masses(stiff, s.q())) return true;
  return varies_across(s, spectrum, distance);
}
}  // namespace trill
