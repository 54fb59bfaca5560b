// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/routine.hpp"

#include "model/expression/interpreter.hpp"

#include <algorithm>

namespace trill {
namespace {
void broadcast(double* registers, std::uint32_t k, double value) {
  std::fill_n(registers + static_cast<std::size_t>(k) * lanes, lanes, value);
}
}  // namespace

std::vector<double> fixed_registers(const Program& program, std::span<const double> parameters) {
  std::vector<double> registers(program.registers());
  for (const Constant& c : program.constants()) registers[c.to] = c.value;
  for (const Load& load : program.of_parameters().loads)
    registers[load.to] = parameters[static_cast<std::size_t>(load.index)];
  run_single(program.of_parameters().code, program.tables(), registers.data());
  return registers;
}

Runner::Runner(std::shared_ptr<const Routine> routine, std::span<const double> parameters)
    : routine_(std::move(routine)),
      native_(routine_->native),
      instances_(static_cast<long>(routine_->table->instances)) {
  const KernelTable& table = *routine_->table;
  for (const IndexTable& slot : table.coordinates) index_.push_back(slot.data());
  for (const IndexTable& row : table.rows) index_.push_back(row.data());
  for (const auto& column : table.columns) columns_.push_back(column->data());
  for (const Target& target : routine_->targets) targets_.push_back(target.places ? target.places->data() : nullptr);
  if (table.instances > 1 && !routine_->native)
    registers_.resize(static_cast<std::size_t>(routine_->program.registers()) * lanes);
  outputs_.resize(targets_.size());
  for (const Target& target : routine_->targets) has_sums_ = has_sums_ || target.sum;
  set_parameters(parameters);
}

void Runner::set_parameters(std::span<const double> parameters) {
  fixed_ = fixed_registers(routine_->program, parameters);
  if (registers_.empty()) return;
  for (std::uint32_t k = 0; k < routine_->program.fixed(); ++k) broadcast(registers_.data(), k, fixed_[k]);
}

void Runner::interpret(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
  if (instances_ == 1)
    add_single(inputs, out, targets);
  else
    add_blocks(inputs, out, targets);
}

const IndexTable& Runner::table_of(const Load& load) const {
  const KernelTable& table = *routine_->table;
  const auto k = static_cast<std::size_t>(load.index);
  return load.kind >= SymbolKind::multiplier ? table.rows[k] : table.coordinates[k];
}

void Runner::add_single(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
  const Program& program = routine_->program;
  double* r = fixed_.data();
  for (const Load& load : program.of_time().loads) r[load.to] = inputs.t;
  run_single(program.of_time().code, program.tables(), r);
  for (const Load& load : program.of_instance().loads) {
    if (load.kind == SymbolKind::element)
      r[load.to] = 0;
    else if (load.kind == SymbolKind::column)
      r[load.to] = columns_[static_cast<std::size_t>(load.index)][0];
    else
      r[load.to] = vector_of(inputs, load.kind)[table_of(load)[0]];
  }
  run_single(program.of_instance().code, program.tables(), r);
  const std::vector<std::uint32_t>& outputs = program.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) out[targets[k][0]] += r[outputs[k]];
}

void Runner::load_block(const ProgramInputs& inputs, Index first, int count) {
  for (const Load& load : routine_->program.of_instance().loads) {
    double* r = registers_.data() + static_cast<std::size_t>(load.to) * lanes;
    if (load.kind == SymbolKind::element) {
      for (int l = 0; l < count; ++l) r[l] = static_cast<double>(first + l);
    } else if (load.kind == SymbolKind::column) {
      std::copy_n(columns_[static_cast<std::size_t>(load.index)] + first, count, r);
    } else {
      const double* x = vector_of(inputs, load.kind);
      const std::int32_t* places = table_of(load).data() + first;
      for (int l = 0; l < count; ++l) r[l] = x[places[l]];
    }
    std::fill(r + count, r + lanes, r[0]);
  }
}

void Runner::add_blocks(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
  const Program& program = routine_->program;
  double* r = registers_.data();
  for (const Load& load : program.of_time().loads) broadcast(r, load.to, inputs.t);
  run_block(program.of_time().code, program.tables(), r);
  const std::vector<std::uint32_t>& outputs = program.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    outputs_[k] = {r + static_cast<std::size_t>(outputs[k]) * lanes, targets[k], routine_->targets[k].sum};
  const Index instances = routine_->table->instances;
  for (Index first = 0; first < instances; first += lanes) {
    const int count = static_cast<int>(std::min<Index>(lanes, instances - first));
    load_block(inputs, first, count);
    run_block(program.of_instance().code, program.tables(), r);
    add_outputs(first, count, out);
  }
}

// Matrices spend most of their time here. Sums are rare, and testing for them at every entry costs a quarter of that
// time.
void Runner::add_outputs(Index first, int count, double* out) {
  const Output* const outputs = outputs_.data();
  const std::size_t size = outputs_.size();
  for (Index l = 0; l < count; ++l) {
    const Index i = first + l;
    if (has_sums_) {
      for (std::size_t k = 0; k < size; ++k) out[outputs[k].to[outputs[k].sum ? 0 : i]] += outputs[k].from[l];
    } else {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < size; ++k) out[outputs[k].to[i]] += outputs[k].from[l];
    }
  }
}
}  // namespace trill
