// SPDX-License-Identifier: BSD-3-Clause
// H5MD files, read with the HDF5 library alone: everything that version 1.1 of the format requires is there.
#ifdef TRILL_HAVE_HDF5
#include "support/text_models.hpp"
#include "trill/solution/solution_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

namespace trill::testing_models {
namespace {
std::vector<double> numbers(hid_t file, const char* name, std::vector<hsize_t>* size = nullptr) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
  if (size) {
    size->resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, size->data(), nullptr);
  }
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

std::vector<int> integers_at(hid_t file, const char* group, const char* name) {
  const hid_t attribute = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT), space = H5Aget_space(attribute);
  std::vector<int> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Aread(attribute, H5T_NATIVE_INT, values.data()), 0) << name;
  H5Sclose(space);
  H5Aclose(attribute);
  return values;
}

TEST(H5mdFile, HasWhatTheFormatAsksFor) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("trill-{}.h5md", ::getpid());
  RunPlan plan = plan_with("verlet", 1.5, 0.5);
  plan.model = TRILL_SOURCE_DIR "/examples/molecules/water.data";
  const Solution run = prepare(plan).run();
  save_solution(run, path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(integers_at(file, "h5md", "version"), (std::vector<int>{1, 1}));
  EXPECT_GT(H5Aexists_by_name(file, "h5md/author", "name", H5P_DEFAULT), 0);
  EXPECT_GT(H5Aexists_by_name(file, "h5md/creator", "name", H5P_DEFAULT), 0);
  EXPECT_GT(H5Aexists_by_name(file, "h5md/creator", "version", H5P_DEFAULT), 0);
  EXPECT_EQ(integers_at(file, "particles/all/box", "dimension"), std::vector<int>{3});
  EXPECT_EQ(numbers(file, "particles/all/box/edges"), (std::vector<double>{18.643, 18.643, 18.643}));
  std::vector<hsize_t> size;
  const auto places = numbers(file, "particles/all/position/value", &size),
             speeds = numbers(file, "particles/all/velocity/value");
  EXPECT_EQ(size, (std::vector<hsize_t>{4, 648, 3}));
  EXPECT_EQ(numbers(file, "particles/all/velocity/time"), run.t);
  EXPECT_EQ(numbers(file, "particles/all/position/step"), (std::vector<double>{0, 1, 2, 3}));
  for (Index row = 0; row < 4; ++row)
    for (Index k = 0; k < 1944; ++k) {
      ASSERT_EQ(places[static_cast<std::size_t>(1944 * row + k)], run.y()(k, row));
      ASSERT_EQ(speeds[static_cast<std::size_t>(1944 * row + k)], run.y()(1944 + k, row));
    }
  H5Fclose(file);
  std::filesystem::remove(path);
}
}  // namespace
}  // namespace trill::testing_models
#endif
