// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/parser.hpp"

#include "base/text.hpp"
#include "model/expression/expression_text.hpp"
#include "model/expression/function_table.hpp"
#include "model/expression/point_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_quoted = 40;  // characters of an operand in a message

class Parser : private ExpressionText {
 public:
  Parser(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth)
      : ExpressionText(piece), graph_(graph), scope_(scope), depth_(depth) {}

  ParsedValue whole() {
    skip_space();
    if (at_ == text_.size()) fail(at_, "an expression is expected here");
    const Operand e = condition();
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
    std::vector<Operand> given;
  };

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

  Expression truth(const Operand& operand) { return graph_.apply(Op::not_equal, number_of(operand), graph_.number(0)); }

  Operand condition() {
    Operand e = both();
    while (take_word("or")) {
      const Expression a = truth(e), b = truth(both());
      e = as_number(graph_.subtract(graph_.add(a, b), graph_.multiply(a, b)), e.begin);
    }
    return e;
  }
  Operand both() {
    Operand e = negation();
    while (take_word("and")) {
      const Expression a = truth(e), b = truth(negation());
      e = as_number(graph_.multiply(a, b), e.begin);
    }
    return e;
  }
  Operand negation() {
    const Level level(*this);
    const std::size_t begin = at_;
    if (!take_word("not")) return comparison();
    return as_number(graph_.apply(Op::equal, number_of(negation()), graph_.number(0)), begin);
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
      fail(after, "comparisons cannot be chained as in a < b < c; write a < b and b < c");
    return as_number(swapped ? graph_.apply(*op, right, left) : graph_.apply(*op, left, right), begin);
  }

  Operand sum() {
    Operand e = product();
    while (true) {
      const bool adds = next() == '+';
      if (!take("+") && !take("-")) return e;
      e = sum_of(e, adds ? Op::add : Op::subtract, product());
    }
  }

  template <class Change>
  Operand each_part(const Operand& operand, std::size_t begin, Change change) const {
    Operand result{operand.value, begin, at_};
    for (int k = 0; k < operand.value.size; ++k)
      result.value.part[static_cast<std::size_t>(k)] = change(result.value.part[static_cast<std::size_t>(k)]);
    return result;
  }

  Operand sum_of(const Operand& a, Op op, const Operand& b) {
    if (a.value.size != b.value.size)
      fail(a.begin, fmt::format("{} is a {} and {} is a {}; only values of the same kind can be added or subtracted",
                                text_of(a), kind_of(a), text_of(b), kind_of(b)));
    Operand result{a.value, a.begin, at_};
    for (std::size_t k = 0; k < static_cast<std::size_t>(a.value.size); ++k)
      result.value.part[k] = graph_.apply(op, a.value.part[k], b.value.part[k]);
    return result;
  }
  static const char* kind_of(const Operand& operand) {
    return operand.value.size == 1 ? "number" : operand.value.size == 2 ? "point of the plane" : "point in space";
  }

  Operand product_of(const Operand& a, const Operand& b) {
    if (a.value.size > 1 && b.value.size > 1)
      fail(a.begin, fmt::format("{} and {} are points, which have no product; write dot(...)", text_of(a), text_of(b)));
    const bool a_is_factor = a.value.size == 1;
    const Expression factor = number_of(a_is_factor ? a : b);
    return each_part(a_is_factor ? b : a, a.begin, [&](Expression x) {
      return a_is_factor ? graph_.multiply(factor, x) : graph_.multiply(x, factor);
    });
  }
  Operand quotient_of(const Operand& a, const Operand& b) {
    const Expression divisor = number_of(b);
    return each_part(a, a.begin, [&](Expression x) { return graph_.divide(x, divisor); });
  }
  Expression modulo(Expression a, Expression b) {
    return graph_.subtract(a, graph_.multiply(b, graph_.apply(Op::floor, graph_.divide(a, b))));
  }
  Expression sign(Expression a) {
    const Expression zero = graph_.number(0);
    return graph_.apply(Op::choose, graph_.apply(Op::less, a, zero), graph_.number(-1),
                        graph_.apply(Op::less, zero, a));
  }

  Operand product() {
    Operand e = unary();
    while (true) {
      if (text_.substr(at_).starts_with("**")) fail(at_, "'**' was not expected here; write a power with ^");
      const bool multiplies = next() == '*';
      if (take("%")) {
        const Expression a = number_of(e), b = number_of(unary());
        e = as_number(modulo(a, b), e.begin);
        continue;
      }
      if (!take("*") && !take("/")) return e;
      e = multiplies ? product_of(e, unary()) : quotient_of(e, unary());
    }
  }

  Operand unary() {
    const Level level(*this);
    const std::size_t begin = at_;
    if (take("-")) return each_part(unary(), begin, [&](Expression x) { return graph_.negate(x); });
    if (take("+")) return each_part(unary(), begin, [](Expression x) { return x; });
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
      const ParsedValue value = condition().value;
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
    if (std::find(std::begin(operator_words), std::end(operator_words), id) != std::end(operator_words))
      fail(begin, fmt::format("a value was expected here; '{}' stands between or in front of values", id));
    const Function* function = find_function(id);
    if (next() == '(' && function) return call(*function, begin);
    if (function && function->reserved)
      fail(at_, fmt::format("'(' was expected after the function '{}', not {}", id, seen()));
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
    const Expression index = number_of(condition());
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

  // A text in quotes.
  std::string quoted(const char* what) {
    const std::size_t begin = at_;
    const char quote = next();
    if (quote != '"' && quote != '\'') fail(at_, fmt::format("{} in quotes was expected here, not {}", what, seen()));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(begin, "this text has no closing quote");
    at_ = end + 1;
    skip_space();
    return std::string(text_.substr(begin + 1, end - begin - 1));
  }

  ParsedValue table() {
    const std::size_t open = at_;
    take("(");
    TableUse use{.piece = piece_, .offset = at_};
    use.file = quoted("the name of a file");
    if (!take(",")) fail(at_, fmt::format("',' and the place in the table were expected here, not {}", seen()));
    const Expression x = number_of(condition());
    while (take(",")) {
      const std::string word = quoted("\"linear\", \"cubic\" or the name of a column");
      if (word == "linear" || word == "cubic")
        use.interpolation = word == "cubic" ? Interpolation::cubic : Interpolation::linear;
      else
        use.column = word;
    }
    close(open, "(", ")");
    return parsed_number(graph_.lookup(scope_.find_table(use), x));
  }

  ParsedValue call(const Function& function, std::size_t begin) {
    if (function.made == MadeFunction::table) return table();
    const Arguments arguments = parenthesized(function);
    if (function.of_points != PointFunction::none) return of_points(function, arguments, begin);
    std::vector<Expression> given;
    for (const Operand& argument : arguments.given) given.push_back(number_of(argument));
    if (function.made == MadeFunction::modulo) return parsed_number(modulo(given[0], given[1]));
    if (function.made == MadeFunction::sign) return parsed_number(sign(given[0]));
    if (function.most() == any_number) {
      Expression result = given[0];
      for (std::size_t k = 1; k < given.size(); ++k) result = graph_.apply(function.op, result, given[k]);
      return parsed_number(result);
    }
    given.resize(3, no_expression);
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
                              least == most        ? fmt::format("{}", most)
                              : most == any_number ? fmt::format("{} or more", least)
                                                   : fmt::format("{} or {}", least, most),
                              seen()));
      arguments.given.push_back(condition());
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
    for (std::size_t k = 0; k < arguments.given.size(); ++k) point.part[k] = number_of(arguments.given[k]);
    point.size = static_cast<int>(arguments.given.size());
    return point;
  }

  void check_points(const Function& function, const Arguments& arguments) const {
    const Operand& first = arguments.given[0];
    for (const Operand& a : arguments.given) {
      if (a.value.size == 1) fail(a.begin, fmt::format("{} is a number; '{}' takes points", text_of(a), function.name));
      if (a.value.size != first.value.size)
        fail(a.begin,
             fmt::format("{} has {} parts and {} has {}; all points given to a function must have equally many",
                         text_of(a), a.value.size, text_of(first), first.value.size));
    }
  }

  ExpressionGraph& graph_;
  NameScope& scope_;
  int depth_;
};
}  // namespace

std::shared_ptr<const LookupTable> NameScope::find_table(const TableUse& use) {
  throw use.piece.error(use.offset, "tables cannot be used here");
}

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

bool is_reserved(std::string_view name) {
  const bool is_operator =
      std::find(std::begin(operator_words), std::end(operator_words), name) != std::end(operator_words);
  const Function* function = find_function(name);
  return name == "pi" || name == "t" || is_operator || (function && function->reserved);
}
}  // namespace trill
