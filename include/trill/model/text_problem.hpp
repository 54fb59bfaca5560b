// SPDX-License-Identifier: BSD-3-Clause
// For programs that read model files: from text to a problem.
#pragma once

#include "trill/base/options.hpp"
#include "trill/model/source_text.hpp"
#include "trill/problem/model_registry.hpp"

#include <filesystem>

namespace trill {
// A model that a user wrote as text: energies, gaps, forces and constraints. Every derivative that a formulation may
// ask for is derived from them. Reading a model file runs no code but the evaluation of its expressions.
struct TextModel {
  ModelInfo info;    // the name is the file name without folders and extension
  std::string file;  // the file name as shown in messages
  std::string text;  // content of the file
  std::unique_ptr<Problem> problem;
  std::vector<std::string> warnings;      // what a user should know about the model before a run
  OptionSet inputs = {};                  // other files that were read: name as in the model, checksum of the content
  std::vector<std::string> remarks = {};  // what was done without being asked for
};

inline constexpr std::size_t most_model_bytes = 10'000'000;

// ModelError for a mistake in the file, UsageError for one in the parameters, IoError if the file cannot be read. The
// motion starts at the time `begin`; the initial state is checked at this time.
TextModel load_model(const std::filesystem::path& path, const OptionSet& parameters = {}, double begin = 0);
TextModel read_model(const std::string& file, const std::string& text, const OptionSet& parameters = {},
                     double begin = 0);

// What the file says about its model. Its expressions are not parsed.
ModelDescription describe_model(const std::filesystem::path& path);

// Registers a model that is part of the library. Its text is read only when the model is used.
void add_text_model(ModelRegistry& registry, const std::string& name, std::string_view text);
TextModel read_shipped_model(const ModelEntry& entry, const OptionSet& parameters = {}, double begin = 0);

// Does this name a model file rather than a shipped model?
bool is_model_file(const std::string& model);
}  // namespace trill
