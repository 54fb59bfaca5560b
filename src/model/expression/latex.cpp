// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/latex.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_operations = 2000;  // longer formulas are not meant to be read

// How tightly the outermost operation of a text binds.
enum Binding { comparison, sum, product, power, atom };
struct Piece {
  std::string text;
  Binding binding = atom;
};

constexpr const char* greek[] = {"alpha",   "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta", "iota",
                                 "kappa",   "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma", "tau",
                                 "upsilon", "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta", "Lambda",
                                 "Xi",      "Pi",     "Sigma", "Phi",   "Psi",     "Omega"};

std::string word(std::string_view text) {
  if (std::find(std::begin(greek), std::end(greek), text) != std::end(greek)) return "\\" + std::string(text);
  return text.size() <= 1 ? std::string(text) : fmt::format("\\mathrm{{{}}}", text);
}

std::string number(double value) {
  const std::string text = format_number(value);
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  const std::string mantissa = text.substr(0, e);
  const long long exponent = parse_integer(text.substr(e + 1)).value_or(0);
  return fmt::format("{}10^{{{}}}", mantissa == "1" ? "" : mantissa + " \\cdot ", exponent);
}

const char* function_name_of(Op op) {
  switch (op) {
    case Op::exp:
      return "\\exp";
    case Op::log:
      return "\\ln";
    case Op::sin:
      return "\\sin";
    case Op::cos:
      return "\\cos";
    case Op::tan:
      return "\\tan";
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::sinh:
      return "\\sinh";
    case Op::cosh:
      return "\\cosh";
    case Op::tanh:
      return "\\tanh";
    case Op::atan2:
      return "\\operatorname{atan2}";
    default:
      return nullptr;
  }
}

const char* relation(Op op) {
  switch (op) {
    case Op::less:
      return "<";
    case Op::less_equal:
      return "\\le";
    case Op::equal:
      return "=";
    case Op::not_equal:
      return "\\ne";
    default:
      return nullptr;
  }
}

class LatexWriter {
 public:
  LatexWriter(const ExpressionGraph& graph, const LatexSymbols& symbols) : graph_(graph), symbols_(symbols) {}

  double operations(Expression root) const {
    std::map<Expression, double> counts;
    for (const Expression e : graph_.needed({&root, 1})) {
      double count = 1;
      for (int k = 0; k < arity(graph_[e].op); ++k) count += counts[graph_[e].child[k]];
      counts[e] = count;
    }
    return counts[root];
  }

  Piece write(Expression e) const {
    const ExpressionNode& node = graph_[e];
    const auto child = [&](int k) { return node.child[k]; };
    if (const char* name = function_name_of(node.op)) return {call(name, node), atom};
    if (relation(node.op)) return {condition(e), comparison};
    if (const auto known = extreme(node)) return *known;
    if (is_truth(e)) return {fmt::format("\\left[{}\\right]", condition(e)), atom};
    switch (node.op) {
      case Op::number:
        return write_number(node.value);
      case Op::symbol:
        return {symbols_(node.kind, node.index), atom};
      case Op::add:
        return write_sum(child(0), child(1));
      case Op::subtract:
        return {fmt::format("{} - {}", inside(child(0), sum), inside(child(1), product)), sum};
      case Op::negate:
        return {"-" + inside(child(0), product), sum};
      case Op::multiply:
        return write_product(child(0), child(1));
      case Op::divide:
        return {fmt::format("\\frac{{{}}}{{{}}}", plain(child(0)), plain(child(1))), product};
      case Op::square:
        return {inside(child(0), atom) + "^{2}", power};
      case Op::power:
        return {fmt::format("{}^{{{}}}", inside(child(0), atom), plain(child(1))), power};
      case Op::sqrt:
        return {fmt::format("\\sqrt{{{}}}", plain(child(0)))};
      case Op::hypot:
        return {fmt::format("\\sqrt{{{}^{{2}} + {}^{{2}}}}", inside(child(0), atom), inside(child(1), atom))};
      case Op::floor:
        return {fmt::format("\\left\\lfloor {} \\right\\rfloor", plain(child(0)))};
      case Op::abs:
        return {fmt::format("\\left|{}\\right|", plain(child(0)))};
      case Op::table_place:
        return {"\\operatorname{place}" + of_table(node, 1), atom};
      case Op::table_piece:
        return {of_table(node, 2), atom};
      default:  // choose
        if (const auto known = known_choice(node)) return *known;
        return {fmt::format("\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                            plain(child(1)), condition(child(0)), plain(child(2)))};
    }
  }

 private:
  std::string plain(Expression e) const { return write(e).text; }
  std::string inside(Expression e, Binding least) const {
    const Piece piece = write(e);
    return piece.binding >= least ? piece.text : fmt::format("\\left({}\\right)", piece.text);
  }

  bool is_zero(Expression e) const { return graph_.constant(e) == 0.0; }
  // Numbers that are 1 or 0: comparisons, and what the parser makes of `and` and `or`.
  bool is_truth(Expression e) const {
    const ExpressionNode& node = graph_[e];
    if (relation(node.op)) return true;
    return node.op == Op::multiply ? is_truth(node.child[0]) && is_truth(node.child[1]) : either_of(e).has_value();
  }
  // a + b - a b
  std::optional<std::array<Expression, 2>> either_of(Expression e) const {
    const ExpressionNode& node = graph_[e];
    if (node.op != Op::subtract || graph_[node.child[0]].op != Op::add || graph_[node.child[1]].op != Op::multiply)
      return std::nullopt;
    const ExpressionNode &both = graph_[node.child[0]], &common = graph_[node.child[1]];
    const bool same = (both.child[0] == common.child[0] && both.child[1] == common.child[1]) ||
                      (both.child[0] == common.child[1] && both.child[1] == common.child[0]);
    if (!same || !is_truth(both.child[0]) || !is_truth(both.child[1])) return std::nullopt;
    return std::array{both.child[0], both.child[1]};
  }
  std::string part_of_condition(Expression e) const {
    const ExpressionNode& node = graph_[e];
    const bool simple = relation(node.op) && !(is_zero(node.child[1]) && is_truth(node.child[0]));
    return simple ? condition(e) : fmt::format("\\left({}\\right)", condition(e));
  }
  std::string condition(Expression e) const {
    const ExpressionNode& node = graph_[e];
    if (const auto either = either_of(e))
      return fmt::format("{} \\lor {}", part_of_condition((*either)[0]), part_of_condition((*either)[1]));
    if (node.op == Op::multiply && is_truth(e))
      return fmt::format("{} \\land {}", part_of_condition(node.child[0]), part_of_condition(node.child[1]));
    const char* sign = relation(node.op);
    if (!sign) return plain(e) + " \\ne 0";
    if (is_zero(node.child[1]) && is_truth(node.child[0])) {
      if (node.op == Op::not_equal) return condition(node.child[0]);
      if (node.op == Op::equal) return fmt::format("\\lnot \\left({}\\right)", condition(node.child[0]));
    }
    return fmt::format("{} {} {}", inside(node.child[0], sum), sign, inside(node.child[1], sum));
  }

  // The choice that stands for a sign.
  std::optional<Piece> known_choice(const ExpressionNode& node) const {
    const ExpressionNode& test = graph_[node.child[0]];
    if (test.op != Op::less) return std::nullopt;
    const ExpressionNode& other = graph_[node.child[2]];
    if (graph_.constant(node.child[1]) == -1.0 && is_zero(test.child[1]) && other.op == Op::less &&
        is_zero(other.child[0]) && other.child[1] == test.child[0])
      return Piece{fmt::format("\\operatorname{{sign}}\\left({}\\right)", plain(test.child[0])), atom};
    return std::nullopt;
  }
  // The smaller or larger of two numbers: as such, or as the choice that the parser makes of it.
  std::optional<Piece> extreme(const ExpressionNode& node) const {
    for (const bool larger : {false, true})
      if (is_extreme(node, larger))
        return Piece{fmt::format("{}\\left({}\\right)", larger ? "\\max" : "\\min", candidates(node, larger)), atom};
    return std::nullopt;
  }
  bool is_extreme(const ExpressionNode& node, bool larger) const {
    if (node.op == (larger ? Op::max : Op::min)) return true;
    if (node.op != Op::choose || graph_[node.child[0]].op != Op::less) return false;
    const ExpressionNode& test = graph_[node.child[0]];
    return test.child[larger ? 1 : 0] == node.child[1] && test.child[larger ? 0 : 1] == node.child[2];
  }
  std::string candidates(const ExpressionNode& node, bool larger) const {
    std::string text;
    const int first = node.op == Op::choose ? 1 : 0;
    for (const Expression e : {node.child[first], node.child[first + 1]})
      text += (text.empty() ? "" : ", ") + (is_extreme(graph_[e], larger) ? candidates(graph_[e], larger) : plain(e));
    return text;
  }

  std::string call(const char* name, const ExpressionNode& node) const {
    std::string arguments = plain(node.child[0]);
    for (int k = 1; k < arity(node.op); ++k) arguments += ", " + plain(node.child[k]);
    return fmt::format("{}\\left({}\\right)", name, arguments);
  }

  // The cell is left out: it is that of the argument.
  std::string of_table(const ExpressionNode& node, int last) const {
    const LookupFunction function = LookupFunction::from(*graph_.constant(node.child[last]));
    const std::string& name = graph_.tables()[static_cast<std::size_t>(function.table)]->name;
    return fmt::format("{}{}\\left({}\\right)", latex_name(name),
                       std::string(static_cast<std::size_t>(function.derivative), '\''), plain(node.child[0]));
  }

  static Piece write_number(double value) {
    const double inverse = 1 / value;
    if (std::abs(value) < 1 && inverse == std::round(inverse) && std::abs(inverse) <= 100 && 1 / inverse == value)
      return {fmt::format("{}\\tfrac{{1}}{{{}}}", value < 0 ? "-" : "", std::abs(inverse)), value < 0 ? sum : product};
    return {number(value), value < 0 ? sum : atom};
  }

  // The graph puts numbers first, but people write r - 1.
  Piece write_sum(Expression a, Expression b) const {
    const auto first = graph_.constant(a);
    if (first && *first < 0) return {fmt::format("{} - {}", inside(b, sum), write_number(-*first).text), sum};
    if (first) std::swap(a, b);
    return {fmt::format("{} + {}", inside(a, sum), inside(b, sum)), sum};
  }

  Piece write_product(Expression a, Expression b) const {
    if (const auto factor = graph_.constant(a); factor && *factor < 0)
      return {fmt::format("-{}", join(write_number(-*factor).text, inside(b, product))), sum};
    return {join(inside(a, product), inside(b, product)), product};
  }
  static std::string join(const std::string& left, const std::string& right) {
    const bool digits_meet = right[0] >= '0' && right[0] <= '9';
    return left + (digits_meet ? " \\cdot " : " ") + right;
  }

  const ExpressionGraph& graph_;
  const LatexSymbols& symbols_;
};
}  // namespace

std::string latex_name(std::string_view identifier) {
  std::size_t stem = identifier.find('_');
  stem = std::min({stem, identifier.find_first_of("0123456789"), identifier.size()});
  if (stem == 0) return fmt::format("\\mathrm{{{}}}", fmt::join(split(identifier, '_'), "\\_"));
  const std::string head = word(identifier.substr(0, stem));
  std::vector<std::string> below;
  for (const std::string& part : split(identifier.substr(stem), '_'))
    if (!part.empty()) below.push_back(parse_integer(part) ? part : word(part));
  return below.empty() ? head : fmt::format("{}_{{{}}}", head, fmt::join(below, ","));
}

std::string latex(const ExpressionGraph& graph, Expression e, const LatexSymbols& symbols) {
  const LatexWriter writer(graph, symbols);
  const double operations = writer.operations(e);
  if (operations > most_operations) return fmt::format("\\text{{({} operations)}}", operations);
  return writer.write(e).text;
}
}  // namespace trill
