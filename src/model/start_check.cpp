// SPDX-License-Identifier: BSD-3-Clause
#include "start_check.hpp"

#include "text_map.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/model/derivative.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_dense_unknowns = 400;  // of the equations for the multipliers

ProgramInputs at_start(const CompiledModel& model) {
  return {.t = 0, .q = model.start.data(), .v = model.velocity.data()};
}

Vec values_at_start(const CompiledModel& model, FunctionKey key, Index size) {
  Vec values = Vec::Zero(size);
  VectorRun(*model.functions, key).add(at_start(model), model.space->parameter_values(), values.data());
  return values;
}

// The first element for which the sum of some values of the kernel is not finite.
struct Blame {
  Index element = -1;
  double value = 0;
};
Blame find_blame(const CompiledModel& model, const Kernel& kernel, std::span<const Expression> outputs) {
  const Index instances = kernel.table->instances;
  auto each = std::make_shared<IndexTable>(static_cast<std::size_t>(instances));
  for (std::size_t i = 0; i < each->size(); ++i) (*each)[i] = static_cast<std::int32_t>(i);
  Routine routine{Program(kernel.scope.graph(), outputs), kernel.table,
                  std::vector<Target>(outputs.size(), {each, false})};
  Vec values = Vec::Zero(instances);
  Runner(std::make_shared<const Routine>(std::move(routine)), model.space->parameter_values())
      .add(at_start(model), values.data());
  for (Index i = 0; i < instances; ++i)
    if (!std::isfinite(values[i])) return {i, values[i]};
  return {};
}

void blame_term(const CompiledModel& model, Kernel& kernel, const FileValue& place, Expression e, const char* what) {
  const IndexSet* over = kernel.scope.over();
  const auto complain = [&](const Blame& blame, const std::string& subject) {
    if (blame.element < 0) return;
    throw place.error(fmt::format("{} is {} at the start{}", subject, blame.value,
                                  over ? " for " + over->element_text(blame.element) : ""));
  };
  complain(find_blame(model, kernel, std::span(&e, 1)), fmt::format("this {}", what));
  std::vector<Expression> partials;
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity})
    for (const Partial& p : gradient(kernel.graph(), e, kind)) partials.push_back(p.value);
  complain(find_blame(model, kernel, partials), fmt::format("the derivative of this {}", what));
}

void find_the_term_to_blame(const CompiledModel& model) {
  for (const auto& k : model.functions->kernels()) {
    for (const ForceTerm& term : k->terms)
      blame_term(model, *k, *term.place, term.force == no_expression ? term.energy : term.force,
                 term.force == no_expression ? "energy" : "force");
    for (const CoordinateTerm& rate : k->rates) blame_term(model, *k, *rate.place, rate.value, "rate");
    for (const RowTerm& gap : k->gaps) blame_term(model, *k, *gap.place, gap.value, "gap");
    for (const RowTerm& c : k->constraints) blame_term(model, *k, *c.place, c.value, "constraint");
  }
  throw model.source.error("the sum of all forces is not finite at the start");
}

// Of each row. Through the matrix, where two symbols may be one coordinate.
Vec squared_gradients(const CompiledModel& model, int selection) {
  MatrixRun jacobian(*model.functions, {Purpose::jacobian, selection});
  MatrixSlot G = jacobian.prepare(model.space->parameter_values());
  jacobian.add(at_start(model), model.space->parameter_values(), G);
  if (!G.is_sparse()) return G.as_dense().rowwise().squaredNorm();
  Vec squares = Vec::Zero(G.rows());
  for (Index j = 0; j < G.cols(); ++j)
    for (SpMat::InnerIterator entry(G.as_sparse(), j); entry; ++entry)
      squares[entry.row()] += entry.value() * entry.value();
  return squares;
}

void check_slopes(const CompiledModel& model, int selection, const char* what) {
  const Index count = model.functions->count(selection);
  const Vec slopes = squared_gradients(model, selection);
  if (!slopes.allFinite()) find_the_term_to_blame(model);
  for (Index row = 0; row < count; ++row)
    if (slopes[row] == 0) {
      const RowPlace place = row_place(*model.functions, selection, row);
      throw place.value->error(fmt::format(
          "this {} does not change with any coordinate at the start{}: its gradient is zero", what, place.element));
    }
}

// A run moves a start that is off by less.
constexpr double movable = 1e-2;

void check_on_constraints(const CompiledModel& model, const Vec& g, const Vec& rate, const Vec& slopes) {
  const double allowed = movable * (1 + max_abs(model.start)), allowed_rate = movable * (1 + max_abs(model.velocity));
  for (Index k = 0; k < g.size(); ++k) {
    const double size = std::sqrt(slopes[k]);
    const bool on = std::abs(g[k]) <= allowed * size, stays = std::abs(rate[k]) <= allowed_rate * size;
    if (on && stays) continue;
    const RowPlace place = row_place(*model.functions, of_constraints, k);
    if (!on)
      throw place.value->error(
          fmt::format("the start does not lie on this constraint{}: it is {:.6g} there, not 0", place.element, g[k]));
    throw place.value->error(
        fmt::format("the velocities at the start leave this constraint{}: its rate is {:.6g} there, not 0",
                    place.element, rate[k]));
  }
}

using MassFactors = Eigen::SimplicialLDLT<SpMat>;

void factorise_mass(const CompiledModel& model, MassFactors& factors) {
  SpMat m(model.start.size(), model.start.size());
  MatrixRun mass(*model.functions, {Purpose::mass});
  MatrixSlot slot = mass.prepare(model.space->parameter_values());
  mass.add(at_start(model), model.space->parameter_values(), slot);
  m = slot.is_sparse() ? slot.as_sparse() : SpMat(slot.as_dense().sparseView());
  m += SpMat(model.mass.asDiagonal());
  factors.compute(m);
  const bool positive = factors.info() == Eigen::Success && (factors.vectorD().array() > 0).all();
  if (!positive && !model.file.kinetic.empty())
    throw model.file.kinetic[0].energy.error("the masses at the start are not positive: some motion has no inertia");
}

// lambda from G M^-1 G^T lambda = G M^-1 f + eta; the smallest where constraints are dependent, which runs refuse.
Vec solve_for_multipliers(const SpMat& scaled, const Vec& right) {
  if (scaled.rows() <= most_dense_unknowns) return Mat(scaled).completeOrthogonalDecomposition().solve(right);
  Eigen::SparseLU<SpMat> lu(scaled);
  Vec lambda = Vec::Zero(right.size());
  if (lu.info() == Eigen::Success) lambda = lu.solve(right);
  if (!lambda.allFinite()) lambda.setZero();
  return lambda;
}

// M^-1 G^T. A factorisation would make dense columns of it one after another, too many for a long chain of bodies.
SpMat divided_by_mass(const CompiledModel& model, const MassFactors& mass, const SpMat& columns) {
  if (model.file.kinetic.empty()) return model.mass.cwiseInverse().asDiagonal() * columns;
  return mass.solve(columns);
}

void find_multipliers(CompiledModel& model) {
  const TextMap map(*model.functions, of_constraints, model.space->parameter_values());
  const Index count = map.count();
  Vec g(count), gt(count), eta(count);
  MatrixSlot slot = map.pattern();
  map.value(0, model.start, g);
  map.jacobian(0, model.start, slot);
  map.time_derivative(0, model.start, gt);
  map.curvature(0, model.start, model.velocity, eta);
  const SpMat G = slot.is_sparse() ? slot.as_sparse() : SpMat(slot.as_dense().sparseView());
  check_on_constraints(model, g, G * model.velocity + gt, squared_gradients(model, of_constraints));
  const Vec f = values_at_start(model, {Purpose::force}, model.start.size());
  MassFactors mass;
  factorise_mass(model, mass);
  const SpMat scaled = G * divided_by_mass(model, mass, G.transpose());
  model.multipliers = solve_for_multipliers(scaled, G * Vec(mass.solve(f)) + eta);
}
// A closed form must begin where the motion begins.
void check_closed_form(const CompiledModel& model) {
  const Index n = model.start.size();
  const bool first_order = !model.file.rates.empty();
  const Vec y = values_at_start(model, {Purpose::closed_form, first_order ? 0 : every_group}, 2 * n);
  for (const CoordinateArray& array : model.space->arrays()) {
    if (!array.file->exact) continue;
    for (Index k = array.first; k < array.first + array.size(); ++k) {
      const bool agrees = std::abs(y[k] - model.start[k]) <= 1e-9 * (1 + std::abs(model.start[k]));
      const bool rate_agrees =
          first_order || std::abs(y[n + k] - model.velocity[k]) <= 1e-9 * (1 + std::abs(model.velocity[k]));
      if (agrees && rate_agrees) continue;
      throw array.file->exact->error(fmt::format("the closed form begins with {} {:.6g}, and the start is {:.6g}",
                                                 agrees ? "the velocity" : "the value", agrees ? y[n + k] : y[k],
                                                 agrees ? model.velocity[k] : model.start[k]));
    }
  }
}
}  // namespace

void check_start(CompiledModel& model) {
  const Vec energy = values_at_start(model, {Purpose::energy}, 1);
  const Vec force = values_at_start(model, {Purpose::force}, model.start.size());
  const Vec rate = values_at_start(model, {Purpose::rate}, model.start.size());
  if (!energy.allFinite() || !force.allFinite() || !rate.allFinite()) find_the_term_to_blame(model);
  for (const int selection : {of_gaps, of_constraints})
    if (!values_at_start(model, {Purpose::value, selection}, model.functions->count(selection)).allFinite())
      find_the_term_to_blame(model);
  check_closed_form(model);
  check_slopes(model, of_gaps, "gap");
  check_slopes(model, of_constraints, "constraint");
  if (!model.file.kinetic.empty()) {
    MassFactors mass;
    factorise_mass(model, mass);
  }
  if (model.functions->count(of_constraints) > 0) find_multipliers(model);
}
}  // namespace trill
