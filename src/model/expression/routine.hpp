// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/program.hpp"
#include "trill/base/types.hpp"

#include <memory>

namespace trill {
using IndexTable = std::vector<std::int32_t>;
using Column = std::shared_ptr<const std::vector<double>>;  // a column of a set, shared by all terms over it

// The instances of one kind of term: where in the vectors of the model each of its symbols lies.
struct KernelTable {
  Index instances = 1;
  std::vector<IndexTable> coordinates;  // [slot][instance]: entry of q and of all vectors as long as q
  std::vector<IndexTable> rows;         // [row of an instance][instance]: entry of the multipliers
  std::vector<Column> columns;          // [column][instance]
};

// Where the values of one output go, an entry for each instance; or one entry that takes the sum over all.
struct Target {
  std::shared_ptr<const IndexTable> places;
  bool sum = false;
};

// Compiled C: `u` are the fixed registers of the program, x the vectors q, v, acceleration, jerk, snap, direction,
// multipliers and their rates, `index` the tables of coordinates followed by those of rows.
using NativeFunction = void (*)(long n, const double* u, double t, const double* const* x,
                                const std::int32_t* const* index, const double* const* column,
                                const std::int32_t* const* target, double* out);
inline constexpr int native_vectors = 8;

// A function of every instance of a kind of term, added up: out[target of output k at instance i] += output k at i. It
// is constant and shared by all its runners.
struct Routine {
  Program program;
  std::shared_ptr<const KernelTable> table;
  std::vector<Target> targets;  // one for each output of the program
  NativeFunction native = nullptr;
  std::shared_ptr<const class NativeLibrary> library{};  // keeps the function loaded
};

// All registers; those that depend on constants and parameters alone are filled in.
std::vector<double> fixed_registers(const Program& program, std::span<const double> parameters);

// Runs a routine, with memory of its own.
class Runner {
 public:
  Runner() = default;
  Runner(std::shared_ptr<const Routine> routine, std::span<const double> parameters);
  void set_parameters(std::span<const double> parameters);
  // Uses these values in place of a column of the table; they must outlive the runner.
  void set_column(std::size_t column, const double* values) { columns_[column] = values; }
  const KernelTable& table() const { return *routine_->table; }
  bool empty() const { return !routine_; }
  // Adds to `out`, in the order of instances and outputs, so that the bits do not depend on the back end.
  void add(const ProgramInputs& inputs, double* out) { add(inputs, out, targets_.data()); }
  // The same with other targets than the routine's, one pointer for each output.
  void add(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets) {
    if (!native_) return interpret(inputs, out, targets);
    const double* const x[native_vectors] = {
        inputs.q,    inputs.v,         inputs.acceleration, inputs.jerk,
        inputs.snap, inputs.direction, inputs.multipliers,  inputs.multiplier_rates};
    native_(instances_, fixed_.data(), inputs.t, x, index_.data(), columns_.data(), targets, out);
  }

 private:
  void interpret(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets);
  void add_single(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets);
  template <int L>
  void add_blocks(const ProgramInputs& inputs, double* out, const std::int32_t* const* targets);
  void take_last_places();
  template <int L>
  void load_block(const ProgramInputs& inputs, Index first, int count);
  void add_outputs(Index first, int count, double* out);
  const IndexTable& table_of(const Load& load) const;

  std::shared_ptr<const Routine> routine_;
  NativeFunction native_ = nullptr;
  long instances_ = 0;
  int lanes_ = 1;                  // instances that are interpreted together
  std::vector<double> fixed_;      // the fixed registers, one lane
  std::vector<double> registers_;  // of all lanes; empty if there is one
  std::vector<const std::int32_t*> index_, targets_;
  std::vector<const double*> columns_;
  std::vector<std::int32_t> last_places_;  // [load][lane]: place in its vector, for the last block
  struct Output {
    const double* from = nullptr;  // its register
    const std::int32_t* to = nullptr;
    bool sum = false;
  };
  std::vector<Output> outputs_;  // used when instances run in blocks
  bool has_sums_ = false;
};
}  // namespace trill
