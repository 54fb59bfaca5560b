// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/parser.hpp"

#include "trill/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
struct Function {
  std::string_view name;
  Op op;
};
constexpr Function functions[] = {
    {"if", Op::choose},   {"sqrt", Op::sqrt}, {"exp", Op::exp},   {"log", Op::log},     {"sin", Op::sin},
    {"cos", Op::cos},     {"tan", Op::tan},   {"asin", Op::asin}, {"acos", Op::acos},   {"atan", Op::atan},
    {"atan2", Op::atan2}, {"sinh", Op::sinh}, {"cosh", Op::cosh}, {"tanh", Op::tanh},   {"abs", Op::abs},
    {"min", Op::min},     {"max", Op::max},   {"pow", Op::power}, {"hypot", Op::hypot},
};

const Function* find_function(std::string_view name) {
  const auto* it = std::find_if(std::begin(functions), std::end(functions), [&](auto& f) { return f.name == name; });
  return it == std::end(functions) ? nullptr : it;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  Parser(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth)
      : piece_(piece), text_(piece.text), graph_(graph), scope_(scope), depth_(depth) {}

  Expression whole() {
    skip_space();
    if (at_ == text_.size()) fail(at_, "an expression is expected");
    const Expression e = comparison();
    if (at_ < text_.size()) fail(at_, fmt::format("{} is not expected here; {}", seen(), after_operand()));
    return e;
  }

 private:
  // Recursion is bounded here: a file must not be able to exhaust the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > most_nesting)
        parser_.fail(parser_.at_, fmt::format("more than {} expressions inside each other", most_nesting));
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

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
    if (text_.substr(at_).starts_with("=")) return "equality is written ==";
    if (next() == ')') return "there is no open parenthesis";
    if (is_letter(next()) || is_digit(next()) || next() == '(')
      return "an operator is missing before it (a product is written with *)";
    return "one of + - * / ^ or the end is expected";
  }
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(at_, end - at_);
  }

  std::optional<Op> take_comparison(bool& swapped) {
    swapped = false;
    if (take("<=")) return Op::less_equal;
    if (take("==")) return Op::equal;
    if (take("!=")) return Op::not_equal;
    if (take("<")) return Op::less;
    swapped = true;
    if (take(">=")) return Op::less_equal;
    if (take(">")) return Op::less;
    return std::nullopt;
  }

  Expression comparison() {
    const Level level(*this);
    const Expression a = sum();
    bool swapped = false;
    const auto op = take_comparison(swapped);
    if (!op) return a;
    const Expression b = sum();
    const std::size_t after = at_;
    if (bool again = false; take_comparison(again))
      fail(after, "comparisons do not chain; use min, max or an if inside an if");
    return swapped ? graph_.apply(*op, b, a) : graph_.apply(*op, a, b);
  }

  Expression sum() {
    Expression e = product();
    while (true) {
      if (take("+"))
        e = graph_.add(e, product());
      else if (take("-"))
        e = graph_.subtract(e, product());
      else
        return e;
    }
  }

  Expression product() {
    Expression e = unary();
    while (true) {
      if (text_.substr(at_).starts_with("**")) fail(at_, "'**' is not expected here; a power is written ^");
      if (take("*"))
        e = graph_.multiply(e, unary());
      else if (take("/"))
        e = graph_.divide(e, unary());
      else
        return e;
    }
  }

  Expression unary() {
    const Level level(*this);
    if (take("-")) return graph_.negate(unary());
    if (take("+")) return unary();
    const Expression base = primary();
    if (!take("^")) return base;
    return graph_.apply(Op::power, base, unary());
  }

  Expression primary() {
    if (is_digit(next()) || next() == '.') return number();
    if (is_letter(next())) return name();
    const std::size_t open = at_;
    if (take("(")) {
      const Expression e = comparison();
      close(open);
      return e;
    }
    fail(at_, fmt::format("a number, a name or '(' is expected, not {}", seen()));
  }

  void close(std::size_t open) {
    if (take(")")) return;
    fail(at_, fmt::format("')' is expected, not {}, for the '(' at character {}", seen(), open + 1));
  }

  Expression number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(at_, "this number is too large or too small for a double");
    if (error != std::errc()) fail(at_, "a number needs a digit");
    at_ += static_cast<std::size_t>(end - begin);
    skip_space();
    return graph_.number(value);
  }

  Expression name() {
    const std::size_t begin = at_;
    const std::string_view id = word();
    at_ += id.size();
    skip_space();
    const Function* function = find_function(id);
    if (next() == '(' && function) return call(*function);
    if (function) fail(at_, fmt::format("'(' is expected after the function '{}', not {}", id, seen()));
    const Expression e = meaning(id, begin);
    if (next() == '(') {
      if (e != no_expression) fail(at_, fmt::format("'{}' is no function; a product is written with *", id));
      std::vector<std::string> known;
      for (const Function& f : functions) known.emplace_back(f.name);
      fail(begin, fmt::format("unknown function '{}'{}", id, suggest(id, known)));
    }
    if (next() == '[') fail(at_, "index sets are not supported yet; write one coordinate for each");
    if (e == no_expression) fail(begin, fmt::format("unknown name '{}'{}", id, suggest(id, known_names())));
    return e;
  }

  Expression meaning(std::string_view id, std::size_t begin) {
    if (id == "pi") return graph_.number(std::numbers::pi);
    if (id == "t") return graph_.symbol(SymbolKind::time);
    return scope_.find(id, piece_, begin, depth_);
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> known = scope_.names();
    known.insert(known.end(), {"pi", "t"});
    for (const Function& f : functions) known.emplace_back(f.name);
    return known;
  }

  Expression call(const Function& function) {
    const std::size_t open = at_;
    take("(");
    const int wanted = arity(function.op);
    Expression given[3] = {no_expression, no_expression, no_expression};
    for (int k = 0; k < wanted; ++k) {
      if (k > 0 && !take(","))
        fail(at_, fmt::format("'{}' takes {} values; ',' is expected, not {}", function.name, wanted, seen()));
      given[k] = comparison();
    }
    if (next() == ',')
      fail(at_, fmt::format("'{}' takes only {} value{}", function.name, wanted, wanted == 1 ? "" : "s"));
    close(open);
    return graph_.apply(function.op, given[0], given[1], given[2]);
  }

  const SourcePiece& piece_;
  const std::string_view text_;
  ExpressionGraph& graph_;
  NameScope& scope_;
  std::size_t at_ = 0;
  int depth_;
};
}  // namespace

Expression parse_expression(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth) {
  return Parser(piece, graph, scope, depth).whole();
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view name) { return name == "pi" || name == "t" || find_function(name); }
}  // namespace trill
