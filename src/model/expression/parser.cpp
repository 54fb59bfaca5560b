// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/parser.hpp"

#include "base/text.hpp"
#include "model/expression/function_table.hpp"
#include "model/expression/point_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::size_t most_quoted = 40;  // characters of an operand in a message

class Parser {
 public:
  Parser(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth)
      : piece_(piece), text_(piece.text), graph_(graph), scope_(scope), depth_(depth) {}

  ParsedValue whole() {
    skip_space();
    if (at_ == text_.size()) fail(at_, "an expression is expected here");
    const Operand e = comparison();
    if (at_ < text_.size()) fail(at_, fmt::format("{} was not expected here; {}", seen(), after_operand()));
    return e.value;
  }
  Expression whole_number() {
    skip_space();
    const std::size_t begin = at_;
    return number_of({whole(), begin, text_.size()});
  }

 private:
  // Recursion is bounded here: a file must not be able to exhaust the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > most_nesting)
        parser_.fail(
            parser_.at_,
            fmt::format("more than {} expressions are nested inside each other, which is the limit", most_nesting));
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // A value with the text that it stands for.
  struct Operand {
    ParsedValue value;
    std::size_t begin = 0, end = 0;
  };
  struct Arguments {
    std::array<Operand, most_arguments> given;
    std::size_t count = 0;
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
    if (text_.substr(at_).starts_with("=")) return "to compare two values for equality, write ==";
    if (next() == ')') return "it closes a parenthesis that was never opened";
    if (is_letter(next()) || is_digit(next()) || next() == '(')
      return "an operator is missing in front of it (write a product with *)";
    return "one of the operators + - * / ^ or the end of the expression was expected";
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

  // The operand as it is written, cut where it is long.
  std::string text_of(const Operand& operand) const {
    std::string text(text_.substr(operand.begin, operand.end - operand.begin));
    text.erase(text.find_last_not_of(" \t\n\r") + 1);
    if (text.size() > most_quoted) text.replace(most_quoted, std::string::npos, "...");
    return text;
  }
  Operand as_number(Expression e, std::size_t begin) const { return {parsed_number(e), begin, at_}; }
  Expression number_of(const Operand& operand) const {
    if (operand.value.size == 1) return operand.value.part[0];
    const std::string text = text_of(operand);
    fail(operand.begin, fmt::format("{0} is a point, and a number is needed here; write {0}.x or distance(...)", text));
  }

  Operand comparison() {
    const Level level(*this);
    const std::size_t begin = at_;
    const Operand a = sum();
    bool swapped = false;
    const auto op = take_comparison(swapped);
    if (!op) return a;
    const Expression left = number_of(a), right = number_of(sum());
    const std::size_t after = at_;
    if (bool again = false; take_comparison(again))
      fail(after, "comparisons cannot be chained as in a < b < c; use min, max or an if inside an if");
    return as_number(swapped ? graph_.apply(*op, right, left) : graph_.apply(*op, left, right), begin);
  }

  Operand sum() {
    Operand e = product();
    while (true) {
      const bool adds = next() == '+';
      if (!take("+") && !take("-")) return e;
      const Expression a = number_of(e), b = number_of(product());
      e = as_number(adds ? graph_.add(a, b) : graph_.subtract(a, b), e.begin);
    }
  }

  Operand product() {
    Operand e = unary();
    while (true) {
      if (text_.substr(at_).starts_with("**")) fail(at_, "'**' was not expected here; write a power with ^");
      const bool multiplies = next() == '*';
      if (!take("*") && !take("/")) return e;
      const Expression a = number_of(e), b = number_of(unary());
      e = as_number(multiplies ? graph_.multiply(a, b) : graph_.divide(a, b), e.begin);
    }
  }

  Operand unary() {
    const Level level(*this);
    const std::size_t begin = at_;
    if (take("-")) return as_number(graph_.negate(number_of(unary())), begin);
    if (take("+")) return as_number(number_of(unary()), begin);
    const Operand base = part();
    if (!take("^")) return base;
    const Expression a = number_of(base), b = number_of(unary());
    return as_number(graph_.apply(Op::power, a, b), begin);
  }

  Operand part() {
    const std::size_t begin = at_;
    const Operand whole{primary(), begin, at_};
    const std::size_t dot = at_;
    if (!take(".")) return whole;
    const std::string_view id = word();
    if (id != "x" && id != "y" && id != "z") fail_at_dot(whole, dot, id);
    if (whole.value.size == 1)
      fail(dot, fmt::format("{} is a number, not a point, and has no part .{}", text_of(whole), id));
    const auto index = static_cast<std::size_t>(id[0] - 'x');
    if (index >= static_cast<std::size_t>(whole.value.size))
      fail(dot, fmt::format("{} is a point of the plane; it has only the parts .x and .y", text_of(whole)));
    at_ += id.size();
    skip_space();
    return as_number(whole.value.part[index], begin);
  }

  [[noreturn]] void fail_at_dot(const Operand& whole, std::size_t dot, std::string_view id) const {
    const std::string owner = text_of(whole), name = owner.substr(0, owner.find('[')) + ".";
    std::vector<std::string> known;
    for (const std::string& other : scope_.names())
      if (other.starts_with(name)) known.push_back(other.substr(name.size()));
    if (known.empty()) fail(dot, "'.' was not expected here; only points have parts, which are .x, .y and .z");
    fail(dot, fmt::format("'{}' has no '{}'{}", owner, id, suggest(id, known)));
  }

  ParsedValue primary() {
    if (is_digit(next()) || next() == '.') return parsed_number(number());
    if (is_letter(next())) return name();
    const std::size_t open = at_;
    if (take("(")) {
      const ParsedValue value = comparison().value;
      close(open, "(", ")");
      return value;
    }
    fail(at_, fmt::format("a number, a name or '(' was expected here, not {}", seen()));
  }

  void close(std::size_t open, std::string_view opening, std::string_view closing) {
    if (take(closing)) return;
    fail(at_, fmt::format("'{}' was expected here, not {}, to close the '{}' at character {}", closing, seen(), opening,
                          open + 1));
  }

  Expression number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(at_, "this number is too large or too small to be stored (in double precision)");
    if (error != std::errc()) fail(at_, "a number needs at least one digit");
    at_ += static_cast<std::size_t>(end - begin);
    skip_space();
    return graph_.number(value);
  }

  ParsedValue name() {
    const std::size_t begin = at_;
    const std::string_view id = word();
    at_ += id.size();
    skip_space();
    const Function* function = find_function(id);
    if (next() == '(' && function) return call(*function, begin);
    if (function) fail(at_, fmt::format("'(' was expected after the function '{}', not {}", id, seen()));
    const Expression index = next() == '[' ? in_brackets() : no_expression;
    const std::string longer = dotted(id);
    const ParsedValue value = meaning(longer.empty() ? id : longer, index, begin);
    if (next() == '(') {
      if (value.size > 0) fail(at_, fmt::format("'{}' is not a function; write a product with *", id));
      std::vector<std::string> known;
      for (const Function& f : functions) known.emplace_back(f.name);
      fail(begin, fmt::format("unknown function '{}'{}", id, suggest(id, known)));
    }
    if (value.size == 0) fail(begin, fmt::format("unknown name '{}'{}", id, suggest(id, known_names())));
    return value;
  }

  // Takes the dot and the word after it if both are part of a name such as a.b. Parts of points are not taken.
  std::string dotted(std::string_view id) {
    const std::size_t dot = at_;
    if (!take(".")) return "";
    std::string name = fmt::format("{}.{}", id, word());
    if (scope_.knows(name)) {
      at_ += word().size();
      skip_space();
      return name;
    }
    at_ = dot;
    return "";
  }

  Expression in_brackets() {
    const std::size_t open = at_;
    take("[");
    const Expression index = number_of(comparison());
    close(open, "[", "]");
    return index;
  }

  ParsedValue meaning(std::string_view id, Expression index, std::size_t begin) {
    const bool is_pi = id == "pi";
    if (!is_pi && id != "t") return scope_.find({id, index, piece_, begin, depth_});
    if (index != no_expression) fail(begin, fmt::format("'{}' is not an array and takes no index", id));
    return parsed_number(is_pi ? graph_.number(std::numbers::pi) : graph_.symbol(SymbolKind::time));
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> known = scope_.names();
    known.insert(known.end(), {"pi", "t"});
    for (const Function& f : functions) known.emplace_back(f.name);
    return known;
  }

  ParsedValue call(const Function& function, std::size_t begin) {
    const Arguments arguments = parenthesized(function);
    if (function.of_points != PointFunction::none) return of_points(function, arguments, begin);
    std::array<Expression, 3> given = {no_expression, no_expression, no_expression};
    for (std::size_t k = 0; k < arguments.count; ++k) given[k] = number_of(arguments.given[k]);
    return parsed_number(graph_.apply(function.op, given[0], given[1], given[2]));
  }

  Arguments parenthesized(const Function& function) {
    const std::size_t open = at_;
    take("(");
    const int least = function.least(), most = function.most();
    Arguments arguments;
    for (int k = 0; k < most; ++k) {
      if (k >= least && next() != ',') break;
      if (k > 0 && !take(","))
        fail(at_, fmt::format("'{}' takes {} values; ',' was expected here, not {}", function.name,
                              least == most ? fmt::format("{}", most) : fmt::format("{} or {}", least, most), seen()));
      arguments.given[arguments.count++] = comparison();
    }
    if (next() == ',') fail(at_, fmt::format("'{}' takes only {} value{}", function.name, most, most == 1 ? "" : "s"));
    close(open, "(", ")");
    return arguments;
  }

  ParsedValue of_points(const Function& function, const Arguments& arguments, std::size_t begin) {
    if (function.of_points == PointFunction::point) return point_of(arguments);
    check_points(function, arguments);
    if (function.of_points == PointFunction::dihedral && arguments.given[0].value.size != 3)
      fail(begin, "'dihedral' takes points in space, which have three parts");
    const auto p = [&](std::size_t k) {
      return PointParts(arguments.given[k].value.part).first(static_cast<std::size_t>(arguments.given[k].value.size));
    };
    switch (function.of_points) {
      case PointFunction::distance:
        return parsed_number(point_distance(graph_, p(0), p(1)));
      case PointFunction::angle:
        return parsed_number(point_angle(graph_, p(0), p(1), p(2)));
      case PointFunction::dihedral:
        return parsed_number(dihedral_angle(graph_, p(0), p(1), p(2), p(3)));
      case PointFunction::dot:
        return parsed_number(dot_product(graph_, p(0), p(1)));
      default:
        return parsed_number(point_norm(graph_, p(0)));
    }
  }

  ParsedValue point_of(const Arguments& arguments) const {
    ParsedValue point;
    for (std::size_t k = 0; k < arguments.count; ++k) point.part[k] = number_of(arguments.given[k]);
    point.size = static_cast<int>(arguments.count);
    return point;
  }

  void check_points(const Function& function, const Arguments& arguments) const {
    const Operand& first = arguments.given[0];
    for (std::size_t k = 0; k < arguments.count; ++k) {
      const Operand& a = arguments.given[k];
      if (a.value.size == 1) fail(a.begin, fmt::format("{} is a number; '{}' takes points", text_of(a), function.name));
      if (a.value.size != first.value.size)
        fail(a.begin,
             fmt::format("{} has {} parts and {} has {}; all points given to a function must have equally many",
                         text_of(a), a.value.size, text_of(first), first.value.size));
    }
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
  return Parser(piece, graph, scope, depth).whole_number();
}

ParsedValue parse_value(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth) {
  return Parser(piece, graph, scope, depth).whole();
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string indexed_name(std::string_view name, std::string_view index) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  return fmt::format("{}[{}]{}", name.substr(0, dot), index, name.substr(dot));
}

bool is_reserved(std::string_view name) { return name == "pi" || name == "t" || find_function(name); }
}  // namespace trill
