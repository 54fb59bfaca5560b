// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_file.hpp"
#include "model/file/model_shape.hpp"

namespace trill {
void read_set_tables(ModelFile& file, const SourceText& source, const ModelFolder& folder) {
  std::size_t left = most_csv_bytes;  // bytes left for all tables of a model together
  for (FileSet& set : file.sets) {
    if (!set.file) continue;
    const std::string text = folder.read(set.file->text, source, set.file->offset, left);
    left -= text.size();
    set.table = read_csv(set.file->text, text);
    check_columns(file, set, source);
  }
}
}  // namespace trill
