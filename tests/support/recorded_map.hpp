// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/solution_files.hpp"

namespace trill::testing_files {
// A chaotic map that takes the place of driver and method. Because it is chaotic, a restart from a state that is not
// exactly the same would show.
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
  void memory(Archive& archive) { archive(step, x); }
  Archive saved() {
    Archive archive;
    memory(archive);
    return archive;
  }
};

inline RunOutcome ended(RunStatus status = RunStatus::reached_end) {
  RunOutcome outcome = sample_outcome();
  outcome.status = status;
  return outcome;
}

struct Plan {
  Index steps = 1000, checkpoint_every = 100, stop_at = -1;
};

inline void record_run(SegmentRecorder& recorder, Archive* resume, const Plan& plan) {
  Map map;
  recorder.begin(sample_info());
  if (resume) {
    map.memory(*resume);
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

// Does the same as the command line with --resume, or as without it if there is nothing to resume.
inline void run_or_resume(const fs::path& path, const Plan& plan) {
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

inline void start(const fs::path& path, Plan plan) {
  SegmentRecorder recorder(path, 0);
  record_run(recorder, nullptr, plan);
}

// The bits of a run that is recorded in memory, which uses none of the code that is tested here.
inline std::vector<std::uint64_t> unbroken_bits(const Plan& plan) {
  Solution solution;
  MemoryRecorder recorder(solution);
  recorder.begin(sample_info());
  Map map;
  for (map.record(recorder); map.step < plan.steps; map.record(recorder)) map.advance();
  return bits_of(solution, solution.info);
}

inline void flip(const fs::path& file, std::size_t at) {
  std::string bytes = slurp(file);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 16);
  spill(file, bytes);
}

class Record : public testing::Test {
 protected:
  TemporaryDirectory dir;
  fs::path file = dir / main_file, part = fs::path(file) += ".part";
};
}  // namespace trill::testing_files
