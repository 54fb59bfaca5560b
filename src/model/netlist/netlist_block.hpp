// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/words.hpp"

#include <map>

namespace trill {
struct Assignment {
  std::string name;
  const Card* card = nullptr;
  std::size_t at = 0;
  std::string text;  // the formula of its value
};

// The statements of a netlist outside of its subcircuits, or those of one subcircuit.
struct NetlistBlock {
  std::string name;
  const Card* card = nullptr;  // its .subckt line
  std::vector<std::string> ports;
  std::vector<Assignment> defaults;    // of the .subckt line
  std::vector<Assignment> parameters;  // of .param lines
  std::vector<const Card*> elements, models;
  std::map<std::string, std::unique_ptr<NetlistBlock>> subcircuits;
  NetlistBlock* outer = nullptr;
};

struct NetlistStatements {
  NetlistStatements() = default;
  NetlistStatements(const NetlistStatements&) = delete;  // its blocks refer to each other
  NetlistStatements& operator=(const NetlistStatements&) = delete;
  NetlistBlock top;
  std::vector<const Card*> cards;  // .tran, .ic, .options, .measure and .global lines
  std::vector<std::string> notes;
};

// Sorts the cards. ModelError for a card that is not known.
void sort_cards(const CardDeck& deck, NetlistStatements& out);
// name=value pairs up to the end of the card.
std::vector<Assignment> read_assignments(WordReader& words);
}  // namespace trill
