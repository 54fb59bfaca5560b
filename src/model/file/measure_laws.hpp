// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/model_file.hpp"

namespace trill {
// The exact distribution of a measure in a heat bath, as a [[measure]] states it: law = "exp(-phi^2/2/kT)" is its
// density up to a factor, in which the name of the measure stands for its value, and range = [-1, 1] where its values
// lie.
struct FileLaw {
  std::string measure;
  FileValue density;
  FileValues range;
};
// The laws in a text that has been read as a model before. ModelError if a law lacks its range.
std::vector<FileLaw> read_measure_laws(const SourceText& source);
}  // namespace trill
