// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

namespace trill {
struct Instruction {
  Op op = Op::number;
  std::uint32_t to = 0, a = 0, b = 0, c = 0;  // registers
};
struct Load {
  SymbolKind kind = SymbolKind::time;
  std::int32_t index = 0;
  std::uint32_t to = 0;
};
struct Constant {
  double value = 0;
  std::uint32_t to = 0;
};
// The loads come first, then the instructions in their order.
struct ProgramPart {
  std::vector<Load> loads;
  std::vector<Instruction> code;
};

// Expressions as straight-line code of instructions on registers: only what the outputs need, common parts once. It has
// three parts, which must run again when the parameters, the time or the instance of the term changes. The registers
// [0, fixed) hold constants and what depends on parameters alone, [fixed, timed) what depends on the time as well; the
// last part reuses the rest.
class Program {
 public:
  Program() = default;
  Program(const ExpressionGraph& graph, std::span<const Expression> outputs);

  const std::vector<Constant>& constants() const { return constants_; }
  const ProgramPart& of_parameters() const { return parts_[0]; }
  const ProgramPart& of_time() const { return parts_[1]; }
  const ProgramPart& of_instance() const { return parts_[2]; }
  std::uint32_t fixed() const { return fixed_; }
  std::uint32_t timed() const { return timed_; }
  std::uint32_t registers() const { return registers_; }
  const std::vector<std::uint32_t>& outputs() const { return outputs_; }
  const LookupTables& tables() const { return tables_; }
  std::size_t instructions() const { return parts_[0].code.size() + parts_[1].code.size() + parts_[2].code.size(); }

 private:
  friend class ProgramWriter;
  std::vector<Constant> constants_;
  ProgramPart parts_[3];
  std::uint32_t fixed_ = 0, timed_ = 0, registers_ = 0;
  std::vector<std::uint32_t> outputs_;
  LookupTables tables_;
};

// Vectors that a program may read.
struct ProgramInputs {
  double t = 0;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* multipliers = nullptr;
  const double* multiplier_rates = nullptr;
  const double* direction = nullptr;
  const double* acceleration = nullptr;
  const double* jerk = nullptr;
  const double* snap = nullptr;
  const double* parameters = nullptr;
  const double* columns = nullptr;
  double element = 0;
};
// For all kinds but time and element, which are numbers.
inline const double* vector_of(const ProgramInputs& inputs, SymbolKind kind) {
  using I = ProgramInputs;
  static constexpr const double* I::*vectors[] = {nullptr,  &I::parameters, nullptr,          &I::columns,
                                                  &I::q,    &I::v,          &I::acceleration, &I::jerk,
                                                  &I::snap, &I::direction,  &I::multipliers,  &I::multiplier_rates};
  return inputs.*vectors[static_cast<std::size_t>(kind)];
}

// Runs a single program with registers of its own: the index of a symbol is its place in the vector.
class Evaluator {
 public:
  Evaluator() = default;
  explicit Evaluator(const Program& program);
  void evaluate(const ProgramInputs& inputs);
  double operator[](std::size_t k) const { return registers_[program_->outputs()[k]]; }

 private:
  const Program* program_ = nullptr;
  std::vector<double> registers_;
};
}  // namespace trill
