// SPDX-License-Identifier: BSD-3-Clause
#include "twins.hpp"

namespace trill {
void register_model_fermi_pasta_ulam(ModelRegistry&);
void register_model_forced(ModelRegistry&);
void register_model_harmonic(ModelRegistry&);
void register_model_kepler(ModelRegistry&);
void register_model_langevin(ModelRegistry&);
void register_model_rigid(ModelRegistry&);
void register_model_stiff_spring(ModelRegistry&);
void register_model_stiff_spring_polar(ModelRegistry&);
void register_model_two_springs(ModelRegistry&);

const ModelRegistry& test::twins() {
  static const ModelRegistry registry = [] {
    ModelRegistry r;
    register_model_fermi_pasta_ulam(r);
    register_model_forced(r);
    register_model_harmonic(r);
    register_model_kepler(r);
    register_model_langevin(r);
    register_model_rigid(r);
    register_model_stiff_spring(r);
    register_model_stiff_spring_polar(r);
    register_model_two_springs(r);
    return r;
  }();
  return registry;
}
}  // namespace trill
