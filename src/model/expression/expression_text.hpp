// SPDX-License-Identifier: BSD-3-Clause
// The text of an expression while it is read: words, tokens, and what a message says about the place.
#pragma once

#include "trill/model/source_text.hpp"

#include <string>

#include <fmt/format.h>

namespace trill {
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class ExpressionText {
 public:
  explicit ExpressionText(const SourcePiece& piece) : piece_(piece), text_(piece.text) {}

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { throw piece_.error(offset, message); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip_space();
    return true;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string seen() const {
    if (at_ >= text_.size()) return "the end of the expression";
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (is_letter(text_[at_])) return fmt::format("'{}'", word());
    if (c < 32 || c == 127) return fmt::format("the character with code {}", c);
    std::size_t end = at_ + 1;
    while (c >= 0x80 && end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return fmt::format("'{}'", text_.substr(at_, end - at_));
  }
  std::string after_operand() const {
    if (text_.substr(at_).starts_with("=")) return "to compare two values for equality, write ==";
    if (next() == ')') return "it closes a parenthesis that was never opened";
    if (is_letter(next()) || is_digit(next()) || next() == '(')
      return "an operator is missing in front of it (write a product with *)";
    return "one of the operators + - * / % ^ or the end of the expression was expected";
  }
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(at_, end - at_);
  }

  bool take_word(std::string_view operator_word) {
    if (word() != operator_word) return false;
    at_ += operator_word.size();
    skip_space();
    return true;
  }

 protected:
  const SourcePiece& piece_;
  const std::string_view text_;
  std::size_t at_ = 0;
};
}  // namespace trill
