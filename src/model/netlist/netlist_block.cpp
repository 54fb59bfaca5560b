// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/netlist_block.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view elements = "rclkviefghbdmqswx";
// Cards that have a meaning here, those that say what to print, and analyses that trill does not do.
const std::vector<std::string> used_cards = {".tran", ".ic",      ".nodeset", ".options", ".option", ".opt",
                                             ".temp", ".measure", ".meas",    ".global",  ".pss",    ".envelope"};
const std::vector<std::string> silent_cards = {".print", ".save", ".plot", ".probe", ".width", ".title", ".backanno"};
const std::vector<std::string> other_analyses = {".op",   ".ac",  ".dc",   ".noise", ".tf",
                                                 ".four", ".fft", ".sens", ".pz",    ".disto"};

bool is_in(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Sorter {
 public:
  explicit Sorter(NetlistStatements& out) : out_(out), block_(&out.top) {}

  void take(const Card& card) {
    if (card.text()[0] == '.') return take_dot(card);
    if (elements.find(card.text()[0]) == std::string_view::npos)
      throw card.error(
          0, fmt::format("'{}' does not begin with the letter of an element; known are R C L K V I E F G H B D M Q S W "
                         "X",
                         shortened(WordReader(card).peek().text)));
    block_->elements.push_back(&card);
  }
  void finish() const {
    if (block_ != &out_.top)
      throw block_->card->error(0, fmt::format("the subcircuit '{}' has no end; '.ends' is missing", block_->name));
  }

 private:
  void take_dot(const Card& card) {
    WordReader words(card);
    const std::string word = words.take().text;
    if (word == ".subckt") return begin_subcircuit(card, words);
    if (word == ".ends") return end_subcircuit(card, words);
    if (word == ".param" || word == ".parameter" || word == ".parameters" || word == ".params") {
      for (Assignment& a : read_assignments(words)) block_->parameters.push_back(std::move(a));
      return;
    }
    if (word == ".model") return block_->models.push_back(&card);
    if (is_in(used_cards, word)) return out_.cards.push_back(&card);
    if (is_in(silent_cards, word)) return;
    if (is_in(other_analyses, word)) {
      out_.notes.push_back(fmt::format("{}: '{}' is left out; trill runs the .tran line", card.place(), word));
      return;
    }
    refuse(card, word);
  }

  [[noreturn]] static void refuse(const Card& card, const std::string& word) {
    if (word == ".step") throw card.error(0, "'.step' is not read; use 'trill run FILE --sweep NAME=VALUES'");
    if (word == ".envelope")
      throw card.error(0, fmt::format("'{}' is not available yet; this version runs transients", word));
    std::vector<std::string> known = {".param", ".model", ".subckt", ".ends", ".include", ".lib", ".end"};
    known.insert(known.end(), used_cards.begin(), used_cards.end());
    known.insert(known.end(), silent_cards.begin(), silent_cards.end());
    const std::string hint = suggest(word, known);
    throw card.error(0, fmt::format("the card '{}' is not known{}", shortened(word),
                                    hint.empty() ? "; known are " + join(known, " ") : hint));
  }

  void begin_subcircuit(const Card& card, WordReader& words) {
    auto block = std::make_unique<NetlistBlock>();
    block->name = words.take_name("the name of the subcircuit").text;
    block->card = &card;
    block->outer = block_;
    while (!words.done() && !words.at_assignment() && words.peek().text != "params:") {
      const Word port = words.take_name("a node of the subcircuit");
      if (is_in(block->ports, port.text))
        words.fail(port, fmt::format("the subcircuit '{}' has two nodes with the name '{}'", block->name, port.text));
      block->ports.push_back(port.text);
    }
    words.take_if("params:");
    block->defaults = read_assignments(words);
    auto& place = block_->subcircuits[block->name];
    if (place)
      throw card.error(0,
                       fmt::format("the subcircuit '{}' is already defined in {}", block->name, place->card->place()));
    place = std::move(block);
    block_ = place.get();
  }

  void end_subcircuit(const Card& card, WordReader& words) {
    if (block_ == &out_.top) throw card.error(0, "'.ends' without a '.subckt' before it");
    if (!words.done() && words.peek().text != block_->name)
      words.fail(
          fmt::format("this ends '{}', but the subcircuit that is open is '{}'", words.peek().text, block_->name));
    block_ = block_->outer;
  }

  NetlistStatements& out_;
  NetlistBlock* block_;
};
}  // namespace

namespace {
std::size_t end_of(const Word& word) {
  return word.at + (word.is(Word::Kind::name)      ? word.text.size()
                    : word.is(Word::Kind::formula) ? word.text.size() + 2
                                                   : 1);
}

// What stands between two words of a formula that has no braces: a comma parts the arguments of a function.
std::string between(const Card& card, const Word& last, const Word& next) {
  const std::size_t end = end_of(last);
  if (card.text().substr(end, next.at - end).find(',') != std::string::npos) return ",";
  return last.is(Word::Kind::name) && next.is(Word::Kind::name) ? " " : "";
}
}  // namespace

std::vector<Assignment> read_assignments(WordReader& words) {
  std::vector<Assignment> all;
  while (!words.done()) {
    const Word name = words.take_name("the name of a parameter");
    if (!words.take_if(Word::Kind::equals)) words.expect(fmt::format("'=' after '{}'", name.text));
    const Word value = words.peek();
    if (!value.is(Word::Kind::name) && !value.is(Word::Kind::formula) && !value.is(Word::Kind::open))
      words.expect(fmt::format("the value of '{}'", name.text));
    // A formula without braces goes on until the next assignment.
    std::string text;
    Word last = value;
    while (!words.done() && (text.empty() || !words.at_assignment())) {
      const Word part = words.take();
      if (!text.empty()) text += between(words.card(), last, part);
      last = part;
      text += part.is(Word::Kind::open)     ? "("
              : part.is(Word::Kind::close)  ? ")"
              : part.is(Word::Kind::equals) ? "="
                                            : "";
      text += part.is(Word::Kind::formula) ? "(" + part.text + ")" : part.text;
      if (value.is(Word::Kind::formula)) break;
    }
    all.push_back({name.text, &words.card(), value.at, std::move(text)});
  }
  return all;
}

void sort_cards(const CardDeck& deck, NetlistStatements& out) {
  Sorter sorter(out);
  for (const Card& card : deck.cards) sorter.take(card);
  sorter.finish();
}
}  // namespace trill
