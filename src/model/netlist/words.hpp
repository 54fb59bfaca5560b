// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/netlist/card.hpp"

namespace trill {
// A piece of a card: a name or number, one of ( ) =, or the text of a formula that stood in braces or quotes.
struct Word {
  enum class Kind { name, open, close, equals, formula, end };
  Kind kind = Kind::end;
  std::string text;
  std::size_t at = 0;
  bool is(Kind k) const { return kind == k; }
  std::string shown() const;  // as messages call it
};

// Reads the words of a card one after another. Blanks and commas separate words.
class WordReader {
 public:
  explicit WordReader(const Card& card, std::size_t at = 0);
  const Card& card() const { return card_; }
  const Word& peek() const { return next_; }
  bool done() const { return next_.is(Word::Kind::end); }
  Word take();
  // The next word, which must be a name; what: "the first node of r1", for the message.
  Word take_name(const std::string& what);
  bool take_if(Word::Kind kind);
  bool take_if(std::string_view name);
  std::size_t at() const { return next_.at; }
  // Is the next word a name with a '=' behind it?
  bool at_assignment() const;
  // Everything that is left of the card as one text, without the braces or quotes around it.
  Word rest();
  [[noreturn]] void fail(const std::string& message) const { throw card_.error(next_.at, message); }
  [[noreturn]] void fail(const Word& word, const std::string& message) const { throw card_.error(word.at, message); }
  [[noreturn]] void expect(const std::string& what) const;

 private:
  Word read(std::size_t& at) const;
  const Card& card_;
  std::size_t after_;  // behind next_
  Word next_;
};
}  // namespace trill
