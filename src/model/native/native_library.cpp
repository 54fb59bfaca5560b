// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/native_library.hpp"

#include "base/text.hpp"
#include "model/native/compiler_process.hpp"
#include "model/native/native_cache.hpp"
#include "trill/base/archive.hpp"

#include <cstring>
#include <fstream>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>

namespace trill {
namespace {
namespace fs = std::filesystem;

// No contraction, no reassociation, and no assumptions about what sin or pow do: the calls are those of the
// interpreter. Only loops are vectorized; searching straight-line code of thousands of operations for vectors would
// take minutes.
constexpr const char* common_flags =
    "-std=c11 -O3 -fno-tree-slp-vectorize -fPIC -shared -ffp-contract=off -fno-builtin -fno-math-errno "
    "-fno-trapping-math -w";

// GCC 12 takes over a minute for 5000 operations in one function with -march=native, and some seconds without.
std::string flags_for([[maybe_unused]] const std::string& c_source) {
#ifdef __x86_64__
  if (c_source.size() < 60'000) return std::string(common_flags) + " -march=native";
#endif
  return common_flags;
}

// Identifies what this machine can do: a cache in a home folder may be shared by different machines.
std::string machine() {
  utsname names{};
  std::string text = ::uname(&names) == 0 ? names.machine : "";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("flags") || line.starts_with("Features"))
      return fmt::format("{} {:016x}", text, checksum(line.data(), line.size()));
  return text;
}

std::string key_of(const std::string& c_source) {
  return fmt::format("trill {}\n{}\n{}\n{}", TRILL_VERSION, flags_for(c_source), machine(), c_source);
}

void compile(const NativeCache& cache, const std::string& key, const std::string& c_source, double seconds) {
  const std::vector<std::string> compiler = find_compiler();
  const BuildFolder build(cache);
  Descriptor source = build.folder().create("model.c");
  if (!source || !write_all(source, c_source))
    throw NativeFailure(fmt::format("cannot write in {}: {}", build.folder().path().string(), std::strerror(errno)));
  source.close();
  std::vector<std::string> command = compiler;
  for (const std::string& flag : split(flags_for(c_source), ' ')) command.push_back(flag);
  command.insert(command.end(), {"-o", "model.so", "model.c", "-lm"});
  run_compiler(command, build.folder(), seconds);
  cache.install(build.folder().open("model.so", O_RDONLY), key);
  cache.trim();
}

// A path to the open file, so that what is loaded is what was checked. The loader takes a library of the same name for
// the same library, and numbers of descriptors are used again: so no two paths are alike.
std::string path_through(const Descriptor& file) {
  static std::uint64_t serial = 0;  // guarded by the lock of load_native
  std::string path = "/proc/self/fd";
  for (std::uint64_t rest = ++serial; rest > 0; rest /= 2) path += rest % 2 == 0 ? "/." : "//.";
  return fmt::format("{}/{}", path, file.get());
}
}  // namespace

struct NativeLoader {
  static std::shared_ptr<const NativeLibrary> open(const Descriptor& file, bool was_cached) {
    void* handle = file ? ::dlopen(path_through(file).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!handle) return nullptr;
    return std::shared_ptr<const NativeLibrary>(new NativeLibrary(handle, was_cached));
  }

  static NativeResult load(const std::string& c_source, NativeUse use, double compiler_seconds) {
    const NativeCache cache(use == NativeUse::always);
    const std::string key = key_of(c_source);
    if (auto library = open(cache.find(key), true)) return {library, ""};
    if (use == NativeUse::cached_only) return {nullptr, "the model has not been compiled yet"};
    compile(cache, key, c_source, compiler_seconds);
    if (auto library = open(cache.find(key), false)) return {library, ""};
    const char* error = ::dlerror();
    const fs::path path = cache.folder().path() / cache.name_of(key);
    return {nullptr,
            fmt::format("cannot load the compiled code {}{}{}", path.string(), error ? ": " : "", error ? error : "")};
  }
};

NativeLibrary::~NativeLibrary() { ::dlclose(handle_); }

void* NativeLibrary::symbol(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

NativeFunction NativeLibrary::native_function(const std::string& name) const {
  return reinterpret_cast<NativeFunction>(symbol(name));
}
NativeManyFunction NativeLibrary::native_many_function(const std::string& name) const {
  return reinterpret_cast<NativeManyFunction>(symbol(name));
}

NativeResult load_native(const std::string& c_source, NativeUse use, double compiler_seconds) {
  static std::mutex one_at_a_time;  // threads that want the same model compile it once
  const std::lock_guard guard(one_at_a_time);
  try {
    return NativeLoader::load(c_source, use, compiler_seconds);
  } catch (const std::exception& e) {
    return {nullptr, e.what()};
  }
}
}  // namespace trill
