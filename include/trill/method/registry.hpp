// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods, and for programs that find methods by name.
#pragma once

#include "trill/base/options.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/stepper.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace trill {
struct ProblemFacts;
struct Question;
struct Prospect;

struct MethodEntry {
  MethodInfo info;                  // with default options
  std::vector<OptionRow> options;   // name, default, allowed values, meaning
  std::vector<OptionSet> variants;  // option sets the tests run, defaults included
  std::function<MethodInfo(const OptionSet&)> describe;
  std::function<std::unique_ptr<Stepper>(const Problem&, const OptionSet&)> make;
  std::function<std::optional<LinearForm>(const OptionSet&)> linear_form;  // none: only its steps are known
  std::function<std::optional<SplitForm>(const OptionSet&)> split_form;    // none: treats all forces alike
  // What it would do with a problem, by its own account; empty: it says nothing, and trill never chooses it.
  std::function<Prospect(const ProblemFacts&, const Question&)> advise;
};

bool has_option(const std::vector<OptionRow>& options, std::string_view name);

// What `--method` accepts: a method, or a formulation that comes with a method. Exactly one of the two is set.
struct Technique {
  const MethodEntry* method = nullptr;
  const ReformulationEntry* formulation = nullptr;
  const std::string& name() const { return method ? method->info.name : formulation->name; }
};

// All methods and formulations. A name is looked up once; after that its entry is passed around, not the name.
class Catalogue {
 public:
  static const Catalogue& all();  // built on first use, from the generated list
  const std::vector<MethodEntry>& methods() const { return methods_; }
  const std::vector<ReformulationEntry>& formulations() const { return formulations_; }
  const MethodEntry* find_method(std::string_view name) const;  // nullptr: unknown
  const ReformulationEntry* find_formulation(std::string_view name) const;
  // An unknown name is a UsageError that lists the most similar ones.
  const MethodEntry& method(std::string_view name) const;
  const ReformulationEntry& formulation(std::string_view name) const;
  Technique technique(std::string_view name) const;
  void add(MethodEntry entry) { methods_.push_back(std::move(entry)); }
  void add(ReformulationEntry entry) { formulations_.push_back(std::move(entry)); }

 private:
  std::vector<MethodEntry> methods_;
  std::vector<ReformulationEntry> formulations_;
};

// S must have: struct Options with fields(); static MethodInfo describe(const Options&); a constructor from problem and
// options. It may have: static std::vector<OptionSet> variants(), if options change its order or flags; static
// linear_form(const Options&), which returns a LinearForm or an optional one, if one step on the linear oscillator is a
// rational function; static split_form(const Options&), if a step consists of slow kicks around an exact fast motion;
// static Prospect advise(const ProblemFacts&, const Question&), if trill may choose it (formulation/prospect.hpp).
template <class S>
void add_method(Catalogue& catalogue) {
  using Options = typename S::Options;
  const std::string name = S::describe(Options{}).name;
  std::vector<OptionSet> variants{{}};
  if constexpr (requires { S::variants(); }) variants = S::variants();
  std::function<std::optional<LinearForm>(const OptionSet&)> linear_form = [](const OptionSet&) {
    return std::nullopt;
  };
  if constexpr (requires { S::linear_form(Options{}); })
    linear_form = [name](const OptionSet& given) { return S::linear_form(read_options<Options>(given, name)); };
  std::function<std::optional<SplitForm>(const OptionSet&)> split_form = [](const OptionSet&) { return std::nullopt; };
  if constexpr (requires { S::split_form(Options{}); })
    split_form = [name](const OptionSet& given) { return S::split_form(read_options<Options>(given, name)); };
  std::function<Prospect(const ProblemFacts&, const Question&)> advise;
  if constexpr (requires { &S::advise; }) advise = &S::advise;
  catalogue.add(MethodEntry{S::describe(Options{}), list_options<Options>(), variants,
                            [name](const OptionSet& given) { return S::describe(read_options<Options>(given, name)); },
                            [name](const Problem& problem, const OptionSet& given) -> std::unique_ptr<Stepper> {
                              return std::make_unique<S>(problem, read_options<Options>(given, name));
                            },
                            linear_form, split_form, advise});
}
}  // namespace trill

// Last line of a method file; `stem` is the file's name. The build calls these functions from a generated list: static
// registration objects would be dropped by the linker from a static library.
#define TRILL_METHOD(stem, Class)                                     \
  namespace trill {                                                   \
  void register_method_##stem(Catalogue& c) { add_method<Class>(c); } \
  }
