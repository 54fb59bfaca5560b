// SPDX-License-Identifier: BSD-3-Clause
// For authors of models and methods: parameters and options listed once, read from text, described and checked.
#pragma once

#include "trill/base/errors.hpp"

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace trill {
using OptionSet = std::map<std::string, std::string, std::less<>>;  // from a command line or a keyword list

// Allowed values of a number, ends included unless open.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;
  bool holds(double value) const { return (open_min ? value > min : value >= min) && value <= max; }
  std::string text() const;
  static Range positive() { return {0, std::numeric_limits<double>::infinity(), true}; }
  static Range at_least(double min) { return {min, std::numeric_limits<double>::infinity(), false}; }
  static Range between(double min, double max) { return {min, max, false}; }
};

using Choices = std::vector<std::string>;

// Values of an option that are written as words, and what each word means to the program.
template <class Value>
using NamedValues = std::vector<std::pair<std::string, Value>>;

// Every option struct lists its fields once, in fields(visitor). From that one list come command-line parsing,
// keywords of bindings, the echo in a report and the table in the documentation.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void number(std::string_view name, double& value, Range range, std::string_view what) = 0;
  virtual void integer(std::string_view name, int& value, Range range, std::string_view what) = 0;
  virtual void choice(std::string_view name, std::string& value, const Choices& choices, std::string_view what) = 0;
  // Any text; the option struct parses it itself. allowed: describes the format to the user.
  virtual void text(std::string_view name, std::string& value, std::string_view allowed, std::string_view what) = 0;

  // A choice whose words are turned into values once, here, so that no step has to compare strings. The current value
  // must be one of the named ones.
  template <class Value>
  requires(!std::is_same_v<Value, std::string>) void choice(std::string_view name, Value& value,
                                                            const NamedValues<Value>& named, std::string_view what) {
    std::string word;
    Choices words;
    for (const auto& [text, meaning] : named) {
      words.push_back(text);
      if (meaning == value) word = text;
    }
    choice(name, word, words, what);
    for (const auto& [text, meaning] : named)
      if (text == word) value = meaning;
  }
};

struct OptionRow {
  std::string name, value, allowed, what;
};

// Reads the given texts into the fields; finish() refuses given names that belong to no field.
class OptionReader final : public OptionVisitor {
 public:
  // noun: what the fields are called in messages, "option" or "parameter".
  OptionReader(const OptionSet& given, std::string_view owner, std::string_view noun = "option")
      : given_(given), owner_(owner), noun_(noun) {}
  void number(std::string_view name, double& value, Range range, std::string_view what) override;
  void integer(std::string_view name, int& value, Range range, std::string_view what) override;
  void choice(std::string_view name, std::string& value, const Choices& choices, std::string_view what) override;
  void text(std::string_view name, std::string& value, std::string_view allowed, std::string_view what) override;
  void finish() const;

 private:
  const std::string* take(std::string_view name);
  const OptionSet& given_;
  std::string owner_, noun_;
  std::vector<std::string> known_;
};

// Lists fields with their current values.
class OptionLister final : public OptionVisitor {
 public:
  std::vector<OptionRow> rows;
  void number(std::string_view name, double& value, Range range, std::string_view what) override;
  void integer(std::string_view name, int& value, Range range, std::string_view what) override;
  void choice(std::string_view name, std::string& value, const Choices& choices, std::string_view what) override;
  void text(std::string_view name, std::string& value, std::string_view allowed, std::string_view what) override;
};

template <class Options>
Options read_options(const OptionSet& given, std::string_view owner, std::string_view noun = "option") {
  Options options;
  OptionReader reader(given, owner, noun);
  options.fields(reader);
  reader.finish();
  return options;
}

template <class Options>
std::vector<OptionRow> list_options(Options options = {}) {
  OptionLister lister;
  options.fields(lister);
  return lister.rows;
}

// "rho=0.5" -> {"rho", "0.5"}; hyphens become underscores, known aliases become the registered name.
std::pair<std::string, std::string> parse_assignment(std::string_view text);
}  // namespace trill
