// SPDX-License-Identifier: BSD-3-Clause
// For programs that list models or find them by name, and for models that register themselves.
#pragma once

#include "trill/base/options.hpp"
#include "trill/problem/problem.hpp"

#include <functional>
#include <optional>

namespace trill {
// What `trill run MODEL` does without further options. h = 0: the step size is adapted to rtol.
struct RunDefaults {
  double to = 10;
  std::string method = {};  // empty: trill chooses it
  double h = 0, rtol = 1e-6;
  bool names_rtol = false;                    // otherwise trill chooses the tolerance with the method
  std::optional<std::size_t> method_at = {};  // offset in the model text where the method is named
};

struct ModelInfo {
  std::string name, title, reference;  // "pendulum/stiff_spring", "Stiff spring pendulum", "PJY97 eq. 1.1"
  std::string equations;               // a few lines for describe and the documentation
  RunDefaults run;
};

struct ModelDescription {
  ModelInfo info;
  std::vector<OptionRow> parameters;
};

struct ModelEntry {
  std::string name;
  std::function<ModelDescription()> describe;  // for a text model this reads the text
  std::function<std::unique_ptr<Problem>(const OptionSet&)> make;
  std::string_view text = {};  // only for text models
};

class ModelRegistry {
 public:
  static const ModelRegistry& all();  // built on first use, from the generated list
  // By full name or by the part after the last '/'. An unknown name is a UsageError that lists the most similar ones.
  const ModelEntry& find(std::string_view name) const;
  const std::vector<ModelEntry>& entries() const { return entries_; }  // sorted by name
  void add(ModelEntry entry);

 private:
  std::vector<ModelEntry> entries_;
};

std::vector<Parameter> parameters_of(const std::vector<OptionRow>& rows);

template <class M>
void add_model(ModelRegistry& registry) {
  using P = typename M::Parameters;
  registry.add({M::describe().name,
                [] {
                  return ModelDescription{M::describe(), list_options<P>()};
                },
                [](const OptionSet& given) -> std::unique_ptr<Problem> {
                  return std::make_unique<M>(read_options<P>(given, M::describe().name, "parameter"));
                }});
}
}  // namespace trill

// Last line of a model file; `stem` is the file's name. The build calls these functions from a generated list: static
// registration objects would be dropped by the linker from a static library.
#define TRILL_MODEL(stem, Class)                                                      \
  namespace trill {                                                                   \
  void register_model_##stem(ModelRegistry& registry) { add_model<Class>(registry); } \
  }
