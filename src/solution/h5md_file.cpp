// SPDX-License-Identifier: BSD-3-Clause
// Motions of particles as H5MD 1.1 (de Buyl, Colberg and Hoefling, Comput. Phys. Commun. 185 (2014) 1546).
#include "solution/file_formats.hpp"

#ifndef TRILL_HAVE_HDF5
namespace trill {
void write_h5md(const RowSource&, const RunRecord&, const std::filesystem::path& path, const std::string&) {
  throw UsageError(path.string() + ": this build of trill cannot write HDF5; use .xyz or .dcd");
}
}  // namespace trill
#else

#include "solution/hdf5_driver.hpp"
#include "solution/hdf5_library.hpp"
#include "solution/safe_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
Hdf5Handle h5md_group(hid_t owner, const char* name) {
  return {H5Gcreate2(owner, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

void put_integers(hid_t owner, const char* name, const std::vector<int>& values) {
  const hsize_t size = values.size();
  const Hdf5Handle space(values.size() == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(owner, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  need(H5Awrite(attribute, H5T_NATIVE_INT, values.data()));
}

void put_boundary(hid_t box, bool periodic) {
  const std::string word = periodic ? "periodic" : "none";
  const hsize_t three = 3;
  const Hdf5Handle type = fixed_text(word.size()), space(H5Screate_simple(1, &three, nullptr), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  need(H5Awrite(attribute, type, (word + word + word).data()));
}

void write_values(hid_t dataset, hid_t type, const void* values) {
  need(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void put_box(hid_t particles, const Particles& of) {
  const bool periodic = of.has_box();
  const Hdf5Handle box = h5md_group(particles, "box");
  put_integers(box, "dimension", {3});
  put_boundary(box, periodic);
  if (!periodic) return;
  const hsize_t three = 3;
  const Hdf5Handle space(H5Screate_simple(1, &three, nullptr), H5Sclose);
  const Hdf5Handle edges(H5Dcreate2(box, "edges", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose);
  write_values(edges, H5T_NATIVE_DOUBLE, of.box.data());
  put_text(edges, "unit", "Angstrom");
}

// Each name is a value of an enumeration.
void put_species(hid_t particles, const Particles& of) {
  std::vector<std::string> names = of.names;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT), H5Tclose);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const int value = static_cast<int>(k);
    need(H5Tenum_insert(type, names[k].c_str(), &value));
  }
  std::vector<int> values;
  for (const std::string& name : of.names)
    values.push_back(static_cast<int>(std::lower_bound(names.begin(), names.end(), name) - names.begin()));
  const hsize_t size = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hdf5Handle species(H5Dcreate2(particles, "species", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  write_values(species, type, values.data());
}

// A value for each row: of all particles, or a number.
class Series {
 public:
  Series(hid_t owner, const char* name, hid_t type, Index rows, std::size_t particles)
      : particles_(particles), dataset_(create(owner, name, type, rows, particles)) {}
  void write(Index row, hid_t type, const void* values) const {
    const hsize_t start[3] = {static_cast<hsize_t>(row), 0, 0}, size[3] = {1, particles_, 3};
    const Hdf5Handle file(H5Dget_space(dataset_), H5Sclose);
    const Hdf5Handle memory(H5Screate_simple(rank(particles_), size, nullptr), H5Sclose);
    need(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, size, nullptr));
    need(H5Dwrite(dataset_, type, memory, file, H5P_DEFAULT, values));
  }
  hid_t dataset() const { return dataset_; }

 private:
  static int rank(std::size_t particles) { return particles > 0 ? 3 : 1; }
  static Hdf5Handle create(hid_t owner, const char* name, hid_t type, Index rows, std::size_t particles) {
    const hsize_t size[3] = {static_cast<hsize_t>(rows), particles, 3};
    const Hdf5Handle space(H5Screate_simple(rank(particles), size, nullptr), H5Sclose);
    return {H5Dcreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
  }
  std::size_t particles_;
  Hdf5Handle dataset_;
};

void put_head(hid_t file, const RunInfo& info) {
  const Hdf5Handle head = h5md_group(file, "h5md");
  put_integers(head, "version", {1, 1});
  const Hdf5Handle author = h5md_group(head, "author"), creator = h5md_group(head, "creator"),
                   modules = h5md_group(head, "modules"), units = h5md_group(modules, "units");
  put_text(author, "name", "unknown");
  put_text(creator, "name", "trill");
  put_text(creator, "version", info.version.empty() ? "unknown" : info.version);
  put_integers(units, "version", {1, 0});
}

void put_motion(const RowSource& rows, const RunRecord& record, std::size_t n, hid_t particles, const Hdf5Sink& sink) {
  const bool with_velocities = record.info.layout.nv == record.info.layout.nq;
  const Hdf5Handle position = h5md_group(particles, "position");
  const Series step(position, "step", H5T_STD_I64LE, record.rows, 0),
      time(position, "time", H5T_IEEE_F64LE, record.rows, 0), places(position, "value", H5T_IEEE_F64LE, record.rows, n);
  put_text(time.dataset(), "unit", record.info.time_unit);
  put_text(places.dataset(), "unit", "Angstrom");
  std::optional<Hdf5Handle> velocity;
  std::optional<Series> speeds;
  if (with_velocities) {
    velocity.emplace(h5md_group(particles, "velocity"));
    speeds.emplace(*velocity, "value", H5T_IEEE_F64LE, record.rows, n);
    put_text(speeds->dataset(), "unit", "Angstrom fs-1");
    for (const char* name : {"step", "time"})
      need(H5Lcreate_hard(position, name, *velocity, name, H5P_DEFAULT, H5P_DEFAULT));
  }
  std::int64_t row = 0;
  visit_checked(rows, record, [&](double t, const double* y, const double*) {
    step.write(row, H5T_NATIVE_INT64, &row);
    time.write(row, H5T_NATIVE_DOUBLE, &t);
    places.write(row, H5T_NATIVE_DOUBLE, y);
    if (speeds) speeds->write(row, H5T_NATIVE_DOUBLE, y + 3 * n);
    if (sink.error != 0) throw Hdf5Trouble{"", sink.error};
    ++row;
  });
}
}  // namespace

void write_h5md(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  const Particles particles = particles_of(record.info, path);
  WholeFile whole(path, when_full);
  try {
    const Hdf5Library library;
    Hdf5Sink sink{whole.descriptor()};
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    need(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    Hdf5Handle file(create_on_sink(sink, whole.temporary().c_str(), access), H5Fclose);
    {
      put_head(file, record.info);
      const Hdf5Handle group = h5md_group(file, "particles"), all = h5md_group(group, "all");
      put_box(all, particles);
      put_species(all, particles);
      put_motion(rows, record, particles.names.size(), all, sink);
    }
    file.close();
    if (sink.error != 0) throw Hdf5Trouble{"", sink.error};
  } catch (const Hdf5Trouble& trouble) {
    if (trouble.error != 0) throw_io("cannot write", path, trouble.error, when_full);
    throw IoError(fmt::format("cannot write {}: {}", path.string(), trouble.text));
  }
  whole.commit();
}
}  // namespace trill
#endif
