// SPDX-License-Identifier: BSD-3-Clause
#include "driver/configurational_temperature.hpp"

#include "trill/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr std::uint64_t own_seed = 0x636f6e66;  // other random numbers than those of runs
constexpr double reach = 1e-5;                  // of differences, relative to the size of positions
}  // namespace

bool ConfigurationalTemperature::applies(const MechanicalProblem& p) {
  const bool diagonal = p.mass_kind() == MassKind::identity || p.mass_kind() == MassKind::diagonal;
  return diagonal && !p.velocity_dependent(all_groups);
}

ConfigurationalTemperature::ConfigurationalTemperature(const MechanicalProblem& problem)
    : p_(problem), accelerate_(problem) {
  const Index n = p_.layout().nq;
  f_ = w_ = z_ = a_ = zero_ = moved_ = f_ahead_ = f_behind_ = Vec::Zero(n);
  if (p_.constraints()) {
    manifold_.emplace(p_, *p_.constraints());
    multipliers_ = Vec::Zero(p_.constraints()->count());
  }
}

std::optional<ConfigurationalTemperature::Sample> ConfigurationalTemperature::at(double t, In q, std::uint64_t number) {
  if (!started_) {
    accelerate_.start(q);
    inverse_mass_ = Vec::Ones(q.size());
    accelerate_.divide_by_mass(q, inverse_mass_);
    started_ = true;
  }
  p_.force(all_groups, t, q, zero_, f_);
  w_ = inverse_mass_.cwiseProduct(f_);
  const RandomKey key{own_seed, 0, number};
  for (Index i = 0; i < q.size(); ++i)
    z_[i] = std::sqrt(inverse_mass_[i]) * random_normal(key, static_cast<std::uint32_t>(i));
  if (manifold_) {
    if (!manifold_->stand_at(t, q)) return std::nullopt;
    manifold_->project_velocity(w_, multipliers_);
    manifold_->project_velocity(z_, multipliers_);
    manifold_->accelerate(zero_, z_, a_, multipliers_);  // along the shortest path in the direction z
  }
  const double step = reach * (1 + q.cwiseAbs().maxCoeff()) / std::max(z_.cwiseAbs().maxCoeff(), 1e-300);
  moved_ = q + step * z_;
  p_.force(all_groups, t, moved_, zero_, f_ahead_);
  moved_ = q - step * z_;
  p_.force(all_groups, t, moved_, zero_, f_behind_);
  Sample sample;
  sample.slope = f_.dot(w_);
  sample.curvature = -(f_ahead_ - f_behind_).dot(z_) / (2 * step) - f_.dot(a_);
  if (!std::isfinite(sample.slope) || !std::isfinite(sample.curvature)) return std::nullopt;
  return sample;
}
}  // namespace trill
