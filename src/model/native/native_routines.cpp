// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/native_routines.hpp"

#include "model/native/c_source.hpp"
#include "model/native/shipped_code.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
// Seconds, measured with GCC 12 on springs, pair potentials and chains. Machines differ too little to matter for the
// decision.
constexpr double start_of_compiler = 0.1, compiling_each = 1e-3;
constexpr double saved_each_alone = 1.5e-9, saved_each_in_blocks = 0.25e-9;
}  // namespace

std::string make_native(Routines& routines, NativeUse use) {
  if (routines.empty()) return "";
  for (const auto& routine : routines)
    if (const char* trouble = trouble_of_tables(*routine)) return trouble;
  std::vector<CRoutine> sources;
  for (const auto& routine : routines) sources.push_back({routine.get()});
  const std::string source = c_source(sources, CopiesInC::one);
  std::vector<std::shared_ptr<Routine>> all;
  if (const ShippedCode* shipped = find_shipped_code(source, routines.size())) {
    for (std::size_t k = 0; k < routines.size(); ++k) {
      all.push_back(std::make_shared<Routine>(*routines[k]));
      all.back()->native = shipped->functions[k];
    }
    routines = {all.begin(), all.end()};
    return "";
  }
  const NativeResult native = load_native(source, use);
  if (!native.library) return native.reason;
  for (std::size_t k = 0; k < routines.size(); ++k) {
    auto compiled = std::make_shared<Routine>(*routines[k]);
    compiled->library = native.library;
    compiled->native = native.library->native_function(function_name(k, CopiesInC::one));
    if (!compiled->native) return fmt::format("the function with the number {} is missing in the compiled code", k);
    all.push_back(std::move(compiled));
  }
  routines = {all.begin(), all.end()};
  return "";
}

NativeModel::Cost native_cost(const Routines& routines) {
  NativeModel::Cost cost{start_of_compiler, 0};
  for (const auto& routine : routines) {
    const ProgramPart& part = routine->program.of_instance();
    const auto operations = static_cast<double>(part.code.size() + part.loads.size() + routine->targets.size());
    const auto instances = static_cast<double>(routine->table->instances);
    cost.compiling += compiling_each * operations;
    cost.saved_each_force += operations * instances * (instances > 1 ? saved_each_in_blocks : saved_each_alone);
  }
  return cost;
}
}  // namespace trill
