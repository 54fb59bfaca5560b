// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include "base/text.hpp"
#include "trill/problem/model_registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace trill::cli {
namespace {
// Open MPI, MPICH, Slurm.
std::optional<long long> launcher_number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name))
      if (const auto number = parse_integer(text)) return number;
  return std::nullopt;
}

int launched(std::initializer_list<const char*> names) {
  return static_cast<int>(std::clamp<long long>(launcher_number(names).value_or(1), 1, 100'000));
}

bool is_structure(std::string_view text) { return text.find("\n[structure") != std::string_view::npos; }

// Decided by the text alone: reading the model would read its matrices.
bool names_structure(const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(model, ignored)) {
    std::ifstream in(model, std::ios::binary);
    return is_structure("\n" + std::string(std::istreambuf_iterator<char>(in), {}));
  }
  const auto& entries = ModelRegistry::all().entries();
  return std::any_of(entries.begin(), entries.end(), [&](const ModelEntry& entry) {
    return (entry.name == model || entry.name.ends_with("/" + model)) && is_structure(entry.text);
  });
}
}  // namespace

int processes_together() { return launched({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

int processes_beside() { return launched({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}); }

bool is_first_process() {
  return launcher_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}).value_or(0) == 0;
}

void hand_over_to_shared(int argc, char** argv) {
  if (processes_together() == 1 || std::getenv("TRILL_ALONE") || argc < 3) return;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words[0] != "run" && words[0] != "modes") return;
  if (std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.starts_with("--sweep"); }))
    return;
  if (std::none_of(words.begin() + 1, words.end(), names_structure)) return;
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return;
  const std::string program = self.parent_path() / "trill-mpi";
  if (::access(program.c_str(), X_OK) == 0) ::execv(program.c_str(), argv);
}
}  // namespace trill::cli
