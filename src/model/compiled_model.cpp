// SPDX-License-Identifier: BSD-3-Clause
#include "compiled_model.hpp"

#include "model_names.hpp"
#include "trill/base/text.hpp"
#include "trill/model/derivative.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_groups = 32, most_constraints = 2000;

// One line of the file that gives a force: an energy, or a force on one coordinate.
struct Term {
  const FileValue* place = nullptr;
  std::size_t group = 0;
  Expression energy = no_expression, force = no_expression;
  int on = 0;
};

class Compiler {
 public:
  Compiler(const SourceText& source, const ModelFile& file, const OptionSet& given)
      : source_(source), file_(file), names_(source, file, given, graph_) {}

  CompiledModel compile() {
    model_.parameters = names_.parameters();
    read_coordinates();
    read_terms();
    read_constraints();
    check_start();
    for (std::size_t group = 0; group < model_.groups.size(); ++group)
      model_.group_forces.push_back(compile_forces([group](const Term& term) { return term.group == group; }));
    model_.all_forces = compile_forces([](const Term&) { return true; });
    model_.gaps = compile_map(gaps_);
    model_.constraints = compile_map(constraints_);
    read_measures();
    read_run();
    return std::move(model_);
  }

 private:
  Index unknowns() const { return static_cast<Index>(file_.coordinates.size()); }

  void read_coordinates() {
    model_.start = model_.velocity = Vec::Zero(unknowns());
    model_.mass = Vec::Ones(unknowns());
    Index k = 0;
    for (const FileCoordinate& c : file_.coordinates) {
      model_.coordinates.push_back({c.name.text, c.unit});
      model_.start[k] = names_.parse_constant(c.start, "the start of a coordinate");
      if (c.velocity) model_.velocity[k] = names_.parse_constant(*c.velocity, "the velocity at the start");
      if (c.mass) model_.mass[k] = names_.parse_constant(*c.mass, "a mass");
      if (!(model_.mass[k] > 0)) throw c.mass->error(fmt::format("a mass must be positive, not {}", model_.mass[k]));
      ++k;
    }
  }

  std::size_t group(const std::optional<FileText>& name, const char* otherwise, bool fast) {
    const std::string wanted = name ? name->text : otherwise;
    for (std::size_t k = 0; k < model_.groups.size(); ++k)
      if (model_.groups[k].name == wanted) {
        model_.groups[k].fast = model_.groups[k].fast || fast;
        return k;
      }
    if (model_.groups.size() == most_groups)
      throw source_.error(name->offset, fmt::format("more than {} groups of forces", most_groups));
    model_.groups.push_back({wanted, fast || wanted == "fast"});
    return model_.groups.size() - 1;
  }

  Expression parse_position(const FileValue& value, std::string_view what) {
    const Expression e = names_.parse(value);
    if (depends_on(graph_, e, SymbolKind::velocity))
      throw value.error(fmt::format("{} may not depend on velocities", what));
    return e;
  }

  void read_terms() {
    const char* otherwise = file_.stiff.empty() ? "all" : "slow";
    model_.stiffness.resize(static_cast<Index>(file_.stiff.size()));
    Index row = 0;
    for (const FileStiff& s : file_.stiff) {
      const Expression gap = parse_position(s.gap, "a gap");
      const double k = names_.parse_constant(s.stiffness, "a stiffness");
      if (!(k > 0)) throw s.stiffness.error(fmt::format("a stiffness must be positive, not {}", k));
      if (depends_on(graph_, gap, SymbolKind::time)) throw s.gap.error("a gap may not depend on t");
      model_.stiffness[row++] = k;
      gaps_.push_back(gap);
      const Expression energy = graph_.multiply(graph_.number(0.5 * k), graph_.apply(Op::square, gap));
      terms_.push_back({&s.gap, group(s.group, "fast", true), energy});
    }
    for (const FilePotential& p : file_.potentials)
      terms_.push_back({&p.energy, group(p.group, otherwise, false), parse_position(p.energy, "a potential energy")});
    for (const FileForce& f : file_.forces) {
      const int on = names_.coordinate(f.on);
      terms_.push_back({&f.value, group(f.group, otherwise, false), no_expression, names_.parse(f.value), on});
    }
    if (terms_.empty()) group(std::nullopt, otherwise, true);
    bool any_fast = false;
    for (const GroupInfo& g : model_.groups) any_fast = any_fast || g.fast;
    if (!any_fast)
      for (GroupInfo& g : model_.groups) g.fast = true;
  }

  void read_constraints() {
    if (file_.constraints.size() > most_constraints)
      throw file_.constraints[most_constraints].error(fmt::format("more than {} constraints", most_constraints));
    for (const FileValue& value : file_.constraints) constraints_.push_back(parse_position(value, "a constraint"));
  }

  // Values and slopes of every term at the start, so that a message can point at the one to blame.
  void check_start() {
    std::vector<Expression> outputs;
    const auto list_with_slopes = [&](Expression e) {
      outputs.push_back(e);
      for (const Partial& p : gradient(graph_, e, SymbolKind::coordinate)) outputs.push_back(p.value);
      return outputs.size();
    };
    std::vector<std::size_t> ends;
    for (const Term& term : terms_)
      ends.push_back(list_with_slopes(term.force == no_expression ? term.energy : term.force));
    for (const Expression e : gaps_) ends.push_back(list_with_slopes(e));
    for (const Expression e : constraints_) ends.push_back(list_with_slopes(e));
    const Program program(graph_, outputs);
    Evaluator at_start(program);
    at_start.evaluate({.t = 0, .q = model_.start.data(), .v = model_.velocity.data()});

    std::size_t piece = 0, begin = 0;
    for (const Term& term : terms_) {
      check_finite(at_start, begin, ends[piece], *term.place, term.force == no_expression ? "energy" : "force");
      begin = ends[piece++];
    }
    const auto check_map = [&](const FileValue& place, const char* what) {
      check_finite(at_start, begin, ends[piece], place, what);
      double slope = 0;
      for (std::size_t k = begin + 1; k < ends[piece]; ++k) slope = std::max(slope, std::abs(at_start[k]));
      if (slope == 0)
        throw place.error(
            fmt::format("this {} does not change with any coordinate at the start: its gradient is zero", what));
      begin = ends[piece++];
    };
    for (const FileStiff& s : file_.stiff) check_map(s.gap, "gap");
    for (const FileValue& value : file_.constraints) check_map(value, "constraint");
  }

  static void check_finite(const Evaluator& at_start, std::size_t begin, std::size_t end, const FileValue& place,
                           const char* what) {
    if (!std::isfinite(at_start[begin]))
      throw place.error(fmt::format("this {} is {} at the start", what, at_start[begin]));
    for (std::size_t k = begin + 1; k < end; ++k)
      if (!std::isfinite(at_start[k]))
        throw place.error(fmt::format("the derivative of this {} is {} at the start", what, at_start[k]));
  }

  // The outputs of a matrix, each expression once.
  class MatrixOutputs {
   public:
    void add(Index row, Index column, Expression e, bool mirrored) {
      entries_.push_back({row, column, outputs_.size()});
      if (mirrored && row != column) entries_.push_back({column, row, outputs_.size()});
      outputs_.push_back(e);
    }
    MatrixProgram compile(const ExpressionGraph& graph) { return {Program(graph, outputs_), std::move(entries_)}; }

   private:
    std::vector<Expression> outputs_;
    std::vector<MatrixEntry> entries_;
  };

  template <class Wanted>
  CompiledForces compile_forces(Wanted wanted) {
    CompiledForces out;
    Expression energy = graph_.number(0);
    std::vector<Expression> force(static_cast<std::size_t>(unknowns()), energy), applied = force;
    for (const Term& term : terms_) {
      if (!wanted(term)) continue;
      if (term.force == no_expression) {
        energy = graph_.add(energy, term.energy);
        continue;
      }
      out.conservative = false;
      Expression& sum = applied[static_cast<std::size_t>(term.on)];
      sum = graph_.add(sum, term.force);
    }
    MatrixOutputs by_position, by_velocity;
    for (const Partial& p : gradient(graph_, energy, SymbolKind::coordinate))
      force[static_cast<std::size_t>(p.column)] = graph_.negate(p.value);
    for (const Partial& p : lower_hessian(graph_, energy, SymbolKind::coordinate))
      by_position.add(p.row, p.column, graph_.negate(p.value), true);
    for (std::size_t row = 0; row < applied.size(); ++row) {
      for (const Partial& p : gradient(graph_, applied[row], SymbolKind::coordinate))
        by_position.add(static_cast<Index>(row), p.column, p.value, false);
      for (const Partial& p : gradient(graph_, applied[row], SymbolKind::velocity)) {
        by_velocity.add(static_cast<Index>(row), p.column, p.value, false);
        out.velocity_dependent = true;
      }
      force[row] = graph_.add(force[row], applied[row]);
    }
    const Expression energies[] = {energy};
    out.energy = Program(graph_, energies);
    out.force = Program(graph_, force);
    out.by_position = by_position.compile(graph_);
    out.by_velocity = by_velocity.compile(graph_);
    return out;
  }

  CompiledMap compile_map(const std::vector<Expression>& g) {
    CompiledMap map;
    map.count = static_cast<Index>(g.size());
    map.unknowns = unknowns();
    const Expression time = graph_.symbol(SymbolKind::time);
    const std::vector<Rate> clock = {{time, graph_.number(1)}};
    std::vector<Rate> along = clock;
    for (int i = 0; i < static_cast<int>(unknowns()); ++i)
      along.push_back({graph_.symbol(SymbolKind::coordinate, i), graph_.symbol(SymbolKind::velocity, i)});
    std::vector<Expression> by_time, curvature;
    MatrixOutputs jacobian, transpose;
    Expression work = graph_.number(0);  // s^T g
    for (std::size_t row = 0; row < g.size(); ++row) {
      by_time.push_back(directional_derivative(graph_, g[row], clock));
      const Expression rate = directional_derivative(graph_, g[row], along);
      curvature.push_back(directional_derivative(graph_, rate, along));
      for (const Partial& p : gradient(graph_, g[row], SymbolKind::coordinate))
        jacobian.add(static_cast<Index>(row), p.column, p.value, false);
      work = graph_.add(work, graph_.multiply(graph_.symbol(SymbolKind::multiplier, static_cast<int>(row)), g[row]));
    }
    for (const Partial& p : lower_hessian(graph_, work, SymbolKind::coordinate))
      transpose.add(p.row, p.column, p.value, true);
    map.value = Program(graph_, g);
    map.time_derivative = Program(graph_, by_time);
    map.curvature = Program(graph_, curvature);
    map.jacobian = jacobian.compile(graph_);
    map.transpose_derivative = transpose.compile(graph_);
    return map;
  }

  void read_measures() {
    std::set<std::string, std::less<>> taken;
    std::vector<Expression> outputs;
    for (const FileMeasure& m : file_.measures) {
      if (m.name.text.empty() || m.name.text.find_first_of(",\"\n\r\t") != std::string::npos)
        throw source_.error(m.name.offset, "a measure needs a name without commas, quotes and line ends");
      if (!taken.insert(m.name.text).second)
        throw source_.error(m.name.offset, fmt::format("there is already a measure '{}'", m.name.text));
      model_.measures.push_back({m.name.text, m.unit});
      outputs.push_back(names_.parse(m.value));
    }
    model_.measure = Program(graph_, outputs);
  }

  void read_run() {
    RunDefaults& run = model_.info.run;
    const auto positive = [&](const std::optional<FileValue>& value, const char* what, double& into) {
      if (!value) return;
      into = names_.parse_constant(*value, what);
      if (!(into > 0)) throw value->error(fmt::format("{} must be positive, not {}", what, into));
    };
    positive(file_.run.to, "the end of the run", run.to);
    positive(file_.run.h, "the step size", run.h);
    positive(file_.run.rtol, "the tolerance", run.rtol);
    if (!file_.run.method.empty())
      run.method = file_.run.method;
    else if (!constraints_.empty())
      run.method = "rattle";
    model_.info.title = file_.title;
    model_.info.reference = file_.reference;
  }

  const SourceText& source_;
  const ModelFile& file_;
  ExpressionGraph graph_;
  ModelNames names_;
  std::vector<Term> terms_;
  std::vector<Expression> gaps_, constraints_;
  CompiledModel model_;
};
}  // namespace

CompiledModel compile_model(const SourceText& source, const ModelFile& file, const OptionSet& given) {
  return Compiler(source, file, given).compile();
}
}  // namespace trill
