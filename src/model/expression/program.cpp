// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/program.hpp"

#include "model/expression/interpreter.hpp"

#include <algorithm>
#include <unordered_map>

namespace trill {
// Turns the nodes that some outputs need into instructions and gives them registers.
class ProgramWriter {
 public:
  ProgramWriter(const ExpressionGraph& graph, std::span<const Expression> outputs, Program& program)
      : graph_(graph), outputs_(outputs), program_(program), nodes_(graph.needed(outputs)) {}

  void write() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) infos_[nodes_[k]] = {};
    for (const Expression e : nodes_) info(e).level = level_of(e);
    for (const Expression e : outputs_) ++info(e).uses;
    for (const Expression e : nodes_)
      for (int k = 0; k < arity(graph_[e].op); ++k) ++info(graph_[e].child[k]).uses;
    join_products();
    count_reads();
    for (int level = 0; level < 3; ++level) {
      write_level(level);
      if (level == 0) program_.fixed_ = next_;
      if (level == 1) program_.timed_ = next_;
    }
    program_.registers_ = next_;
    program_.tables_ = graph_.tables();
    for (const Expression e : outputs_) program_.outputs_.push_back(info(e).place);
  }

 private:
  struct Info {
    std::uint32_t place = 0;
    int level = 0;        // changes with 0: parameters, 1: time, 2: instance
    int uses = 0;         // nodes and outputs that read it
    int reads = 0;        // instructions and outputs that still have to read it
    bool joined = false;  // computed inside the sum that reads it
  };
  Info& info(Expression e) { return infos_.find(e)->second; }

  int level_of(Expression e) {
    const ExpressionNode& node = graph_[e];
    if (node.op == Op::symbol) {
      if (node.kind == SymbolKind::parameter) return 0;
      return node.kind == SymbolKind::time ? 1 : 2;
    }
    int level = 0;
    for (int k = 0; k < arity(node.op); ++k) level = std::max(level, info(node.child[k]).level);
    return level;
  }

  // A product that is read once, by a sum, is computed in the same instruction: this halves the instructions of a sum
  // of products.
  void join_products() {
    const auto joins = [&](Expression e, Expression sum) {
      return graph_[e].op == Op::multiply && info(e).uses == 1 && info(e).level == info(sum).level;
    };
    for (const Expression e : nodes_) {
      const ExpressionNode& node = graph_[e];
      if (node.op == Op::add && joins(node.child[0], e))
        info(node.child[0]).joined = true;
      else if ((node.op == Op::add || node.op == Op::subtract) && joins(node.child[1], e))
        info(node.child[1]).joined = true;
    }
  }

  template <class Use>
  void each_operand(const Instruction& step, Use use) {
    const int count = arity(step.op);
    const Expression operands[] = {operands_[0], operands_[1], operands_[2]};
    for (int k = 0; k < count; ++k) use(operands[k]);
  }

  // The instruction of a node; its operands, as expressions, are put into operands_.
  Instruction instruction(Expression e) {
    const ExpressionNode& node = graph_[e];
    Instruction step{.op = node.op};
    const bool first = node.op == Op::add && info(node.child[0]).joined;
    const bool second = !first && (node.op == Op::add || node.op == Op::subtract) && info(node.child[1]).joined;
    if (first || second) {
      const ExpressionNode& product = graph_[node.child[first ? 0 : 1]];
      step.op = node.op == Op::add ? Op::multiply_add : Op::multiply_subtract;
      operands_[0] = product.child[0];
      operands_[1] = product.child[1];
      operands_[2] = node.child[first ? 1 : 0];
    } else {
      for (int k = 0; k < 3; ++k) operands_[k] = node.child[k];
    }
    return step;
  }

  bool is_computed(Expression e) { return arity(graph_[e].op) > 0 && !info(e).joined; }

  void count_reads() {
    for (const Expression e : outputs_) ++info(e).reads;
    for (const Expression e : nodes_)
      if (is_computed(e)) each_operand(instruction(e), [&](Expression operand) { ++info(operand).reads; });
  }

  std::uint32_t take_register() {
    if (free_.empty()) return next_++;
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  void write_level(int level) {
    ProgramPart& part = program_.parts_[level];
    for (const Expression e : nodes_) {
      const ExpressionNode& node = graph_[e];
      if (info(e).level != level || arity(node.op) > 0) continue;
      info(e).place = take_register();
      if (node.op == Op::number)
        program_.constants_.push_back({node.value, info(e).place});
      else
        part.loads.push_back({node.kind, node.index, info(e).place});
    }
    for (const Expression e : nodes_) {
      if (info(e).level != level || !is_computed(e)) continue;
      Instruction step = instruction(e);
      std::uint32_t* const places[] = {&step.a, &step.b, &step.c};
      int k = 0;
      each_operand(step, [&](Expression operand) { *places[k++] = info(operand).place; });
      // Only registers of the last part are reused: the others keep their values from one call to the next.
      if (level == 2)
        each_operand(step, [&](Expression operand) {
          if (--info(operand).reads == 0 && info(operand).level == 2) free_.push_back(info(operand).place);
        });
      step.to = info(e).place = take_register();
      part.code.push_back(step);
    }
  }

  const ExpressionGraph& graph_;
  std::span<const Expression> outputs_;
  Program& program_;
  std::vector<Expression> nodes_;
  std::unordered_map<Expression, Info> infos_;
  Expression operands_[3] = {};
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 0;
};

Program::Program(const ExpressionGraph& graph, std::span<const Expression> outputs) {
  ProgramWriter(graph, outputs, *this).write();
}

Evaluator::Evaluator(const Program& program) : program_(&program), registers_(program.registers()) {
  for (const Constant& c : program.constants()) registers_[c.to] = c.value;
}

void Evaluator::evaluate(const ProgramInputs& inputs) {
  double* r = registers_.data();
  for (const ProgramPart* part : {&program_->of_parameters(), &program_->of_time(), &program_->of_instance()}) {
    for (const Load& load : part->loads) {
      if (load.kind == SymbolKind::time)
        r[load.to] = inputs.t;
      else if (load.kind == SymbolKind::element)
        r[load.to] = inputs.element;
      else
        r[load.to] = vector_of(inputs, load.kind)[load.index];
    }
    run_single(part->code, program_->tables(), r);
  }
}
}  // namespace trill
