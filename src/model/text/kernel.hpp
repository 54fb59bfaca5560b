// SPDX-License-Identifier: BSD-3-Clause
// All terms over one set, or all terms over no set, in one graph: what they share is computed once.
#pragma once

#include "model/text/kernel_scope.hpp"
#include "trill/linalg/matrix_slot.hpp"

#include <compare>

namespace trill {
// One line of the file that gives a force: an energy, or forces on coordinates.
struct ForceTerm {
  const FileValue* place = nullptr;
  std::size_t group = 0;
  Expression energy = no_expression;
  Expression force = no_expression;
  int on = 0;             // the slot that the force acts on
  bool inertial = false;  // belongs to a mass matrix that depends on q
  bool of_gap = false;    // the energy of a stiff gap
};

// A value that is summed over the set into one number of the model: a measure.
struct SummedTerm {
  Expression value = no_expression;
  std::int32_t place = 0;
};

// A value for one coordinate of each element: a rate, a closed form.
struct CoordinateTerm {
  Expression value = no_expression;
  const CoordinateArray* array = nullptr;
  int part = 0;
  const FileValue* place = nullptr;
};

struct RowTerm {
  const FileValue* place = nullptr;
  Expression value = no_expression;
};

// A switch: `when` is zero where a formula of a force or constraint changes. The place of its value for an element is
// first + element * stride. After the columns of the set the table has one column for each switch: a bias that is added
// to what is compared.
struct SwitchTerm {
  Expression when = no_expression;
  Index first = 0, stride = 0;
};

struct Kernel {
  Kernel(ModelSpace& space, const IndexSet* over) : scope(space, over) {}
  KernelScope scope;
  std::vector<ForceTerm> terms, reactions;  // reactions: forces that depend on multipliers
  std::vector<RowTerm> gaps, constraints, kinetic;
  std::vector<SummedTerm> measures;
  std::vector<CoordinateTerm> rates, charges, closed_forms;  // charges: what the rates are the rates of
  std::vector<Expression> events;                            // zero where each event of the file happens
  std::vector<std::vector<Expression>> changes;              // the values that each event sets
  std::vector<SwitchTerm> switches;
  std::size_t first_bias() const { return scope.over() ? scope.over()->columns.size() : 0; }
  Index first_gap = 0, first_constraint = 0;
  std::shared_ptr<const KernelTable> table;

  ExpressionGraph& graph() { return scope.graph(); }
  void finish();  // call it when all terms are there; makes the tables of slots and rows
};

// What a function of the model computes.
enum class Purpose {
  energy,               // sum over the selected terms
  force,                // a vector as long as q
  force_product,        // df/dq times the direction
  kinetic_energy,       // from the [[kinetic]] terms
  measure,              // all measures
  value,                // g; this and the next two are for gaps or constraints
  time_derivative,      // g_t
  curvature,            // v^T H v + 2 g_qt v + g_tt
  reaction,             // G^T s
  rigid_rate,           // RigidRates for k = `derivative`: a vector as long as q, followed by a value for each row
  slope_and_curvature,  // the values of G, followed by the curvature
  force_and_gaps,  // the forces that rows act beside (of groups without gaps, or all), then g, then the values of G
  force_and_curvature,   // the same forces, then the values of G, then the curvature
  rates,                 // d^k/dt^k of the same forces, followed by rigid_rate, for k = `derivative`
  rate,                  // right-hand side of a first-order model
  charge,                // what these are the rates of
  multiplier_force,      // forces that depend on multipliers
  closed_form,           // q followed by v; for selection 0 only q
  event,                 // the selected one
  change,                // the values that the selected event sets, one after another
  switching,             // all switching functions
  by_position,           // df/dq; this and the following are matrices
  by_velocity,           // df/dv
  jacobian,              // G
  transpose_derivative,  // d(G^T s)/dq
  velocity_derivative,   // d(G v + g_t)/dq
  mass,
  mass_product,  // d(M w)/dq for the direction w
  rate_jacobian,
  charge_jacobian,
  multiplier_force_by_position,
  multiplier_force_by_velocity,
  multiplier_force_by_multiplier
};
// Selects terms: a group of forces, or gaps or constraints.
inline constexpr int every_group = -1, of_gaps = 0, of_constraints = 1;

// A value of `derivative`: not the function itself, but its derivative when q moves along the direction.
inline constexpr int along_direction = -1;

struct FunctionKey {
  Purpose purpose = Purpose::energy;
  int selection = every_group;
  int derivative = 0;  // k > 0: d^k/dt^k along a motion, or along_direction
  auto operator<=>(const FunctionKey&) const = default;
};

struct VectorDraft {
  std::vector<Expression> outputs;
  std::vector<Target> targets;
};
struct MatrixDraft {
  std::vector<Expression> outputs;
  std::vector<std::shared_ptr<const IndexTable>> rows, columns;  // one for each output
};
std::shared_ptr<const IndexTable> shifted(const IndexTable& places, Index by);
// Where the entries (rows[i], columns[i]) lie in the values of a pattern.
IndexTable places_in(MatrixSlot& pattern, const IndexTable& rows, const IndexTable& columns);
// `graph` is a copy of the kernel's graph: earlier drafts must not affect the order in which a program computes, or
// code that was compiled for it beforehand would not be found.
VectorDraft draft_vector(const Kernel& kernel, FunctionKey key, ExpressionGraph& graph);
MatrixDraft draft_matrix(const Kernel& kernel, FunctionKey key, ExpressionGraph& graph);
bool is_conservative(const Kernel& kernel, int group);
bool is_linear(const Kernel& kernel, int group);  // in the coordinates, with constant coefficients
}  // namespace trill
