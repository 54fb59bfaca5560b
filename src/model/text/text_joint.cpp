// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_joint.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>

namespace trill {
namespace {
constexpr Index most_stacked = 32;  // unknowns and rows: with more of them a call costs little by comparison

void take_out(double* from, Index count, double* to) {
  if (count >= short_vector) {
    std::copy_n(from, count, to);
    std::fill_n(from, count, 0.0);
    return;
  }
  for (Index i = 0; i < count; ++i) {
    to[i] = from[i];
    from[i] = 0;
    __asm__ volatile("");  // a call that moves blocks of memory would take longer
  }
}
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

// Functions add to what is there: values are taken out of this memory, which leaves zeros behind.
double* TextJoint::evaluate(VectorRun& run, const ProgramInputs& inputs) const {
  run.add(inputs, mode_.parameters(), values_.data());
  return values_.data();
}

void TextJoint::force_and_gaps(double t, const double* q, const double* v, double* f, double* g, MatrixSlot& G) const {
  if (!serves(G)) return separate_.force_and_gaps(t, q, v, f, g, G);
  const Index entries = slope_.stored();
  double* found = evaluate(gaps_, {.t = t, .q = q, .v = v});
  take_out(found, unknowns_, f);
  take_out(found + unknowns_, rows_, g);
  take_out(found + unknowns_ + rows_, entries, G.values());
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
  double* found = evaluate(curvature_, {.t = t, .q = q.data(), .v = v.data()});
  take_out(found, unknowns_, f.data());
  take_out(found + unknowns_, entries, G.values());
  take_out(found + unknowns_ + entries, rows_, eta.data());
}

void TextJoint::rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const {
  ProgramInputs inputs = inputs_along(motion);
  inputs.multipliers = s.data();
  inputs.multiplier_rates = s1.data();
  double* found = evaluate(rates_[derivative_place(k)], inputs);
  take_out(found, unknowns_, f.data());
  take_out(found + unknowns_, unknowns_, covector.data());
  take_out(found + 2 * unknowns_, rows_, values.data());
}
}  // namespace trill
