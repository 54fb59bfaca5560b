// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_picture.hpp"

#include "model/expression/derivative.hpp"
#include "model/molecule/molecule_model.hpp"
#include "model/netlist/netlist.hpp"
#include "model/text/compiled_model.hpp"
#include "model/text/structure_picture.hpp"
#include "model/text/text_structure.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_numbers = 40'000;  // of one moment; models with more are drawn without the rest

const IndexSet* set_of(CompiledModel& model, const FilePictureItem& item) {
  if (item.over.empty()) return nullptr;
  return model.space->set(FileText{item.over, item.points.front().begin});
}

// x and y of every point of the item.
std::vector<Expression> parts_of(KernelScope& scope, const FilePictureItem& item) {
  std::vector<Expression> parts;
  for (const SourcePiece& piece : item.points) {
    const ParsedValue value = scope.parse_any(piece);
    if (value.size < 2)
      throw piece.error(
          0, fmt::format("a picture is made of points, and {} is a number; write point(x, y)", shortened(piece.text)));
    for (std::size_t k = 0; k < 2; ++k) {
      if (depends_on(scope.graph(), value.part[k], SymbolKind::multiplier))
        throw piece.error(0, "a point of a picture cannot depend on the forces of constraints");
      parts.push_back(value.part[k]);
    }
  }
  return parts;
}
}  // namespace

struct ModelPicture::Parts {
  std::vector<std::unique_ptr<KernelScope>> scopes;
  std::vector<Runner> runners;
  std::optional<StructurePicture> structure;
};

ModelPicture::ModelPicture(std::shared_ptr<CompiledModel> model)
    : model_(std::move(model)), parts_(std::make_unique<Parts>()) {
  if (model_->file.structure)
    add_structure();
  else
    add_stated_items();
}

void ModelPicture::add_structure() {
  const FileStructure& file = *model_->file.structure;
  std::optional<StructureMesh> mesh = read_structure_mesh(file, model_->source, model_->file.folder);
  if (!mesh && file.generate) mesh = generated_from(*file.generate, *model_->space, model_->source).mesh;
  if (!mesh) return;
  StructurePicture picture(*mesh);
  if (picture.still().size() > most_numbers) return;
  size_ = picture.still().size();
  shapes_.push_back(picture.shape());
  parts_->structure = std::move(picture);
}

void ModelPicture::add_stated_items() {
  std::vector<FilePictureItem> items = model_->file.picture.parts;
  const auto& stated = model_->file.picture.stated;
  items.insert(items.end(), stated.begin(), stated.end());
  if (items.empty()) items = guessed_picture(*model_);
  for (const FilePictureItem& item : items) {
    auto scope = std::make_unique<KernelScope>(*model_->space, set_of(*model_, item));
    const std::vector<Expression> outputs = parts_of(*scope, item);
    const Index elements = scope->instances(), width = static_cast<Index>(outputs.size());
    if (elements == 0 || size_ + elements * width > most_numbers) continue;
    Routine routine{Program(scope->graph(), outputs), std::make_shared<KernelTable>(scope->make_table()), {}};
    for (Index k = 0; k < width; ++k) {
      auto places = std::make_shared<IndexTable>();
      for (Index e = 0; e < elements; ++e) places->push_back(static_cast<std::int32_t>(size_ + e * width + k));
      routine.targets.push_back({places, false});
    }
    parts_->runners.emplace_back(std::make_shared<const Routine>(std::move(routine)),
                                 model_->space->parameter_values());
    parts_->scopes.push_back(std::move(scope));
    shapes_.push_back({item.kind, size_, width / 2, elements, item.colour, item.trail});
    equal_scales_ = equal_scales_ && item.kind != PictureKind::curve;
    size_ += elements * width;
  }
}

ModelPicture::~ModelPicture() = default;

bool ModelPicture::fits(Index unknowns) const {
  return parts_->structure ? parts_->structure->fits(unknowns) : model_->space->unknowns() == unknowns;
}

const Vec* ModelPicture::still() const { return parts_->structure ? &parts_->structure->still() : nullptr; }

void ModelPicture::evaluate(double t, const double* q, const double* v, double* numbers) {
  if (parts_->structure) {
    parts_->structure->evaluate(q, numbers);
    return;
  }
  std::fill_n(numbers, size_, 0.0);
  for (Runner& runner : parts_->runners) runner.add({.t = t, .q = q, .v = v}, numbers);
}

void check_picture(CompiledModel& model) {
  for (const FilePictureItem& item : model.file.picture.stated) {
    KernelScope scope(*model.space, set_of(model, item));
    parts_of(scope, item);
    scope.make_table();
  }
}

std::unique_ptr<ModelPicture> picture_of_text(const std::string& file, const std::string& text,
                                              const OptionSet& parameters, const ModelFolder& folder) {
  if (text.empty() || is_netlist(file) || is_molecule_file(file)) return nullptr;
  try {
    auto model = std::make_shared<CompiledModel>(file, text);
    model->file = read_model_file(model->source, folder);
    model->file.folder = folder;
    read_set_tables(model->file, model->source, folder);
    compile_model(*model, parameters);
    auto picture = std::make_unique<ModelPicture>(std::move(model));
    return picture->shapes().empty() ? nullptr : std::move(picture);
  } catch (const UsageError&) {
    return nullptr;
  }
}
}  // namespace trill
