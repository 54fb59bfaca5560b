// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/text_problem.hpp"

#include "text_first_order.hpp"
#include "text_langevin.hpp"
#include "text_structure.hpp"

#include <fstream>

#include <fmt/format.h>

namespace trill {
namespace {
std::unique_ptr<Problem> make_problem(const std::shared_ptr<CompiledModel>& model, const ModelFolder& folder) {
  if (model->file.structure) return std::make_unique<TextStructure>(model, read_structure(*model, folder));
  if (!model->file.rates.empty()) return std::make_unique<TextFirstOrder>(model);
  if (model->file.heat_bath) return std::make_unique<TextLangevin>(model);
  return std::make_unique<TextMechanics>(model);
}

TextModel read_model_in(const ModelFolder& folder, const std::string& file, const std::string& text,
                        const OptionSet& parameters) {
  auto model = std::make_shared<CompiledModel>(file, text);
  if (text.size() > most_model_bytes)
    throw model->source.error(fmt::format("has {} bytes; a model has at most {}", text.size(), most_model_bytes));
  model->file = read_model_file(model->source);
  read_set_tables(model->file, model->source, folder);
  std::unique_ptr<Problem> problem;
  try {
    compile_model(*model, parameters);
    problem = make_problem(model, folder);
  } catch (const ExpressionLimit& limit) {
    throw model->source.error(limit.what());
  }
  model->info.name = std::filesystem::path(file).stem().string();
  if (model->info.title.empty()) model->info.title = model->info.name;
  return {model->info, text, std::move(problem), model->warnings};
}
}  // namespace

TextModel read_model(const std::string& file, const std::string& text, const OptionSet& parameters) {
  return read_model_in(ModelFolder(), file, text, parameters);
}

TextModel load_model(const std::filesystem::path& path, const OptionSet& parameters) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw IoError(fmt::format("cannot read {}: {}", path.string(), error ? error.message() : "it is not a file"));
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most_model_bytes)
    throw ModelError(fmt::format("{}: has {} bytes; a model has at most {}", path.string(), size, most_model_bytes));
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw IoError(fmt::format("cannot read {}", path.string()));
  return read_model_in(ModelFolder(path.parent_path()), path.string(), text, parameters);
}

bool is_model_file(const std::string& model) {
  std::error_code error;
  return model.ends_with(".toml") ||
         (model.find('/') != std::string::npos && std::filesystem::is_regular_file(model, error));
}
}  // namespace trill
