// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/compiled_model.hpp"

#include "base/text.hpp"
#include "model/expression/mechanics.hpp"
#include "model/text/model_events.hpp"
#include "model/text/model_jumps.hpp"
#include "model/text/model_picture.hpp"
#include "model/text/open_velocities.hpp"
#include "model/text/soft_directions.hpp"
#include "model/text/start_check.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_groups = 32;

class Compiler {
 public:
  Compiler(CompiledModel& model) : model_(model), file_(model.file), space_(*model.space) {}

  void compile() {
    read_coordinates();
    parse_derived();
    read_terms();
    read_constraints();
    read_measures();
    read_kinetic();
    read_rates();
    read_heat_bath();
    read_events(model_, [this](const std::optional<FileText>& over) -> Kernel& { return kernel(over); });
    find_switches(model_, kernels_);
    number_rows();
    model_.has_closed_form = closed_ == space_.unknowns() && constraint_count_ == 0;
    find_mass_kind();
    model_.functions =
        std::make_unique<ModelFunctions>(std::move(kernels_), space_.unknowns(), gap_count_, constraint_count_);
    read_group_facts();
    check_heat_bath();
    model_.info = read_info(file_, space_);
  }

 private:
  Kernel& kernel(const std::optional<FileText>& over) {
    const IndexSet* set = space_.set(over);
    for (const auto& k : kernels_)
      if (k->scope.over() == set) return *k;
    return *kernels_.emplace_back(std::make_unique<Kernel>(space_, set));
  }

  // One value for each entry of an array: a list of parts, or one expression for all.
  void fill(const CoordinateArray& array, const FileValues& values, std::string_view what, Vec& into) {
    for (int part = 0; part < array.parts; ++part) {
      const std::vector<double> numbers = KernelScope(space_, array.over).parse_constants(values.part(part), what);
      for (Index k = 0; k < array.elements(); ++k) into[array.place(k, part)] = numbers[static_cast<std::size_t>(k)];
    }
  }

  void refuse_no_unknowns() const {
    if (space_.unknowns() > 0 || file_.structure) return;
    throw model_.source.error(file_.coordinates.front().name.offset,
                              "the model has no unknowns, because the sets of all its coordinates are empty; give at "
                              "least one of them a size of 1 or more");
  }

  void read_coordinates() {
    refuse_no_unknowns();
    model_.start = model_.velocity = Vec::Zero(space_.unknowns());
    model_.mass = Vec::Ones(space_.unknowns());
    given_mass_.assign(static_cast<std::size_t>(space_.unknowns()), false);
    for (const CoordinateArray& array : space_.arrays()) {
      const FileCoordinate& c = *array.file;
      fill(array, c.start, "the start of a coordinate", model_.start);
      if (c.velocity) fill(array, *c.velocity, "the velocity at the start", model_.velocity);
      if (c.mass) fill(array, {*c.mass, {}}, "a mass", model_.mass);
      if (c.mass) space_.fix_parameters_of(*c.mass, array.over);
      for (Index k = 0; c.mass && k < array.size(); ++k) given_mass_[static_cast<std::size_t>(array.first + k)] = true;
      const auto masses = model_.mass.segment(array.first, array.size());
      if (array.size() > 0 && !(masses.minCoeff() >= 0))
        throw c.mass->error(fmt::format("a mass cannot be negative, but this one is {}", masses.minCoeff()));
      if (c.exact) read_closed_form(array, *c.exact);
      for (const FileSmall& small : file_.small)
        if (small.coordinate == c.name.text) model_.small.push_back({small.label, array.first, array.size()});
      for (const FileSlowSpin& spin : file_.slow_spins)
        if (spin.coordinate == c.name.text) model_.slow_spins.push_back({spin.label, array.first, spin.frequency});
    }
  }

  void read_closed_form(const CoordinateArray& array, const FileValues& exact) {
    Kernel& k = kernel(array.file->over);
    for (int part = 0; part < array.parts; ++part) {
      const FileValue& value = exact.part(part);
      const Expression e = k.scope.parse(value);
      for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::multiplier})
        if (depends_on(k.graph(), e, kind)) throw value.error("a closed form may depend only on t and on parameters");
      k.closed_forms.push_back({e, &array, part, &value});
    }
    closed_ += array.size();
  }

  // Derived names that no term uses are checked as well, except sums: files cannot contain them, and they may be long.
  void parse_derived() {
    for (const FileDerived& d : file_.derived) {
      if (d.summed_over) continue;
      Kernel& k = kernel(d.over);
      k.scope.find({d.name.text, no_expression, d.value.piece, 0, 0});
    }
  }

  std::size_t group(const std::optional<FileText>& name, const char* otherwise, bool fast) {
    const std::string wanted = name ? name->text : otherwise;
    for (std::size_t k = 0; k < model_.groups.size(); ++k)
      if (model_.groups[k].name == wanted) {
        model_.groups[k].fast = model_.groups[k].fast || fast;
        return k;
      }
    if (model_.groups.size() == most_groups) {
      const std::string message =
          fmt::format("there are more than {} groups of forces, which is the limit", most_groups);
      throw name ? model_.source.error(name->offset, message) : model_.source.error(message);
    }
    model_.groups.push_back({wanted, fast || wanted == "fast"});
    return model_.groups.size() - 1;
  }

  static Expression parse_position(Kernel& k, const FileValue& value, std::string_view what) {
    const Expression e = k.scope.parse(value);
    if (depends_on(k.graph(), e, SymbolKind::velocity))
      throw value.error(fmt::format("{} must not depend on velocities", what));
    if (depends_on(k.graph(), e, SymbolKind::multiplier))
      throw value.error(fmt::format("{} must not depend on the forces of constraints", what));
    return e;
  }

  void read_stiff(const FileStiff& s) {
    Kernel& k = kernel(s.over);
    ExpressionGraph& graph = k.graph();
    const Expression gap = parse_position(k, s.gap, "a gap");
    space_.take_memory(2 * k.scope.instances(), s.stiffness.piece.begin);
    const std::vector<double> stiffness = positive_stiffness(k.scope, s);
    space_.fix_parameters_of(s.stiffness, k.scope.over());
    const Expression half = graph.multiply(graph.number(0.5), k.scope.parse(s.stiffness));
    const Expression energy = graph.multiply(half, graph.apply(Op::square, gap));
    if (is_soft_direction(s, model_, given_mass_)) {
      k.terms.push_back({.place = &s.gap, .group = group(std::nullopt, "slow", false), .energy = energy});
      return;
    }
    stiffness_[&k].push_back(stiffness);
    k.gaps.push_back({&s.gap, gap});
    space_.count_gap(k.scope.over());
    const std::size_t in = group(s.group, "fast", true);
    gap_group_[&k].push_back(Groups{1} << in);
    k.terms.push_back({.place = &s.gap, .group = in, .energy = energy, .of_gap = true});
  }

  void read_force_along(const FileForce& f, const char* otherwise) {
    Kernel& k = kernel(f.over);
    const Expression along = parse_position(k, *f.along, "what a force acts along"), value = k.scope.parse(f.value);
    const std::size_t in = group(f.group, otherwise, false);
    for (const Partial& p : gradient(k.graph(), along, SymbolKind::coordinate))
      add_force(k, {&f.value, in, no_expression, k.graph().multiply(value, p.value), p.column});
  }

  static void add_force(Kernel& k, const ForceTerm& term) {
    (depends_on(k.graph(), term.force, SymbolKind::multiplier) ? k.reactions : k.terms).push_back(term);
  }

  void read_force(const FileForce& f, const char* otherwise) {
    if (f.along) return read_force_along(f, otherwise);
    Kernel& k = kernel(f.over);
    const ParsedValue on = k.scope.parse_any(f.on.piece);
    const std::size_t in = group(f.group, otherwise, false);
    if (f.value.parts.empty() ? on.size != 1 : on.size != static_cast<int>(f.value.parts.size()))
      throw f.value.error(on.size == 1 ? "a force on one coordinate is a single value, not a list"
                                       : fmt::format("a force on a point must be a list of {} values", on.size));
    for (std::size_t part = 0; part < static_cast<std::size_t>(on.size); ++part) {
      const ExpressionNode& node = k.graph()[on.part[part]];
      if (node.op != Op::symbol || node.kind != SymbolKind::coordinate)
        throw f.on.piece.error(0, fmt::format("a force acts on a coordinate, and '{}' is not one", f.on.text));
      const FileValue& value = f.value.part(static_cast<int>(part));
      const int slot = node.index;
      add_force(k, {&value, in, no_expression, k.scope.parse(value), slot});
    }
  }

  void read_terms() {
    const char* otherwise = file_.stiff.empty() ? "all" : "slow";
    for (const FileStiff& s : file_.stiff) read_stiff(s);
    for (const FilePotential& p : file_.potentials) {
      Kernel& k = kernel(p.over);
      k.terms.push_back(
          {&p.energy, group(p.group, otherwise, false), parse_position(k, p.energy, "a potential energy")});
    }
    for (const FileForce& f : file_.forces) read_force(f, otherwise);
    if (model_.groups.empty()) group(std::nullopt, otherwise, true);
    bool any_fast = false;
    for (const GroupInfo& g : model_.groups) any_fast = any_fast || g.fast;
    if (!any_fast)
      for (GroupInfo& g : model_.groups) g.fast = true;
  }

  void read_constraints() {
    for (const FileConstraint& c : file_.constraints) {
      Kernel& k = kernel(c.over);
      k.constraints.push_back({&c, parse_position(k, c, "a constraint")});
    }
  }

  void read_kinetic() {
    for (const FileKinetic& t : file_.kinetic) {
      Kernel& k = kernel(t.over);
      const Expression e = k.scope.parse(t.energy);
      if (depends_on(k.graph(), e, SymbolKind::time)) throw t.energy.error("a kinetic energy must not depend on t");
      if (depends_on(k.graph(), e, SymbolKind::multiplier))
        throw t.energy.error("a kinetic energy must not depend on the forces of constraints");
      if (!is_quadratic_in_velocities(k.graph(), e))
        throw t.energy.error(
            "a kinetic energy must be a sum of squares and products of velocities, such as m/2*r^2*vphi^2");
      k.kinetic.push_back({&t.energy, e});
      space_.fix_parameters_of(t.energy, k.scope.over());
    }
  }

  void read_rates() {
    for (const FileRate& rate : file_.rates)
      for (const CoordinateArray& array : space_.arrays()) {
        if (array.file->name.text != rate.on.text) continue;
        Kernel& k = kernel(array.file->over);
        for (int part = 0; part < array.parts; ++part) {
          k.rates.push_back({parse_position(k, rate.value.part(part), "a rate"), &array, part, &rate.value.part(part)});
          if (file_.has_charges() && !rate.algebraic) read_charge(k, rate, array, part);
        }
      }
  }

  // A rate is that of its coordinate unless it says otherwise.
  void read_charge(Kernel& k, const FileRate& rate, const CoordinateArray& array, int part) {
    if (rate.of) {
      const FileValue& of = rate.of->part(part);
      const Expression e = parse_position(k, of, "what a rate is of");
      if (depends_on(k.graph(), e, SymbolKind::time))
        throw of.error("what a rate is of may not depend on t; take its derivative by t into the rate");
      k.charges.push_back({e, &array, part, &of});
      return;
    }
    const Expression element = array.over ? k.graph().symbol(SymbolKind::element) : no_expression;
    const ParsedValue own = k.scope.find({rate.on.text, element, rate.value.piece, 0, 0});
    k.charges.push_back({own.part[static_cast<std::size_t>(part)], &array, part, &rate.value.part(part)});
  }

  // Coordinates whose velocities occur in a kinetic energy have no other mass unless the file gives one. A
  // position-dependent mass causes additional forces, which are in a group of their own.
  void find_mass_kind() {
    bool of_q = false;
    for (const auto& k : kernels_) {
      if (k->kinetic.empty()) continue;
      ExpressionGraph& graph = k->graph();
      Expression energy = graph.number(0);
      for (const RowTerm& term : k->kinetic) energy = graph.add(energy, term.value);
      for (const Partial& p : gradient(graph, energy, SymbolKind::velocity))
        for (const std::int32_t place : k->table->coordinates[static_cast<std::size_t>(p.column)])
          if (!given_mass_[static_cast<std::size_t>(place)]) model_.mass[place] = 0;
      if (!depends_on(graph, energy, SymbolKind::coordinate)) continue;
      of_q = true;
      const std::size_t inertia = group(FileText{"inertia", 0}, "", false);
      const KineticTerms terms = kinetic_terms(graph, energy, k->scope.slots());
      for (int slot = 0; slot < k->scope.slots(); ++slot)
        if (const Expression force = terms.velocity_force[static_cast<std::size_t>(slot)]; graph.constant(force) != 0)
          k->terms.push_back({k->kinetic[0].place, inertia, no_expression, force, slot, true});
    }
    if (of_q)
      model_.mass_kind = MassKind::of_q;
    else if (!file_.kinetic.empty())
      model_.mass_kind = MassKind::constant;
    else
      model_.mass_kind = (model_.mass.array() == 1).all() ? MassKind::identity : MassKind::diagonal;
  }

  // Counts the numbers in the tables of a kernel: the places of its slots and, for a gap or constraint, its row, value
  // and slope. Also counts the evaluation at the start of its terms and their first derivatives, which need a few times
  // as many operations as the terms.
  void take_memory_and_time(Kernel& k) {
    if (!k.scope.over()) return;
    const std::size_t place = k.scope.over()->file->name.offset;
    const auto rows = static_cast<Index>(k.gaps.size() + k.constraints.size() + k.switches.size());
    space_.take_memory(k.scope.instances() * (k.scope.slots() + 3 * rows), place);
    space_.take_time(k.scope.instances() * static_cast<Index>(6 * k.graph().size()), place);
  }

  void number_rows() {
    std::vector<double> all;
    for (const auto& k : kernels_) {
      k->first_gap = gap_count_;
      k->first_constraint = constraint_count_;
      gap_count_ += k->scope.instances() * static_cast<Index>(k->gaps.size());
      constraint_count_ += k->scope.instances() * static_cast<Index>(k->constraints.size());
      take_memory_and_time(*k);
      k->finish();
      const auto& columns = stiffness_[k.get()];
      const std::vector<Groups>& groups = gap_group_[k.get()];
      for (std::size_t i = 0; i < static_cast<std::size_t>(k->scope.instances()); ++i) {
        for (const auto& column : columns) all.push_back(column[i]);
        model_.group_of_gap.insert(model_.group_of_gap.end(), groups.begin(), groups.end());
      }
    }
    model_.stiffness = Eigen::Map<const Vec>(all.data(), static_cast<Index>(all.size()));
  }

  static Drag drag_of(ExpressionGraph& graph, Expression force) {
    Drag found = Drag::none;
    for (const Partial& p : gradient(graph, force, SymbolKind::velocity))
      found = std::max(found, depends_on(graph, p.value, SymbolKind::velocity) ? Drag::nonlinear : Drag::linear);
    return found;
  }

  void read_group_facts() {
    bool mixed = false;
    for (std::size_t g = 0; g < model_.groups.size(); ++g) {
      Drag drag = Drag::none;
      bool conservative = true, dependent = false, of_gaps = false, of_others = false;
      for (const auto& k : model_.functions->kernels()) {
        if (k->scope.instances() == 0) continue;
        conservative = conservative && is_conservative(*k, static_cast<int>(g));
        for (const ForceTerm& term : k->terms) {
          if (term.group != g) continue;
          (term.of_gap ? of_gaps : of_others) = true;
          if (term.force == no_expression) continue;
          dependent = dependent || depends_on(k->graph(), term.force, SymbolKind::velocity);
          if (!term.inertial) drag = std::max(drag, drag_of(k->graph(), term.force));
        }
        for (const ForceTerm& term : k->reactions) {
          if (term.group != g) continue;
          model_.has_reactions = of_others = dependent = true;
          conservative = false;
          drag = Drag::nonlinear;
        }
      }
      model_.conservative.push_back(conservative);
      model_.velocity_dependent.push_back(dependent);
      model_.drag.push_back(drag);
      if (of_gaps) model_.gap_groups |= Groups{1} << g;
      mixed = mixed || (of_gaps && of_others);
    }
    if (mixed) model_.gap_groups = 0;
  }

  void read_measures() {
    for (const FileMeasure& m : file_.measures) {
      Kernel& k = kernel(m.over);
      const Expression e = k.scope.parse_measure(m.value);
      k.measures.push_back({e, static_cast<std::int32_t>(model_.measures.size())});
      if (depends_on(k.graph(), e, SymbolKind::acceleration)) model_.measures_accelerations = true;
      model_.measures.push_back({m.name.text, m.unit});
    }
  }

  void read_heat_bath() {
    if (!file_.heat_bath) return;
    const auto read = [&](const FileValue& value, const char* what) {
      const double number = KernelScope(space_, nullptr).parse_constant(value, what);
      if (!(number >= 0)) throw value.error(fmt::format("{} cannot be negative, but it is {}", what, number));
      space_.fix_parameters_of(value, nullptr);
      return number;
    };
    model_.friction = read(file_.heat_bath->friction, "the friction of the bath");
    model_.temperature = read(file_.heat_bath->temperature, "the temperature of the bath");
  }

  void check_heat_bath() const {
    if (!file_.heat_bath) return;
    for (const auto& k : model_.functions->kernels())
      for (const RowTerm& c : k->constraints)
        if (depends_on(k->graph(), c.value, SymbolKind::time))
          throw c.place->error("in a model with a [heat_bath], a constraint must not depend on t");
    if (model_.mass_kind == MassKind::of_q)
      throw file_.heat_bath->friction.error(
          "a heat bath needs constant masses, and those of this model depend on coordinates");
    if (model_.has_reactions)
      throw file_.heat_bath->friction.error(
          "a heat bath cannot be used with forces that depend on the forces of constraints");
  }

  CompiledModel& model_;
  const ModelFile& file_;
  ModelSpace& space_;
  ModelFunctions::Kernels kernels_;
  std::map<const Kernel*, std::vector<std::vector<double>>> stiffness_;
  std::map<const Kernel*, std::vector<Groups>> gap_group_;
  std::vector<bool> given_mass_;
  Index gap_count_ = 0, constraint_count_ = 0, closed_ = 0;
};
}  // namespace

void compile_model(CompiledModel& model, const OptionSet& given) {
  model.space = std::make_unique<ModelSpace>(model.source, model.file, given);
  Compiler(model).compile();
  check_picture(model);
  find_open_velocities(model, model.begin);
  check_start(model, model.begin);
  model.multipliers = start_multipliers(model, model.begin);
  for (const auto& kernel : model.functions->kernels())
    for (std::string& warning : find_jumps(model, *kernel)) model.warnings.push_back(std::move(warning));
}

ModelInfo read_info(const ModelFile& file, ModelSpace& space) {
  ModelInfo info;
  const auto positive = [&](const std::optional<FileValue>& value, const char* what, double& into) {
    if (!value) return;
    into = KernelScope(space, nullptr).parse_constant(*value, what);
    if (!(into > 0)) throw value->error(fmt::format("{} must be positive, not {}", what, into));
  };
  positive(file.run.to, "the end of the run", info.run.to);
  positive(file.run.h, "the step size", info.run.h);
  positive(file.run.rtol, "the tolerance", info.run.rtol);
  if (file.run.method && !file.run.method->text.empty()) {
    info.run.method = file.run.method->text;
    info.run.method_at = file.run.method->offset;
  }
  info.run.names_rtol = file.run.rtol.has_value();
  info.title = file.title;
  info.reference = file.reference;
  info.equations = file.equations;
  return info;
}

RowPlace row_place(const ModelFunctions& functions, int selection, Index row) {
  for (const auto& k : functions.kernels()) {
    const auto& terms = selection == of_gaps ? k->gaps : k->constraints;
    const Index count = static_cast<Index>(terms.size());
    const Index local = row - (selection == of_gaps ? k->first_gap : k->first_constraint);
    if (local < 0 || local >= count * k->scope.instances()) continue;
    const IndexSet* over = k->scope.over();
    return {terms[static_cast<std::size_t>(local % count)].place,
            over ? " for " + over->element_text(local / count) : ""};
  }
  return {};
}
}  // namespace trill
