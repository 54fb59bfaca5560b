// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/structure_targets.hpp"

#include <algorithm>
#include <optional>

namespace trill {
namespace {
constexpr const char* whole_field = "the whole field";
constexpr int samples_along = 400;
}  // namespace

std::vector<RitzTarget> structure_targets(const LinearStructure& structure, const std::vector<std::string>& of) {
  const std::vector<StructureOutput> outputs = structure.outputs();
  const Index n = structure.mass_matrix().rows();
  std::vector<RitzTarget> all;
  bool field = false;
  if (of.empty())
    for (const StructureOutput& output : outputs) all.push_back({output.name, output.weights});
  const std::vector<Quantity> names = of.empty() ? std::vector<Quantity>() : structure.components();
  for (const std::string& name : of) {
    const auto output =
        std::find_if(outputs.begin(), outputs.end(), [&](const StructureOutput& o) { return o.name == name; });
    const auto component = std::find_if(names.begin(), names.end(), [&](const Quantity& q) { return q.name == name; });
    const Index place = component - names.begin();
    if (output != outputs.end())
      all.push_back({name, output->weights});
    else if (place < n)
      all.push_back({name, Vec::Unit(n, place)});
    else
      field = true;
  }
  if (field || all.empty()) all.push_back({whole_field, Vec()});
  return all;
}

std::vector<Quantity> error_bands(const LinearStructure& structure, const std::vector<RitzTarget>& targets,
                                  bool proved) {
  const std::vector<StructureOutput> outputs = structure.outputs();
  const std::vector<Quantity> names = structure.components();
  const auto unit_in = [](const auto& all, const std::string& name) -> std::optional<std::string> {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return found == all.end() ? std::nullopt : std::optional(found->unit);
  };
  std::vector<Quantity> bands;
  for (const RitzTarget& target : targets) {
    if (target.is_field()) continue;
    const auto of_output = unit_in(outputs, target.name);
    bands.push_back({(proved ? "bound_" : "estimate_") + target.name,
                     of_output ? *of_output : unit_in(names, target.name).value_or(""), QuantityKind::bound});
  }
  return bands;
}

Mat sample_targets(const ModalSystem& system, const LinearStructure& structure, const ReducedStart& start,
                   const std::vector<RitzTarget>& targets, const Mat& weights) {
  const double t0 = start.t, span = start.t_end - t0;
  const std::vector<double> breaks = load_breaks(structure, t0, start.t_end);
  ModalMotion motion(system, structure);
  Vec x = start.x, v = start.v;
  Mat curves(static_cast<Index>(targets.size()), samples_along + 1);
  std::size_t next = 1;
  double t = t0;
  for (int i = 0;; ++i) {
    for (Index k = 0; k < curves.rows(); ++k)
      curves(k, i) = targets[static_cast<std::size_t>(k)].is_field() ? x.norm() : weights.row(k).dot(x);
    if (i == samples_along) return curves;
    const double until = i + 1 == samples_along ? start.t_end : t0 + span * (i + 1) / samples_along;
    for (; next < breaks.size() && breaks[next] < until; ++next) {
      if (breaks[next] > t) motion.advance(t, breaks[next] - t, x, v);
      t = std::max(t, breaks[next]);
    }
    motion.advance(t, until - t, x, v);
    t = until;
  }
}
}  // namespace trill
