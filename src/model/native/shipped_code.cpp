// SPDX-License-Identifier: BSD-3-Clause
#include "model/native/shipped_code.hpp"

namespace trill {
namespace {
std::uint64_t fnv1a(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}
}  // namespace

SourceKey source_key(std::string_view c_source) {
  return {{fnv1a(c_source, 0xcbf29ce484222325u), fnv1a(c_source, 0x9ae16a3b2f90404fu)}};
}

const ShippedCode* find_shipped_code(std::string_view c_source, std::size_t count) {
  const SourceKey wanted = source_key(c_source);
  for (const ShippedCode& code : all_shipped_code())
    if (code.key[0] == wanted.key[0] && code.key[1] == wanted.key[1] && code.count == count) return &code;
  return nullptr;
}
}  // namespace trill
