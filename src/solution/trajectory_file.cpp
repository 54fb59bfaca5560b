// SPDX-License-Identifier: BSD-3-Clause
// Motions of particles for other programs: XYZ with the words of its extended form, and DCD as CHARMM and NAMD have it.
#include "base/whole_file.hpp"
#include "solution/file_formats.hpp"

#include <cstring>
#include <limits>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
std::string xyz_comment(const Particles& particles, double t, bool with_velocities) {
  std::string text;
  if (particles.has_box())
    text = fmt::format("Lattice=\"{} 0 0 0 {} 0 0 0 {}\" ", particles.box[0], particles.box[1], particles.box[2]);
  return text + fmt::format("Properties=species:S:1:pos:R:3{} Time={} pbc=\"{}\"\n", with_velocities ? ":vel:R:3" : "",
                            t, particles.has_box() ? "T T T" : "F F F");
}

// Bytes as Fortran writes them: each record with its length before and after it.
class FortranRecord {
 public:
  template <class Value>
  FortranRecord& add(const Value& value) {
    return add(&value, sizeof(value));
  }
  FortranRecord& add(const void* bytes, std::size_t size) {
    bytes_.append(static_cast<const char*>(bytes), size);
    return *this;
  }
  std::string text() const {
    const auto size = static_cast<std::int32_t>(bytes_.size());
    std::string mark(sizeof(size), '\0');
    std::memcpy(mark.data(), &size, sizeof(size));
    return mark + bytes_ + mark;
  }

 private:
  std::string bytes_;
};

struct Interval {
  double first = 0, length = 0;
};
Interval interval_of(const RowSource& rows) {
  Interval interval;
  Index seen = 0;
  rows.visit([&](double t, const double*, const double*) {
    if (seen == 0) interval.first = t;
    if (seen == 1) interval.length = t - interval.first;
    ++seen;
  });
  return interval;
}

std::string dcd_head(const RunRecord& record, const Particles& particles, double interval) {
  constexpr double time_unit = 48.88821;  // fs, in which the energy of 1 g/mol A^2 is 1 kcal/mol
  std::array<std::int32_t, 20> control{};
  control[0] = static_cast<std::int32_t>(record.rows);
  control[2] = 1;  // each step is stored
  control[3] = static_cast<std::int32_t>(record.rows);
  const auto delta = static_cast<float>(interval / time_unit);
  std::memcpy(&control[9], &delta, sizeof(delta));
  control[10] = particles.has_box();
  control[19] = 24;  // the version of CHARMM that has this layout
  std::string title =
      fmt::format("trill {}, {} with {}", record.info.version, record.info.problem, way_of(record.info));
  title.resize(80, ' ');
  const auto atoms = static_cast<std::int32_t>(particles.names.size());
  return FortranRecord().add("CORD", 4).add(control).text() +
         FortranRecord().add(std::int32_t{1}).add(title.data(), title.size()).text() +
         FortranRecord().add(atoms).text();
}
}  // namespace

Particles particles_of(const RunInfo& info, const fs::path& path) {
  auto particles = stored_particles(info.settings);
  const auto n = static_cast<Index>(particles ? particles->names.size() : 0);
  if (n == 0 || info.layout.nq != 3 * n)
    throw UsageError(
        fmt::format("{}: a file {} is for the motion of molecules, and '{}' has none; use .h5, .csv or .json",
                    path.string(), path.extension().string(), info.problem));
  return std::move(*particles);
}

void write_xyz(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  const Particles particles = particles_of(record.info, path);
  const std::size_t n = particles.names.size();
  const bool with_velocities = record.info.layout.nv == record.info.layout.nq;
  WholeFile file(path, when_full);
  visit_checked(rows, record, [&](double t, const double* y, const double*) {
    file.write(fmt::format("{}\n{}", n, xyz_comment(particles, t, with_velocities)));
    for (std::size_t i = 0; i < n; ++i) {
      const double *x = y + 3 * i, *v = x + 3 * n;
      file.write(fmt::format(FMT_COMPILE("{} {:.8f} {:.8f} {:.8f}"), particles.names[i], x[0], x[1], x[2]));
      if (with_velocities) file.write(fmt::format(FMT_COMPILE(" {:.9e} {:.9e} {:.9e}"), v[0], v[1], v[2]));
      file.write("\n");
    }
  });
  file.commit();
}

void write_dcd(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  const Particles particles = particles_of(record.info, path);
  const std::size_t n = particles.names.size();
  if (record.rows > std::numeric_limits<std::int32_t>::max())
    throw IoError(path.string() + ": there are more rows than a DCD file can count");
  WholeFile file(path, when_full);
  file.write(dcd_head(record, particles, interval_of(rows).length));
  const std::array<double, 6> cell{particles.box[0], 90, particles.box[1], 90, 90, particles.box[2]};
  std::vector<float> values(n);
  visit_checked(rows, record, [&](double, const double* y, const double*) {
    if (particles.has_box()) file.write(FortranRecord().add(cell).text());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(y[3 * i + axis]);
      file.write(FortranRecord().add(values.data(), values.size() * sizeof(float)).text());
    }
  });
  file.commit();
}
}  // namespace trill
