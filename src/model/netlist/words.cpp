// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
bool separates(char c) { return c == ' ' || c == ','; }
bool ends_name(char c) { return separates(c) || c == '(' || c == ')' || c == '=' || c == '{' || c == '\'' || c == '"'; }
// Where the brace at `begin` is closed.
std::size_t end_of_braces(const std::string& text, std::size_t begin) {
  int open = 0;
  for (std::size_t k = begin; k < text.size(); ++k) {
    open += text[k] == '{' ? 1 : text[k] == '}' ? -1 : 0;
    if (open == 0) return k;
  }
  return std::string::npos;
}
}  // namespace

std::string Word::shown() const {
  switch (kind) {
    case Kind::open:
      return "'('";
    case Kind::close:
      return "')'";
    case Kind::equals:
      return "'='";
    case Kind::end:
      return "the end of the statement";
    default:
      return fmt::format("'{}'", shortened(text));
  }
}

WordReader::WordReader(const Card& card, std::size_t at) : card_(card), after_(at) { take(); }

Word WordReader::read(std::size_t& at) const {
  const std::string& text = card_.text();
  while (at < text.size() && separates(text[at])) ++at;
  Word word{Word::Kind::end, "", std::min(at, text.size())};
  if (at >= text.size()) return word;
  const char c = text[at];
  if (c == '(' || c == ')' || c == '=') {
    word.kind = c == '(' ? Word::Kind::open : c == ')' ? Word::Kind::close : Word::Kind::equals;
    ++at;
    return word;
  }
  if (c == '{' || c == '\'' || c == '"') {
    const char closing = c == '{' ? '}' : c;
    const std::size_t end = c == '{' ? end_of_braces(text, at) : text.find(closing, at + 1);
    if (end == std::string::npos) throw card_.error(at, fmt::format("'{}' is missing to close this '{}'", closing, c));
    word.kind = Word::Kind::formula;
    word.text = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return word;
  }
  const std::size_t begin = at;
  while (at < text.size() && !ends_name(text[at])) ++at;
  word.kind = Word::Kind::name;
  word.text = text.substr(begin, at - begin);
  return word;
}

Word WordReader::take() {
  Word taken = std::move(next_);
  next_ = read(after_);
  return taken;
}

Word WordReader::take_name(const std::string& what) {
  if (!next_.is(Word::Kind::name)) expect(what);
  return take();
}

bool WordReader::take_if(Word::Kind kind) {
  if (!next_.is(kind)) return false;
  take();
  return true;
}

bool WordReader::take_if(std::string_view name) {
  if (!next_.is(Word::Kind::name) || next_.text != name) return false;
  take();
  return true;
}

bool WordReader::at_assignment() const {
  std::size_t at = after_;
  return next_.is(Word::Kind::name) && read(at).is(Word::Kind::equals);
}

Word WordReader::rest() {
  const std::size_t begin = next_.at;
  std::string text = card_.text().substr(begin);
  after_ = card_.text().size();
  next_ = read(after_);
  const bool quotes = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                      text.find(text.front(), 1) == text.size() - 1;
  if (quotes) text = text.substr(1, text.size() - 2);
  return {Word::Kind::formula, std::move(text), begin};
}

void WordReader::expect(const std::string& what) const {
  fail(fmt::format("{} is expected here, not {}", what, next_.shown()));
}
}  // namespace trill
