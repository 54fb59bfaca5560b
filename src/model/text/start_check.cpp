// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/start_check.hpp"

#include "linalg/common_kernel.hpp"
#include "model/expression/derivative.hpp"
#include "model/text/text_map.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_dense_unknowns = 400;  // of the equations for the multipliers

ProgramInputs at_start(const CompiledModel& model) {
  return {.t = model.begin, .q = model.start.data(), .v = model.velocity.data()};
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

std::string name_of(const RowPlace& place, const char* what) {
  return place.value->label.empty() ? fmt::format("this {}", what) : place.value->label;
}

void check_slopes(const CompiledModel& model, int selection, const char* what) {
  const Index count = model.functions->count(selection);
  const Vec slopes = squared_gradients(model, selection);
  if (!slopes.allFinite()) find_the_term_to_blame(model);
  for (Index row = 0; row < count; ++row)
    if (slopes[row] == 0) {
      const RowPlace place = row_place(*model.functions, selection, row);
      throw place.value->error(
          fmt::format("{} does not change with any coordinate at the start{}: its gradient is zero",
                      name_of(place, what), place.element));
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
      throw place.value->error(fmt::format("the start does not lie on {}{}: it is {:.6g} there, not 0",
                                           name_of(place, "constraint"), place.element, g[k]));
    throw place.value->error(fmt::format("the velocities at the start leave {}{}: its rate is {:.6g} there, not 0",
                                         name_of(place, "constraint"), place.element, rate[k]));
  }
}

SpMat mass_at_start(const CompiledModel& model) {
  MatrixRun mass(*model.functions, {Purpose::mass});
  MatrixSlot slot = mass.prepare(model.space->parameter_values());
  mass.add(at_start(model), model.space->parameter_values(), slot);
  return sparse_copy(slot) + SpMat(model.mass.asDiagonal());
}

const CoordinateArray& array_at(const CompiledModel& model, Index place) {
  const auto& arrays = model.space->arrays();
  return *std::find_if(arrays.begin(), arrays.end(),
                       [&](const CoordinateArray& a) { return place < a.first + a.size(); });
}

[[noreturn]] void refuse_kinetic(const CompiledModel& model) {
  throw model.file.kinetic[0].energy.error("the masses at the start are not positive: some motion has no inertia");
}

// Of the coordinates that take part in a motion without mass the angle of a body tells most.
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
  throw mass.error(fmt::format(
      "{}{} can {}: give it {}, or {} that hold it", of_body ? mass.label : "'" + array.file->name.text + "'",
      array.over ? fmt::format(" ({})", array.over->element_text((place - array.first) / array.parts)) : "",
      turns ? "turn without inertia" : "move without mass", turns ? "an inertia" : "a mass",
      of_body ? "joints" : "constraints"));
}

// True where it is positive. Where it is not, constraints must hold what has no mass.
bool check_mass(const CompiledModel& model, const SpMat& mass, const SpMat& G) {
  constexpr double rounding = 1e-12;
  if (is_positive_definite(mass)) return true;
  SpMat raised = mass;
  for (Index i = 0; i < mass.rows(); ++i) raised.coeffRef(i, i) += rounding * (mass.coeff(i, i) + 1);
  if (!is_positive_definite(raised)) refuse_kinetic(model);
  if (const std::vector<Index> motion = common_kernel(mass, G); !motion.empty()) refuse_motion(model, motion);
  if (model.file.heat_bath) throw model.file.heat_bath->friction.error("a heat bath needs masses above zero");
  return false;
}

// The smallest solution where constraints are dependent, which runs refuse.
Vec solve_some(const SpMat& a, const Vec& right) {
  if (a.rows() <= most_dense_unknowns) return Mat(a).completeOrthogonalDecomposition().solve(right);
  Eigen::SparseLU<SpMat> lu(a);
  Vec x = Vec::Zero(right.size());
  if (lu.info() == Eigen::Success) x = lu.solve(right);
  if (!x.allFinite()) x.setZero();
  return x;
}

// lambda from G M^-1 G^T lambda = G M^-1 f + eta. A factorisation of diagonal masses would make dense columns of
// M^-1 G^T one after another, too many for a long chain of bodies.
Vec multipliers_by_mass(const CompiledModel& model, const SpMat& mass, const SpMat& G, const Vec& f, const Vec& eta) {
  const SpMat transposed = G.transpose();
  if (model.file.kinetic.empty()) {
    const Vec inverse = model.mass.cwiseInverse();
    return solve_some(G * SpMat(inverse.asDiagonal() * transposed), G * inverse.cwiseProduct(f) + eta);
  }
  const Eigen::SimplicialLDLT<SpMat> factors(mass);
  return solve_some(G * SpMat(factors.solve(transposed)), G * Vec(factors.solve(f)) + eta);
}

// M a + G^T lambda = f, G a + eta = 0.
Vec multipliers_by_saddle(const SpMat& mass, const SpMat& G, const Vec& f, const Vec& eta) {
  const Index n = G.cols(), count = G.rows();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n; ++j) {
    for (SpMat::InnerIterator it(mass, j); it; ++it) entries.emplace_back(it.row(), j, it.value());
    for (SpMat::InnerIterator it(G, j); it; ++it) {
      entries.emplace_back(n + it.row(), j, it.value());
      entries.emplace_back(j, n + it.row(), it.value());
    }
  }
  SpMat saddle(n + count, n + count);
  saddle.setFromTriplets(entries.begin(), entries.end());
  Vec right(n + count);
  right << f, -eta;
  return solve_some(saddle, right).tail(count);
}

void check_mass_and_constraints(CompiledModel& model) {
  const ModelMode mode(*model.functions, model.space->parameter_values());
  const TextMap map(*model.functions, of_constraints, mode);
  const Index count = map.count();
  if (count == 0 && model.file.kinetic.empty() && (model.mass.array() > 0).all()) return;
  Vec g(count), gt(count), eta(count);
  MatrixSlot slot = map.pattern();
  map.value(model.begin, model.start, g);
  map.jacobian(model.begin, model.start, slot);
  map.time_derivative(model.begin, model.start, gt);
  map.curvature(model.begin, model.start, model.velocity, eta);
  const SpMat G = sparse_copy(slot), mass = mass_at_start(model);
  if (count > 0) check_on_constraints(model, g, G * model.velocity + gt, squared_gradients(model, of_constraints));
  const bool positive = check_mass(model, mass, G);
  if (count == 0) return;
  const Vec f = values_at_start(model, {Purpose::force}, model.start.size());
  model.multipliers = positive ? multipliers_by_mass(model, mass, G, f, eta) : multipliers_by_saddle(mass, G, f, eta);
}

// A closed form must begin where the motion begins; the file states it for a motion from t = 0.
void check_closed_form(const CompiledModel& model) {
  const Index n = model.start.size();
  const bool first_order = !model.file.rates.empty();
  Vec y = Vec::Zero(2 * n);
  VectorRun(*model.functions, {Purpose::closed_form, first_order ? 0 : every_group})
      .add({.t = 0}, model.space->parameter_values(), y.data());
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
  check_mass_and_constraints(model);
}
}  // namespace trill
