// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_builder.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
using What = RunResultWish::What;
const std::map<std::string, What, std::less<>> measure_kinds = {
    {"avg", What::average}, {"rms", What::rms},        {"pp", What::peak_to_peak},  {"max", What::max},
    {"min", What::min},     {"integ", What::integral}, {"integral", What::integral}};
}  // namespace

// .measure tran NAME avg|rms|pp|max|min|integ V(node)|V(a,b)|I(element) [from=] [to=]
void CircuitBuilder::read_measure(const Card& card) {
  WordReader words(card);
  words.take();
  if (!words.take_if("tran")) {
    circuit_.notes.push_back(fmt::format("{}: only '.measure tran' is computed; this line is left out", card.place()));
    return;
  }
  MeasureCard measure;
  measure.card = &card;
  measure.name = words.take_name("a name for the result").text;
  const std::string what = words.take_name("avg, rms, pp, max, min or integ").text;
  const auto known = measure_kinds.find(what);
  if (known == measure_kinds.end()) {
    circuit_.notes.push_back(
        fmt::format("{}: '{}' is not computed; known are avg, rms, pp, max, min and integ", card.place(), what));
    return;
  }
  measure.what = known->second;
  const Word kind = words.take_name("V(node) or I(element)");
  if ((kind.text != "v" && kind.text != "i") || !words.take_if(Word::Kind::open))
    words.fail(kind, "V(node), V(a,b) or I(element) is expected here");
  measure.signal = kind.text;
  std::vector<Word> names;
  while (words.peek().is(Word::Kind::name)) names.push_back(words.take());
  if (!words.take_if(Word::Kind::close)) words.expect("')'");
  if (names.empty() || names.size() > (kind.text == "v" ? 2u : 1u))
    words.fail(kind, "V(...) takes one or two nodes, I(...) one element");
  while (!words.done()) {
    const Word name = words.take_name("'from=' or 'to='");
    if ((name.text != "from" && name.text != "to") || !words.take_if(Word::Kind::equals))
      words.fail(name, "'from=' or 'to=' with a time behind it is expected here");
    (name.text == "from" ? measure.from : measure.to) = frames_.front().scope.number(words, "a time");
  }
  later([this, measure, names, kind, &card]() mutable {
    for (const Word& name : names) {
      const bool voltage = kind.text == "v";
      const auto& numbers = voltage ? circuit_.node_numbers : circuit_.branch_numbers;
      const auto it = numbers.find(name.text);
      const bool is_zero = voltage && (name.text == "0" || name.text == "gnd");
      if (it == numbers.end() && !is_zero)
        throw card.error(name.at, fmt::format("there is no {} '{}' in this circuit",
                                              voltage ? "node" : "voltage source or inductor", name.text));
      measure.unknowns.push_back(is_zero ? ground : voltage ? it->second : circuit_.unknown_of_branch(it->second));
    }
    circuit_.measures.push_back(measure);
  });
}
}  // namespace trill
