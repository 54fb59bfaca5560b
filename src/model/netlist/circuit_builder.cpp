// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_builder.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_subcircuit_depth = 50;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::size_t most_elements = 2000;
#else
constexpr std::size_t most_elements = 100'000;
#endif
constexpr std::size_t most_name_characters = 500, most_characters = 100'000'000;  // of all expanded statements together
const std::vector<std::string> ignored_options = {
    "method", "maxord", "itl1",         "itl2",   "itl4",   "itl5",   "chgtol", "trtol",
    "pivtol", "pivrel", "acct",         "list",   "nomod",  "nopage", "node",   "opts",
    "post",   "numdgt", "interp",       "gshunt", "rshunt", "cshunt", "noacct", "plotwinsize",
    "noinit", "limpts", "savecurrents", "defad",  "defas",  "defl",   "defw",   "tnom"};

bool is_ground(const std::string& name) { return name == "0" || name == "gnd"; }
}  // namespace

CircuitBuilder::CircuitBuilder(const NetlistStatements& statements, const std::map<std::string, double>& given)
    : statements_(statements), given_(given) {
  frames_.emplace_back(statements.top, nullptr, nullptr);
  circuit_.notes = statements.notes;
}

Circuit CircuitBuilder::build() {
  Frame& top = frames_.front();
  define_parameters(top);
  for (const auto& [name, value] : given_) top.scope.set(name, value);
  read_cards();
  expand(top);
  for (const auto& resolve : pending_) resolve();
  std::set<std::string> listed;
  for (const Assignment& a : statements_.top.parameters)
    if (listed.insert(a.name).second) circuit_.parameters.push_back({a.name, "", "", *top.scope.parameter(a.name)});
  return std::move(circuit_);
}

void CircuitBuilder::read_cards() {
  const auto each = [&](std::initializer_list<std::string_view> names, auto read) {
    for (const Card* card : statements_.cards)
      if (const std::string word = WordReader(*card).peek().text;
          std::find(names.begin(), names.end(), word) != names.end())
        read(*card);
  };
  each({".global"}, [&](const Card& card) {
    WordReader words(card);
    words.take();
    while (!words.done()) global_nodes_.insert(words.take_name("the name of a node").text);
  });
  each({".tran"}, [&](const Card& card) { read_transient(card); });
  each({".pss"}, [&](const Card& card) { later([this, &card] { read_steady(card); }); });
  each({".envelope"}, [&](const Card& card) { read_envelope(card); });
  each({".options", ".option", ".opt", ".temp"}, [&](const Card& card) { read_options(card); });
  each({".ic", ".nodeset"}, [&](const Card& card) { later([this, &card] { read_given_voltages(card); }); });
  each({".measure", ".meas"}, [&](const Card& card) { read_measure(card); });
}

// .tran TSTEP TSTOP [TSTART [TMAX]] [UIC]
void CircuitBuilder::read_transient(const Card& card) {
  TransientCard& tran = circuit_.transient;
  if (tran.card) throw card.error(0, fmt::format("there is already a '.tran' in {}", tran.card->place()));
  const ParameterScope& scope = frames_.front().scope;
  WordReader words(card);
  words.take();
  tran.card = &card;
  tran.step = scope.number(words, "the step of the output");
  const auto more = [&]() -> std::optional<double> {
    if (words.done() || words.peek().text == "uic" || words.peek().text == "startup") return std::nullopt;
    return scope.number(words, "a time");
  };
  if (const auto stop = more())
    tran.stop = *stop;
  else
    std::swap(tran.step, tran.stop);
  tran.start = more().value_or(0);
  tran.longest_step = more();
  tran.uses_given_start = words.take_if("uic");
  if (!words.done()) words.expect("'uic' or the end of the statement");
  if (!(tran.stop > 0)) throw card.error(0, "the end of the run must be later than 0");
  if (tran.step < 0) throw card.error(0, "the step must not be negative");
  if (tran.longest_step && *tran.longest_step == 0) tran.longest_step.reset();
  if (tran.longest_step && !(*tran.longest_step > 0)) throw card.error(0, "the longest step must be positive");
}

// .pss [T=period] [node=name]
void CircuitBuilder::read_steady(const Card& card) {
  SteadyCard& steady = circuit_.steady;
  if (steady.card) throw card.error(0, fmt::format("there is already a '.pss' in {}", steady.card->place()));
  steady.card = &card;
  WordReader words(card);
  words.take();
  while (!words.done()) {
    const Word name = words.take_name("T=period or node=name");
    if (!words.take_if(Word::Kind::equals)) words.expect(fmt::format("'=' after '{}'", name.text));
    if (name.text == "t") {
      steady.period = frames_.front().scope.number(words, "the period");
      if (!(steady.period > 0)) words.fail(name, "the period must be positive");
    } else if (name.text == "node") {
      const Word node = words.take_name("the name of a node");
      const auto it = circuit_.node_numbers.find(node.text);
      if (it == circuit_.node_numbers.end())
        words.fail(node, fmt::format("there is no node '{}' in this circuit", node.text));
      steady.node = it->second;
    } else {
      words.fail(name, fmt::format("'{}' is not known here; '.pss' has T=period and node=name", name.text));
    }
  }
}

// .envelope [T=period] [tstop=end] [tol=tolerance]
void CircuitBuilder::read_envelope(const Card& card) {
  EnvelopeCard& envelope = circuit_.envelope;
  if (envelope.card) throw card.error(0, fmt::format("there is already an '.envelope' in {}", envelope.card->place()));
  envelope.card = &card;
  WordReader words(card);
  words.take();
  while (!words.done()) {
    const Word name = words.take_name("T=period, tstop=end or tol=tolerance");
    if (!words.take_if(Word::Kind::equals)) words.expect(fmt::format("'=' after '{}'", name.text));
    double* place = name.text == "t"       ? &envelope.period
                    : name.text == "tstop" ? &envelope.stop
                    : name.text == "tol"   ? &envelope.tolerance
                                           : nullptr;
    if (!place)
      words.fail(name, fmt::format("'{}' is not known here; '.envelope' has T=period, tstop=end and tol=tolerance",
                                   name.text));
    *place = frames_.front().scope.number(words, "a number");
    if (!(*place > 0)) words.fail(name, fmt::format("'{}' must be positive", name.text));
  }
  if (envelope.tolerance >= 1) throw card.error(0, "the tolerance must be less than 1");
}

void CircuitBuilder::read_options(const Card& card) {
  const ParameterScope& scope = frames_.front().scope;
  WordReader words(card);
  if (words.take().text == ".temp") {
    circuit_.options.temperature = scope.number(words, "a temperature");
    if (circuit_.options.temperature <= -273.15) throw card.error(0, "this temperature is below absolute zero");
    return;
  }
  CircuitOptions& o = circuit_.options;
  const std::map<std::string, double*> known = {
      {"reltol", &o.reltol}, {"abstol", &o.abstol}, {"vntol", &o.vntol}, {"gmin", &o.gmin}, {"temp", &o.temperature}};
  while (!words.done()) {
    const Word name = words.take_name("the name of an option");
    const bool has_value = words.take_if(Word::Kind::equals);
    const auto it = known.find(name.text);
    if (it != known.end() && has_value) {
      *it->second = scope.number(words, fmt::format("the value of '{}'", name.text));
      const bool fits = name.text == "temp" ? *it->second > -273.15 : *it->second > 0;
      if (!fits) words.fail(name, fmt::format("{:g} is not possible for '{}'", *it->second, name.text));
      continue;
    }
    if (has_value) words.take();
    if (std::find(ignored_options.begin(), ignored_options.end(), name.text) != ignored_options.end()) continue;
    std::vector<std::string> names;
    for (const auto& [option, value] : known) names.push_back(option);
    words.fail(name, fmt::format("unknown option '{}'{}", name.text, suggest(name.text, names)));
  }
  if (o.reltol >= 1) throw card.error(0, "'reltol' must be below 1");
}

// .ic V(node)=value ...
void CircuitBuilder::read_given_voltages(const Card& card) {
  WordReader words(card);
  const bool counts = words.take().text == ".ic";
  while (!words.done()) {
    if (!words.take_if("v") || !words.take_if(Word::Kind::open)) words.expect("V(node)=value");
    const Word name = words.take_name("the name of a node");
    if (!words.take_if(Word::Kind::close)) words.expect("')'");
    if (!words.take_if(Word::Kind::equals)) words.expect("'='");
    const double value = frames_.front().scope.number(words, "a voltage");
    const auto it = circuit_.node_numbers.find(name.text);
    if (is_ground(name.text)) continue;
    if (it == circuit_.node_numbers.end())
      words.fail(name, fmt::format("there is no node '{}' in this circuit", name.text));
    if (counts) circuit_.given_voltages[it->second] = value;
  }
}

void CircuitBuilder::define_parameters(Frame& frame) {
  for (const Assignment& a : frame.block.parameters) frame.scope.define(a.name, {a.card, a.at, a.text}, frame.scope);
}

void CircuitBuilder::expand(Frame& frame) {
  for (const Card* card : frame.block.models) {
    DeviceModel model = read_device_model(*card, frame.scope, circuit_.notes);
    if (const auto it = frame.models.find(model.name); it != frame.models.end())
      throw card->error(0,
                        fmt::format("the model '{}' is already defined in {}", model.name, it->second.card->place()));
    frame.models.emplace(model.name, std::move(model));
  }
  for (const Card* card : frame.block.elements) read_element(frame, *card);
}

void CircuitBuilder::read_element(Frame& frame, const Card& card) {
  card_ = &card;
  Reading r{frame, WordReader(card), "", {}};
  const Word first = r.words.take_name("the name of an element");
  r.name = frame.prefix + first.text;
  if (const auto [it, added] = names_.emplace(r.name, &card); !added)
    throw card.error(0, fmt::format("there is already an element '{}' in {}", r.name, it->second->place()));
  if (circuit_.origins.size() + frames_.size() > most_elements)
    throw card.error(0, fmt::format("a circuit may have at most {} elements", most_elements));
  if (r.name.size() > most_name_characters)
    throw card.error(
        0, fmt::format("the name of an element, with those of its subcircuits, may have at most {} characters",
                       most_name_characters));
  if ((characters_ += card.text().size()) > most_characters)
    throw card.error(0, "this netlist is too large when its subcircuits are expanded");
  if (first.text[0] == 'x') return instance(r);
  r.terminals.element = static_cast<int>(circuit_.origins.size());
  circuit_.origins.push_back({r.name, &card});
  switch (first.text[0]) {
    case 'r':
      return resistor(r);
    case 'c':
      return capacitor(r);
    case 'l':
      return inductor(r);
    case 'k':
      return coupling(r);
    case 'v':
      return voltage_source(r);
    case 'i':
      return current_source(r);
    case 'b':
      return free_source(r);
    case 's':
    case 'w':
      return switch_element(r, first.text[0] == 'w');
    case 'd':
      return diode(r);
    case 'q':
      return bipolar(r);
    case 'm':
      return transistor(r);
    default:
      return controlled_source(r, first.text[0]);
  }
}

// Xname nodes subcircuit [params: name=value ...]
void CircuitBuilder::instance(Reading& r) {
  std::vector<Word> words;
  while (!r.words.done() && !r.words.at_assignment() && r.words.peek().text != "params:")
    words.push_back(r.words.take_name("a node or the name of a subcircuit"));
  if (words.empty()) r.words.expect("the name of a subcircuit");
  const Word name = words.back();
  words.pop_back();
  const NetlistBlock* block = find_subcircuit(r.frame, name.text);
  if (!block) {
    std::vector<std::string> known;
    for (const NetlistBlock* b = &r.frame.block; b; b = b->outer)
      for (const auto& [other, sub] : b->subcircuits) known.push_back(other);
    r.words.fail(name, fmt::format("there is no subcircuit '{}'{}", name.text, suggest(name.text, known)));
  }
  if (words.size() != block->ports.size())
    r.words.fail(name,
                 fmt::format("'{}' has {} nodes, and {} are given here", name.text, block->ports.size(), words.size()));
  for (const Frame* f = &r.frame; f; f = f->outer)
    if (&f->block == block) r.words.fail(name, fmt::format("the subcircuit '{}' contains itself", name.text));
  if (r.frame.depth >= most_subcircuit_depth)
    r.words.fail(name, fmt::format("subcircuits may be nested at most {} deep", most_subcircuit_depth));

  // Names inside see the parameters of the place of definition, not those of the place of use.
  const Frame* definer = &r.frame;
  while (&definer->block != block->outer && definer->outer) definer = definer->outer;
  Frame& inner = frames_.emplace_back(*block, &r.frame, &definer->scope);
  inner.prefix = r.name + ".";
  inner.depth = r.frame.depth + 1;
  for (std::size_t k = 0; k < words.size(); ++k) inner.ports[block->ports[k]] = node(r.frame, words[k].text);
  for (const Assignment& a : block->defaults) inner.scope.define(a.name, {a.card, a.at, a.text}, inner.scope);
  define_parameters(inner);
  r.words.take_if("params:");
  for (const Assignment& a : read_assignments(r.words)) {
    if (!inner.scope.has(a.name)) {
      std::vector<std::string> known;
      for (const Assignment& d : block->defaults) known.push_back(d.name);
      throw a.card->error(a.at, fmt::format("'{}' has no parameter '{}'{}", name.text, a.name, suggest(a.name, known)));
    }
    inner.scope.define(a.name, {a.card, a.at, a.text}, r.frame.scope);
  }
  expand(inner);
}

const NetlistBlock* CircuitBuilder::find_subcircuit(const Frame& frame, const std::string& name) const {
  for (const NetlistBlock* b = &frame.block; b; b = b->outer)
    if (const auto it = b->subcircuits.find(name); it != b->subcircuits.end()) return it->second.get();
  return nullptr;
}

const DeviceModel* CircuitBuilder::find_model(const Frame& frame, const std::string& name) const {
  for (const Frame* f = &frame; f; f = f->outer)
    if (const auto it = f->models.find(name); it != f->models.end()) return &it->second;
  return nullptr;
}

const DeviceModel& CircuitBuilder::model(Reading& r, std::initializer_list<std::string_view> types) {
  const Word name = r.words.take_name("the name of a model");
  const DeviceModel* found = find_model(r.frame, name.text);
  if (!found) {
    std::vector<std::string> known;
    for (const Frame* f = &r.frame; f; f = f->outer)
      for (const auto& [other, m] : f->models) known.push_back(other);
    r.words.fail(name, fmt::format("there is no model '{}'{}", name.text, suggest(name.text, known)));
  }
  if (std::find(types.begin(), types.end(), found->type) == types.end())
    r.words.fail(name, fmt::format("'{}' is a model of type '{}' ({}), which does not fit this element", name.text,
                                   found->type, found->card->place()));
  return *found;
}

int CircuitBuilder::node(const Frame& frame, const std::string& name) {
  if (is_ground(name)) return ground;
  if (const auto it = frame.ports.find(name); it != frame.ports.end()) return it->second;
  const std::string full = global_nodes_.contains(name) ? name : frame.prefix + name;
  const auto [it, added] = circuit_.node_numbers.emplace(full, static_cast<int>(circuit_.nodes.size()));
  if (added) {
    circuit_.nodes.push_back(full);
    circuit_.node_cards.push_back(card_);
  }
  return it->second;
}

int CircuitBuilder::inner_node(const Reading& r, const std::string& name) {
  const int number = static_cast<int>(circuit_.nodes.size());
  circuit_.nodes.push_back(r.name + "#" + name);
  circuit_.node_numbers.emplace(circuit_.nodes.back(), number);
  circuit_.node_cards.push_back(card_);
  return number;
}

int CircuitBuilder::branch(const Reading& r) {
  circuit_.branches.push_back(r.name);
  return circuit_.branch_numbers[r.name] = static_cast<int>(circuit_.branches.size()) - 1;
}

int CircuitBuilder::find_branch(const Frame& frame, const Word& name, const Card& card) const {
  const auto it = circuit_.branch_numbers.find(frame.prefix + name.text);
  if (it != circuit_.branch_numbers.end()) return it->second;
  throw card.error(name.at,
                   fmt::format("there is no voltage source or inductor '{}' whose current could be used", name.text));
}

void CircuitBuilder::connect(Connection::Kind kind, int a, int b, const Reading& r) {
  circuit_.connections.push_back({kind, a, b, r.terminals.element});
}
}  // namespace trill
