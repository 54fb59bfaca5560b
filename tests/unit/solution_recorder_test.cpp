// SPDX-License-Identifier: BSD-3-Clause
#include "support/mentions.hpp"
#include "support/recorded_map.hpp"

namespace trill::testing_files {
namespace {
TEST_F(Record, PublishesTheWholeRun) {
  for (const char* name : all_files) {
    const Plan plan{20'000, 7000};
    run_or_resume(dir / name, plan);
    const SolutionFile stored(dir / name);
    EXPECT_EQ(stored.rows(), 20'001);
    EXPECT_EQ(stored.trust().verdict, Verdict::amber);
    EXPECT_EQ(stored.outcome().status, RunStatus::reached_end);
    EXPECT_EQ(bits_of(stored), unbroken_bits(plan));
    EXPECT_FALSE(fs::exists((dir / name) += ".part"));
  }
}

TEST_F(Record, StoppedRunGoesOnBitForBit) {
  for (const Index stop_at : {1, 99, 100, 150, 999}) {
    start(file, {.stop_at = stop_at});
    const SolutionFile unfinished(file);
    EXPECT_TRUE(unfinished.unfinished());
    EXPECT_EQ(unfinished.rows(), stop_at + 1);
    EXPECT_EQ(unfinished.outcome().status, RunStatus::stopped);
    EXPECT_TRUE(SolutionFile(part).unfinished());
    run_or_resume(file, {});
    EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({})) << stop_at;
    fs::remove(file);
  }
}

TEST_F(Record, DropsRowsBeyondTheCheckpoint) {
  start(file, {.stop_at = 150});
  EXPECT_EQ(SolutionFile(file).rows(), 151);
  auto point = find_resume_point(part);  // the directory can be named as well
  ASSERT_TRUE(point);
  EXPECT_EQ(point->path, file);
  EXPECT_EQ(point->rows, 101);
  EXPECT_FALSE(point->from_start);
  SegmentRecorder recorder(*point, 0);
  recorder.begin(sample_info());
  EXPECT_EQ(recorder.rows(), 101);
  EXPECT_EQ(SolutionFile(file).rows(), 101);
  EXPECT_FALSE(fs::exists(part / "outcome.json"));
}

TEST_F(Record, DamagedNewestCheckpointLeadsToTheOneBefore) {
  for (const int how : {0, 1, 2}) {
    start(file, {.stop_at = 950});
    EXPECT_FALSE(fs::exists(part / "checkpoint-000006.bin"));
    ASSERT_TRUE(fs::exists(part / "checkpoint-000007.bin"));
    const fs::path newest = part / "checkpoint-000008.bin";
    ASSERT_TRUE(fs::exists(newest));
    if (how == 0) fs::remove(newest);
    if (how == 1) spill(newest, slurp(newest).substr(0, 70));
    if (how == 2) flip(newest, 60);
    {
      const auto point = find_resume_point(file);
      ASSERT_TRUE(point);
      EXPECT_EQ(point->rows, 801);
      EXPECT_EQ(point->remarks.size(), how == 0 ? 0u : 1u);
    }
    run_or_resume(file, {});
    EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
    fs::remove(file);
  }
}

TEST_F(Record, DamagedSegmentIsNeverUsed) {
  start(file, {.stop_at = 950});
  flip(part / "segment-00000008.bin", 200);  // belongs to the newest checkpoint only
  EXPECT_NE(message_of<IoError>([&] { bits_of(SolutionFile(file)); }).find("segment-00000008.bin"), std::string::npos);
  EXPECT_EQ(find_resume_point(file)->rows, 801);
  flip(part / "segment-00000003.bin", 200);  // belongs to both checkpoints
  {
    const auto point = find_resume_point(file);
    EXPECT_TRUE(point->from_start);
    EXPECT_EQ(point->rows, 0);
    EXPECT_FALSE(point->remarks.empty());
  }
  run_or_resume(file, {});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
}

TEST_F(Record, EveryFlippedByteOfASegmentIsSeen) {
  start(file, {.stop_at = 5});
  const fs::path segment = part / "segment-00000000.bin";
  const std::string whole = slurp(segment);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    flip(segment, i);
    EXPECT_THROW(bits_of(SolutionFile(file)), IoError) << i;
    spill(segment, whole);
  }
}

TEST_F(Record, TruncatedFilesOfThePartDirectoryAreSeen) {
  start(file, {.stop_at = 950});
  const auto wanted = bits_of(SolutionFile(file));
  std::mt19937_64 random(3);
  for (const char* name : {"header.json", "outcome.json", "segment-00000004.bin"}) {
    const std::string whole = slurp(part / name);
    for (int i = 0; i < 100; ++i) {
      spill(part / name,
            whole.substr(0, i < 20 ? whole.size() - 1 - static_cast<std::size_t>(i) : random() % whole.size()));
      if (std::string(name) == "header.json")
        EXPECT_THROW(find_resume_point(file), IoError);
      else
        EXPECT_THROW(bits_of(SolutionFile(file)), IoError);
    }
    spill(part / name, whole);
  }
  EXPECT_EQ(bits_of(SolutionFile(file)), wanted);
  fs::remove(part / "segment-00000004.bin");
  EXPECT_THAT(message_of<IoError>([&] { SolutionFile f(file); }), mentions(part.string(), "segment-00000004.bin"));
}

TEST_F(Record, FinishedButUnpublishedRunIsOnlyPublished) {
  start(file, {});
  EXPECT_FALSE(SolutionFile(file).unfinished());
  auto point = find_resume_point(file);
  ASSERT_TRUE(point);
  EXPECT_TRUE(point->is_finished);
  SegmentRecorder recorder(*point, 0);
  EXPECT_THROW(recorder.begin(sample_info()), UsageError);
  recorder.publish(sample_trust());
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
  EXPECT_THAT(message_of<UsageError>([&] { find_resume_point(file); }), mentions(file.string(), "finished"));
}

TEST_F(Record, StoppedRunIsNotPublished) {
  SegmentRecorder recorder(file, 0);
  record_run(recorder, nullptr, {.stop_at = 300});
  EXPECT_THROW(recorder.publish({}), UsageError);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Record, NothingToResume) { EXPECT_FALSE(find_resume_point(file)); }

TEST_F(Record, RefusesASecondWriter) {
  SegmentRecorder first(file, 0);
  first.begin(sample_info());
  SegmentRecorder second(file, 0);
  EXPECT_THAT(message_of<UsageError>([&] { second.begin(sample_info()); }), mentions(file.string(), "another run"));
  EXPECT_THROW(find_resume_point(file), UsageError);
}

TEST_F(Record, RefusesToOverwriteAnUnfinishedRun) {
  start(file, {.stop_at = 300});
  SegmentRecorder fresh(file, 0);
  EXPECT_THAT(message_of<UsageError>([&] { fresh.begin(sample_info()); }),
              mentions(part.string(), "unfinished", "--resume " + file.string()));
  EXPECT_EQ(SolutionFile(file).rows(), 301);
}

TEST_F(Record, RunWithoutRowsStandsInNobodysWay) {
  {
    SegmentRecorder failed(file, 0);
    failed.begin(sample_info());
    failed.row(0, Vec::Zero(3), Vec::Zero(2));  // never written to disk
  }
  EXPECT_TRUE(find_resume_point(file)->from_start);
  SegmentRecorder fresh(file, 0);
  record_run(fresh, nullptr, {});
  fresh.publish({});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
}

TEST_F(Record, RefusesToContinueADifferentRun) {
  start(file, {.stop_at = 300});
  RunInfo other = sample_info();
  other.options["rho"] = "0.6";
  auto point = find_resume_point(file);
  SegmentRecorder recorder(*point, 0);
  EXPECT_THAT(message_of<UsageError>([&] { recorder.begin(other); }),
              mentions(part.string(), "option rho: 0.5, now 0.6"));
  EXPECT_EQ(SolutionFile(file).rows(), 301);  // it was not changed
}

TEST_F(Record, WhatAKilledRunLeftBeforeItBeganIsNoRun) {
  {
    SegmentRecorder recorder(file, 0);
    recorder.begin(sample_info());
  }
  fs::remove(part / "header.json");
  EXPECT_THROW(SolutionFile f(file), IoError);
  EXPECT_FALSE(find_resume_point(file));
  EXPECT_FALSE(fs::exists(part));
  {
    SegmentRecorder recorder(file, 0);
    recorder.begin(sample_info());
  }
  fs::remove(part / "header.json");
  spill(part / temporary_name(), "x");
  run_or_resume(file, {});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{main_file});
}

TEST_F(Record, RefusesNumbersThatAreNotFinite) {
  SegmentRecorder recorder(file, 0);
  recorder.begin(sample_info());
  recorder.row(0, Vec::Zero(3), Vec::Zero(2));
  EXPECT_EQ(message_of<IoError>([&] { recorder.row(0.5, Vec::Zero(3), Vec::Constant(2, NAN)); }),
            "cannot record q0 at t = 0.5: it is nan");
  EXPECT_EQ(SolutionFile(file).rows(), 1);  // earlier rows are on disk
  RunOutcome outcome = ended();
  outcome.events[0].t = NAN;
  EXPECT_THROW(recorder.finish(outcome), IoError);
}

TEST_F(Record, WaitsBetweenCheckpoints) {
  SegmentRecorder patient(file, 1e9);
  patient.begin(sample_info());
  EXPECT_FALSE(patient.wants_checkpoint());
  SegmentRecorder eager(dir / "b.csv", 0);
  eager.begin(sample_info());
  EXPECT_TRUE(eager.wants_checkpoint());
}

TEST_F(Record, LongRunsFillManySegments) {
  start(file, {.steps = 150'000, .checkpoint_every = 1'000'000});
  int segments = 0;
  for (const std::string& name : names_in(part)) segments += name.starts_with("segment");
  EXPECT_EQ(segments, 3);
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({.steps = 150'000}));
}
}  // namespace
}  // namespace trill::testing_files
