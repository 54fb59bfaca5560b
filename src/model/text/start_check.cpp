// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/start_check.hpp"

#include "base/tolerances.hpp"
#include "linalg/common_kernel.hpp"
#include "linalg/row_squares.hpp"
#include "linalg/saddle_solver.hpp"
#include "model/expression/derivative.hpp"
#include "model/text/text_map.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
ProgramInputs at_start(const CompiledModel& model, double t) {
  return {.t = t, .q = model.start.data(), .v = model.velocity.data()};
}

Vec values_at_start(const CompiledModel& model, double t, FunctionKey key, Index size) {
  Vec values = Vec::Zero(size);
  VectorRun(*model.functions, key).add(at_start(model, t), model.space->parameter_values(), values.data());
  return values;
}

// The first element for which the sum of some values of the kernel is not finite.
struct Blame {
  Index element = -1;
  double value = 0;
};
Blame find_blame(const CompiledModel& model, double t, const Kernel& kernel, std::span<const Expression> outputs) {
  const Index instances = kernel.table->instances;
  auto each = std::make_shared<IndexTable>(static_cast<std::size_t>(instances));
  for (std::size_t i = 0; i < each->size(); ++i) (*each)[i] = static_cast<std::int32_t>(i);
  Routine routine{Program(kernel.scope.graph(), outputs), kernel.table,
                  std::vector<Target>(outputs.size(), {each, false})};
  Vec values = Vec::Zero(instances);
  Runner(std::make_shared<const Routine>(std::move(routine)), model.space->parameter_values())
      .add(at_start(model, t), values.data());
  for (Index i = 0; i < instances; ++i)
    if (!std::isfinite(values[i])) return {i, values[i]};
  return {};
}

void blame_term(const CompiledModel& model, double t, Kernel& kernel, const FileValue& place, Expression e,
                const char* what) {
  const IndexSet* over = kernel.scope.over();
  const auto complain = [&](const Blame& blame, const std::string& subject) {
    if (blame.element < 0) return;
    throw place.error(fmt::format("{} is {} at the start{}, where it must be finite", subject, blame.value,
                                  over ? " for " + over->element_text(blame.element) : ""));
  };
  complain(find_blame(model, t, kernel, std::span(&e, 1)), fmt::format("this {}", what));
  std::vector<Expression> partials;
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity})
    for (const Partial& p : gradient(kernel.graph(), e, kind)) partials.push_back(p.value);
  complain(find_blame(model, t, kernel, partials), fmt::format("the derivative of this {}", what));
}

[[noreturn]] void find_the_term_to_blame(const CompiledModel& model, double t) {
  for (const auto& k : model.functions->kernels()) {
    for (const ForceTerm& term : k->terms)
      blame_term(model, t, *k, *term.place, term.force == no_expression ? term.energy : term.force,
                 term.force == no_expression ? "energy" : "force");
    for (const CoordinateTerm& rate : k->rates) blame_term(model, t, *k, *rate.place, rate.value, "rate");
    for (const CoordinateTerm& charge : k->charges) blame_term(model, t, *k, *charge.place, charge.value, "charge");
    for (const RowTerm& gap : k->gaps) blame_term(model, t, *k, *gap.place, gap.value, "gap");
    for (const RowTerm& c : k->constraints) blame_term(model, t, *k, *c.place, c.value, "constraint");
  }
  throw model.source.error("the sum of all forces is not finite at the start");
}

// Computed from the matrix, because two symbols may be the same coordinate.
Vec squared_gradients(const CompiledModel& model, double t, int selection) {
  MatrixRun jacobian(*model.functions, {Purpose::jacobian, selection});
  MatrixSlot G = jacobian.prepare(model.space->parameter_values());
  jacobian.add(at_start(model, t), model.space->parameter_values(), G);
  return row_squares(G);
}

std::string name_of(const RowPlace& place, const char* what) {
  return place.value->label.empty() ? fmt::format("this {}", what) : place.value->label;
}

void check_slopes(const CompiledModel& model, double t, int selection, const char* what) {
  const Index count = model.functions->count(selection);
  const Vec slopes = squared_gradients(model, t, selection);
  if (!slopes.allFinite()) find_the_term_to_blame(model, t);
  for (Index row = 0; row < count; ++row)
    if (slopes[row] == 0) {
      const RowPlace place = row_place(*model.functions, selection, row);
      throw place.value->error(
          fmt::format("at the start {} does not change with any coordinate{}, because its gradient is zero there; "
                      "choose another start",
                      name_of(place, what), place.element));
    }
}

void check_on_constraints(const CompiledModel& model, const Vec& g, const Vec& rate, const Vec& slopes) {
  const double allowed = movable_start * (1 + max_abs(model.start)),
               allowed_rate = movable_start * (1 + max_abs(model.velocity));
  for (Index k = 0; k < g.size(); ++k) {
    const double size = std::sqrt(slopes[k]);
    const bool on = std::abs(g[k]) <= allowed * size, stays = std::abs(rate[k]) <= allowed_rate * size;
    if (on && stays) continue;
    const RowPlace place = row_place(*model.functions, of_constraints, k);
    if (!on)
      throw place.value->error(fmt::format("the start does not satisfy {}{}: its value there is {:.6g} and must be 0",
                                           name_of(place, "constraint"), place.element, g[k]));
    throw place.value->error(
        fmt::format("the velocities at the start do not satisfy {}{}: its rate of change there is {:.6g} and must be 0",
                    name_of(place, "constraint"), place.element, rate[k]));
  }
}

MatrixSlot mass_at_start(const CompiledModel& model, double t) {
  SpMat diagonal(model.mass.size(), model.mass.size());
  diagonal.setIdentity();
  MatrixSlot slot = MatrixSlot::sparse(std::move(diagonal));
  if (!model.file.kinetic.empty()) {
    MatrixRun mass(*model.functions, {Purpose::mass});
    slot = mass.prepare(model.space->parameter_values());
    mass.add(at_start(model, t), model.space->parameter_values(), slot);
  }
  for (Index i = 0; i < model.mass.size(); ++i)
    if (model.mass[i] != 0) slot.add(i, i, model.mass[i]);
  return slot;
}

const CoordinateArray& array_at(const CompiledModel& model, Index place) {
  const auto& arrays = model.space->arrays();
  return *std::find_if(arrays.begin(), arrays.end(),
                       [&](const CoordinateArray& a) { return place < a.first + a.size(); });
}

[[noreturn]] void refuse_kinetic(const CompiledModel& model) {
  throw model.file.kinetic[0].energy.error(
      "the kinetic energy at the start is not positive for every motion, so that some motion has no inertia");
}

// Among the coordinates that take part in a motion without mass, the angle of a body makes the clearest message.
[[noreturn]] void refuse_motion(const CompiledModel& model, const std::vector<Index>& motion) {
  const auto is_angle = [&](Index place) {
    const FileCoordinate& c = *array_at(model, place).file;
    return c.mass && !c.mass->label.empty() && c.point == 0;
  };
  const auto angle = std::find_if(motion.begin(), motion.end(), is_angle);
  const Index place = angle == motion.end() ? motion[0] : *angle;
  const CoordinateArray& array = array_at(model, place);
  if (!array.file->mass) refuse_kinetic(model);
  const FileValue& mass = *array.file->mass;
  const bool turns = angle != motion.end(), of_body = !mass.label.empty();
  throw mass.error(
      fmt::format("{}{} can {}; give it {}, or {} that determine its motion",
                  of_body ? mass.label : "'" + array.file->name.text + "'",
                  array.over ? fmt::format(" ({})", array.over->element_text((place - array.first) / array.parts)) : "",
                  turns ? "turn without inertia" : "move without mass", turns ? "an inertia" : "a mass",
                  of_body ? "joints" : "constraints"));
}

// If the mass matrix is not positive definite, constraints must hold what has no mass.
void check_mass(const CompiledModel& model, const SpMat& mass, const SpMat& G) {
  if (is_positive_definite(mass)) return;
  if (!is_nearly_positive(mass, tolerance::mass)) refuse_kinetic(model);
  if (const std::vector<Index> motion = common_kernel(mass, G); !motion.empty()) refuse_motion(model, motion);
  if (model.file.heat_bath) throw model.file.heat_bath->friction.error("a heat bath needs masses that are positive");
}

bool has_plain_masses(const CompiledModel& model) {
  return model.file.kinetic.empty() && (model.mass.array() > 0).all();
}

void check_mass_and_constraints(const CompiledModel& model, double t) {
  const ModelMode mode(*model.functions, model.space->parameter_values());
  const TextMap map(*model.functions, of_constraints, mode);
  const Index count = map.count();
  if (count == 0 && has_plain_masses(model)) return;
  Vec g(count), gt(count), rate(count);
  MatrixSlot G = map.pattern();
  map.value(t, model.start, g);
  map.jacobian(t, model.start, G);
  map.time_derivative(t, model.start, gt);
  G.multiply(model.velocity, rate);
  rate += gt;
  if (count > 0) check_on_constraints(model, g, rate, row_squares(G));
  check_mass(model, sparse_copy(mass_at_start(model, t)), sparse_copy(G));
}

// The start of an algebraic unknown is only a guess.
bool is_algebraic(const CompiledModel& model, const CoordinateArray& array) {
  return std::any_of(model.file.rates.begin(), model.file.rates.end(),
                     [&](const FileRate& rate) { return rate.algebraic && rate.on.text == array.file->name.text; });
}

// A closed form must begin where the motion begins; the file states it for a motion from t = 0.
void check_closed_form(const CompiledModel& model) {
  const Index n = model.start.size();
  const bool first_order = !model.file.rates.empty();
  const Vec y = values_at_start(model, 0, {Purpose::closed_form, first_order ? 0 : every_group}, 2 * n);
  for (const CoordinateArray& array : model.space->arrays()) {
    if (!array.file->exact || is_algebraic(model, array)) continue;
    for (Index k = array.first; k < array.first + array.size(); ++k) {
      const bool agrees = std::abs(y[k] - model.start[k]) <= 1e-9 * (1 + std::abs(model.start[k]));
      const bool rate_agrees =
          first_order || std::abs(y[n + k] - model.velocity[k]) <= 1e-9 * (1 + std::abs(model.velocity[k]));
      if (agrees && rate_agrees) continue;
      throw array.file->exact->error(
          fmt::format("the closed form begins with {} {:.6g} at t = 0, but the start is {:.6g}; they must agree",
                      agrees ? "the velocity" : "the value", agrees ? y[n + k] : y[k],
                      agrees ? model.velocity[k] : model.start[k]));
    }
  }
}
}  // namespace

void check_start(const CompiledModel& model, double t) {
  const Vec energy = values_at_start(model, t, {Purpose::energy}, 1);
  const Vec force = values_at_start(model, t, {Purpose::force}, model.start.size());
  const Vec rate = values_at_start(model, t, {Purpose::rate}, model.start.size());
  const Vec charge = values_at_start(model, t, {Purpose::charge}, model.start.size());
  for (const Vec* values : {&energy, &force, &rate, &charge})
    if (!values->allFinite()) find_the_term_to_blame(model, t);
  for (const int selection : {of_gaps, of_constraints})
    if (!values_at_start(model, t, {Purpose::value, selection}, model.functions->count(selection)).allFinite())
      find_the_term_to_blame(model, t);
  check_closed_form(model);
  check_slopes(model, t, of_gaps, "gap");
  check_slopes(model, t, of_constraints, "constraint");
  check_mass_and_constraints(model, t);
}

Vec start_multipliers(const CompiledModel& model, double t) {
  const ModelMode mode(*model.functions, model.space->parameter_values());
  const TextMap map(*model.functions, of_constraints, mode);
  Vec lambda = Vec::Zero(map.count());
  if (map.count() == 0) return lambda;
  const MassShape shape = model.file.kinetic.empty() ? MassShape::diagonal : MassShape::full;
  SaddleSolver saddle(shape, mass_at_start(model, t), map.pattern());
  Vec eta(map.count()), a(model.start.size());
  map.slope_and_curvature(t, model.start, model.velocity, saddle.rows(), eta);
  if (!saddle.factorise()) return lambda;
  saddle.solve(values_at_start(model, t, {Purpose::force}, model.start.size()), eta, a, lambda);
  if (!lambda.allFinite()) lambda.setZero();
  return lambda;
}
}  // namespace trill
