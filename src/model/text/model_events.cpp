// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_events.hpp"

#include "model/expression/derivative.hpp"
#include "model/expression/switching.hpp"
#include "model/text/model_times.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
class EventReader {
 public:
  EventReader(CompiledModel& model, Kernel& kernel) : model_(model), kernel_(kernel) {}

  void read(const FileEvent& file) {
    const auto number = model_.events.size() + 1;
    CompiledEvent event{
        {file.name ? file.name->text : fmt::format("event {}", number), file.direction, file.stop, false},
        {},
        {},
        false};
    kernel_.events.push_back(kernel_.scope.parse(file.when));
    check_that_it_changes(file);
    event.at_a_time = is_linear_in_time(kernel_.graph(), kernel_.events.back());
    kernel_.changes.emplace_back();
    for (const FileChange& change : file.then) read_change(change, event);
    model_.events.push_back(std::move(event));
  }

  // To be called when all events are read.
  void check_parameters(const FileEvent& file) const {
    for (const FileChange& change : file.then) {
      const ModelSpace::Meaning* meaning = model_.space->find(change.target.text);
      if (!meaning || meaning->kind != ModelSpace::Kind::parameter) continue;
      if (model_.space->is_fixed(meaning->parameter))
        throw model_.source.error(
            change.target.offset,
            fmt::format(
                "an event cannot change '{}', because the size of a set, a column, an index, a mass, a stiffness or "
                "the heat bath depends on it",
                change.target.text));
      check_that_it_stays(change.value);
    }
  }

 private:
  // A state remembers which event set a parameter but not the value, so the value must not depend on other events.
  void check_that_it_stays(const FileValue& value) const {
    KernelScope scope(*model_.space, nullptr);
    const Expression roots[] = {scope.parse(value)};
    for (const Expression e : scope.graph().needed(roots))
      for (const int parameter : model_.changing)
        if (e == scope.graph().symbol(SymbolKind::parameter, parameter))
          throw value.error(
              fmt::format("the new value of a parameter must not depend on '{}', which is itself changed by events",
                          model_.space->parameters()[static_cast<std::size_t>(parameter)].name));
  }
  void check_that_it_changes(const FileEvent& file) const {
    for (const SymbolKind kind :
         {SymbolKind::time, SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::multiplier})
      if (depends_on(kernel_.graph(), kernel_.events.back(), kind)) return;
    throw file.when.error(
        "an event happens where this value becomes zero, but it depends neither on coordinates nor on t, so it never "
        "changes");
  }

  void read_change(const FileChange& change, CompiledEvent& event) {
    const ModelSpace::Meaning* meaning = model_.space->find(change.target.text);
    if (meaning && meaning->kind == ModelSpace::Kind::parameter)
      read_parameter(change, meaning->parameter, event);
    else
      read_coordinate(change, event);
  }

  void read_parameter(const FileChange& change, int parameter, CompiledEvent& event) {
    const double value =
        KernelScope(*model_.space, nullptr).parse_constant(change.value, "the new value of a parameter");
    if (const std::string wrong = model_.file.parameters[static_cast<std::size_t>(parameter)].complaint(value);
        !wrong.empty())
      throw change.value.error(wrong);
    event.parameters.push_back({parameter, value});
    if (std::find(model_.changing.begin(), model_.changing.end(), parameter) == model_.changing.end())
      model_.changing.push_back(parameter);
  }

  void read_coordinate(const FileChange& change, CompiledEvent& event) {
    const ParsedValue target = kernel_.scope.parse_any(change.target.piece);
    const ExpressionNode node = target.size == 1 ? kernel_.graph()[target.part[0]] : ExpressionNode{};
    const bool velocity = node.op == Op::symbol && node.kind == SymbolKind::velocity;
    if (!velocity && !(node.op == Op::symbol && node.kind == SymbolKind::coordinate))
      throw model_.source.error(
          change.target.offset,
          fmt::format("an event can change parameters, coordinates and velocities, and '{}' is none of these",
                      change.target.text));
    const std::int32_t place = kernel_.scope.make_table().coordinates[static_cast<std::size_t>(node.index)][0];
    event.places.push_back(place + (velocity ? model_.space->unknowns() : 0));
    kernel_.changes.back().push_back(kernel_.scope.parse(change.value));
  }

  CompiledModel& model_;
  Kernel& kernel_;
};

std::string switch_name(const CompiledModel& model, const FileValue& place) {
  return fmt::format("switch in line {}", model.source.place(place.piece.begin).line);
}

// A switch in the terms of one kernel; each is listed once.
struct FoundSwitch {
  Expression when;
  const FileValue* place;
  bool common;  // the same for all elements
};
std::vector<FoundSwitch> switches_of(Kernel& kernel) {
  std::vector<FoundSwitch> found;
  const auto look = [&](Expression e, const FileValue& place) {
    const Expression roots[] = {e};
    for (const SwitchingFunction& s : switching_functions(kernel.graph(), roots))
      if (std::none_of(found.begin(), found.end(), [&](const FoundSwitch& f) { return f.when == s.when; }))
        found.push_back({s.when, &place, kernel.scope.is_common(s.when)});
  };
  for (const auto* terms : {&kernel.terms, &kernel.reactions})
    for (const ForceTerm& term : *terms) look(term.force == no_expression ? term.energy : term.force, *term.place);
  for (const auto* terms : {&kernel.rates, &kernel.charges})
    for (const CoordinateTerm& term : *terms) look(term.value, *term.place);
  for (const RowTerm& row : kernel.constraints) look(row.value, *row.place);
  return found;
}
}  // namespace

// The terms of a kernel with a bias in every comparison that is a switch.
class BiasedTerms {
 public:
  explicit BiasedTerms(Kernel& kernel) : kernel_(kernel), graph_(kernel.graph()) {}

  Expression operator()(Expression e) {
    if (e == no_expression) return e;
    const Expression roots[] = {e};
    for (const Expression x : graph_.needed(roots))
      if (!biased_.contains(x)) biased_.emplace(x, rebuild(x));
    return biased_.at(e);
  }

 private:
  Expression rebuild(Expression x) {
    const ExpressionNode node = graph_[x];
    Expression child[3] = {no_expression, no_expression, no_expression};
    for (int c = 0; c < arity(node.op); ++c) child[c] = biased_.at(node.child[c]);
    if (arity(node.op) == 0) return x;
    const Expression bias = bias_of(node);
    if (bias == no_expression) return graph_.apply(node.op, child[0], child[1], child[2]);
    if (node.op == Op::floor) return held_floor(child[0], bias);
    const Expression a = child[0], b = node.op == Op::abs ? graph_.number(0) : child[1];
    const Op order = node.op == Op::less_equal ? Op::less_equal : Op::less;
    const Expression below = graph_.apply(order, a, graph_.add(b, bias));
    if (node.op == Op::abs) return graph_.apply(Op::choose, below, graph_.negate(a), a);
    if (node.op == Op::min) return graph_.apply(Op::choose, below, a, b);
    if (node.op == Op::max) return graph_.apply(Op::choose, below, b, a);
    return below;
  }

  Expression held_floor(Expression a, Expression bias) {
    const FloorPieces pieces = floor_pieces(graph_, a);
    const Expression zero = graph_.number(0);
    return graph_.apply(Op::choose, graph_.apply(Op::equal, bias, zero), graph_.apply(Op::floor, a),
                        graph_.apply(Op::choose, graph_.apply(Op::less, zero, bias), pieces.odd, pieces.even));
  }

  Expression switching_value(const ExpressionNode& node) {
    if (node.op == Op::floor) return floor_pieces(graph_, node.child[0]).when;
    if (node.op == Op::abs) return node.child[0];
    return graph_.subtract(node.child[0], node.child[1]);
  }

  Expression bias_of(const ExpressionNode& node) {
    const bool compares = node.op == Op::min || node.op == Op::max || node.op == Op::less || node.op == Op::less_equal;
    if (!compares && node.op != Op::abs && node.op != Op::floor) return no_expression;
    const Expression when = switching_value(node);
    for (std::size_t s = 0; s < kernel_.switches.size(); ++s) {
      const Expression bias = graph_.symbol(SymbolKind::column, static_cast<int>(kernel_.first_bias() + s));
      if (kernel_.switches[s].when == when) return bias;
      if (kernel_.switches[s].when == graph_.negate(when)) return graph_.negate(bias);
    }
    return no_expression;
  }

  Kernel& kernel_;
  ExpressionGraph& graph_;
  std::map<Expression, Expression> biased_;
};

void add_biases(Kernel& kernel) {
  BiasedTerms biased(kernel);
  for (auto* terms : {&kernel.terms, &kernel.reactions})
    for (ForceTerm& term : *terms) {
      term.energy = biased(term.energy);
      term.force = biased(term.force);
    }
  for (auto* terms : {&kernel.rates, &kernel.charges})
    for (CoordinateTerm& term : *terms) term.value = biased(term.value);
  for (auto* rows : {&kernel.gaps, &kernel.constraints})
    for (RowTerm& row : *rows) row.value = biased(row.value);
}

void read_events(CompiledModel& model, const KernelFinder& kernel) {
  if (model.file.events.empty()) return;
  EventReader reader(model, kernel(std::nullopt));
  for (const FileEvent& event : model.file.events) reader.read(event);
  for (const FileEvent& event : model.file.events) reader.check_parameters(event);
}

void find_switches(CompiledModel& model, const ModelFunctions::Kernels& kernels) {
  for (const auto& kernel : kernels) {
    const std::vector<FoundSwitch> found = switches_of(*kernel);
    const Index instances = kernel->scope.instances();
    const auto own =
        static_cast<Index>(std::count_if(found.begin(), found.end(), [](const FoundSwitch& s) { return !s.common; }));
    const Index count = instances == 0 ? 0 : instances * own + static_cast<Index>(found.size()) - own;
    if (count == 0) continue;
    if (static_cast<Index>(model.switches.size()) + count > most_switches) {
      model.warnings.push_back(
          fmt::format("line {}: formulas switch at {} places, one for each element; these are too many for steps to "
                      "end at each of them, so small steps may be needed there",
                      model.source.place(found[0].place->piece.begin).line, count));
      continue;
    }
    // The value of a common switch is summed over all elements, which keeps its sign.
    for (const FoundSwitch& s : found)
      if (s.common) {
        kernel->switches.push_back({s.when, static_cast<Index>(model.switches.size()), 0});
        model.switches.push_back({switch_name(model, *s.place), is_linear_in_time(kernel->graph(), s.when)});
      }
    auto next = static_cast<Index>(model.switches.size());
    for (const FoundSwitch& s : found)
      if (!s.common) kernel->switches.push_back({s.when, next++, own});
    for (Index i = 0; i < instances; ++i)
      for (const FoundSwitch& s : found)
        if (!s.common)
          model.switches.push_back({fmt::format("{}, element {}", switch_name(model, *s.place), i),
                                    is_linear_in_time(kernel->graph(), s.when)});
    add_biases(*kernel);
  }
}

TextEvents::TextEvents(const CompiledModel& model) : model_(model), switching_(*model.functions, {Purpose::switching}) {
  std::size_t most = 0;
  for (std::size_t e = 0; e < model.events.size(); ++e) {
    when_.emplace_back(*model.functions, FunctionKey{Purpose::event, static_cast<int>(e)});
    changes_.emplace_back(*model.functions, FunctionKey{Purpose::change, static_cast<int>(e)});
    most = std::max(most, model.events[e].places.size());
  }
  changed_.resize(static_cast<Index>(most));
  switch_values_.resize(static_cast<Index>(model.switches.size()));
}

std::vector<EventInfo> TextEvents::infos() const {
  std::vector<EventInfo> all;
  for (const CompiledEvent& event : model_.events) all.push_back(event.info);
  for (const CompiledSwitch& s : model_.switches) all.push_back({s.name, 0, false, true});
  return all;
}

ProgramInputs TextEvents::inputs_at(const State& s) const {
  const double* q = s.y.data();
  return {.t = s.t, .q = q, .v = q + s.layout.nq, .multipliers = q + s.layout.nq + s.layout.nv};
}

double TextEvents::value(int event, const State& s, const ParameterValues& parameters) const {
  const auto e = static_cast<std::size_t>(event);
  if (e < when_.size()) {
    double value = 0;
    when_[e].add(inputs_at(s), parameters, &value);
    return value;
  }
  // Callers ask for one switch after another at the same state, so all are computed at once and kept.
  if (switch_version_ != parameters.version || switch_state_.size() != s.y.size() || switch_time_ != s.t ||
      switch_state_ != s.y) {
    switch_values_.setZero();
    switching_.add(inputs_at(s), parameters, switch_values_.data());
    switch_state_ = s.y;
    switch_time_ = s.t;
    switch_version_ = parameters.version;
  }
  return switch_values_[static_cast<Index>(e - when_.size())];
}

std::vector<double> TextEvents::times(double t0, double t1, State s, const ParameterValues& parameters) const {
  std::vector<double> found;
  for (std::size_t e = 0; e < model_.events.size() + model_.switches.size(); ++e) {
    const bool known =
        e < model_.events.size() ? model_.events[e].at_a_time : model_.switches[e - model_.events.size()].at_a_time;
    if (!known) continue;
    s.t = t0;
    const double first = value(static_cast<int>(e), s, parameters);
    s.t = t1;
    const double last = value(static_cast<int>(e), s, parameters);
    if ((first < 0) == (last < 0)) continue;
    s.t = t0 - first * ((t1 - t0) / (last - first));
    // A second correction removes rounding errors: a step should end exactly at the time that was written.
    s.t -= value(static_cast<int>(e), s, parameters) * ((t1 - t0) / (last - first));
    found.push_back(s.t);
  }
  const std::vector<double> curved = curved_switch_times(model_, parameters.values, t0, t1);
  found.insert(found.end(), curved.begin(), curved.end());
  return found;
}

void TextEvents::apply(int event, State& s, const ModelMode& mode) const {
  const auto e = static_cast<std::size_t>(event);
  if (e >= when_.size()) {
    const Index place = static_cast<Index>(e - when_.size());
    const bool was_below = mode.held().side(place) == HeldFormulas::Side::below;
    const double now = value(event, s, mode.parameters());
    s.mode[static_cast<std::size_t>(mode_place(place))] = now < 0 || (now == 0 && !was_below) ? 1 : 2;
    return;
  }
  const CompiledEvent& compiled = model_.events[e];
  changed_.setZero();
  changes_[e].add(inputs_at(s), mode.parameters(), changed_.data());
  for (std::size_t k = 0; k < compiled.places.size(); ++k) s.y[compiled.places[k]] = changed_[static_cast<Index>(k)];
  for (const ParameterChange& change : compiled.parameters) {
    const auto it = std::find(model_.changing.begin(), model_.changing.end(), change.parameter);
    s.mode[static_cast<std::size_t>(it - model_.changing.begin())] = event + 1;
  }
  // The changed state may lie on the other side of a switch.
  std::fill(s.mode.begin() + static_cast<std::ptrdiff_t>(model_.changing.size()), s.mode.end(), 0);
}

void TextEvents::enter(const State& s, Formulas formulas, ModelMode& mode) const {
  set_parameters(s, mode);
  if (formulas == Formulas::held) hold_formulas(s, mode);
}

// Sets the parameters to the values that the events gave them.
void TextEvents::set_parameters(const State& s, ModelMode& mode) const {
  for (std::size_t k = 0; k < model_.changing.size(); ++k) {
    const int parameter = model_.changing[k];
    const int by = k < s.mode.size() ? s.mode[k] : 0;
    double value = mode.stated(parameter);
    if (by > 0)
      for (const ParameterChange& change : model_.events[static_cast<std::size_t>(by - 1)].parameters)
        if (change.parameter == parameter) value = change.value;
    mode.set_parameter(parameter, value);
  }
}

// Formulas that no event has changed are those that hold at the state. If the state lies exactly on a switch, the side
// is left free.
void TextEvents::hold_formulas(const State& s, ModelMode& mode) const {
  using Side = HeldFormulas::Side;
  for (Index place = 0; place < static_cast<Index>(model_.switches.size()); ++place) {
    const auto k = static_cast<std::size_t>(mode_place(place));
    const int side = k < s.mode.size() ? s.mode[k] : 0;
    const double now = value(static_cast<int>(when_.size()) + static_cast<int>(place), s, mode.parameters());
    const Side of_state = now < 0 ? Side::below : now > 0 ? Side::above : Side::free;
    mode.held().set(place, side == 0 ? of_state : side == 1 ? Side::below : Side::above);
  }
}
}  // namespace trill
