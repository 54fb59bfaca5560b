// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/beside.hpp"

#include "trill/base/archive.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

namespace trill {
namespace {
namespace fs = std::filesystem;

bool inside(const fs::path& folder, const fs::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// What is wrong with the name of a file, or "" if it is allowed.
std::string trouble_of_name(const std::string& name) {
  const fs::path path(name);
  if (name.empty()) return "the name of the file is empty";
  if (path.is_absolute())
    return fmt::format("'{}' is an absolute path; give the name of a file in the folder of the model", name);
  if (std::find(path.begin(), path.end(), "..") != path.end())
    return fmt::format("'{}' leaves the folder of the model by '..'; put the file into that folder", name);
  return "";
}

std::string trouble_of_file(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::file_status status = fs::status(folder / name, error);
  if (status.type() == fs::file_type::not_found)
    return fmt::format("there is no file '{}' in the folder of the model", name);
  if (error) return fmt::format("cannot read '{}': {}", name, error.message());
  const fs::path home = fs::canonical(folder, error), file = error ? fs::path() : fs::canonical(folder / name, error);
  if (error) return fmt::format("cannot read '{}': {}", name, error.message());
  if (!inside(home, file))
    return fmt::format("'{}' is a link to a file outside the folder of the model; put the file itself there", name);
  if (fs::is_directory(status)) return fmt::format("'{}' is a folder, not a file", name);
  if (!fs::is_regular_file(status)) return fmt::format("'{}' is not an ordinary file", name);
  return "";
}
}  // namespace

std::filesystem::path ModelFolder::path(const std::string& name, const SourceText& model, std::size_t offset) const {
  if (!folder_) throw model.error(offset, "only a model that is read from a file can name other files");
  const fs::path folder = folder_->empty() ? "." : *folder_;
  std::string trouble = trouble_of_name(name);
  if (trouble.empty()) trouble = trouble_of_file(folder, name);
  if (!trouble.empty()) throw model.error(offset, trouble);
  return folder / name;
}

std::string ModelFolder::read(const std::string& name, const SourceText& model, std::size_t offset,
                              std::size_t most_bytes) const {
  const fs::path file = path(name, model, offset);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw model.error(offset, fmt::format("cannot read '{}': {}", name, error.message()));
  if (size > most_bytes)
    throw model.error(offset, fmt::format("'{}' has {} bytes; a file may have at most {}", name, size, most_bytes));
  std::ifstream in(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw model.error(offset, fmt::format("cannot read '{}'", name));
  (*files_read_)[name] = fmt::format("{:016x}", checksum(text.data(), text.size()));
  return text;
}
}  // namespace trill
