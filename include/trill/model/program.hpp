// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/expression.hpp"

namespace trill {
struct ProgramInputs {
  double t = 0;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* multipliers = nullptr;
};

// Expressions as a straight line of instructions over registers: only what the outputs need, common parts once.
// Constant; what changes is in the registers, which belong to the caller.
class Program {
 public:
  Program() = default;
  Program(const ExpressionGraph& graph, std::span<const Expression> outputs);

  std::vector<double> registers() const { return initial_; }  // one set for each thread that evaluates
  void evaluate(const ProgramInputs& inputs, double* registers) const;
  std::size_t outputs() const { return outputs_.size(); }
  double output(std::size_t k, const double* registers) const { return registers[outputs_[k]]; }
  std::size_t instructions() const { return code_.size(); }

 private:
  enum class Step : std::uint8_t {
    any,
    add,
    subtract,
    multiply,
    divide,
    square,
    sqrt,
    multiply_add,
    multiply_subtract
  };
  struct Instruction {
    Step step = Step::any;
    Op op = Op::number;
    std::uint32_t to = 0, a = 0, b = 0, c = 0;
  };
  struct Load {
    SymbolKind kind = SymbolKind::time;
    std::int32_t index = 0;
    std::uint32_t to = 0;
  };

  std::vector<Load> loads_;
  std::vector<Instruction> code_;
  std::vector<double> initial_;  // constants in place
  std::vector<std::uint32_t> outputs_;
};

// A program with registers of its own.
class Evaluator {
 public:
  Evaluator() = default;
  explicit Evaluator(const Program& program) : program_(&program), registers_(program.registers()) {}
  void evaluate(const ProgramInputs& inputs) { program_->evaluate(inputs, registers_.data()); }
  double operator[](std::size_t k) const { return program_->output(k, registers_.data()); }

 private:
  const Program* program_ = nullptr;
  std::vector<double> registers_;
};
}  // namespace trill
