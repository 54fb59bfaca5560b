// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include "trill/model/derivative.hpp"

namespace trill {
namespace {
bool selected(const ForceTerm& term, int selection) {
  return selection == every_group || term.group == static_cast<std::size_t>(selection);
}

class Drafter {
 public:
  explicit Drafter(Kernel& kernel) : kernel_(kernel), graph_(kernel.graph()), table_(kernel.table) {}

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
  // Forces that no energy gives, for each slot.
  std::vector<Expression> applied(int selection) {
    std::vector<Expression> sums(slots(), graph_.number(0));
    for (const ForceTerm& term : kernel_.terms) {
      if (!selected(term, selection) || term.force == no_expression) continue;
      Expression& sum = sums[static_cast<std::size_t>(term.on)];
      sum = graph_.add(sum, term.force);
    }
    return sums;
  }
  std::vector<Expression> force(int selection) {
    std::vector<Expression> f = applied(selection);
    for (const Partial& p : gradient(graph_, energy(selection), SymbolKind::coordinate)) {
      Expression& sum = f[static_cast<std::size_t>(p.column)];
      sum = graph_.subtract(sum, p.value);
    }
    return f;
  }

  // Rates of all coordinates by symbols of another kind.
  std::vector<Rate> along(SymbolKind kind) {
    std::vector<Rate> rates;
    for (int slot = 0; slot < kernel_.scope.slots(); ++slot)
      rates.push_back({graph_.symbol(SymbolKind::coordinate, slot), graph_.symbol(kind, slot)});
    return rates;
  }
  std::vector<Rate> clock() { return {{graph_.symbol(SymbolKind::time), graph_.number(1)}}; }
  std::vector<Rate> along_motion() {
    std::vector<Rate> rates = along(SymbolKind::velocity);
    rates.push_back(clock()[0]);
    return rates;
  }

  VectorDraft vector(FunctionKey key) {
    switch (key.purpose) {
      case Purpose::energy:
        add_sum(energy(key.selection), 0);
        break;
      case Purpose::kinetic_energy:
        add_sum(kinetic_energy(), 0);
        break;
      case Purpose::force:
        add_slots(force(key.selection));
        break;
      case Purpose::force_product: {
        std::vector<Expression> f = force(key.selection);
        const std::vector<Rate> rates = along(SymbolKind::direction);
        for (Expression& e : f) e = directional_derivative(graph_, e, rates);
        add_slots(f);
        break;
      }
      case Purpose::measure:
        for (const SummedTerm& m : kernel_.measures) add_sum(m.value, m.place);
        break;
      case Purpose::rate:
        for (const CoordinateTerm& r : kernel_.rates) add_coordinate(r.value, *r.array, r.part, 0);
        break;
      case Purpose::closed_form:
        for (const CoordinateTerm& c : kernel_.closed_forms) {
          add_coordinate(c.value, *c.array, c.part, 0);
          add_coordinate(directional_derivative(graph_, c.value, clock()), *c.array, c.part, 1);
        }
        break;
      default:
        add_rows(key);
    }
    return std::move(vector_);
  }

  MatrixDraft matrix(FunctionKey key) {
    const int selection = key.selection;
    switch (key.purpose) {
      case Purpose::by_position:
        add_symmetric(graph_.negate(energy(selection)), SymbolKind::coordinate);
        add_jacobian(applied(selection), SymbolKind::coordinate);
        break;
      case Purpose::by_velocity:
        add_jacobian(applied(selection), SymbolKind::velocity);
        break;
      case Purpose::transpose_derivative: {
        Expression work = graph_.number(0);  // s^T g
        for (std::size_t k = 0; k < rows(selection).size(); ++k) {
          const auto s = graph_.symbol(SymbolKind::multiplier, static_cast<int>(first_row(selection) + k));
          work = graph_.add(work, graph_.multiply(s, rows(selection)[k].value));
        }
        add_symmetric(work, SymbolKind::coordinate);
        break;
      }
      case Purpose::jacobian:
        for (std::size_t k = 0; k < rows(selection).size(); ++k) add_row(selection, k, rows(selection)[k].value);
        break;
      case Purpose::velocity_derivative:
        for (std::size_t k = 0; k < rows(selection).size(); ++k)
          add_row(selection, k, directional_derivative(graph_, rows(selection)[k].value, along_motion()));
        break;
      case Purpose::rate_jacobian:
        for (const CoordinateTerm& r : kernel_.rates)
          for (const Partial& p : gradient(graph_, r.value, SymbolKind::coordinate))
            add_entry(p.value, places(*r.array, r.part, 0), coordinate(p.column));
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
  void add_slots(const std::vector<Expression>& values) {
    for (std::size_t slot = 0; slot < values.size(); ++slot)
      add_value(values[slot], coordinate(static_cast<int>(slot)));
  }
  void add_value(Expression e, std::shared_ptr<const IndexTable> places) {
    if (graph_.constant(e) == 0) return;
    vector_.outputs.push_back(e);
    vector_.targets.push_back({std::move(places), false});
  }
  // `after`: how many vectors as long as q lie before it.
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

  void add_rows(FunctionKey key) {
    const std::vector<RowTerm>& all = rows(key.selection);
    for (std::size_t k = 0; k < all.size(); ++k) {
      Expression e = all[k].value;
      if (key.purpose == Purpose::time_derivative) {
        e = directional_derivative(graph_, e, clock());
      } else if (key.purpose == Purpose::curvature) {
        const std::vector<Rate> rates = along_motion();
        e = directional_derivative(graph_, directional_derivative(graph_, e, rates), rates);
      } else if (key.purpose == Purpose::slope) {
        Expression sum = graph_.number(0);
        for (const Partial& p : gradient(graph_, e, SymbolKind::coordinate))
          sum = graph_.add(sum, graph_.apply(Op::square, p.value));
        e = sum;
      }
      add_value(e, row(first_row(key.selection) + k));
    }
  }

  void add_entry(Expression e, std::shared_ptr<const IndexTable> row, std::shared_ptr<const IndexTable> column) {
    matrix_.outputs.push_back(e);
    matrix_.rows.push_back(std::move(row));
    matrix_.columns.push_back(std::move(column));
  }
  // The second derivative of one expression.
  void add_symmetric(Expression e, SymbolKind kind) {
    for (const Partial& p : lower_hessian(graph_, e, kind)) {
      add_entry(p.value, coordinate(p.row), coordinate(p.column));
      if (p.row != p.column) add_entry(p.value, coordinate(p.column), coordinate(p.row));
    }
  }
  void add_jacobian(const std::vector<Expression>& values, SymbolKind kind) {
    for (std::size_t slot = 0; slot < values.size(); ++slot)
      for (const Partial& p : gradient(graph_, values[slot], kind))
        add_entry(p.value, coordinate(static_cast<int>(slot)), coordinate(p.column));
  }
  void add_row(int selection, std::size_t k, Expression e) {
    for (const Partial& p : gradient(graph_, e, SymbolKind::coordinate))
      add_entry(p.value, row(first_row(selection) + k), coordinate(p.column));
  }

  Kernel& kernel_;
  ExpressionGraph& graph_;
  std::shared_ptr<const KernelTable> table_;
  VectorDraft vector_;
  MatrixDraft matrix_;
};
}  // namespace

void Kernel::finish() {
  KernelTable made = scope.make_table();
  const auto add_rows = [&](std::size_t count, Index first) {
    for (std::size_t k = 0; k < count; ++k) {
      IndexTable rows(static_cast<std::size_t>(made.instances));
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<std::int32_t>(first + static_cast<Index>(i * count + k));
      made.rows.push_back(std::move(rows));
    }
  };
  add_rows(gaps.size(), first_gap);
  add_rows(constraints.size(), first_constraint);
  table = std::make_shared<const KernelTable>(std::move(made));
}

VectorDraft draft_vector(Kernel& kernel, FunctionKey key) { return Drafter(kernel).vector(key); }
MatrixDraft draft_matrix(Kernel& kernel, FunctionKey key) { return Drafter(kernel).matrix(key); }

bool is_conservative(const Kernel& kernel, int group) {
  for (const ForceTerm& term : kernel.terms)
    if (selected(term, group) && term.force != no_expression) return false;
  return true;
}
}  // namespace trill
