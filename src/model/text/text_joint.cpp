// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_joint.hpp"

#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
constexpr Index most_stacked = 32;  // unknowns and rows: with more of them a call costs little by comparison
}  // namespace

TextJoint::TextJoint(const MechanicalProblem& problem, Groups groups, const TextMap& map, const ModelMode& mode)
    : mode_(mode),
      separate_(problem, groups, map),
      slope_(map.pattern()),
      unknowns_(problem.layout().nq),
      rows_(map.count()),
      gaps_(map.run(Purpose::force_and_gaps)),
      curvature_(map.run(Purpose::force_and_curvature)),
      gaps_at_(map.stacked_run(Purpose::force_and_gaps, unknowns_ + rows_ + slope_.stored())),
      rates_{map.run(Purpose::rates, 1), map.run(Purpose::rates, 2)},
      values_(static_cast<std::size_t>(2 * unknowns_ + rows_ + slope_.stored())) {}

const double* TextJoint::evaluate(VectorRun& run, const ProgramInputs& inputs, Index size) const {
  double* values = values_.data();
  for (Index i = 0; i < size; ++i) values[i] = 0;
  run.add(inputs, mode_.parameters(), values);
  return values;
}

void TextJoint::force_and_gaps(double t, const double* q, const double* v, double* f, double* g, MatrixSlot& G) const {
  if (!serves(G)) return separate_.force_and_gaps(t, q, v, f, g, G);
  const Index entries = slope_.stored();
  const double* found = evaluate(gaps_, {.t = t, .q = q, .v = v}, unknowns_ + rows_ + entries);
  copy_one_by_one(found, unknowns_, f);
  copy_one_by_one(found + unknowns_, rows_, g);
  copy_one_by_one(found + unknowns_ + rows_, entries, G.values());
}

bool TextJoint::force_and_gaps_at(Index points, const double* q, const double* v, double* values) const {
  if (unknowns_ + rows_ > most_stacked || mode_.held().any()) return false;
  const Index size = points * (unknowns_ + rows_ + slope_.stored());
  for (Index i = 0; i < size; ++i) values[i] = 0;
  return gaps_at_.add(points, q, v, mode_.parameters(), values);
}

void TextJoint::force_and_curvature(double t, In q, In v, Out f, MatrixSlot& G, Out eta) const {
  if (!serves(G)) return separate_.force_and_curvature(t, q, v, f, G, eta);
  const Index entries = slope_.stored();
  const double* found = evaluate(curvature_, {.t = t, .q = q.data(), .v = v.data()}, unknowns_ + entries + rows_);
  copy_one_by_one(found, unknowns_, f.data());
  copy_one_by_one(found + unknowns_, entries, G.values());
  copy_one_by_one(found + unknowns_ + entries, rows_, eta.data());
}

void TextJoint::rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const {
  ProgramInputs inputs = inputs_along(motion);
  inputs.multipliers = s.data();
  inputs.multiplier_rates = s1.data();
  const double* found = evaluate(rates_[derivative_place(k)], inputs, 2 * unknowns_ + rows_);
  copy_one_by_one(found, unknowns_, f.data());
  copy_one_by_one(found + unknowns_, unknowns_, covector.data());
  copy_one_by_one(found + 2 * unknowns_, rows_, values.data());
}
}  // namespace trill
