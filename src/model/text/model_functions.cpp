// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_functions.hpp"

#include "model/text/joint_draft.hpp"

#include <algorithm>

namespace trill {
namespace {
constexpr Index most_dense = 32;         // matrices of larger systems are sparse,
constexpr Index most_dense_full = 1000;  // unless nearly all of their entries are there
constexpr double nearly_full = 0.7;      // share of entries from which dense factorisations are faster

using Entries = std::vector<Eigen::Triplet<double>>;
void add_entries(const std::vector<MatrixPart>& parts, Entries& entries) {
  for (const MatrixPart& part : parts)
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      for (std::size_t i = 0; i < part.rows[k]->size(); ++i)
        entries.emplace_back((*part.rows[k])[i], (*part.columns[k])[i], 1.0);
}

// Higher derivatives of a distance divide by it many times, so sharing reciprocals pays off.
bool divides_often(Purpose purpose) { return purpose == Purpose::rigid_rate || purpose == Purpose::reaction; }

bool has_rows(Purpose purpose) { return purpose == Purpose::jacobian || purpose == Purpose::velocity_derivative; }
}  // namespace

ModelFunctions::ModelFunctions(Kernels kernels, Index unknowns, Index gaps, Index constraints)
    : kernels_(std::move(kernels)), unknowns_(unknowns), gaps_(gaps), constraints_(constraints) {}

const VectorFunction& ModelFunctions::vector(FunctionKey key) const {
  const std::lock_guard lock(building_);
  auto& found = vectors_[key];
  if (!found) found = std::make_unique<VectorFunction>(make_vector(key));
  if (native_ && !found->native) {
    make_native(found->routines, *native_);
    found->native = true;
  }
  return *found;
}

VectorFunction ModelFunctions::make_vector(FunctionKey key) const {
  VectorFunction made;
  for (const auto& kernel : kernels_) {
    ExpressionGraph graph = kernel->graph();
    VectorDraft draft = is_joint(key.purpose)
                            ? draft_joint(*kernel, key, derived_matrix({Purpose::jacobian, key.selection}).pattern,
                                          count(key.selection), graph)
                            : draft_vector(*kernel, key, graph);
    if (draft.outputs.empty()) continue;
    if (divides_often(key.purpose)) share_reciprocals(graph, draft.outputs);
    Routine routine{Program(graph, draft.outputs), kernel->table, std::move(draft.targets)};
    made.routines.push_back(std::make_shared<const Routine>(std::move(routine)));
  }
  return made;
}

std::string ModelFunctions::use_native(NativeUse use, FunctionKey main) const {
  const std::lock_guard lock(building_);
  Routines routines = vector(main).routines;
  if (routines.empty() || routines[0]->native) return "";
  if (std::string reason = make_native(routines, use); !reason.empty()) return reason;
  VectorFunction& function = *vectors_[main];
  function.routines = std::move(routines);
  function.native = true;
  native_ = use;
  return "";
}

const MatrixFunction& ModelFunctions::matrix(FunctionKey key) const {
  const std::lock_guard lock(building_);
  MatrixFunction& found = derived_matrix(key);
  if (native_ && !found.native) {
    Routines routines;
    for (const MatrixPart& part : found.parts) routines.push_back(part.routine);
    make_native(routines, *native_);
    for (std::size_t k = 0; k < routines.size(); ++k) found.parts[k].routine = routines[k];
    found.native = true;
  }
  return found;
}

MatrixFunction& ModelFunctions::derived_matrix(FunctionKey key) const {
  auto& found = matrices_[key];
  if (!found) found = std::make_unique<MatrixFunction>(make_matrix(key));
  return *found;
}

std::vector<MatrixPart> ModelFunctions::draft_parts(FunctionKey key) const {
  std::vector<MatrixPart> parts;
  for (const auto& kernel : kernels_) {
    ExpressionGraph graph = kernel->graph();
    MatrixDraft draft = draft_matrix(*kernel, key, graph);
    if (draft.outputs.empty()) continue;
    Routine routine{Program(graph, draft.outputs), kernel->table, std::vector<Target>(draft.outputs.size())};
    parts.push_back(
        {std::make_shared<const Routine>(std::move(routine)), std::move(draft.rows), std::move(draft.columns), {}});
  }
  return parts;
}

MatrixSlot ModelFunctions::make_pattern(FunctionKey key, const std::vector<MatrixPart>& parts) const {
  const Index rows = has_rows(key.purpose) ? count(key.selection) : unknowns_;
  const Index columns = key.purpose == Purpose::multiplier_force_by_multiplier ? count(of_constraints) : unknowns_;
  if (rows <= most_dense && unknowns_ <= most_dense) return MatrixSlot::dense(rows, columns);
  Entries entries;
  add_entries(parts, entries);
  if (key.purpose == Purpose::mass)
    for (Index i = 0; i < unknowns_; ++i) entries.emplace_back(i, i, 1.0);
  if (key.purpose == Purpose::by_position) add_entries(matrix({Purpose::mass_product}).parts, entries);
  SpMat pattern(rows, columns);
  pattern.setFromTriplets(entries.begin(), entries.end());
  const auto all = static_cast<double>(rows) * static_cast<double>(columns);
  if (std::max(rows, columns) <= most_dense_full && static_cast<double>(pattern.nonZeros()) > nearly_full * all)
    return MatrixSlot::dense(rows, columns);
  return MatrixSlot::sparse(std::move(pattern));
}

// The matrices for all selections of groups have one pattern, so that they can be added up in one slot; derivatives
// have the pattern of the matrix that they are derived from.
MatrixFunction ModelFunctions::make_matrix(FunctionKey key) const {
  MatrixFunction made{draft_parts(key), {}};
  FunctionKey basis = key;
  basis.derivative = 0;
  if (key.purpose == Purpose::by_position || key.purpose == Purpose::by_velocity) basis.selection = every_group;
  made.pattern = basis == key ? make_pattern(key, made.parts) : derived_matrix(basis).pattern;
  for (MatrixPart& part : made.parts)
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      part.places.push_back(places_in(made.pattern, *part.rows[k], *part.columns[k]));
  return made;
}

void VectorRun::prepare(const ParameterValues& parameters) {
  if (runners_.empty())
    for (const auto& routine : functions_->vector(key_).routines) {
      if (routine->table->instances == 0) continue;
      runners_.emplace_back(routine, parameters.values);
      if (held_) held_->bind(runners_.back());
    }
  for (Runner& runner : runners_) runner.set_parameters(parameters.values);
  version_ = parameters.version;
}

const MatrixSlot& MatrixRun::prepare(const ParameterValues& parameters) {
  if (!function_) {
    function_ = &functions_->matrix(key_);
    for (const MatrixPart& part : function_->parts) {
      if (part.routine->table->instances == 0) continue;
      runners_.emplace_back(part.routine, parameters.values);
      if (held_) held_->bind(runners_.back());
      auto& places = places_.emplace_back();
      for (const IndexTable& table : part.places) places.push_back(table.data());
    }
  }
  for (Runner& runner : runners_) runner.set_parameters(parameters.values);
  version_ = parameters.version;
  return function_->pattern;
}

void MatrixRun::add_values(const ProgramInputs& inputs, double* values) {
  for (std::size_t k = 0; k < runners_.size(); ++k) runners_[k].add(inputs, values, places_[k].data());
}

void MatrixRun::add(const ProgramInputs& inputs, const ParameterValues& parameters, MatrixSlot& slot) {
  if (version_ != parameters.version) prepare(parameters);
  if (slot.pattern_id() == function_->pattern.pattern_id() && slot.rows() == function_->pattern.rows() &&
      slot.cols() == function_->pattern.cols()) {
    add_values(inputs, slot.values());
    return;
  }
  if (own_.rows() == 0) own_ = function_->pattern;
  own_.set_zero();
  add_values(inputs, own_.values());
  if (!own_.is_sparse()) {
    for (Index j = 0; j < own_.cols(); ++j)
      for (Index i = 0; i < own_.rows(); ++i)
        if (const double value = own_.as_dense()(i, j); value != 0) slot.add(i, j, value);
    return;
  }
  for (Index j = 0; j < own_.cols(); ++j)
    for (SpMat::InnerIterator entry(own_.as_sparse(), j); entry; ++entry) slot.add(entry.row(), j, entry.value());
}
}  // namespace trill
