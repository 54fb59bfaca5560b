// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/text_problem.hpp"

#include "base/text.hpp"
#include "model/molecule/molecule_model.hpp"
#include "model/netlist/netlist.hpp"
#include "model/text/text_charges.hpp"
#include "model/text/text_first_order.hpp"
#include "model/text/text_langevin.hpp"
#include "model/text/text_reactive.hpp"
#include "model/text/text_structure.hpp"

#include <fstream>

#include <fmt/format.h>

namespace trill {
namespace {
std::unique_ptr<Problem> make_problem(const std::shared_ptr<CompiledModel>& model, const ModelFolder& folder) {
  if (model->file.structure) return std::make_unique<TextStructure>(model, read_structure(*model, folder));
  if (model->file.has_charges()) return make_text_charges(model);
  if (!model->file.rates.empty()) return std::make_unique<TextFirstOrder>(model);
  if (model->file.heat_bath) return std::make_unique<TextLangevin>(model);
  if (model->has_reactions) return make_text_reactive(model);
  return std::make_unique<TextMechanics>(model);
}

std::shared_ptr<CompiledModel> open_model(const ModelFolder& folder, const std::string& file, const std::string& text) {
  auto model = std::make_shared<CompiledModel>(file, text);
  if (text.size() > most_model_bytes)
    throw model->source.error(
        fmt::format("the text has {} bytes; a model may have at most {}", text.size(), most_model_bytes));
  model->file = read_model_file(model->source, folder);
  model->file.folder = folder;
  read_set_tables(model->file, model->source, folder);
  return model;
}

TextModel read_model_in(const ModelFolder& folder, const std::string& file, const std::string& name,
                        const std::string& text, const OptionSet& parameters, double begin) {
  if (is_netlist(file)) return read_netlist(folder, file, name, text, parameters, begin);
  if (is_molecule_file(file)) return read_molecule(folder, file, name, text, parameters);
  const std::shared_ptr<CompiledModel> model = open_model(folder, file, text);
  model->begin = begin;
  std::unique_ptr<Problem> problem;
  try {
    compile_model(*model, parameters);
    problem = make_problem(model, folder);
  } catch (const ExpressionLimit& limit) {
    throw model->source.error(limit.what());
  }
  model->info.name = name;
  if (model->info.title.empty()) model->info.title = name;
  return {model->info, file, text, std::move(problem), model->warnings, folder.files_read(), model->remarks};
}

ModelDescription describe_model_in(const ModelFolder& folder, const std::string& file, const std::string& name,
                                   const std::string& text) {
  if (is_netlist(file)) return describe_netlist(folder, file, name, text);
  if (is_molecule_file(file)) return describe_molecule(folder, file, name, text);
  const std::shared_ptr<CompiledModel> model = open_model(folder, file, text);
  ModelSpace space(model->source, model->file, {});
  ModelDescription description{read_info(model->file, space), {}};
  description.info.name = name;
  if (description.info.title.empty()) description.info.title = name;
  for (const FileParameter& p : model->file.parameters)
    description.parameters.push_back({p.name.text, format_number(*p.value.number), p.range.text(), p.what});
  return description;
}

std::string name_of(const std::filesystem::path& path) { return path.stem().string(); }

std::string read_text(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw IoError(fmt::format("cannot read {}: {}", path.string(), error ? error.message() : "it is not a file"));
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most_model_bytes)
    throw ModelError(
        fmt::format("{}: the file has {} bytes; a model may have at most {}", path.string(), size, most_model_bytes));
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw IoError(fmt::format("cannot read {}", path.string()));
  return text;
}
}  // namespace

TextModel read_model(const std::string& file, const std::string& text, const OptionSet& parameters, double begin) {
  return read_model_in(ModelFolder(), file, name_of(file), text, parameters, begin);
}

TextModel load_model(const std::filesystem::path& path, const OptionSet& parameters, double begin) {
  return read_model_in(ModelFolder(path.parent_path()), path.string(), name_of(path), read_text(path), parameters,
                       begin);
}

ModelDescription describe_model(const std::filesystem::path& path) {
  return describe_model_in(ModelFolder(path.parent_path()), path.string(), name_of(path), read_text(path));
}

void add_text_model(ModelRegistry& registry, const std::string& name, std::string_view text) {
  registry.add({name, [=] { return describe_model_in(ModelFolder(), name, name, std::string(text)); },
                [=](const OptionSet& given) {
                  return read_model_in(ModelFolder(), name, name, std::string(text), given, 0).problem;
                },
                text});
}

TextModel read_shipped_model(const ModelEntry& entry, const OptionSet& parameters, double begin) {
  return read_model_in(ModelFolder(), entry.name, entry.name, std::string(entry.text), parameters, begin);
}

bool is_model_file(const std::string& model) {
  std::error_code error;
  return model.ends_with(".toml") || is_netlist(model) || is_molecule_file(model) ||
         (model.find('/') != std::string::npos && std::filesystem::is_regular_file(model, error));
}
}  // namespace trill
