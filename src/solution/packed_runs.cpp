// SPDX-License-Identifier: BSD-3-Clause
#include "solution/packed_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr const char *claim_name = "sweep.runs", *overview_name = "sweep.h5";

fs::path numbered_pack(const fs::path& folder, std::size_t number) {
  return folder / fmt::format("sweep.runs-{}.h5", number);
}

std::vector<fs::path> packs_in(const fs::path& folder) {
  std::vector<fs::path> packs;
  for (std::size_t k = 1; fs::exists(numbered_pack(folder, k)); ++k) packs.push_back(numbered_pack(folder, k));
  return packs;
}

// A run that was computed again, with other settings, is in a later file.
using Packed = std::map<std::string, std::pair<std::string, ListedRun>>;
Packed packed_in(const fs::path& folder) {
  Packed packed;
  for (const fs::path& pack : packs_in(folder))
    for (const auto& [file, run] : list_hdf5_members(pack)) packed[file] = {pack.filename().string(), run};
  return packed;
}
}  // namespace

std::unique_ptr<StoredRun> open_packed(const fs::path& file) {
  const std::vector<fs::path> packs = packs_in(folder_of(file));
  for (auto pack = packs.rbegin(); pack != packs.rend(); ++pack)
    if (auto run = open_hdf5_member(*pack, file.filename().string())) return run;
  return nullptr;
}

bool is_stored(const fs::path& file) { return fs::exists(file) || open_packed(file); }

bool may_be_stored(const fs::path& file) { return fs::exists(file) || fs::exists(numbered_pack(folder_of(file), 1)); }

fs::path PackedRuns::next_pack() const { return numbered_pack(folder_, packs_in(folder_).size() + 1); }

void PackedRuns::pack(const std::vector<std::string>& files) {
  for (std::size_t first = 0; first < files.size(); first += most_) {
    std::vector<fs::path> paths;
    for (std::size_t k = first; k < std::min(files.size(), first + most_); ++k) paths.push_back(folder_ / files[k]);
    const fs::path pack = next_pack();
    write_pack(pack, paths);
    const Folder folder = Folder::with(pack);
    for (const fs::path& path : paths) folder.remove(path.filename().string());
  }
}

void PackedRuns::add(const std::string& file) {
  const std::lock_guard lock(mutex_);
  own_.push_back(file);
  if (own_.size() < most_ || claims_.take(claim_name) == Claims::Taken::not_at_all) return;
  try {
    pack(own_);
    own_.clear();
  } catch (const IoError&) {
    // The files stay as they are; at the end it is tried again, and then its failure is that of the sweep.
  }
  claims_.release(claim_name);
}

bool PackedRuns::wait_for_claim() {
  while (!stopping()) {
    if (claims_.take(claim_name) != Claims::Taken::not_at_all) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

void PackedRuns::pack_own() {
  if (own_.empty() || !wait_for_claim()) return;
  pack(std::exchange(own_, {}));
  claims_.release(claim_name);
}

// A process may have been killed between writing a file of many and removing those in it.
std::vector<std::string> PackedRuns::loose(const std::vector<SweptRun>& runs, const Packed& packed) const {
  std::vector<std::string> files;
  for (const SweptRun& run : runs) {
    const fs::path file = folder_ / run.file;
    if (!fs::exists(file)) continue;
    const auto there = packed.find(run.file);
    if (there != packed.end() && there->second.second.checksum == run_checksum(file))
      Folder::with(file).remove(run.file);
    else
      files.push_back(run.file);
  }
  return files;
}

void PackedRuns::complete(const std::vector<std::string>& parameters, const std::vector<SweptRun>& runs) {
  if (!wait_for_claim()) return;
  Packed packed = packed_in(folder_);
  if (const std::vector<std::string> rest = loose(runs, packed); !rest.empty()) {
    pack(rest);
    packed = packed_in(folder_);
  }
  std::vector<PlacedRun> placed;
  for (const SweptRun& run : runs) {
    const auto there = packed.find(run.file);
    placed.push_back(there == packed.end() ? PlacedRun{&run, "", {}}
                                           : PlacedRun{&run, there->second.first, there->second.second});
  }
  write_overview(folder_ / overview_name, parameters, placed);
  claims_.release(claim_name);
}
}  // namespace trill
