// SPDX-License-Identifier: BSD-3-Clause
// What a linear structure looks like: the nodes and lines that [structure] names, or those of a shape that was
// generated.
#pragma once

#include "model/text/compiled_model.hpp"
#include "model/text/model_picture.hpp"
#include "problem/structure_mesh.hpp"

namespace trill {
// Reads the files of nodes and lines; nothing where the model names none. ModelError where they are wrong, or name an
// unknown beyond the last one.
std::optional<StructureMesh> read_structure_mesh(const FileStructure& file, const SourceText& source,
                                                 const ModelFolder& folder, Index unknowns);

class StructurePicture final : public ModelPicture {
 public:
  explicit StructurePicture(const StructureMesh& mesh);

  bool fits(Index unknowns) const override { return last_ < unknowns; }
  const Vec* still() const override { return &still_; }
  void evaluate(double t, const double* q, const double* v, double* numbers) override;

 private:
  // A displacement and what it adds to a number of the picture.
  struct Share {
    Index number, unknown;
    double factor;
  };
  void add(const MeshNode& node, bool oblique);

  Vec still_;
  std::vector<Share> shares_;
  Index filled_ = 0, last_ = -1;
};
}  // namespace trill
