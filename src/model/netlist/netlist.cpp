// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/netlist.hpp"

#include "base/text.hpp"
#include "model/netlist/circuit_builder.hpp"
#include "model/netlist/netlist_problem.hpp"
#include "model/netlist/spice_number.hpp"
#include "model/netlist/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double cycles_without_tran = 100;

// A netlist that was read: the cards must outlive the circuit, which refers to them in messages.
struct NetlistReading {
  CardDeck deck;
  NetlistStatements statements;
  Circuit circuit;
};

std::map<std::string, double> given_values(const NetlistBlock& top, const OptionSet& parameters,
                                           const std::string& name) {
  std::map<std::string, double> values;
  for (const auto& [parameter, text] : parameters) {
    std::string small = parameter, number = text;
    for (std::string* word : {&small, &number})
      std::transform(word->begin(), word->end(), word->begin(), [](unsigned char c) { return std::tolower(c); });
    std::vector<std::string> known;
    for (const Assignment& a : top.parameters) known.push_back(a.name);
    if (std::find(known.begin(), known.end(), small) == known.end())
      throw UsageError(fmt::format("{} has no parameter '{}'{}; '.param' lines define parameters", name, parameter,
                                   suggest(small, known)));
    const auto value = spice_number(number);
    if (!value) throw UsageError(fmt::format("parameter {} of {}: '{}' is not a number", parameter, name, text));
    values[small] = *value;
  }
  return values;
}

// Who begins with the first element loses it without a word.
bool looks_like_element(const std::string& title) {
  static const std::string elements = "rclviRCLVI", waves = "dc pulse sin pwl exp";
  std::vector<std::string> words(1);
  for (const char c : title) {
    if (c != ' ' && c != '\t' && c != '(')
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.size() < 4 || elements.find(words[0][0]) == std::string::npos) return false;
  const bool is_numbered = words[0].find_first_of("0123456789") != std::string::npos;
  const bool has_wave = words[3].size() > 1 && waves.find(words[3]) != std::string::npos;
  return is_numbered && (has_wave || spice_number(words[3]));
}

std::shared_ptr<NetlistReading> read_circuit(const ModelFolder& folder, const std::string& file,
                                             const std::string& name, const std::string& text,
                                             const OptionSet& parameters) {
  if (text.size() > most_model_bytes)
    throw ModelError(
        fmt::format("{}: the text has {} bytes; a netlist may have at most {}", file, text.size(), most_model_bytes));
  auto reading = std::make_shared<NetlistReading>();
  reading->deck = read_cards(folder, file, text);
  try {
    sort_cards(reading->deck, reading->statements);
    const auto given = given_values(reading->statements.top, parameters, name);
    reading->circuit = CircuitBuilder(reading->statements, given).build();
  } catch (const ExpressionLimit& limit) {
    throw reading->deck.sources[0]->error(limit.what());
  }
  Circuit& circuit = reading->circuit;
  circuit.notes.insert(circuit.notes.begin(), reading->deck.notes.begin(), reading->deck.notes.end());
  if (looks_like_element(reading->deck.title))
    circuit.notes.push_back(fmt::format("{}:1: the first line of a netlist is its title, so '{}' is not read", file,
                                        shortened(reading->deck.title)));
  if (circuit.connections.empty()) throw reading->deck.sources[0]->error("this netlist has no elements");
  check_topology(circuit);
  return reading;
}

std::string count_of(std::size_t count, const std::string& what) {
  return count == 0 ? "" : fmt::format(", {} {}{}", count, what, count == 1 ? "" : "s");
}

ModelInfo info_of(const NetlistReading& reading, const std::string& name) {
  const Circuit& c = reading.circuit;
  ModelInfo info;
  info.name = name;
  info.title = reading.deck.title.empty() ? name : reading.deck.title;
  info.equations =
      fmt::format("d/dt charge(x) + current(t, x) = 0, by modified nodal analysis of {} nodes{}{}{}{}{}{}",
                  c.nodes.size(), count_of(c.resistors.size(), "resistor"), count_of(c.capacitors.size(), "capacitor"),
                  count_of(c.inductors.size(), "inductor"), count_of(c.switches.size(), "switch"),
                  count_of(c.diodes.size(), "diode"), count_of(c.bipolars.size() + c.transistors.size(), "transistor"));
  // Diodes and switches turn within steps. What is smooth, or wanted accurately, is cheaper with a method of higher
  // order, and the instants at which formulas jump need its values inside of steps.
  constexpr double least_for_order_3 = 1e-5;
  const bool turns = !c.diodes.empty() || !c.switches.empty();
  const bool takes_order_3 = turns && c.formulas.empty() && c.options.reltol >= least_for_order_3;
  info.run.method = takes_order_3 ? "circuit_sdirk" : "radau";
  info.run.rtol = c.options.reltol;
  info.run.to = c.transient.stop;
  return info;
}

// Without a .tran line a run takes some periods of the sources.
double default_end(const NetlistProblem& problem, std::vector<std::string>& warnings) {
  const double to = problem.clock_period() ? cycles_without_tran * *problem.clock_period() : 1e-3;
  warnings.push_back(
      fmt::format("the netlist has no '.tran' line; the run ends at {:g} unless --to says otherwise", to));
  return to;
}

// Included files belong to the text, so that a changed one is noticed when a run is resumed. It is the same text from
// whatever folder the netlist is named.
std::string whole_text(const CardDeck& deck) {
  const std::filesystem::path folder = std::filesystem::path(deck.sources[0]->file()).parent_path();
  std::string text = deck.sources[0]->text();
  for (std::size_t k = 1; k < deck.sources.size(); ++k) {
    const std::filesystem::path included = deck.sources[k]->file();
    text += fmt::format("\n* {}\n{}", included.lexically_relative(folder).generic_string(), deck.sources[k]->text());
  }
  return text;
}
}  // namespace

bool is_netlist(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".cir" || ending == ".sp" || ending == ".spice" || ending == ".net" || ending == ".ckt";
}

TextModel read_netlist(const ModelFolder& folder, const std::string& file, const std::string& name,
                       const std::string& text, const OptionSet& parameters, double begin) {
  const auto reading = read_circuit(folder, file, name, text, parameters);
  const std::shared_ptr<const Circuit> circuit(reading, &reading->circuit);
  auto problem = std::make_unique<NetlistProblem>(name, circuit, begin);
  TextModel model{info_of(*reading, name), file, whole_text(reading->deck), nullptr, circuit->notes,
                  folder.files_read()};
  if (!circuit->transient.card)
    model.info.run.to = circuit->envelope.stop > 0 ? circuit->envelope.stop : default_end(*problem, model.warnings);
  model.problem = std::move(problem);
  return model;
}

ModelDescription describe_netlist(const ModelFolder& folder, const std::string& file, const std::string& name,
                                  const std::string& text) {
  const auto reading = read_circuit(folder, file, name, text, {});
  ModelDescription description{info_of(*reading, name), {}};
  for (const Parameter& p : reading->circuit.parameters)
    description.parameters.push_back({p.name, format_number(p.value), "any number", "a .param of the netlist"});
  return description;
}
}  // namespace trill
