// SPDX-License-Identifier: BSD-3-Clause
#ifdef TRILL_HAVE_HDF5
#include "solution/packed_runs.hpp"
#include "support/solution_files.hpp"
#include "trill/driver/sweep.hpp"
#include "trill/solution/solution_file.hpp"

#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::test {
namespace {
RunPlan springs(const char* method = "verlet") {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = method;
  plan.to = 0.5;
  if (plan.method == "verlet") plan.h = 1e-3;
  return plan;
}

// Above so many runs, those in HDF5 files share files, and are found under the names that they had.
class PackedSweeps : public testing::Test {
 protected:
  const testing_files::TemporaryDirectory folder;
  std::size_t most_files = 5;
  Sweep make(std::size_t count = 23) {
    return make_sweep(springs("dopri5"), {parse_sweep("omega2=20:90:" + std::to_string(count))},
                      (folder / "{omega2}.h5").string());
  }
  SweepOptions options(bool resume = false) const {
    SweepOptions o;
    o.most_files = most_files;
    o.resume = resume;
    return o;
  }
  static std::size_t own_files(const Sweep& sweep) {
    return static_cast<std::size_t>(std::count_if(sweep.members.begin(), sweep.members.end(), [](const SweepMember& m) {
      return std::filesystem::exists(m.file);
    }));
  }
  static std::string pack(int number) { return "sweep.runs-" + std::to_string(number) + ".h5"; }
  bool has(const char* name) const { return std::filesystem::exists(folder / name); }
};

TEST_F(PackedSweeps, HaveTheRunsThatFilesWouldHave) {
  const testing_files::TemporaryDirectory other;
  Sweep packed = make(),
        files = make_sweep(springs("dopri5"), {parse_sweep("omega2=20:90:23")}, (other / "{omega2}.h5").string());
  run_sweep(packed, options());
  run_sweep(files, {});
  EXPECT_EQ(own_files(packed), 0U);
  EXPECT_TRUE(has("sweep.runs-5.h5"));
  EXPECT_FALSE(has("sweep.runs-6.h5"));
  EXPECT_TRUE(has("sweep.h5"));
  EXPECT_FALSE(has(".trill.claims"));
  for (std::size_t i = 0; i < files.members.size(); ++i) {
    const Solution a = SolutionFile(packed.members[i].file).load(), b = SolutionFile(files.members[i].file).load();
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.y(), b.y());
    EXPECT_EQ(a.trust.verdict, b.trust.verdict);
    EXPECT_EQ(packed.members[i].state, files.members[i].state);
  }
  Sweep again = make();
  run_sweep(again, options(true));
  for (const SweepMember& member : again.members) EXPECT_TRUE(member.was_there);
  EXPECT_FALSE(has("sweep.runs-6.h5"));
  EXPECT_THROW(SolutionFile(folder / "21.h5"), IoError);
  EXPECT_THROW(SolutionFile(folder / "sweep.h5"), IoError);
}

TEST_F(PackedSweeps, AreSharedByProcesses) {
  Sweep one = make(), two = make();
  {
    const std::jthread other([&] { run_sweep(two, options()); });
    run_sweep(one, options());
  }
  EXPECT_EQ(own_files(one), 0U);
  EXPECT_FALSE(has(".trill.claims"));
  for (std::size_t i = 0; i < one.members.size(); ++i) {
    EXPECT_NE(one.members[i].was_there, two.members[i].was_there) << i;
    EXPECT_EQ(one.members[i].state, two.members[i].state);
  }
}

// At any time of the packing: the files of many are there, and those that they replace as well.
TEST_F(PackedSweeps, AreFinishedAfterAKill) {
  most_files = 12;
  Sweep part = make(12);  // not more than may have files
  run_sweep(part, options());
  EXPECT_EQ(own_files(part), 12U);
  EXPECT_FALSE(has("sweep.runs-1.h5"));
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < 7; ++i) files.push_back(part.members[i].file);
  write_pack(folder / "sweep.runs-1.h5", files);
  most_files = 4;
  Sweep rest = make(12);
  run_sweep(rest, options(true));
  for (const SweepMember& member : rest.members) EXPECT_TRUE(member.was_there);
  EXPECT_EQ(own_files(rest), 0U);
  std::size_t packed = 0;
  for (int k = 1; has(pack(k).c_str()); ++k) packed += list_hdf5_members(folder / pack(k).c_str()).size();
  EXPECT_EQ(packed, 12U);
}

// A process is killed in the middle of a sweep, whenever it may be; the next one does the rest.
TEST_F(PackedSweeps, ContinueWhatAKilledProcessBegan) {
  const pid_t child = ::fork();
  if (child == 0) {
    Sweep sweep = make();
    SweepOptions o = options();
    std::size_t seen = 0;
    o.look = [&](std::size_t, const RunInfo&, const RowSource&) {
      if (++seen == 8) ::kill(::getpid(), SIGKILL);
    };
    run_sweep(sweep, o);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(has("sweep.runs-1.h5"));
  Sweep sweep = make();
  run_sweep(sweep, options(true));
  std::size_t there = 0;
  for (const SweepMember& member : sweep.members) {
    EXPECT_TRUE(member.ok());
    there += member.was_there;
  }
  EXPECT_GE(there, 7U);
  EXPECT_LT(there, 12U);
  EXPECT_EQ(own_files(sweep), 0U);
  EXPECT_FALSE(has(".trill.claims"));
}

// Rows of all runs, one after the other, as other programs read them.
TEST_F(PackedSweeps, HaveOneTableOfAllRows) {
  Sweep sweep = make();
  run_sweep(sweep, options());
  std::vector<double> expected;
  for (const SweepMember& member : sweep.members)
    SolutionFile(member.file).visit([&](double, const double* y, const double*) { expected.push_back(y[0]); });
  const hid_t file = H5Fopen((folder / "sweep.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t set = H5Dopen2(file, "y", H5P_DEFAULT), space = H5Dget_space(set);
  hsize_t size[2] = {0, 0};
  H5Sget_simple_extent_dims(space, size, nullptr);
  ASSERT_EQ(size[0], expected.size());
  std::vector<double> y(size[0] * size[1]);
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, y.data()), 0);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(y[i * size[1]], expected[i]);
  std::vector<std::int64_t> first_row(sweep.members.size() + 1);
  const hid_t rows = H5Dopen2(file, "first_row", H5P_DEFAULT);
  EXPECT_GE(H5Dread(rows, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, first_row.data()), 0);
  EXPECT_EQ(first_row.back(), static_cast<std::int64_t>(expected.size()));
  EXPECT_EQ(first_row[1], SolutionFile(sweep.members[0].file).rows());
  H5Dclose(rows);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}
}  // namespace
}  // namespace trill::test
#endif
