// SPDX-License-Identifier: BSD-3-Clause
// Writes routines as C. Every name in it is made up here and every number is written in full, so that nothing of a
// model file except its operations reaches the compiler. The operations and their order are those of the interpreter.
#pragma once

#include "model/expression/routine.hpp"

#include <string>

namespace trill {
// one: a NativeFunction for each routine; many: a NativeManyFunction.
enum class CopiesInC { one, many };

struct CRoutine {
  const Routine* routine = nullptr;
  std::string comment{};  // in front of the function; only lines, letters, digits and a few signs are kept
};

// Tables are written into the source with all their numbers. Null where they fit, else the reason why not.
const char* trouble_of_tables(const Routine& routine);

// The function of the k-th routine is called function_name(k, copies).
std::string c_source(std::span<const CRoutine> routines, CopiesInC copies);
std::string function_name(std::size_t k, CopiesInC copies);
}  // namespace trill
