// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/beside.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trill {
// One statement of a netlist: a line with its continuation lines, without comments.
class Card {
 public:
  // Appends a piece of a line; begin: its offset in the source.
  void append(const SourceText& source, std::size_t begin, std::string_view piece);
  const std::string& text() const { return text_; }        // in small letters, for netlists do not tell them apart
  const std::string& written() const { return written_; }  // as it is written
  bool empty() const { return text_.find_first_not_of(' ') == std::string::npos; }
  ModelError error(std::size_t at, std::string_view message) const;
  std::string place() const;                                      // "buck.cir:12"
  std::size_t begin() const { return parts_[0].begin; }           // in its source
  const SourceText& source() const { return *parts_[0].source; }  // of its first line
  // A text made from this card, for the parser of expressions: messages point at the place `at`.
  SourcePiece piece(std::size_t at, std::string text) const;

 private:
  struct Part {
    std::size_t at, begin;  // the first character in the card and in the source
    const SourceText* source;
  };
  const Part& part_at(std::size_t at) const;
  std::size_t offset_of(std::size_t at) const;

  std::string text_, written_;
  std::vector<Part> parts_;
};

// All statements of a netlist in their order, those of included files in place of the .include lines.
struct CardDeck {
  std::vector<std::unique_ptr<const SourceText>> sources;  // the netlist itself first
  std::string title;
  std::vector<Card> cards;
  std::vector<std::string> notes;  // what was left out
};

// ModelError for files that are missing, too large or include themselves.
CardDeck read_cards(const ModelFolder& folder, const std::string& file, const std::string& text);
}  // namespace trill
