// SPDX-License-Identifier: BSD-3-Clause
// For authors of models that are registered by name: name, parameters and clone from one description.
#pragma once

#include "trill/problem/mechanical.hpp"
#include "trill/problem/model_registry.hpp"

namespace trill {
// What every shipped model has in common: name, parameters and clone follow from describe() and the parameter struct P.
// A model may hold pointers into itself (its strong potential), so a clone is built anew from the parameters.
template <class Model, class P, class Base>
class Registered : public Base {
 public:
  using Parameters = P;
  explicit Registered(const P& parameters) : p_(parameters) {}
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  std::string name() const override { return Model::describe().name; }
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> list = parameters_of(list_options<P>(p_));
    if constexpr (requires { P::unit(std::string()); })
      for (Parameter& parameter : list) parameter.unit = P::unit(parameter.name);
    return list;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Model>(p_); }

 protected:
  const P p_;
};

// Kinetic plus potential energy of a conservative system of unit masses.
inline double unit_mass_energy(const MechanicalProblem& problem, const State& s) {
  return 0.5 * s.v().squaredNorm() + problem.potential(all_groups, s.t, s.q()).value();
}
}  // namespace trill
