// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/options.hpp"
#include "trill/model/source_text.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace trill {
// The folder of a model file; copies share the list of what was read. A model may come from an untrusted source, so it
// may name only ordinary files in its folder or below.
class ModelFolder {
 public:
  ModelFolder() = default;  // for a model without a folder, which may name no files
  explicit ModelFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The whole content of the file that the model names at this offset. Throws ModelError at that place if the file may
  // not be read, cannot be read or has more than `most_bytes` bytes.
  std::string read(const std::string& name, const SourceText& model, std::size_t offset, std::size_t most_bytes) const;

  // The same file without its content, for those who read a part of it. What it contains does not count as read.
  std::filesystem::path path(const std::string& name, const SourceText& model, std::size_t offset) const;

  // What was read so far: the names of the files and checksums of their content. They are part of what the model is.
  const OptionSet& files_read() const { return *files_read_; }

 private:
  std::optional<std::filesystem::path> folder_;
  std::shared_ptr<OptionSet> files_read_ = std::make_shared<OptionSet>();
};
}  // namespace trill
