// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/native/c_source.hpp"
#include "model/text/model_text.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* convention =
    "/* Every function adds to out, for the instances i = 0 .. n-1 of a kind of term:\n"
    "   u       what depends on parameters alone (and constants), computed once by the caller\n"
    "   x       the vectors q, v, acceleration, jerk, snap, direction, multipliers\n"
    "   index   where in them each coordinate of an instance lies; after the coordinates the rows of multipliers\n"
    "   column  the columns of the set\n"
    "   target  where in out each value goes */\n";

std::string coordinate_text(const KernelScope& scope, int slot) {
  static constexpr const char* parts[] = {".x", ".y", ".z"};
  const KernelScope::Place place = scope.place(slot);
  return place.array->file->name.text + (place.array->over ? "[...]" : "") +
         (place.array->parts > 1 ? parts[place.part] : "");
}

std::string uses(const Kernel& kernel) {
  std::vector<std::string> lines{kernel.scope.over() ? "over " + kernel.scope.over()->name() : "over no set"};
  for (int k = 0; k < kernel.scope.slots(); ++k)
    lines.push_back(fmt::format("index {}: {}", k, coordinate_text(kernel.scope, k)));
  if (const IndexSet* over = kernel.scope.over())
    for (std::size_t k = 0; k < over->columns.size(); ++k)
      lines.push_back(fmt::format("column {}: {}", k, over->columns[k]));
  return join(lines, "\n");
}

class CModelWriter {
 public:
  explicit CModelWriter(const CompiledModel& model) : functions_(*model.functions) {
    for (const auto& kernel : functions_.kernels()) kernels_[kernel->table.get()] = kernel.get();
  }

  std::string write() {
    add_vector("energy", {Purpose::energy});
    add_vector("force", {Purpose::force});
    add_vector("force that depends on multipliers", {Purpose::multiplier_force});
    add_vector("rate", {Purpose::rate});
    add_vector("what the rates are of", {Purpose::charge});
    add_matrix("derivative of the force by q, entry by entry", {Purpose::by_position});
    add_matrix("derivative of the force by v, entry by entry", {Purpose::by_velocity});
    add_rows("stiff gaps", of_gaps);
    add_rows("constraints", of_constraints);
    return convention + c_source(routines_, CopiesInC::one);
  }

 private:
  void add(const std::string& what, const Routine& routine) {
    routines_.push_back({&routine, what + "\n" + uses(*kernels_.at(routine.table.get()))});
  }
  void add_vector(const std::string& what, FunctionKey key) {
    for (const auto& routine : functions_.vector(key).routines) add(what, *routine);
  }
  void add_matrix(const std::string& what, FunctionKey key) {
    for (const MatrixPart& part : functions_.matrix(key).parts) add(what, *part.routine);
  }
  void add_rows(const std::string& what, int selection) {
    if (functions_.count(selection) == 0) return;
    add_vector(what, {Purpose::value, selection});
    add_matrix("derivative of the " + what + " by q, entry by entry", {Purpose::jacobian, selection});
  }

  const ModelFunctions& functions_;
  std::map<const KernelTable*, const Kernel*> kernels_;
  std::vector<CRoutine> routines_;
};
}  // namespace

std::string c_text(const CompiledModel& model) { return CModelWriter(model).write(); }
}  // namespace trill
