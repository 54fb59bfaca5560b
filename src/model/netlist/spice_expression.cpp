// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/spice_expression.hpp"

#include "base/text.hpp"
#include "model/expression/function_table.hpp"
#include "model/expression/parser.hpp"
#include "model/netlist/spice_number.hpp"

#include <charconv>

#include <fmt/format.h>

namespace trill {
namespace {
// Functions with other names, or made of others; {0} and {1} are the arguments.
struct SpiceFunction {
  std::string_view name;
  std::size_t arguments;
  const char* meaning;
};
constexpr SpiceFunction spice_functions[] = {
    {"ln", 1, "log({0})"},
    {"log10", 1, "(log({0})/2.302585092994046)"},
    {"arctan", 1, "atan({0})"},
    {"arcsin", 1, "asin({0})"},
    {"arccos", 1, "acos({0})"},
    {"u", 1, "if(({0}) > 0, 1, 0)"},
    {"stp", 1, "if(({0}) > 0, 1, 0)"},
    {"uramp", 1, "max({0}, 0)"},
    {"sgn", 1, "if(({0}) > 0, 1, if(({0}) < 0, -1, 0))"},
    {"sqr", 1, "({0})^2"},
    {"pwr", 2, "abs({0})^({1})"},
    {"pwrs", 2, "(if(({0}) < 0, -1, 1)*abs({0})^({1}))"},
    {"limit", 3, "min(max({0}, min({1}, {2})), max({1}, {2}))"},
    {"ternary_fcn", 3, "if({0}, {1}, {2})"},
};
constexpr std::size_t most_formula_characters = 1'000'000;  // after rewriting

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_word_part(char c) { return is_word_start(c) || (c >= '0' && c <= '9') || c == '.' || c == '#'; }

// A part of a formula that is being read. A parameter is computed where a formula first needs it, so that parts of
// several formulas are open at once: what the stack has to hold is counted over all of them.
class OpenPart {
 public:
  explicit OpenPart(const SpiceFormula& formula) {
    if (open_parts >= most_open_parts)
      throw formula.error(
          fmt::format("more than {} parts of this formula, and of those that need it, are nested", most_open_parts));
    ++open_parts;
  }
  ~OpenPart() { --open_parts; }
  OpenPart(const OpenPart&) = delete;
  OpenPart& operator=(const OpenPart&) = delete;

 private:
  static constexpr int most_open_parts = 400;
  static thread_local int open_parts;
};
thread_local int OpenPart::open_parts = 0;

class Rewriter {
 public:
  Rewriter(const SpiceFormula& formula, const SpiceNames& names)
      : formula_(formula), text_(formula.text), names_(names) {}

  std::string whole() {
    std::string result = choice();
    if (at_ < text_.size()) fail(fmt::format("'{}' was not expected in this formula", text_[at_]));
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw formula_.error(message); }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool sees(std::string_view token) {
    skip();
    return text_.substr(at_).starts_with(token);
  }
  bool take(std::string_view token) {
    if (!sees(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string checked(std::string made) const {
    if (made.size() > most_formula_characters) fail("this formula is too long");
    return made;
  }

  std::string choice() {
    const OpenPart part(formula_);
    std::string made = any_of();
    if (take("?")) {
      const std::string yes = choice();
      if (!take(":")) fail("':' is missing after '?' in this formula");
      made = checked(fmt::format("if({}, {}, {})", made, yes, choice()));
    }
    return made;
  }
  std::string any_of() {
    std::string made = all_of();
    while (take("||")) made = checked(fmt::format("max(({}) != 0, ({}) != 0)", made, all_of()));
    return made;
  }
  std::string all_of() {
    std::string made = operators();
    while (take("&&")) made = checked(fmt::format("((({}) != 0)*(({}) != 0))", made, operators()));
    return made;
  }

  // Operands and the operators that both languages share, up to something that ends them.
  std::string operators() {
    std::string made;
    while (true) {
      skip();
      if (at_ >= text_.size() || sees("?") || sees(":") || sees("||") || sees("&&") || sees(",") || sees(")") ||
          sees("}"))
        break;
      if (take("**"))
        made += "^";
      else if (sees("!") && !sees("!="))
        made += negation();
      else
        made += operand_or_operator();
    }
    if (made.empty()) fail("a number or a name is missing in this formula");
    return checked(made);
  }
  std::string negation() {
    const OpenPart part(formula_);
    take("!");
    skip();
    return fmt::format("if(({}) == 0, 1, 0)", sees("!") ? negation() : operand_or_operator());
  }

  std::string operand_or_operator() {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '(' || c == '{') return in_parentheses(c == '(' ? ")" : "}");
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (is_word_start(c)) return word();
    if (std::string_view("+-*/^<>=!").find(c) == std::string_view::npos || c == '\0')
      fail(c == '\0' ? "this formula ends too early" : fmt::format("'{}' was not expected in this formula", c));
    ++at_;
    return std::string(1, c);
  }
  std::string in_parentheses(std::string_view closing) {
    ++at_;
    std::string made = "(" + choice() + ")";
    if (!take(closing)) fail(fmt::format("'{}' is missing in this formula", closing));
    return made;
  }
  std::string number() {
    const auto found = leading_number(text_.substr(at_));
    if (!found) fail("a number of this formula cannot be read");
    at_ += found->length;
    return " " + format_number(found->value) + " ";  // what follows without an operator is a mistake, not a digit more
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_part(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (sees("(")) return name == "v" || name == "i" ? unknown(name[0]) : call(name);
    if (name == "time") return " t ";
    if (name == "pi") return " pi ";
    if (const auto value = names_.parameter(name)) return "(" + format_number(*value) + ")";
    std::vector<std::string> known = names_.known();
    known.insert(known.end(), {"time", "pi"});
    fail(fmt::format("unknown name '{}' in this formula{}", name, suggest(name, known)));
  }

  std::string call(const std::string& name) {
    const Function* plain = find_function(name);
    if (plain && plain->of_points != PointFunction::none) plain = nullptr;
    const auto* own = std::find_if(std::begin(spice_functions), std::end(spice_functions),
                                   [&](const SpiceFunction& f) { return f.name == name; });
    if (!plain && own == std::end(spice_functions)) fail_at_function(name);
    const std::size_t least = plain ? static_cast<std::size_t>(plain->least()) : own->arguments;
    const std::size_t most = plain ? static_cast<std::size_t>(plain->most()) : own->arguments;
    std::vector<std::string> given = arguments();
    if (given.size() < least || given.size() > most)
      fail(fmt::format("'{}' takes {} value{}", name, least == most ? fmt::format("{}", least) : "2 or more",
                       least == 1 ? "" : "s"));
    if (plain) return checked(fmt::format("{}({})", name, join(given, ", ")));
    given.resize(3);
    return checked(fmt::format(fmt::runtime(own->meaning), given[0], given[1], given[2]));
  }
  [[noreturn]] void fail_at_function(const std::string& name) const {
    std::vector<std::string> known;
    for (const SpiceFunction& f : spice_functions) known.emplace_back(f.name);
    for (const Function& f : functions)
      if (f.of_points == PointFunction::none) known.emplace_back(f.name);
    fail(fmt::format("unknown function '{}' in this formula{}", name, suggest(name, known)));
  }
  std::vector<std::string> arguments() {
    take("(");
    std::vector<std::string> given{choice()};
    while (take(",")) given.push_back(choice());
    if (!take(")")) fail("')' is missing in this formula");
    return given;
  }

  // V(a), V(a,b), I(source)
  std::string unknown(char kind) {
    if (!names_.allows_unknowns())
      fail(
          fmt::format("'{}(...)' depends on the circuit and cannot be used in the value of a parameter or element; use "
                      "a B source",
                      kind));
    take("(");
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) fail("')' is missing in this formula");
    std::vector<std::string> given = split(text_.substr(at_, end - at_), ',');
    at_ = end + 1;
    for (std::string& name : given) std::erase(name, ' ');
    if (given.empty() || given[0].empty() || given.size() > (kind == 'v' ? 2u : 1u))
      fail(kind == 'v' ? "V(...) takes the name of one or two nodes" : "I(...) takes the name of one element");
    const std::string first = symbol(kind, given[0]);
    return given.size() == 2 ? fmt::format("({} - {})", first, symbol(kind, given[1])) : first;
  }
  std::string symbol(char kind, const std::string& name) const {
    const auto index = kind == 'v' ? names_.voltage(name) : names_.current(name);
    if (!index && kind == 'v') fail(fmt::format("there is no node '{}' in this circuit", name));
    if (!index)
      fail(
          fmt::format("there is no current of '{}'; formulas can use the currents of voltage sources and inductors, "
                      "E, H and B sources with a voltage included",
                      name));
    return *index < 0 ? " 0 " : fmt::format(" x{} ", *index);
  }

  const SpiceFormula& formula_;
  std::string_view text_;
  const SpiceNames& names_;
  std::size_t at_ = 0;
};

// The names that rewriting leaves: x3 is unknown 3.
class UnknownScope final : public NameScope {
 public:
  explicit UnknownScope(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    int index = 0;
    const std::string_view digits = use.name.substr(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (use.name[0] != 'x' || error != std::errc() || end != digits.data() + digits.size()) return {};
    return parsed_number(graph_.symbol(SymbolKind::coordinate, index));
  }
  std::vector<std::string> names() const override { return {}; }

 private:
  ExpressionGraph& graph_;
};
}  // namespace

Expression parse_spice(const SpiceFormula& formula, ExpressionGraph& graph, const SpiceNames& names) {
  const SourcePiece piece = formula.card->piece(formula.at, Rewriter(formula, names).whole());
  UnknownScope scope(graph);
  return parse_expression(piece, graph, scope);
}

double evaluate_spice(const SpiceFormula& formula, const SpiceNames& names) {
  ExpressionGraph graph;
  const auto value = graph.constant(parse_spice(formula, graph, names));
  if (!value) throw formula.error("this formula has no finite value, or depends on the time");
  return *value;
}
}  // namespace trill
