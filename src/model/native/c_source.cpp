// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/c_source.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
// The number of lanes that are computed before any of them is added to the output: the loop over them has no
// dependences.
constexpr int block = 16;
// With fewer instances vectors cannot be filled and would only cost time to compile.
constexpr Index fewest_for_blocks = 8;

// An empty assembly statement, which keeps compilers from vectorizing the loop that contains it.
constexpr const char* stays_scalar = "__asm__ volatile(\"\");";

constexpr const char* declarations =
    "double pow(double, double), exp(double), log(double), sin(double), cos(double), tan(double), asin(double),\n"
    "    acos(double), atan(double), atan2(double, double), sinh(double), cosh(double), tanh(double),\n"
    "    hypot(double, double);\n";

const char* format_of(Op op) {
  switch (op) {
    case Op::add:
      return "{0} + {1}";
    case Op::subtract:
      return "{0} - {1}";
    case Op::multiply:
      return "{0} * {1}";
    case Op::multiply_add:
      return "{2} + {0} * {1}";
    case Op::multiply_subtract:
      return "{2} - {0} * {1}";
    case Op::divide:
      return "{0} / {1}";
    case Op::power:
      return "pow({0}, {1})";
    case Op::negate:
      return "-({0})";
    case Op::square:
      return "{0} * {0}";
    case Op::less:
      return "{0} < {1} ? 1.0 : 0.0";
    case Op::less_equal:
      return "{0} <= {1} ? 1.0 : 0.0";
    case Op::equal:
      return "{0} == {1} ? 1.0 : 0.0";
    case Op::not_equal:
      return "{0} != {1} ? 1.0 : 0.0";
    case Op::choose:
      return "{0} != 0.0 ? {1} : {2}";
    case Op::sqrt:
      return "__builtin_sqrt({0})";
    case Op::exp:
      return "exp({0})";
    case Op::log:
      return "log({0})";
    case Op::sin:
      return "sin({0})";
    case Op::cos:
      return "cos({0})";
    case Op::tan:
      return "tan({0})";
    case Op::asin:
      return "asin({0})";
    case Op::acos:
      return "acos({0})";
    case Op::atan:
      return "atan({0})";
    case Op::atan2:
      return "atan2({0}, {1})";
    case Op::sinh:
      return "sinh({0})";
    case Op::cosh:
      return "cosh({0})";
    case Op::tanh:
      return "tanh({0})";
    case Op::abs:
      return "__builtin_fabs({0})";
    case Op::floor:
      return "__builtin_floor({0})";
    case Op::min:
      return "{1} < {0} ? {1} : {0}";
    case Op::max:
      return "{0} < {1} ? {1} : {0}";
    case Op::hypot:
      return "hypot({0}, {1})";
    case Op::table_place:  // written by look_up
    case Op::table_piece:
    case Op::number:
    case Op::symbol:
      break;
  }
  return "{0}";
}

std::string number_text(double value) { return value < 0 ? fmt::format("({:a})", value) : fmt::format("{:a}", value); }

int vector_number(SymbolKind kind) { return static_cast<int>(kind) - static_cast<int>(SymbolKind::coordinate); }

std::string comment_text(const std::string& comment) {
  std::string kept;
  for (const char c : comment)
    if (c == '\n')
      kept += "\n   ";
    else
      kept += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view(" _.,:;()[]=+-").find(c) != std::string_view::npos
                  ? c
                  : '_';
  return kept;
}

// The tables that functions look into, each once, numbered in the order of their first use.
class TablesInC {
 public:
  int number(const LookupTable* table) {
    const auto known = std::find(tables_.begin(), tables_.end(), table);
    if (known == tables_.end()) return tables_.push_back(table), static_cast<int>(tables_.size()) - 1;
    return static_cast<int>(known - tables_.begin());
  }
  std::string definitions() const {
    if (tables_.empty()) return "";
    std::string text;
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      text += fmt::format("static const double trill_table_{}[] = {{", k);
      for (const double x : tables_[k]->data) text += fmt::format("{:a},\n", x);
      text += "};\n";
    }
    return text + lookup_in_c + "\n";
  }

 private:
  std::vector<const LookupTable*> tables_;
};

// Writes one function; `value_[k]` is the C text for the content of register k at the place that is written next.
class FunctionWriter {
 public:
  FunctionWriter(const Routine& routine, std::string name, CopiesInC copies, TablesInC& tables)
      : routine_(routine),
        program_(routine.program),
        name_(std::move(name)),
        many_(copies == CopiesInC::many),
        tables_(tables),
        value_(program_.registers()) {}

  std::string write() {
    name_fixed();
    write_head();
    if (many_)
      write_many();
    else
      write_one();
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(int depth, fmt::format_string<Parts...> format, Parts&&... parts) {
    text_.append(static_cast<std::size_t>(2 * depth), ' ');
    text_ += fmt::format(format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  void name_fixed() {
    for (std::uint32_t k = 0; k < program_.fixed(); ++k) value_[k] = fmt::format("u{}", k);
    for (const Constant& c : program_.constants())
      if (std::isfinite(c.value)) value_[c.to] = number_text(c.value);
  }

  // The fixed registers that are read by the parts for time and instances, except those written as numbers.
  std::vector<std::uint32_t> read_uniforms() const {
    std::set<std::uint32_t> found(program_.outputs().begin(), program_.outputs().end());
    for (const ProgramPart* part : {&program_.of_time(), &program_.of_instance()})
      for (const Instruction& i : part->code) {
        found.insert(i.a);
        if (arity(i.op) > 1) found.insert(i.b);
        if (arity(i.op) > 2) found.insert(i.c);
      }
    std::vector<std::uint32_t> uniforms;
    for (const std::uint32_t k : found)
      if (k < program_.fixed() && value_[k][0] == 'u') uniforms.push_back(k);
    return uniforms;
  }

  void write_head() {
    line(0, "void {}(long n,{} const double* u, double t, const double* const* x, const int* const* index,", name_,
         many_ ? " long copies," : "");
    line(0, "    const double* const* column, const int* const* target, double* out) {{");
    // Not every routine uses all arguments.
    line(1, "(void)u, (void)t, (void)x, (void)index, (void)column, (void)target;");
    std::set<int> vectors, indices, columns;
    for (const Load& load : program_.of_instance().loads) {
      if (load.kind == SymbolKind::element) continue;
      if (load.kind == SymbolKind::column) {
        columns.insert(load.index);
        continue;
      }
      vectors.insert(vector_number(load.kind));
      indices.insert(index_number(load));
    }
    for (const int k : vectors) line(1, "const double* x{0} = x[{0}];", k);
    for (const int k : indices) line(1, "const int* index{0} = index[{0}];", k);
    for (const int k : columns) line(1, "const double* column{0} = column[{0}];", k);
    for (std::size_t k = 0; k < routine_.targets.size(); ++k) line(1, "const int* target{0} = target[{0}];", k);
  }

  int index_number(const Load& load) const {
    const auto slots = static_cast<int>(routine_.table->coordinates.size());
    return load.kind >= SymbolKind::multiplier ? slots + load.index : load.index;
  }

  void write_code(const std::vector<Instruction>& code, int depth) {
    for (const Instruction& i : code) {
      const std::string &a = value_[i.a], &b = value_[i.b], &c = value_[i.c];
      std::string result;
      if (is_lookup(i.op))
        result = look_up(i, a, b);
      else
        result = fmt::format(fmt::runtime(format_of(i.op)), a, b, c);
      value_[i.to] = fmt::format("r{}", next_++);
      line(depth, "const double {} = {};", value_[i.to], result);
    }
  }

  std::string look_up(const Instruction& i, const std::string& a, const std::string& b) const {
    const std::uint32_t at = i.op == Op::table_place ? i.b : i.c;
    const auto code = std::find_if(program_.constants().begin(), program_.constants().end(),
                                   [&](const Constant& constant) { return constant.to == at; });
    const LookupFunction function = LookupFunction::from(code->value);
    const int table = tables_.number(program_.tables()[static_cast<std::size_t>(function.table)].get());
    if (i.op == Op::table_place) return fmt::format("trill_place(trill_table_{}, {})", table, a);
    return fmt::format("trill_piece(trill_table_{}, {}, {}, {})", table, a, b, function.derivative);
  }

  void write_time(int depth) {
    for (const Load& load : program_.of_time().loads) value_[load.to] = "t";
    write_code(program_.of_time().code, depth);
  }

  std::string gathered(const Load& load) const {
    return fmt::format("x{}[index{}[i]]", vector_number(load.kind), index_number(load));
  }

  // The code inside the loop over instances i and, for many copies, over lanes l.
  void write_instance(int depth) {
    for (const Load& load : program_.of_instance().loads) {
      std::string from;
      if (load.kind == SymbolKind::element)
        from = "(double)i";
      else if (load.kind == SymbolKind::column)
        from = fmt::format("column{}[i]", load.index);
      else if (many_)
        from = fmt::format("x{}[copies * index{}[i] + first + l]", vector_number(load.kind), index_number(load));
      else if (blocked_)
        from = fmt::format("in{}[l]", load.to);
      else
        from = gathered(load);
      value_[load.to] = fmt::format("r{}", next_++);
      line(depth, "const double {} = {};", value_[load.to], from);
    }
    write_code(program_.of_instance().code, depth);
  }

  std::string place(std::size_t k) const { return fmt::format("target{}[{}]", k, routine_.targets[k].sum ? "0" : "i"); }
  bool varies(std::size_t k) const { return program_.outputs()[k] >= program_.timed(); }

  void write_one() {
    for (const std::uint32_t k : read_uniforms()) line(1, "const double u{0} = u[{0}];", k);
    write_time(1);
    if (routine_.table->instances < fewest_for_blocks)
      write_plain_loop();
    else
      write_blocked_loop();
  }

  void write_plain_loop() {
    line(1, "for (long i = 0; i < n; ++i) {{");
    line(2, "{}", stays_scalar);
    write_instance(2);
    for (std::size_t k = 0; k < routine_.targets.size(); ++k)
      line(2, "out[{}] += {};", place(k), value_[program_.outputs()[k]]);
    line(1, "}}");
  }

  void declare_lanes(int depth) {
    for (std::size_t k = 0; k < routine_.targets.size(); ++k)
      if (varies(k)) line(depth, "double out{}[{}];", k, block);
  }
  void keep_lanes(int depth) {
    for (std::size_t k = 0; k < routine_.targets.size(); ++k)
      if (varies(k)) line(depth, "out{}[l] = {};", k, value_[program_.outputs()[k]]);
  }
  std::string kept(std::size_t k) const {
    return varies(k) ? fmt::format("out{}[l]", k) : value_[program_.outputs()[k]];
  }
  void begin_block(int depth, const char* count) {
    line(depth, "for (long first = 0; first < {}; first += {}) {{", count, block);
    line(depth + 1, "const long width = {0} - first < {1} ? {0} - first : {1};", count, block);
  }

  static bool is_gathered(const Load& load) {
    return load.kind != SymbolKind::element && load.kind != SymbolKind::column;
  }

  // Loads the inputs one by one: vector instructions for gathering are slower on many processors.
  void write_gathers() {
    const auto& loads = program_.of_instance().loads;
    for (const Load& load : loads)
      if (is_gathered(load)) line(2, "double in{}[{}];", load.to, block);
    line(2, "for (long l = 0; l < width; ++l) {{");
    line(3, "const long i = first + l;");
    line(3, "(void)i;");
    for (const Load& load : loads)
      if (is_gathered(load)) line(3, "in{}[l] = {};", load.to, gathered(load));
    line(3, "{}", stays_scalar);
    line(2, "}}");
  }

  void write_blocked_loop() {
    blocked_ = true;
    begin_block(1, "n");
    declare_lanes(2);
    write_gathers();
    line(2, "for (long l = 0; l < width; ++l) {{");
    line(3, "const long i = first + l;");
    line(3, "(void)i;");
    write_instance(3);
    keep_lanes(3);
    line(2, "}}");
    line(2, "for (long l = 0; l < width; ++l) {{");
    line(3, "const long i = first + l;");
    line(3, "(void)i;");
    for (std::size_t k = 0; k < routine_.targets.size(); ++k) line(3, "out[{}] += {};", place(k), kept(k));
    line(2, "}}");
    line(1, "}}");
  }

  // The loop over blocks of copies is outside, so that what depends on time and parameters is computed once for all
  // instances.
  void write_many() {
    begin_block(1, "copies");
    const std::vector<std::uint32_t> uniforms = read_uniforms();
    for (const std::uint32_t k : uniforms) {
      line(2, "const double* u{0} = u + {0} * copies + first;", k);
      value_[k] = fmt::format("u{}[l]", k);
    }
    write_timed_lanes();
    line(2, "for (long i = 0; i < n; ++i) {{");
    declare_lanes(3);
    line(3, "for (long l = 0; l < width; ++l) {{");
    write_instance(4);
    keep_lanes(4);
    line(3, "}}");
    for (std::size_t k = 0; k < routine_.targets.size(); ++k)
      line(3, "for (long l = 0; l < width; ++l) out[copies * {} + first + l] += {};", place(k), kept(k));
    line(2, "}}");
    line(1, "}}");
  }

  void write_timed_lanes() {
    const auto& code = program_.of_time().code;
    for (const Instruction& i : code) line(2, "double timed{}[{}];", i.to, block);
    if (!code.empty()) line(2, "for (long l = 0; l < width; ++l) {{");
    write_time(3);
    for (const Instruction& i : code) {
      line(3, "timed{}[l] = {};", i.to, value_[i.to]);
      value_[i.to] = fmt::format("timed{}[l]", i.to);
    }
    if (!code.empty()) line(2, "}}");
  }

  const Routine& routine_;
  const Program& program_;
  std::string name_, text_;
  bool many_, blocked_ = false;
  TablesInC& tables_;
  std::vector<std::string> value_;
  int next_ = 0;
};
}  // namespace

const char* trouble_of_tables(const Routine& routine) {
  constexpr long most_points = 20'000;
  long points = 0;
  for (const auto& table : routine.program.tables()) points += table->points();
  return points > most_points ? "its tables have more than 20000 points, too many to be compiled" : nullptr;
}

std::string function_name(std::size_t k, CopiesInC copies) {
  return fmt::format("trill_{}_{}", copies == CopiesInC::many ? "many" : "routine", k);
}

std::string c_source(std::span<const CRoutine> routines, CopiesInC copies) {
  std::string text;
  TablesInC tables;
  for (std::size_t k = 0; k < routines.size(); ++k) {
    text += '\n';
    if (!routines[k].comment.empty()) text += fmt::format("/* {} */\n", comment_text(routines[k].comment));
    text += FunctionWriter(*routines[k].routine, function_name(k, copies), copies, tables).write();
  }
  return declarations + tables.definitions() + text;
}
}  // namespace trill
