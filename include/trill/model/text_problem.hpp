// SPDX-License-Identifier: BSD-3-Clause
// For programs that read model files: from text to a problem.
#pragma once

#include "trill/base/options.hpp"
#include "trill/model/source_text.hpp"
#include "trill/problem/model_registry.hpp"

#include <filesystem>

namespace trill {
// A model that a user wrote as text: energies, gaps, forces and constraints. Every derivative that a formulation may
// ask for is derived from them. Reading it evaluates nothing but its expressions.
struct TextModel {
  ModelInfo info;    // the name is the file's, without folders and ending
  std::string file;  // as messages call it
  std::string text;  // of the file
  std::unique_ptr<Problem> problem;
  std::vector<std::string> warnings;  // what a user should know of the model before a run
};

inline constexpr std::size_t most_model_bytes = 10'000'000;

// ModelError for a mistake in the file, UsageError for one in the parameters, IoError where it cannot be read. The
// motion starts at the time `begin`, where the start is checked.
TextModel load_model(const std::filesystem::path& path, const OptionSet& parameters = {}, double begin = 0);
TextModel read_model(const std::string& file, const std::string& text, const OptionSet& parameters = {},
                     double begin = 0);

// What the file says about its model. Its terms are not parsed.
ModelDescription describe_model(const std::filesystem::path& path);

// A model that is part of the library. It is read when it is asked for.
void add_text_model(ModelRegistry& registry, const std::string& name, std::string_view text);
TextModel read_shipped_model(const ModelEntry& entry, const OptionSet& parameters = {}, double begin = 0);

// Does this name a model file rather than a shipped model?
bool is_model_file(const std::string& model);
}  // namespace trill
