// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/kernel.hpp"

#include "model/expression/mechanics.hpp"

#include <algorithm>

namespace trill {
namespace {
bool selected(const ForceTerm& term, int selection) {
  return selection == every_group || term.group == static_cast<std::size_t>(selection);
}

class Drafter {
 public:
  Drafter(const Kernel& kernel, FunctionKey key, ExpressionGraph& graph)
      : kernel_(kernel), key_(key), graph_(graph), table_(kernel.table) {}

  std::shared_ptr<const IndexTable> coordinate(int slot) const {
    return {table_, &table_->coordinates[static_cast<std::size_t>(slot)]};
  }
  std::shared_ptr<const IndexTable> row(std::size_t k) const { return {table_, &table_->rows[k]}; }
  std::size_t slots() const { return static_cast<std::size_t>(kernel_.scope.slots()); }
  std::size_t first_row(int selection) const { return selection == of_gaps ? 0 : kernel_.gaps.size(); }
  const std::vector<RowTerm>& rows(int selection) const {
    return selection == of_gaps ? kernel_.gaps : kernel_.constraints;
  }

  Expression energy(int selection) {
    Expression sum = graph_.number(0);
    for (const ForceTerm& term : kernel_.terms)
      if (selected(term, selection) && term.energy != no_expression) sum = graph_.add(sum, term.energy);
    return sum;
  }
  Expression kinetic_energy() {
    Expression sum = graph_.number(0);
    for (const RowTerm& term : kernel_.kinetic) sum = graph_.add(sum, term.value);
    return sum;
  }
  // Forces that do not come from an energy, for each slot.
  std::vector<Expression> applied(int selection) { return applied(kernel_.terms, selection); }
  std::vector<Expression> applied(const std::vector<ForceTerm>& terms, int selection) {
    std::vector<Expression> sums(slots(), graph_.number(0));
    for (const ForceTerm& term : terms) {
      if (!selected(term, selection) || term.force == no_expression) continue;
      Expression& sum = sums[static_cast<std::size_t>(term.on)];
      sum = graph_.add(sum, term.force);
    }
    return sums;
  }
  std::vector<Expression> multiplier_force() { return applied(kernel_.reactions, every_group); }
  std::vector<Expression> force(int selection) {
    std::vector<Expression> f = applied(selection);
    for (const Partial& p : gradient(graph_, energy(selection), SymbolKind::coordinate)) {
      Expression& sum = f[static_cast<std::size_t>(p.column)];
      sum = graph_.subtract(sum, p.value);
    }
    return f;
  }

  VectorDraft vector() {
    switch (key_.purpose) {
      case Purpose::energy:
        add_sum(energy(key_.selection), 0);
        break;
      case Purpose::kinetic_energy:
        add_sum(kinetic_energy(), 0);
        break;
      case Purpose::force:
        add_slots(force(key_.selection));
        break;
      case Purpose::multiplier_force:
        add_slots(multiplier_force());
        break;
      case Purpose::force_product:
        add_slots(jacobian_product(graph_, force(key_.selection), SymbolKind::coordinate, kernel_.scope.slots()));
        break;
      case Purpose::reaction:
        for (const Partial& p : gradient(graph_, multiplied_by_their_own(), SymbolKind::coordinate))
          add_value(derived(p.value), coordinate(p.column));
        break;
      case Purpose::rigid_rate:
        add_rigid_rates();
        break;
      case Purpose::measure:
        for (const SummedTerm& m : kernel_.measures) add_sum(m.value, m.place);
        break;
      case Purpose::rate:
        for (const CoordinateTerm& r : kernel_.rates) add_coordinate(r.value, *r.array, r.part, 0);
        break;
      case Purpose::charge:
        for (const CoordinateTerm& c : kernel_.charges) add_coordinate(c.value, *c.array, c.part, 0);
        break;
      case Purpose::closed_form:
        for (const CoordinateTerm& c : kernel_.closed_forms) {
          add_coordinate(c.value, *c.array, c.part, 0);
          if (key_.selection == 0) continue;
          const Expression position[] = {c.value};
          add_coordinate(time_partials(graph_, position)[0], *c.array, c.part, 1);
        }
        break;
      case Purpose::event:
        if (!kernel_.events.empty()) add_sum(kernel_.events[static_cast<std::size_t>(key_.selection)], 0);
        break;
      case Purpose::change:
        if (!kernel_.changes.empty()) add_one_by_one(kernel_.changes[static_cast<std::size_t>(key_.selection)]);
        break;
      case Purpose::switching:
        for (std::size_t k = 0; k < kernel_.switches.size(); ++k)
          add_value(kernel_.switches[k].when, row(kernel_.gaps.size() + kernel_.constraints.size() + k));
        break;
      default:
        add_rows();
    }
    return std::move(vector_);
  }

  MatrixDraft matrix() {
    const int selection = key_.selection;
    switch (key_.purpose) {
      case Purpose::by_position:
        add_symmetric_entries(lower_hessian(graph_, graph_.negate(energy(selection)), SymbolKind::coordinate));
        add_jacobian(applied(selection), SymbolKind::coordinate);
        break;
      case Purpose::by_velocity:
        add_jacobian(applied(selection), SymbolKind::velocity);
        break;
      case Purpose::transpose_derivative:
        add_symmetric_entries(lower_hessian(graph_, multiplied_by_their_own(), SymbolKind::coordinate));
        break;
      case Purpose::jacobian:
        add_rows_of(row_values());
        break;
      case Purpose::velocity_derivative:
        add_rows_of(velocity_level(graph_, row_values(), kernel_.scope.slots()));
        break;
      case Purpose::mass:
        if (!kernel_.kinetic.empty())
          add_symmetric_entries(kinetic_terms(graph_, kinetic_energy(), kernel_.scope.slots()).mass);
        break;
      case Purpose::mass_product:
        if (!kernel_.kinetic.empty())
          for (const Partial& p : kinetic_terms(graph_, kinetic_energy(), kernel_.scope.slots()).mass_product)
            add_entry(p.value, coordinate(p.row), coordinate(p.column));
        break;
      case Purpose::rate_jacobian:
        add_gradients(kernel_.rates);
        break;
      case Purpose::charge_jacobian:
        add_gradients(kernel_.charges);
        break;
      case Purpose::multiplier_force_by_position:
        add_jacobian(multiplier_force(), SymbolKind::coordinate);
        break;
      case Purpose::multiplier_force_by_velocity:
        add_jacobian(multiplier_force(), SymbolKind::velocity);
        break;
      case Purpose::multiplier_force_by_multiplier:
        for (const Partial& p : jacobian(graph_, multiplier_force(), SymbolKind::multiplier))
          add_entry(p.value, coordinate(p.row), row(static_cast<std::size_t>(p.column)));
        break;
      default:
        break;
    }
    return std::move(matrix_);
  }

 private:
  void add_sum(Expression e, std::int32_t place) {
    if (graph_.constant(e) == 0) return;
    vector_.outputs.push_back(e);
    vector_.targets.push_back({std::make_shared<const IndexTable>(1, place), true});
  }
  void add_one_by_one(const std::vector<Expression>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) add_sum(values[k], static_cast<std::int32_t>(k));
  }
  void add_slots(const std::vector<Expression>& values) {
    for (std::size_t slot = 0; slot < values.size(); ++slot)
      add_value(derived(values[slot]), coordinate(static_cast<int>(slot)));
  }
  void add_value(Expression e, std::shared_ptr<const IndexTable> places) {
    if (graph_.constant(e) == 0) return;
    vector_.outputs.push_back(e);
    vector_.targets.push_back({std::move(places), false});
  }
  // `after` is the number of vectors as long as q that come before this one.
  std::shared_ptr<const IndexTable> places(const CoordinateArray& array, int part, Index after) const {
    auto table = std::make_shared<IndexTable>(static_cast<std::size_t>(array.elements()));
    for (Index k = 0; k < array.elements(); ++k)
      (*table)[static_cast<std::size_t>(k)] =
          static_cast<std::int32_t>(kernel_.scope.unknowns() * after + array.place(k, part));
    return table;
  }
  void add_coordinate(Expression e, const CoordinateArray& array, int part, Index after) {
    add_value(e, places(array, part, after));
  }

  std::vector<Expression> row_values() const {
    std::vector<Expression> g;
    for (const RowTerm& term : rows(key_.selection)) g.push_back(term.value);
    return g;
  }
  void add_rows() {
    std::vector<Expression> values = row_values();
    if (key_.purpose == Purpose::time_derivative) {
      values = time_partials(graph_, values);
    } else if (key_.purpose == Purpose::curvature) {
      values = curvature(graph_, values, kernel_.scope.slots());
    }
    for (std::size_t k = 0; k < values.size(); ++k) add_value(derived(values[k]), row(first_row(key_.selection) + k));
  }
  // s^T g, where the multipliers of these rows come after those of the earlier rows.
  Expression multiplied_by_their_own() {
    return work_of_multipliers(graph_, row_values(), static_cast<int>(first_row(key_.selection)));
  }
  void add_rigid_rates() {
    const std::size_t first = first_row(key_.selection);
    const RigidRates rates =
        rigid_rates(graph_, row_values(), static_cast<int>(first), key_.derivative, kernel_.scope.slots());
    for (const Partial& p : rates.reaction) add_value(p.value, coordinate(p.column));
    for (std::size_t k = 0; k < rates.rows.size(); ++k)
      add_value(rates.rows[k], shifted(*row(first + k), kernel_.scope.unknowns()));
  }

  // The function itself or the derivative that the key asks for.
  Expression derived(Expression e) {
    if (key_.derivative == 0) return e;
    const int slots = kernel_.scope.slots();
    if (key_.derivative > 0) return time_derivatives(graph_, e, key_.derivative, slots).back();
    const Expression rows[] = {e};
    return jacobian_product(graph_, rows, SymbolKind::coordinate, slots)[0];
  }

  void add_entry(Expression e, std::shared_ptr<const IndexTable> row, std::shared_ptr<const IndexTable> column) {
    matrix_.outputs.push_back(derived(e));
    matrix_.rows.push_back(std::move(row));
    matrix_.columns.push_back(std::move(column));
  }
  void add_symmetric_entries(const std::vector<Partial>& lower) {
    for (const Partial& p : lower) {
      add_entry(p.value, coordinate(p.row), coordinate(p.column));
      if (p.row != p.column) add_entry(p.value, coordinate(p.column), coordinate(p.row));
    }
  }
  void add_jacobian(const std::vector<Expression>& values, SymbolKind kind) {
    for (const Partial& p : jacobian(graph_, values, kind)) add_entry(p.value, coordinate(p.row), coordinate(p.column));
  }
  void add_gradients(const std::vector<CoordinateTerm>& terms) {
    for (const CoordinateTerm& term : terms)
      for (const Partial& p : gradient(graph_, term.value, SymbolKind::coordinate))
        add_entry(p.value, places(*term.array, term.part, 0), coordinate(p.column));
  }
  void add_rows_of(const std::vector<Expression>& values) {
    for (const Partial& p : jacobian(graph_, values, SymbolKind::coordinate))
      add_entry(p.value, row(first_row(key_.selection) + static_cast<std::size_t>(p.row)), coordinate(p.column));
  }

  const Kernel& kernel_;
  FunctionKey key_;
  ExpressionGraph& graph_;
  std::shared_ptr<const KernelTable> table_;
  VectorDraft vector_;
  MatrixDraft matrix_;
};
}  // namespace

void Kernel::finish() {
  KernelTable made = scope.make_table();
  const auto add_row = [&](Index first, Index stride) {
    IndexTable rows(static_cast<std::size_t>(made.instances));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<std::int32_t>(first + static_cast<Index>(i) * stride);
    made.rows.push_back(std::move(rows));
  };
  const auto add_rows = [&](std::size_t count, Index first) {
    for (std::size_t k = 0; k < count; ++k) add_row(first + static_cast<Index>(k), static_cast<Index>(count));
  };
  add_rows(gaps.size(), first_gap);
  add_rows(constraints.size(), first_constraint);
  for (const SwitchTerm& s : switches) {
    add_row(s.first, s.stride);
    made.columns.push_back(std::make_shared<const std::vector<double>>(static_cast<std::size_t>(made.instances), 0.0));
  }
  table = std::make_shared<const KernelTable>(std::move(made));
}

std::shared_ptr<const IndexTable> shifted(const IndexTable& places, Index by) {
  auto moved = std::make_shared<IndexTable>(places);
  for (std::int32_t& place : *moved) place += static_cast<std::int32_t>(by);
  return moved;
}

IndexTable places_in(MatrixSlot& pattern, const IndexTable& rows, const IndexTable& columns) {
  IndexTable places(rows.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<std::int32_t>(pattern.entry(rows[i], columns[i]) - pattern.values());
  return places;
}

VectorDraft draft_vector(const Kernel& kernel, FunctionKey key, ExpressionGraph& graph) {
  return Drafter(kernel, key, graph).vector();
}
MatrixDraft draft_matrix(const Kernel& kernel, FunctionKey key, ExpressionGraph& graph) {
  return Drafter(kernel, key, graph).matrix();
}

bool is_conservative(const Kernel& kernel, int group) {
  for (const ForceTerm& term : kernel.terms)
    if (selected(term, group) && term.force != no_expression && !term.inertial) return false;
  return true;
}

bool is_linear(const Kernel& kernel, int group) {
  ExpressionGraph graph = kernel.scope.graph();
  const auto none_depends_on = [&](const std::vector<Expression>& values, SymbolKind kind) {
    return std::none_of(values.begin(), values.end(), [&](Expression e) { return depends_on(graph, e, kind); });
  };
  const VectorDraft force = draft_vector(kernel, {Purpose::force, group}, graph);
  if (!none_depends_on(force.outputs, SymbolKind::time) || !none_depends_on(force.outputs, SymbolKind::velocity))
    return false;
  return none_depends_on(draft_matrix(kernel, {Purpose::by_position, group}, graph).outputs, SymbolKind::coordinate);
}
}  // namespace trill
