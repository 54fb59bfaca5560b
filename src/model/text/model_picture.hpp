// SPDX-License-Identifier: BSD-3-Clause
// The points of a moving picture of a text model, computed from its states.
#pragma once

#include "model/file/beside.hpp"
#include "model/file/picture_file.hpp"
#include "trill/base/options.hpp"
#include "trill/base/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trill {
struct CompiledModel;

// One thing that is drawn, or one for each element of a set. Its points are pairs of numbers, element by element.
struct PictureShape {
  PictureKind kind = PictureKind::point;
  Index first = 0, points = 0, elements = 1;
  std::string colour;
  bool trail = false;
};

// Where the points of a model are, from its state.
class ModelPicture {
 public:
  ModelPicture() = default;
  virtual ~ModelPicture() = default;
  ModelPicture(const ModelPicture&) = delete;
  ModelPicture& operator=(const ModelPicture&) = delete;

  const std::vector<PictureShape>& shapes() const { return shapes_; }
  Index numbers() const { return size_; }  // of one moment
  bool equal_scales() const { return equal_scales_; }
  const std::string& note() const { return note_; }  // what one cannot see by looking; may be empty
  virtual bool fits(Index unknowns) const = 0;       // coordinates of a state
  // The numbers of a structure without displacements, which are too small to be seen as they are; nullptr: not one.
  virtual const Vec* still() const { return nullptr; }
  virtual void evaluate(double t, const double* q, const double* v, double* numbers) = 0;

 protected:
  static constexpr Index most_numbers = 40'000;  // of one moment; models with more are drawn without the rest

  // False if there is no room for it.
  bool add_shape(PictureKind kind, Index points, Index elements, const std::string& colour, bool trail);
  void show_curves() { equal_scales_ = false; }
  void set_note(std::string note) { note_ = std::move(note); }

 private:
  std::vector<PictureShape> shapes_;
  Index size_ = 0;
  bool equal_scales_ = true;
  std::string note_;
};

// The points are expressions of a text model.
class TextPicture final : public ModelPicture {
 public:
  explicit TextPicture(std::shared_ptr<CompiledModel> model);
  ~TextPicture() override;
  bool fits(Index unknowns) const override;
  void evaluate(double t, const double* q, const double* v, double* numbers) override;

 private:
  struct Parts;
  std::shared_ptr<CompiledModel> model_;
  std::unique_ptr<Parts> parts_;
};

// Throws ModelError where [picture] is wrong.
void check_picture(CompiledModel& model);
// nullptr if the model has nothing to draw, or cannot be read without its folder. A text from a stored run must not be
// given a folder unless its files are known to be those of the run.
std::unique_ptr<ModelPicture> picture_of_text(const std::string& file, const std::string& text,
                                              const OptionSet& parameters, const ModelFolder& folder = {});

// What a model without mechanism and without [picture] may show: points, pairs of coordinates x and y, bonds between
// points, and lattices as curves.
std::vector<FilePictureItem> guessed_picture(const CompiledModel& model);
}  // namespace trill
