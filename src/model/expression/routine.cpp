// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/routine.hpp"

#include "model/expression/interpreter.hpp"

#include <algorithm>

namespace trill {
namespace {
constexpr long few_instances =
    2 * few_lanes;  // with up to so many, most of the wide blocks would be computed for nothing

void broadcast(double* registers, std::uint32_t k, int count, double value) {
  std::fill_n(registers + static_cast<std::size_t>(k) * static_cast<std::size_t>(count), count, value);
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
  if (instances_ > 1 && !native_) {
    lanes_ = instances_ <= few_instances ? few_lanes : lanes;
    registers_.resize(static_cast<std::size_t>(routine_->program.registers()) * static_cast<std::size_t>(lanes_));
    take_last_places();
  }
  outputs_.resize(targets_.size());
  for (const Target& target : routine_->targets) has_sums_ = has_sums_ || target.sum;
  set_parameters(parameters);
}

void Runner::set_parameters(std::span<const double> parameters) {
  fixed_ = fixed_registers(routine_->program, parameters);
  if (registers_.empty()) return;
  for (std::uint32_t k = 0; k < routine_->program.fixed(); ++k) broadcast(registers_.data(), k, lanes_, fixed_[k]);
}

void Runner::interpret(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
  if (instances_ == 1)
    add_single(inputs, out, targets);
  else if (lanes_ == few_lanes)
    add_blocks<few_lanes>(inputs, out, targets);
  else
    add_blocks<lanes>(inputs, out, targets);
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

// Lanes without an instance repeat the first of the block, so that all lanes are filled by loops of fixed length.
void Runner::take_last_places() {
  const auto first = static_cast<std::size_t>((instances_ - 1) / lanes_ * lanes_);
  const std::size_t count = static_cast<std::size_t>(instances_) - first;
  for (const Load& load : routine_->program.of_instance().loads) {
    const bool reads_vector = load.kind != SymbolKind::element && load.kind != SymbolKind::column;
    for (std::size_t l = 0; l < static_cast<std::size_t>(lanes_); ++l)
      last_places_.push_back(reads_vector ? table_of(load)[first + (l < count ? l : 0)] : 0);
  }
}

template <int L>
void Runner::load_block(const ProgramInputs& inputs, Index first, int count) {
  const std::int32_t* last = last_places_.data();
  for (const Load& load : routine_->program.of_instance().loads) {
    double* const r = registers_.data() + static_cast<std::size_t>(load.to) * L;
    if (load.kind == SymbolKind::element) {
      for (int l = 0; l < L; ++l) r[l] = static_cast<double>(first + (l < count ? l : 0));
    } else if (load.kind == SymbolKind::column) {
      const double* const from = columns_[static_cast<std::size_t>(load.index)] + first;
      for (int l = 0; l < L; ++l) r[l] = from[l < count ? l : 0];
    } else {
      const double* const x = vector_of(inputs, load.kind);
      const std::int32_t* const places = count < L ? last : table_of(load).data() + first;
      for (int l = 0; l < L; ++l) r[l] = x[places[l]];
    }
    last += L;
  }
}

template <int L>
void Runner::add_blocks(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
  constexpr auto run = L == few_lanes ? run_few : run_block;
  const Program& program = routine_->program;
  double* r = registers_.data();
  for (const Load& load : program.of_time().loads) broadcast(r, load.to, L, inputs.t);
  run(program.of_time().code, program.tables(), r);
  const std::vector<std::uint32_t>& outputs = program.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    outputs_[k] = {r + static_cast<std::size_t>(outputs[k]) * L, targets[k], routine_->targets[k].sum};
  for (Index first = 0; first < instances_; first += L) {
    const int count = static_cast<int>(std::min<Index>(L, instances_ - first));
    load_block<L>(inputs, first, count);
    run(program.of_instance().code, program.tables(), r);
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
