// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/registry.hpp"

#include <ostream>

namespace trill::test {
// One method with one of the option sets with which it asks to be tested. Suites over all_cases() include a new method
// as soon as it is registered.
struct MethodCase {
  const MethodEntry* entry;
  OptionSet options;
  MethodInfo info;
};

inline std::vector<MethodCase> all_cases() {
  std::vector<MethodCase> cases;
  for (const MethodEntry& entry : Catalogue::all().methods())
    for (const OptionSet& options : entry.variants) cases.push_back({&entry, options, entry.describe(options)});
  return cases;
}

template <class Test>
std::vector<MethodCase> cases_where(Test test) {
  std::vector<MethodCase> chosen;
  for (const MethodCase& c : all_cases())
    if (test(c.info)) chosen.push_back(c);
  return chosen;
}

inline std::string case_name(const testing::TestParamInfo<MethodCase>& info) {
  std::string name = info.param.info.name;
  for (const auto& [key, value] : info.param.options) name += "_" + key + "_" + value;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Whether the method can run circuits only.
inline bool runs_circuits_alone(const Accepts& accepts) { return accepts.circuit && !accepts.mechanical; }

inline void PrintTo(const MethodCase& c, std::ostream* out) { *out << c.info.name; }

// Models with smooth solutions that a method can run, with parameters for the test.
struct ModelCase {
  std::string model;  // name or file
  OptionSet parameters;
  double to;
};

inline std::vector<ModelCase> smooth_models(const Accepts& accepts) {
  if (accepts.mechanical)
    return {{"harmonic", {{"omega", "6"}, {"v0", "0.4"}}, 2},
            {"kepler", {{"e", "0.4"}}, 3},
            {"fermi_pasta_ulam", {{"omega", "3"}}, 2}};
  if (accepts.constrained)
    return {{"rigid", {}, 5}, {"rigid", {{"theta0", "1"}, {"omega0", "1.5"}}, 4}, {"rigid", {{"theta0", "-0.5"}}, 6}};
  if (accepts.langevin)
    return {{"langevin", {{"kT", "0"}, {"q0", "0.8"}, {"gamma", "0.5"}, {"particles", "3"}}, 2},
            {"langevin", {{"kT", "0"}, {"q0", "0.8"}, {"gamma", "0"}, {"particles", "2"}, {"b", "1"}}, 2},
            {"langevin", {{"kT", "0"}, {"q0", "0.8"}, {"gamma", "2"}, {"particles", "2"}, {"b", "0.5"}}, 2},
            {TRILL_SOURCE_DIR "/tests/support/pendulum_in_bath.toml", {{"kT", "0"}}, 2}};
  return {{"rectifier", {}, 0.002}};
}

// Implicit methods for Langevin dynamics refuse constraints, and so do sinr and langevin_respa.
inline std::vector<ModelCase> smooth_models(const MethodInfo& info) {
  std::vector<ModelCase> models = smooth_models(info.accepts);
  if (info.accepts.langevin && (info.implicit_step || info.name == "sinr" || info.name == "langevin_respa"))
    std::erase_if(models, [](const ModelCase& m) { return m.model.ends_with("pendulum_in_bath.toml"); });
  return models;
}
}  // namespace trill::test
