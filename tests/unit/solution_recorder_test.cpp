// SPDX-License-Identifier: BSD-3-Clause
#include "solution_files_common.hpp"

#include <functional>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trill::testing_files {
namespace {
// Stands for the driver and a method: a chaotic map, so that a restart from anything but the exact state shows.
struct Map {
  Index step = 0;
  double x = 0.3;
  void advance() {
    x = 3.99 * x * (1 - x);
    ++step;
  }
  void record(Recorder& recorder) const {
    const Vec y{{x, -x, std::sin(x)}}, measured{{x * x, 1 / x}};
    recorder.row(0.01 * static_cast<double>(step), y, measured);
  }
  Archive saved() const {
    Archive archive;
    archive.write(step);
    archive.write(x);
    return archive;
  }
};

RunOutcome ended(RunStatus status = RunStatus::reached_end) {
  RunOutcome outcome = sample_outcome();
  outcome.status = status;
  return outcome;
}

struct Plan {
  Index steps = 1000, checkpoint_every = 100, stop_at = -1;
};

void record_run(SegmentRecorder& recorder, Archive* resume, const Plan& plan) {
  Map map;
  recorder.begin(sample_info());
  if (resume) {
    resume->read(map.step);
    resume->read(map.x);
  } else {
    map.record(recorder);
  }
  while (map.step < plan.steps) {
    map.advance();
    map.record(recorder);
    if (map.step % plan.checkpoint_every == 0 && recorder.wants_checkpoint()) recorder.checkpoint(map.saved());
    if (map.step == plan.stop_at) return recorder.finish(ended(RunStatus::stopped));
  }
  recorder.finish(ended());
}

// What the command line does with --resume, or without when there is nothing to resume.
void run_or_resume(const fs::path& path, const Plan& plan) {
  auto point = find_resume_point(path);
  if (!point) {
    SegmentRecorder recorder(path, 0);
    record_run(recorder, nullptr, plan);
    return recorder.publish(sample_trust());
  }
  SegmentRecorder recorder(*point, 0);
  if (!point->is_finished) record_run(recorder, point->from_start ? nullptr : &point->archive, plan);
  recorder.publish(sample_trust());
}

void start(const fs::path& path, Plan plan) {
  SegmentRecorder recorder(path, 0);
  record_run(recorder, nullptr, plan);
}

// Of a run into memory: nothing of what is tested here takes part.
std::vector<std::uint64_t> unbroken_bits(const Plan& plan) {
  Solution solution;
  MemoryRecorder recorder(solution);
  recorder.begin(sample_info());
  Map map;
  for (map.record(recorder); map.step < plan.steps; map.record(recorder)) map.advance();
  return bits_of(solution, solution.info);
}

void flip(const fs::path& file, std::size_t at) {
  std::string bytes = slurp(file);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 16);
  spill(file, bytes);
}

class Record : public testing::Test {
 protected:
  TemporaryDirectory dir;
  fs::path file = dir / "run.h5", part = dir / "run.h5.part";
};

TEST_F(Record, PublishesTheWholeRun) {
  for (const char* name : {"run.h5", "run.csv", "run.json"}) {
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
  auto point = find_resume_point(part);  // the directory may be named, too
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
  flip(part / "segment-00000008.bin", 200);  // of the newest checkpoint only
  EXPECT_NE(message_of<IoError>([&] { bits_of(SolutionFile(file)); }).find("segment-00000008.bin"), std::string::npos);
  EXPECT_EQ(find_resume_point(file)->rows, 801);
  flip(part / "segment-00000003.bin", 200);  // of both
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
  EXPECT_EQ(message_of<IoError>([&] { SolutionFile f(file); }),
            part.string() + " is damaged: segment-00000004.bin is missing");
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
  EXPECT_EQ(message_of<UsageError>([&] { find_resume_point(file); }), file.string() + " is already finished");
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
  EXPECT_EQ(message_of<UsageError>([&] { second.begin(sample_info()); }),
            file.string() + " is being written by another run");
  EXPECT_THROW(find_resume_point(file), UsageError);
}

TEST_F(Record, RefusesToOverwriteAnUnfinishedRun) {
  start(file, {.stop_at = 300});
  SegmentRecorder fresh(file, 0);
  EXPECT_EQ(message_of<UsageError>([&] { fresh.begin(sample_info()); }),
            part.string() + " holds an unfinished run; continue it with --resume " + file.string() + " or remove it");
  EXPECT_EQ(SolutionFile(file).rows(), 301);
}

TEST_F(Record, RefusesToContinueADifferentRun) {
  start(file, {.stop_at = 300});
  RunInfo other = sample_info();
  other.options["rho"] = "0.6";
  auto point = find_resume_point(file);
  SegmentRecorder recorder(*point, 0);
  EXPECT_EQ(message_of<UsageError>([&] { recorder.begin(other); }),
            part.string() + " cannot be continued by a different run; option rho: 0.5, now 0.6");
  EXPECT_EQ(SolutionFile(file).rows(), 301);  // untouched
}

TEST_F(Record, WasteOfAPublishedRunIsNoRun) {
  fs::create_directory(part);
  spill(part / "header.json", "x");
  spill(part / "published", "");
  spill(part / "segment-00000000.bin", "x");
  EXPECT_THROW(SolutionFile f(file), IoError);
  EXPECT_FALSE(find_resume_point(file));
  EXPECT_FALSE(fs::exists(part));
  fs::create_directory(part);  // killed before it began
  spill(part / "header.json.tmp-1", "x");
  run_or_resume(file, {});
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits({}));
}

TEST_F(Record, RefusesNumbersThatAreNotFinite) {
  SegmentRecorder recorder(file, 0);
  recorder.begin(sample_info());
  recorder.row(0, Vec::Zero(3), Vec::Zero(2));
  EXPECT_EQ(message_of<IoError>([&] { recorder.row(0.5, Vec::Zero(3), Vec::Constant(2, NAN)); }),
            "cannot record q0 at t = 0.5: it is nan");
  EXPECT_EQ(SolutionFile(file).rows(), 1);  // what came before is safe
  RunOutcome outcome = ended();
  outcome.events[0].t = NAN;
  EXPECT_THROW(recorder.finish(outcome), IoError);
}

TEST_F(Record, WaitsBetweenCheckpoints) {
  SegmentRecorder patient(file, 1e9);
  patient.begin(sample_info());
  EXPECT_FALSE(patient.wants_checkpoint());
  SegmentRecorder eager(dir / "b.h5", 0);
  eager.begin(sample_info());
  EXPECT_TRUE(eager.wants_checkpoint());
}

TEST_F(Record, LongRunsFillManySegments) {
  start(file, {.steps = 20'000, .checkpoint_every = 1'000'000});
  int segments = 0;
  for (const std::string& name : names_in(part)) segments += name.starts_with("segment");
  EXPECT_EQ(segments, 3);
  EXPECT_EQ(SolutionFile(file).rows(), 20'001);
}

// The exit code of a child process that runs `body`: 0 when it returns, 3 when it throws an IoError that holds `text`.
int in_child(const std::function<void()>& body, const std::string& text = "") {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      body();
    } catch (const IoError& error) {
      code = std::string(error.what()).find(text) != std::string::npos ? 3 : 4;
      if (code == 4) fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      code = 5;
    }
    std::exit(code);  // with all that libraries do at the end
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void limit_file_size(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// A limit on the size of files stands for the full disk: the same failing writes, the same path through the code.
TEST_F(Record, FullDiskKeepsTheSegments) {
  for (const char* name : {"run.h5", "run.csv", "run.json"}) {
    const fs::path path = dir / name;
    const Plan plan{4000, 1000};
    start(path, plan);
    const int code = in_child(
        [&] {
          limit_file_size(60'000);
          run_or_resume(path, plan);
        },
        "cannot write " + path.string() + ": File too large; free space and run again with --resume " + path.string());
    EXPECT_EQ(code, 3) << name;
    EXPECT_FALSE(fs::exists(path));
    for (const std::string& left : names_in(dir.path())) EXPECT_EQ(left.find(".tmp"), std::string::npos) << left;
    run_or_resume(path, plan);
    EXPECT_EQ(bits_of(SolutionFile(path)), unbroken_bits(plan));
  }
}

TEST_F(Record, FullDiskDuringTheRun) {
  const Plan plan{4000, 1000};
  const int code = in_child(
      [&] {
        limit_file_size(30'000);
        run_or_resume(file, plan);
      },
      "segment-00000000.bin: File too large; free space and run again with --resume " + file.string());
  EXPECT_EQ(code, 3);
  for (const std::string& left : names_in(part)) EXPECT_EQ(left.find(".tmp"), std::string::npos) << left;
  run_or_resume(file, plan);
  EXPECT_EQ(bits_of(SolutionFile(file)), unbroken_bits(plan));
}

TEST_F(Record, UnwritableDirectory) {
  const fs::path closed = dir / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  fs::permissions(dir.path(), fs::perms::owner_all | fs::perms::others_exec);
  const auto as_nobody = [&](const std::function<void()>& body) {
    return in_child(
        [&] {
          if (geteuid() == 0 && seteuid(65534) != 0) _exit(6);
          body();
        },
        "Permission denied");
  };
  EXPECT_EQ(as_nobody([&] { start(closed / "run.h5", {}); }), 3);
  EXPECT_EQ(as_nobody([&] { save_solution(random_solution(3), closed / "run.h5"); }), 3);
  EXPECT_EQ(as_nobody([&] { save_solution(random_solution(3), closed / "run.csv"); }), 3);
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_F(Record, ShortOfDescriptorsIsAnIoError) {
  EXPECT_EQ(in_child(
                [&] {
                  const rlimit limit{3, 3};
                  setrlimit(RLIMIT_NOFILE, &limit);
                  start(file, {});
                },
                "Too many open files"),
            3);
}

// Killed at random moments, again and again, and gone on with each time: the numbers are those of the unbroken run.
TEST_F(Record, KilledFiftyTimes) {
  const Plan plan{800, 50};
  const auto wanted = unbroken_bits(plan);
  std::mt19937_64 random(11);
  const auto is_done = [](fs::path path) {
    const fs::path left = fs::path(path) += ".part";
    return fs::exists(path) && (!fs::exists(left / "header.json") || fs::exists(left / "published"));
  };
  int killed = 0, published = 0, resumable = 0;
  for (int i = 0; killed < 50 && i < 400; ++i) {
    const fs::path path = dir / (i % 2 ? "run.h5" : "run.csv");
    const pid_t child = fork();
    if (child == 0) {
      try {
        run_or_resume(path, plan);
      } catch (const std::exception& error) {
        fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    usleep(static_cast<useconds_t>(random() % 150'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      ASSERT_TRUE(is_done(path));
    }
    if (is_done(path)) {
      ++published;
      EXPECT_EQ(bits_of(SolutionFile(path)), wanted);
      EXPECT_THROW(find_resume_point(path), UsageError);
      EXPECT_FALSE(fs::exists(fs::path(path) += ".part"));
      fs::remove(path);
      fs::remove(fs::path(path) += ".meta.json");
    } else if (fs::exists((fs::path(path) += ".part") / "header.json")) {
      const auto bits = bits_of(SolutionFile(fs::path(path) += ".part"));  // what is there is right
      EXPECT_TRUE(bits.size() <= wanted.size() && std::equal(bits.begin(), bits.end(), wanted.begin()));
      ++resumable;
    }
  }
  EXPECT_EQ(killed, 50);
  EXPECT_GT(resumable, 20);
  EXPECT_GT(published, 0);
  for (const char* name : {"run.h5", "run.csv"}) {
    run_or_resume(dir / name, plan);
    EXPECT_EQ(bits_of(SolutionFile(dir / name)), wanted);
  }
  EXPECT_EQ(names_in(dir.path()), (std::vector<std::string>{"run.csv", "run.csv.meta.json", "run.h5"}));
}
}  // namespace
}  // namespace trill::testing_files
