// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_picture.hpp"

#include "model/expression/derivative.hpp"
#include "model/netlist/netlist.hpp"
#include "model/text/compiled_model.hpp"
#include "model/text/structure_picture.hpp"
#include "model/text/text_structure.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace trill {
namespace {
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

bool ModelPicture::add_shape(PictureKind kind, Index points, Index elements, const std::string& colour, bool trail) {
  const Index width = 2 * points * elements;
  if (width == 0 || size_ + width > most_numbers) return false;
  shapes_.push_back({kind, size_, points, elements, colour, trail});
  size_ += width;
  return true;
}

struct TextPicture::Parts {
  std::vector<std::unique_ptr<KernelScope>> scopes;
  std::vector<Runner> runners;
};

TextPicture::TextPicture(std::shared_ptr<CompiledModel> model)
    : model_(std::move(model)), parts_(std::make_unique<Parts>()) {
  std::vector<FilePictureItem> items = model_->file.picture.parts;
  const auto& stated = model_->file.picture.stated;
  items.insert(items.end(), stated.begin(), stated.end());
  if (items.empty()) items = guessed_picture(*model_);
  for (const FilePictureItem& item : items) {
    auto scope = std::make_unique<KernelScope>(*model_->space, set_of(*model_, item));
    const std::vector<Expression> outputs = parts_of(*scope, item);
    const Index elements = scope->instances(), width = static_cast<Index>(outputs.size());
    if (!add_shape(item.kind, width / 2, elements, item.colour, item.trail)) continue;
    const Index first = shapes().back().first;
    Routine routine{Program(scope->graph(), outputs), std::make_shared<KernelTable>(scope->make_table()), {}};
    for (Index k = 0; k < width; ++k) {
      auto places = std::make_shared<IndexTable>();
      for (Index e = 0; e < elements; ++e) places->push_back(static_cast<std::int32_t>(first + e * width + k));
      routine.targets.push_back({places, false});
    }
    parts_->runners.emplace_back(std::make_shared<const Routine>(std::move(routine)),
                                 model_->space->parameter_values());
    parts_->scopes.push_back(std::move(scope));
    if (item.kind == PictureKind::curve) show_curves();
  }
}

TextPicture::~TextPicture() = default;

bool TextPicture::fits(Index unknowns) const { return model_->space->unknowns() == unknowns; }

void TextPicture::evaluate(double t, const double* q, const double* v, double* numbers) {
  std::fill_n(numbers, this->numbers(), 0.0);
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
  if (text.empty() || is_netlist(file)) return nullptr;
  try {
    auto model = std::make_shared<CompiledModel>(file, text);
    model->file = read_model_file(model->source, folder);
    model->file.folder = folder;
    read_set_tables(model->file, model->source, folder);
    compile_model(*model, parameters);
    std::unique_ptr<ModelPicture> picture;
    if (const auto& structure = model->file.structure) {
      constexpr Index any = std::numeric_limits<std::int32_t>::max();  // the run tells how many there are
      auto mesh = read_structure_mesh(*structure, model->source, folder, any);
      if (!mesh && structure->generate) mesh = generated_from(*structure->generate, *model->space, model->source).mesh;
      if (mesh) picture = std::make_unique<StructurePicture>(*mesh);
    } else {
      picture = std::make_unique<TextPicture>(std::move(model));
    }
    return picture && !picture->shapes().empty() ? std::move(picture) : nullptr;
  } catch (const UsageError&) {
    return nullptr;
  }
}
}  // namespace trill
