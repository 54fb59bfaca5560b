// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "solution/part_directory.hpp"
#include "trill/model/text_problem.hpp"

#include <fmt/format.h>

namespace trill::cli {
namespace {
namespace fs = std::filesystem;

// The same file, or the same name in the same folder if there is no file yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return true;
  return a.filename() == b.filename() && fs::equivalent(folder_of(a), folder_of(b), none);
}
}  // namespace

void check_place(const std::string& path) {
  if (path.empty()) return;
  check_output(path);
  remove_stale_temporaries(folder_of(path));
}

void check_page_name(const std::string& path) {
  const std::string extension = lower_snake(fs::path(path).extension().string());
  for (const char* solution : {".h5", ".hdf5", ".csv", ".json", ".oem", ".xyz", ".dcd", ".h5md", ".part"})
    if (extension == solution)
      throw UsageError(
          fmt::format("{} would be the name of a solution; give the page a name that ends in .html", path));
}

void check_page(const std::string& path) {
  check_page_name(path);
  check_place(path);
}

void check_pictures(const std::string& prefix) {
  check_place(prefix);
  for (const fs::path& picture : svg_files(prefix, 1)) check_place(picture);
}

void check_apart(const Paths& outputs, const Paths& inputs) {
  for (auto out = outputs.begin(); out != outputs.end(); ++out) {
    if (out->empty()) continue;
    for (const fs::path& in : inputs)
      if (same_file(*out, in))
        throw UsageError(
            fmt::format("{} is {}, so it is not overwritten; give the output another name", out->string(),
                        in == *out ? "an input" : fmt::format("the same file as the input {}", in.string())));
    for (auto other = outputs.begin(); other != out; ++other)
      if (!other->empty() && same_file(*out, *other))
        throw UsageError(fmt::format("two outputs would be written to {}; give them different names", out->string()));
  }
}

Paths files_of_solution(const fs::path& path) {
  if (path.empty()) return {};
  Paths files{path};
  if (lower_snake(path.extension().string()) == ".csv") files.push_back(path.string() + ".meta.json");
  return files;
}

Paths files_read_for(const fs::path& solution) {
  Paths files = files_of_solution(without_part(solution));
  std::error_code none;
  for (fs::directory_iterator it(part_of(files.front()), none); !none && it != fs::directory_iterator();
       it.increment(none))
    files.push_back(it->path());
  return files;
}

Paths files_of_model(const std::string& model, const OptionSet& inputs) {
  Paths files;
  if (is_model_file(model)) files.push_back(model);
  for (const auto& [name, checksum] : inputs) files.push_back(fs::path(model).parent_path() / name);
  return files;
}

Paths svg_files(const std::string& prefix, std::size_t count) {
  Paths files;
  for (std::size_t i = 1; !prefix.empty() && i <= count; ++i) files.push_back(fmt::format("{}-{}.svg", prefix, i));
  return files;
}
}  // namespace trill::cli
