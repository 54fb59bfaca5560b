// SPDX-License-Identifier: BSD-3-Clause
// Sweeps of very many runs: a file for each would be a burden for many file systems. Finished runs are moved from files
// of their own to files of many, sweep.runs-1.h5, sweep.runs-2.h5 and so on, in which the group "runs" has a group for
// each run, named after the file that the run had. They are found under the name of that file. Each of these files is
// written whole before the ones in it are removed, so that a process can be killed at any time.
#pragma once

#include "solution/claims.hpp"
#include "solution/file_formats.hpp"

#include <atomic>
#include <map>

namespace trill {
struct ListedRun {
  std::uint64_t rows = 0, n_y = 0, n_measured = 0;
  std::string checksum;
};
struct SweptRun {
  std::string file;  // its name in the folder
  std::vector<double> values;
};

std::unique_ptr<StoredRun> open_packed(
    const std::filesystem::path& file);  // nullptr: it is in no file of many beside it
bool is_stored(
    const std::filesystem::path& file);  // in a file of its own or of many, which takes as long as opening it
bool may_be_stored(const std::filesystem::path& file);

std::unique_ptr<StoredRun> open_hdf5_member(const std::filesystem::path& pack, const std::string& file);  // or nullptr
std::map<std::string, ListedRun> list_hdf5_members(const std::filesystem::path& pack);

// Copies the runs of these files to a new one. Files that are gone are left out.
void write_pack(const std::filesystem::path& pack, const std::vector<std::filesystem::path>& files);
std::string run_checksum(const std::filesystem::path& file);

// Where a run of a sweep is. `pack` is empty: it failed and has no rows.
struct PlacedRun {
  const SweptRun* run;
  std::string pack;
  ListedRun size;
};
// Writes sweep.h5: the rows of all runs one after the other in virtual data sets t, y and measured; first_row says
// where each begins, and parameters what it was run with.
void write_overview(const std::filesystem::path& file, const std::vector<std::string>& parameters,
                    const std::vector<PlacedRun>& runs);

// Packs what this process computes. Processes that share a folder do it one after the other.
class PackedRuns {
 public:
  PackedRuns(Claims& claims, std::filesystem::path folder, std::size_t most_in_a_file, const std::atomic<bool>* stop)
      : claims_(claims), folder_(std::move(folder)), most_(most_in_a_file), stop_(stop) {}
  void add(const std::string& file);  // has been published; from any thread
  void pack_own();
  // All runs of the sweep are finished: packs what killed processes left, and writes sweep.h5.
  void complete(const std::vector<std::string>& parameters, const std::vector<SweptRun>& runs);

 private:
  bool stopping() const { return stop_ && stop_->load(); }
  bool wait_for_claim();
  void pack(const std::vector<std::string>& files);
  std::filesystem::path next_pack() const;
  std::vector<std::string> loose(const std::vector<SweptRun>& runs,
                                 const std::map<std::string, std::pair<std::string, ListedRun>>& packed) const;

  Claims& claims_;
  std::filesystem::path folder_;
  std::size_t most_;
  const std::atomic<bool>* stop_;
  std::vector<std::string> own_;
  std::mutex mutex_;
};
}  // namespace trill
