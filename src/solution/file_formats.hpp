// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/particles.hpp"
#include "solution/run_json.hpp"

#include <filesystem>
#include <memory>

namespace trill {
enum class FileFormat { hdf5, csv, json, oem, xyz, dcd, h5md };
FileFormat format_of(const std::filesystem::path& path);  // UsageError that lists the known extensions

bool can_be_read(FileFormat format);  // again, by trill

// A run in a file: its record, and its rows on demand.
class StoredRun : public RowSource {
 public:
  std::string name;  // for messages
  RunRecord record;
  bool unfinished = false;
  Index rows() const override { return record.rows; }
};
std::unique_ptr<StoredRun> open_hdf5(const std::filesystem::path& path);
std::unique_ptr<StoredRun> open_csv(const std::filesystem::path& path);
std::unique_ptr<StoredRun> open_json(const std::filesystem::path& path);
std::unique_ptr<StoredRun> open_part(const std::filesystem::path& directory);

// The writers do not keep all rows in memory; they refuse numbers that are not finite.
void write_hdf5(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
                const std::string& when_full);
void write_csv(const RowSource& rows, RunRecord record, const std::filesystem::path& path,
               const std::string& when_full);
void write_json(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
                const std::string& when_full);
void write_oem(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
               const std::string& when_full);
// Motions of particles. DCD files have no times but a common interval, and single precision.
void write_xyz(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
               const std::string& when_full);
void write_dcd(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
               const std::string& when_full);
void write_h5md(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
                const std::string& when_full);
void write_run(const RowSource& rows, const RunRecord& record, const std::filesystem::path& path,
               const std::string& when_full = {});

// The rows as CSV for a pipe: the table of a file .csv, with lines that end with LF alone.
void write_table(const RowSource& rows, const RunInfo& info, const std::function<void(const std::string&)>& write);

// To be called before a run: UsageError if its results cannot be written to this path.
void check_writable(const RunInfo& info, const std::filesystem::path& path);

void check_oem(const RunInfo& info, const std::filesystem::path& path);          // the part that concerns .oem
Particles particles_of(const RunInfo& info, const std::filesystem::path& path);  // UsageError if it has none

inline std::size_t width_y(const RunInfo& info) { return info.components.size(); }
inline std::size_t width_measured(const RunInfo& info) { return info.quantities.size(); }

// IoError that names the first number of a row that is not finite.
void check_finite(const RunInfo& info, double t, const double* y, const double* measured);

// Visits rows for a writer; checks each row and that there are as many as the record says.
void visit_checked(const RowSource& rows, const RunRecord& record, const RowSource::Visitor& visitor);
}  // namespace trill
