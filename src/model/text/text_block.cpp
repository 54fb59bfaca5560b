// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_block.hpp"

#include "model/expression/interpreter.hpp"
#include "model/native/c_source.hpp"

#include <algorithm>

namespace trill {
namespace {
bool same_table(const KernelTable& a, const KernelTable& b) {
  return a.instances == b.instances && a.coordinates == b.coordinates && a.rows == b.rows &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const Column& x, const Column& y) { return *x == *y; });
}

bool same_routine(const Routine& a, const Routine& b) {
  return a.program.registers() == b.program.registers() && a.program.instructions() == b.program.instructions() &&
         same_table(*a.table, *b.table);
}

// Runs one routine for all copies. Their registers are stored in blocks of lanes; those that depend on parameters stay
// filled.
class ManyRunner {
 public:
  ManyRunner(std::shared_ptr<const Routine> routine, std::span<const std::span<const double>> parameters)
      : routine_(std::move(routine)), copies_(parameters.size()), blocks_((copies_ + lanes - 1) / lanes) {
    const Program& program = routine_->program;
    registers_.resize(blocks_ * program.registers() * lanes);
    uniform_.resize(program.fixed() * copies_);
    for (std::size_t c = 0; c < blocks_ * lanes; ++c)
      fill(c, fixed_registers(program, parameters[std::min(c, copies_ - 1)]));
    if (routine_->native) compile();
  }

  void add(double t, const double* q, const double* v, double* f) {
    if (!many_) return interpret({.t = t, .q = q, .v = v}, f);
    const double* x[native_vectors] = {q, v};
    many_(static_cast<long>(routine_->table->instances), static_cast<long>(copies_), uniform_.data(), t, x,
          index_.data(), columns_.data(), targets_.data(), f);
  }

 private:
  void fill(std::size_t copy, const std::vector<double>& values) {
    double* block = block_of(copy / lanes);
    for (std::size_t k = 0; k < routine_->program.fixed(); ++k) {
      block[k * lanes + copy % lanes] = values[k];
      if (copy < copies_) uniform_[k * copies_ + copy] = values[k];
    }
  }
  double* block_of(std::size_t b) { return registers_.data() + b * routine_->program.registers() * lanes; }

  void compile() {
    if (trouble_of_tables(*routine_)) return;
    const CRoutine source[] = {{routine_.get()}};
    const NativeResult native = load_native(c_source(source, CopiesInC::many), NativeUse::always);
    if (!native.library) return;
    library_ = native.library;
    many_ = library_->native_many_function(function_name(0, CopiesInC::many));
    for (const IndexTable& slot : routine_->table->coordinates) index_.push_back(slot.data());
    for (const IndexTable& row : routine_->table->rows) index_.push_back(row.data());
    for (const auto& column : routine_->table->columns) columns_.push_back(column->data());
    for (const Target& target : routine_->targets) targets_.push_back(target.places->data());
  }

  void interpret(const ProgramInputs& inputs, double* f) {
    const Program& program = routine_->program;
    for (std::size_t b = 0; b < blocks_; ++b) {
      double* r = block_of(b);
      const std::size_t first = b * lanes, count = std::min<std::size_t>(lanes, copies_ - first);
      for (const Load& load : program.of_time().loads) std::fill_n(r + load.to * std::size_t{lanes}, lanes, inputs.t);
      run_block(program.of_time().code, program.tables(), r);
      for (Index i = 0; i < routine_->table->instances; ++i) {
        load_instance(inputs, i, first, count, r);
        run_block(program.of_instance().code, program.tables(), r);
        deliver(i, first, count, r, f);
      }
    }
  }

  void load_instance(const ProgramInputs& inputs, Index i, std::size_t first, std::size_t count, double* r) const {
    const KernelTable& table = *routine_->table;
    const auto at = static_cast<std::size_t>(i);
    for (const Load& load : routine_->program.of_instance().loads) {
      double* to = r + load.to * std::size_t{lanes};
      const auto k = static_cast<std::size_t>(load.index);
      if (load.kind == SymbolKind::element) {
        std::fill_n(to, lanes, static_cast<double>(i));
      } else if (load.kind == SymbolKind::column) {
        std::fill_n(to, lanes, (*table.columns[k])[at]);
      } else {
        const auto place = static_cast<std::size_t>(table.coordinates[k][at]);
        std::copy_n(vector_of(inputs, load.kind) + place * copies_ + first, count, to);
        std::fill(to + count, to + lanes, to[0]);
      }
    }
  }

  void deliver(Index i, std::size_t first, std::size_t count, const double* r, double* f) const {
    const std::vector<std::uint32_t>& outputs = routine_->program.outputs();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto place = static_cast<std::size_t>((*routine_->targets[k].places)[static_cast<std::size_t>(i)]);
      double* to = f + place * copies_ + first;
      const double* from = r + outputs[k] * std::size_t{lanes};
      for (std::size_t c = 0; c < count; ++c) to[c] += from[c];
    }
  }

  std::shared_ptr<const Routine> routine_;
  std::size_t copies_, blocks_;
  std::vector<double> registers_, uniform_;
  std::shared_ptr<const NativeLibrary> library_;
  NativeManyFunction many_ = nullptr;
  std::vector<const std::int32_t*> index_, targets_;
  std::vector<const double*> columns_;
};

class TextBlock final : public ForceBlock {
 public:
  explicit TextBlock(std::span<const CompiledModel* const> copies)
      : model_(*copies[0]), copies_(copies.size()), runners_(model_.groups.size() + 1) {
    for (const CompiledModel* copy : copies) parameters_.emplace_back(copy->space->parameter_values());
  }

  void force(Groups groups, double t, const double* q, const double* v, double* f) const override {
    std::fill_n(f, static_cast<std::size_t>(model_.start.size()) * copies_, 0.0);
    const auto known = static_cast<Groups>((std::uint64_t{1} << model_.groups.size()) - 1);
    if ((groups & known) == known) return add(0, every_group, t, q, v, f);
    for (std::size_t g = 0; g < model_.groups.size(); ++g)
      if (groups >> g & 1) add(g + 1, static_cast<int>(g), t, q, v, f);
  }

 private:
  void add(std::size_t place, int selection, double t, const double* q, const double* v, double* f) const {
    std::vector<ManyRunner>& runners = runners_[place];
    if (runners.empty())
      for (const auto& routine : model_.functions->vector({Purpose::force, selection}).routines)
        runners.emplace_back(routine, parameters_);
    for (ManyRunner& runner : runners) runner.add(t, q, v, f);
  }

  const CompiledModel& model_;
  std::size_t copies_;
  std::vector<std::span<const double>> parameters_;
  mutable std::vector<std::vector<ManyRunner>> runners_;  // for all groups together, then for each group
};

bool differ_by_parameters_only(const CompiledModel& a, const CompiledModel& b) {
  const auto& x = a.functions->vector({Purpose::force}).routines;
  const auto& y = b.functions->vector({Purpose::force}).routines;
  return a.start.size() == b.start.size() && a.groups.size() == b.groups.size() && x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(), [](auto& p, auto& q) { return same_routine(*p, *q); });
}
}  // namespace

std::unique_ptr<ForceBlock> make_text_block(std::span<const CompiledModel* const> copies) {
  for (const CompiledModel* copy : copies)
    if (!differ_by_parameters_only(*copies[0], *copy)) return nullptr;
  return std::make_unique<TextBlock>(copies);
}
}  // namespace trill
