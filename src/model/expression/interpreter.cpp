// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/interpreter.hpp"

#include "base/wide.hpp"

#include <cmath>

namespace trill {
namespace {
// Registers have L lanes, one for each of the instances that are computed together. Every case looks up its own
// operands: most operations have fewer than three, and on a single lane looking up takes longer than computing.
template <int L>
inline __attribute__((always_inline)) void run(std::span<const Instruction> code, const LookupTables& tables,
                                               double* r) {
  for (const Instruction& i : code) {
    const auto at = [r](std::uint32_t k) __attribute__((always_inline)) { return r + static_cast<std::size_t>(k) * L; };
    const auto set = [&](auto operation) __attribute__((always_inline)) {
      double* const to = at(i.to);
      const double *const a = at(i.a), *const b = at(i.b), *const c = at(i.c);
      for (int l = 0; l < L; ++l) to[l] = operation(a[l], b[l], c[l]);
    };
    switch (i.op) {
      case Op::add:
        set([](double a, double b, double) { return a + b; });
        break;
      case Op::subtract:
        set([](double a, double b, double) { return a - b; });
        break;
      case Op::multiply:
        set([](double a, double b, double) { return a * b; });
        break;
      case Op::multiply_add:
        set([](double a, double b, double c) { return c + a * b; });
        break;
      case Op::multiply_subtract:
        set([](double a, double b, double c) { return c - a * b; });
        break;
      case Op::divide:
        set([](double a, double b, double) { return a / b; });
        break;
      case Op::negate:
        set([](double a, double, double) { return -a; });
        break;
      case Op::square:
        set([](double a, double, double) { return a * a; });
        break;
      case Op::sqrt:
        set([](double a, double, double) { return std::sqrt(a); });
        break;
      case Op::less:
        set([](double a, double b, double) { return a < b ? 1.0 : 0.0; });
        break;
      case Op::less_equal:
        set([](double a, double b, double) { return a <= b ? 1.0 : 0.0; });
        break;
      case Op::choose:
        set([](double a, double b, double c) { return a != 0 ? b : c; });
        break;
      case Op::abs:
        set([](double a, double, double) { return std::abs(a); });
        break;
      case Op::sin:
        set([](double a, double, double) { return std::sin(a); });
        break;
      case Op::cos:
        set([](double a, double, double) { return std::cos(a); });
        break;
      case Op::table_place:
      case Op::table_piece:
        set([&](double a, double b, double c) { return evaluate_lookup(i.op, a, b, c, tables); });
        break;
      default:
        set([&](double a, double b, double c) { return evaluate(i.op, a, b, c); });
        break;
    }
  }
}
}  // namespace

void run_single(std::span<const Instruction> code, const LookupTables& tables, double* r) { run<1>(code, tables, r); }

TRILL_WIDE void run_block(std::span<const Instruction> code, const LookupTables& tables, double* r) {
  run<lanes>(code, tables, r);
}

TRILL_WIDE void run_few(std::span<const Instruction> code, const LookupTables& tables, double* r) {
  run<few_lanes>(code, tables, r);
}
}  // namespace trill
