// SPDX-License-Identifier: BSD-3-Clause
#include "solution/run_json.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
using Difference = std::optional<std::string>;

Difference compare(const char* what, const std::string& stored, const std::string& now) {
  if (stored == now) return std::nullopt;
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
  return fmt::format("{}: {}, now {}", what, shown(stored), shown(now));
}

Difference compare(const char* what, const OptionSet& stored, const OptionSet& now) {
  for (const auto& [name, value] : stored) {
    const auto other = now.find(name);
    if (other == now.end()) return fmt::format("{} {}: {}, now not set", what, name, value);
    if (other->second != value) return fmt::format("{} {}: {}, now {}", what, name, value, other->second);
  }
  for (const auto& [name, value] : now)
    if (!stored.contains(name)) return fmt::format("{} {}: not set, now {}", what, name, value);
  return std::nullopt;
}

Difference compare_inputs(const OptionSet& stored, const OptionSet& now) {
  for (const auto& [name, checksum] : stored) {
    const auto other = now.find(name);
    if (other == now.end()) return fmt::format("the model no longer reads the file {}", name);
    if (other->second != checksum)
      return fmt::format("the file {}, which the model reads, has changed since then", name);
  }
  for (const auto& [name, checksum] : now)
    if (!stored.contains(name)) return fmt::format("the model did not read the file {} then", name);
  return std::nullopt;
}

// An empty list in `now` means that the driver has not filled it in yet: there is nothing to compare.
Difference compare(const char* what, const std::vector<Quantity>& stored, const std::vector<Quantity>& now) {
  if (now.empty()) return std::nullopt;
  if (stored.size() != now.size()) return fmt::format("{}: {}, now {}", what, stored.size(), now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (stored[i].name != now[i].name) return fmt::format("{}: {}, now {}", what, stored[i].name, now[i].name);
    if (stored[i].unit != now[i].unit)
      return fmt::format("{} {}: in [{}], now in [{}]", what, now[i].name, stored[i].unit, now[i].unit);
  }
  return std::nullopt;
}
}  // namespace

std::optional<std::string> difference(const RunInfo& stored, const RunInfo& now) {
  if (auto d = compare("problem", stored.problem, now.problem)) return d;
  if (auto d = compare("method", stored.method, now.method)) return d;
  if (auto d = compare("formulation", stored.formulation, now.formulation)) return d;
  if (auto d = compare("parameter", stored.parameters, now.parameters)) return d;
  if (auto d = compare("option", stored.options, now.options)) return d;
  if (auto d = compare("setting", stored.settings, now.settings)) return d;
  if (stored.model_text != now.model_text) return "the text of the model has changed since then";
  if (auto d = compare_inputs(stored.inputs, now.inputs)) return d;
  if (auto d = compare("version", stored.version, now.version)) return d;
  if (now.layout.size() > 0 && stored.layout != now.layout) return "the layout of the unknowns has changed since then";
  if (auto d = compare("components", stored.components, now.components)) return d;
  if (auto d = compare("quantities", stored.quantities, now.quantities)) return d;
  return std::nullopt;
}
}  // namespace trill
