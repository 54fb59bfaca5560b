// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/source_text.hpp"

#include <filesystem>
#include <optional>

namespace trill {
// The folder of a model file. A model comes from a stranger and may name only ordinary files in its folder or below.
class ModelFolder {
 public:
  ModelFolder() = default;  // of a model without a folder, which may name no files
  explicit ModelFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The whole content of the file that the model names at this offset. ModelError at that place where it may not be
  // read, cannot be read or has more bytes.
  std::string read(const std::string& name, const SourceText& model, std::size_t offset, std::size_t most_bytes) const;

 private:
  std::optional<std::filesystem::path> folder_;
};
}  // namespace trill
