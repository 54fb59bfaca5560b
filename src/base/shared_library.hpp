// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"

#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace trill {
// A library that is loaded when it is needed and stays loaded until the program ends, since some cannot be unloaded.
class SharedLibrary {
 public:
  enum class Symbols { hidden, for_all };  // for_all: libraries that it loads later find its functions
  // The first of these that is there. UsageError: `otherwise`, and what the system says.
  SharedLibrary(const std::vector<std::string>& names, const std::string& otherwise,
                Symbols symbols = Symbols::hidden) {
    std::string why;
    for (const std::string& name : names) {
      if (name.empty()) continue;
      handle_ = ::dlopen(name.c_str(), RTLD_NOW | (symbols == Symbols::for_all ? RTLD_GLOBAL : RTLD_LOCAL));
      if (handle_) return;
      if (const char* said = ::dlerror(); said && why.empty()) why = said;
    }
    throw UsageError(fmt::format("{}{}", otherwise, why.empty() ? "" : fmt::format(" ({})", why)));
  }
  template <class Function>
  Function find(const char* name) const {
    if (void* found = ::dlsym(handle_, name)) return reinterpret_cast<Function>(found);
    throw UsageError(fmt::format("the library that was loaded has no function '{}'; its version is not known", name));
  }

 private:
  void* handle_ = nullptr;
};
}  // namespace trill
