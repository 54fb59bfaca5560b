// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/routine.hpp"

#include <memory>
#include <string>

namespace trill {
// A routine for `copies` systems at once: entry e of copy c is at [e * copies + c], in u, the vectors and out. Each
// copy is a vector lane, so that the code can be vectorized whatever entries the instances touch.
using NativeManyFunction = void (*)(long n, long copies, const double* u, double t, const double* const* x,
                                    const std::int32_t* const* index, const double* const* column,
                                    const std::int32_t* const* target, double* out);

// Machine code made from C source by the system's compiler; it stays loaded as long as somebody holds it.
class NativeLibrary {
 public:
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;
  ~NativeLibrary();
  NativeFunction native_function(const std::string& name) const;  // nullptr when there is none
  NativeManyFunction native_many_function(const std::string& name) const;
  bool was_cached() const { return was_cached_; }  // no compiler was needed

 private:
  friend struct NativeLoader;
  NativeLibrary(void* handle, bool was_cached) : handle_(handle), was_cached_(was_cached) {}
  void* symbol(const std::string& name) const;
  void* handle_;
  bool was_cached_;
};

struct NativeResult {
  std::shared_ptr<const NativeLibrary> library;
  std::string reason;  // why there is no library: one phrase
};

enum class NativeUse { always, cached_only };

// The library of a C source, from $XDG_CACHE_HOME/trill/native (else ~/.cache) or compiled into it by $CC, cc, gcc or
// clang. Floating-point operations keep their order and are not contracted, so that every compiler gives the same bits.
// Never throws: a missing compiler, a full disk or a folder that others may write to is given as the reason. Threads
// and processes may call it at the same time. A compiler that takes longer than `compiler_seconds` is ended.
NativeResult load_native(const std::string& c_source, NativeUse use, double compiler_seconds = 60);
}  // namespace trill
