// SPDX-License-Identifier: BSD-3-Clause
#include "trill/solution/solution_file.hpp"

#include "base/text.hpp"
#include "solution/file_formats.hpp"
#include "solution/packed_runs.hpp"
#include "solution/part_directory.hpp"
#include "solution/safe_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
std::unique_ptr<StoredRun> open_run(const fs::path& path) {
  if (without_part(path) != path) {
    if (!fs::is_directory(path)) throw IoError(path.string() + " does not exist; the directory of a run was expected");
    return open_part(path);
  }
  const FileFormat format = format_of(path);
  if (!fs::exists(path)) {
    if (holds_run(part_of(path))) return open_part(part_of(path));
    if (format == FileFormat::hdf5)
      if (auto packed = open_packed(path)) return packed;
    throw IoError(path.string() + " does not exist; a solution written by trill was expected");
  }
  if (!fs::is_regular_file(path))
    throw IoError(fmt::format("{} is {}; a solution written by trill was expected", path.string(),
                              fs::is_directory(path) ? "a directory" : "not a regular file"));
  switch (format) {
    case FileFormat::hdf5:
      return open_hdf5(path);
    case FileFormat::csv:
      return open_csv(path);
    case FileFormat::json:
      return open_json(path);
    default:
      throw IoError(
          fmt::format("{0} cannot be read: trill only writes {1} files; keep the run as .h5, .csv or .json too",
                      path.string(), path.extension().string()));
  }
  return nullptr;
}

bool all_finite(double t, const double* values, std::size_t count) {
  return std::isfinite(t) && std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}
}  // namespace

bool can_be_read(FileFormat format) {
  return format == FileFormat::hdf5 || format == FileFormat::csv || format == FileFormat::json;
}

FileFormat format_of(const fs::path& path) {
  const std::string extension = lower_snake(path.extension().string());
  if (extension == ".h5" || extension == ".hdf5" || extension == ".h5md") {
#ifndef TRILL_HAVE_HDF5
    throw UsageError(path.string() + ": this build of trill cannot read or write HDF5; use .csv or .json");
#else
    return extension == ".h5md" ? FileFormat::h5md : FileFormat::hdf5;
#endif
  }
  if (extension == ".csv") return FileFormat::csv;
  if (extension == ".json") return FileFormat::json;
  if (extension == ".oem") return FileFormat::oem;
  if (extension == ".xyz") return FileFormat::xyz;
  if (extension == ".dcd") return FileFormat::dcd;
  throw UsageError(
      fmt::format("{}: the name of a solution must end in .h5, .hdf5, .csv, .json, (orbits) .oem or (molecules) .xyz, "
                  ".dcd, .h5md, which says its format",
                  path.string()));
}

void check_finite(const RunInfo& info, double t, const double* y, const double* measured) {
  const auto refuse = [t](const std::string& name, double value) {
    if (!std::isfinite(value)) throw IoError(fmt::format("cannot record {} at t = {:.6g}: it is {}", name, t, value));
  };
  refuse("t", t);
  for (std::size_t i = 0; i < width_y(info); ++i) refuse(info.components[i].name, y[i]);
  for (std::size_t i = 0; i < width_measured(info); ++i) refuse(info.quantities[i].name, measured[i]);
}

void visit_checked(const RowSource& rows, const RunRecord& record, const RowSource::Visitor& visitor) {
  Index seen = 0;
  rows.visit([&](double t, const double* y, const double* measured) {
    check_finite(record.info, t, y, measured);
    if (++seen <= record.rows) visitor(t, y, measured);
  });
  if (seen != record.rows)
    throw IoError(
        fmt::format("the rows changed while they were written: there were {} instead of {}", seen, record.rows));
}

void check_writable(const RunInfo& info, const fs::path& path) {
  const FileFormat format = format_of(path);
  if (static_cast<Index>(info.components.size()) != info.layout.size())
    throw UsageError(fmt::format("{}: there are {} names for {} unknowns", path.string(), info.components.size(),
                                 info.layout.size()));
  if (format == FileFormat::oem) check_oem(info, path);
  if (format == FileFormat::xyz || format == FileFormat::dcd || format == FileFormat::h5md) particles_of(info, path);
  if (format != FileFormat::json) return;
  for (const auto* list : {&info.components, &info.quantities}) {
    std::set<std::string_view> names;
    for (const Quantity& q : *list)
      if (!names.insert(q.name).second)
        throw UsageError(
            fmt::format("{}: two columns have the name '{}', which is not possible in .json; use .h5 or .csv",
                        path.string(), q.name));
  }
}

void write_run(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  check_writable(record.info, path);
  switch (format_of(path)) {
    case FileFormat::hdf5:
      return write_hdf5(rows, record, path, when_full);
    case FileFormat::csv:
      return write_csv(rows, record, path, when_full);
    case FileFormat::json:
      return write_json(rows, record, path, when_full);
    case FileFormat::oem:
      return write_oem(rows, record, path, when_full);
    case FileFormat::xyz:
      return write_xyz(rows, record, path, when_full);
    case FileFormat::dcd:
      return write_dcd(rows, record, path, when_full);
    case FileFormat::h5md:
      return write_h5md(rows, record, path, when_full);
  }
}

SolutionFile::SolutionFile(const fs::path& path) : run_(open_run(path)) { run_->name = path.string(); }
SolutionFile::~SolutionFile() = default;
SolutionFile::SolutionFile(SolutionFile&&) noexcept = default;
SolutionFile& SolutionFile::operator=(SolutionFile&&) noexcept = default;
const RunInfo& SolutionFile::info() const { return run_->record.info; }
const RunOutcome& SolutionFile::outcome() const { return run_->record.outcome; }
const Trust& SolutionFile::trust() const { return run_->record.trust; }
bool SolutionFile::unfinished() const { return run_->unfinished; }
Index SolutionFile::rows() const { return run_->rows(); }
void SolutionFile::visit(const Visitor& visitor) const {
  run_->visit([&](double t, const double* y, const double* measured) {
    if (!all_finite(t, y, width_y(info())) || !all_finite(t, measured, width_measured(info())))
      throw IoError(run_->name + " is damaged: it holds a number that is not finite, which trill never writes");
    visitor(t, y, measured);
  });
}

Solution SolutionFile::load() const {
  Solution solution;
  solution.info = info();
  solution.outcome = outcome();
  solution.trust = trust();
  solution.reserve(rows());
  const auto n_y = static_cast<Index>(width_y(info())), n_measured = static_cast<Index>(width_measured(info()));
  visit([&](double t, const double* y, const double* measured) {
    solution.append(t, Eigen::Map<const Vec>(y, n_y), Eigen::Map<const Vec>(measured, n_measured));
  });
  return solution;
}

void save_solution(const RowSource& rows, const RunInfo& info, const RunOutcome& outcome, const Trust& trust,
                   const fs::path& path) {
  remove_stale_temporaries(folder_of(path));
  write_run(rows, {info, outcome, trust, rows.rows(), 0}, path);
}

void save_solution(const Solution& s, const fs::path& path) { save_solution(s, s.info, s.outcome, s.trust, path); }
}  // namespace trill
