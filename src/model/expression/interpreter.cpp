// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/interpreter.hpp"

#include "base/wide.hpp"

#include <cmath>

namespace trill {
namespace {
template <int L, class Operation>
inline __attribute__((always_inline)) void each_lane(Operation operation) {
  for (int l = 0; l < L; ++l) operation(l);
}

template <int L>
inline __attribute__((always_inline)) void run(std::span<const Instruction> code, const LookupTables& tables,
                                               double* r) {
  for (const Instruction& i : code) {
    double* to = r + static_cast<std::size_t>(i.to) * L;
    const double* a = r + static_cast<std::size_t>(i.a) * L;
    const double* b = r + static_cast<std::size_t>(i.b) * L;
    const double* c = r + static_cast<std::size_t>(i.c) * L;
    if (i.fused == Fused::add) {
      each_lane<L>([&](int l) { to[l] = c[l] + a[l] * b[l]; });
      continue;
    }
    if (i.fused == Fused::subtract) {
      each_lane<L>([&](int l) { to[l] = c[l] - a[l] * b[l]; });
      continue;
    }
    switch (i.op) {
      case Op::add:
        each_lane<L>([&](int l) { to[l] = a[l] + b[l]; });
        break;
      case Op::subtract:
        each_lane<L>([&](int l) { to[l] = a[l] - b[l]; });
        break;
      case Op::multiply:
        each_lane<L>([&](int l) { to[l] = a[l] * b[l]; });
        break;
      case Op::divide:
        each_lane<L>([&](int l) { to[l] = a[l] / b[l]; });
        break;
      case Op::negate:
        each_lane<L>([&](int l) { to[l] = -a[l]; });
        break;
      case Op::square:
        each_lane<L>([&](int l) { to[l] = a[l] * a[l]; });
        break;
      case Op::sqrt:
        each_lane<L>([&](int l) { to[l] = std::sqrt(a[l]); });
        break;
      case Op::less:
        each_lane<L>([&](int l) { to[l] = a[l] < b[l] ? 1.0 : 0.0; });
        break;
      case Op::less_equal:
        each_lane<L>([&](int l) { to[l] = a[l] <= b[l] ? 1.0 : 0.0; });
        break;
      case Op::choose:
        each_lane<L>([&](int l) { to[l] = a[l] != 0 ? b[l] : c[l]; });
        break;
      case Op::abs:
        each_lane<L>([&](int l) { to[l] = std::abs(a[l]); });
        break;
      case Op::sin:
        each_lane<L>([&](int l) { to[l] = std::sin(a[l]); });
        break;
      case Op::cos:
        each_lane<L>([&](int l) { to[l] = std::cos(a[l]); });
        break;
      case Op::table_place:
      case Op::table_piece:
        each_lane<L>([&](int l) { to[l] = evaluate_lookup(i.op, a[l], b[l], c[l], tables); });
        break;
      default:
        each_lane<L>([&](int l) { to[l] = evaluate(i.op, a[l], b[l], c[l]); });
        break;
    }
  }
}
}  // namespace

void run_single(std::span<const Instruction> code, const LookupTables& tables, double* r) { run<1>(code, tables, r); }

TRILL_WIDE void run_block(std::span<const Instruction> code, const LookupTables& tables, double* r) {
  run<lanes>(code, tables, r);
}
}  // namespace trill
