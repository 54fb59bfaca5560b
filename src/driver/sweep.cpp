// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/sweep.hpp"

#include "base/parallel.hpp"
#include "driver/ensemble.hpp"
#include "driver/recorded_run.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
using Progress = SweepMember::Progress;
constexpr double most_bytes = 1 << 29;  // for rows in memory, all threads together
// Joined runs keep no checkpoints. With at most this many steps times unknowns they are short enough to be repeated.
constexpr double most_joined_work = 2e7;
constexpr std::size_t most_checked = 8;  // members of a sweep

// Adds up the progress of all members.
class Tally {
 public:
  Tally(std::size_t members, const std::function<void(double)>& report)
      : members_(static_cast<double>(members)), report_(report) {}
  void add(double share) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    done_ += share;
    report_(std::clamp(done_ / members_, 0.0, 1.0));
  }

 private:
  double members_, done_ = 0;
  const std::function<void(double)>& report_;
  std::mutex mutex_;
};

// Members that another process is writing, or was killed while it did. They are looked at again when all others are
// done.
class Busy {
 public:
  void add(std::size_t member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(member);
  }
  std::vector<std::size_t> take() { return std::exchange(members_, {}); }

 private:
  std::vector<std::size_t> members_;
  std::mutex mutex_;
};

// The members that are checked for all: evenly chosen, the first and the last among them.
std::vector<std::size_t> sample_of(const Sweep& sweep) {
  std::vector<std::size_t> sample;
  const std::size_t count = sweep.members.size(), most = std::min(count, most_checked);
  for (std::size_t k = 0; k < most; ++k) sample.push_back(most == 1 ? 0 : k * (count - 1) / (most - 1));
  return sample;
}

bool is_sampled(std::size_t member, const Sweep& sweep, const SweepOptions& options) {
  const std::vector<std::size_t> sample = sample_of(sweep);
  return options.check.when == When::always || std::binary_search(sample.begin(), sample.end(), member);
}

std::string sample_text(const Sweep& sweep) {
  std::string text;
  for (const std::size_t i : sample_of(sweep)) text += (text.empty() ? "" : "; ") + sweep.label(sweep.members[i]);
  return fmt::format("of the {} runs those with {} were checked.", sweep.members.size(), text);
}

// Neighbouring members that one thread works on.
class Block {
 public:
  enum class Finished { is_replaced, is_kept };  // what happens to files of the same run that are there already
  Block(Sweep& sweep, const SweepOptions& options, Tally& tally, Busy& busy, Finished finished, std::size_t begin,
        std::size_t end)
      : sweep_(sweep),
        options_(options),
        tally_(tally),
        busy_(busy),
        keeps_finished_(finished == Finished::is_kept),
        begin_(begin),
        runs_(end - begin) {}

  void run() {
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      guarded(i, [&] {
        if (is_finished(i) || stopping()) return;
        prepare_member(i);
        if (!runs_[i]->solved()) alone.push_back(i);
      });
    while (!alone.empty()) {
      const std::vector<std::size_t> group = take_group(alone);
      if (group.size() == 1 || !solve_joined(group))
        for (const std::size_t i : group) solve_alone(i);
    }
    judge();
    for (std::size_t i = 0; i < runs_.size(); ++i) guarded(i, [&] { finish(i); });
  }

 private:
  SweepMember& member(std::size_t i) { return sweep_.members[begin_ + i]; }
  bool stopping() const { return options_.stop && options_.stop->load(); }
  bool solved(std::size_t i) { return runs_[i] && runs_[i]->solved() && member(i).progress != Progress::error; }

  // Takes the first member off the list, with all that can be joined with it.
  std::vector<std::size_t> take_group(std::vector<std::size_t>& list) {
    const std::size_t first = list.front();
    std::vector<std::size_t> group{first}, rest;
    for (const std::size_t i : list)
      if (i != first) (can_join(runs_[first]->prepared(), runs_[i]->prepared()) ? group : rest).push_back(i);
    list = std::move(rest);
    return group;
  }

  template <class Work>
  void guarded(std::size_t i, Work work) {
    if (member(i).progress == Progress::error) return;
    try {
      work();
    } catch (const Occupied&) {
      runs_[i].reset();
      busy_.add(begin_ + i);
    } catch (const std::bad_alloc&) {
      fail(i, "there is not enough memory for this run");
    } catch (const std::exception& e) {
      fail(i, e.what());
    }
  }

  // Keeps the first line only: the rest of a model's message shows the place in its file.
  void fail(std::size_t i, const std::string& why) {
    member(i).progress = Progress::error;
    member(i).error = why.substr(0, why.find('\n'));
  }

  PreparedRun prepared(std::size_t i) {
    PreparedRun run = prepare(sweep_.plan_of(member(i)));
    run.options.info.version = options_.version;
    run.options.info.host = options_.host;
    run.options.info.started = options_.started;
    run.options.stop = options_.stop;
    return run;
  }

  bool is_finished(std::size_t i) {
    const fs::path& file = member(i).file;
    if (!keeps_finished_ || !fs::exists(file) || left_unfinished(file)) return false;
    const SolutionFile stored(file);
    if (const auto differs = difference(stored.info(), prepared(i).options.info)) {
      if (!options_.resume) return false;
      throw UsageError(fmt::format("{} was computed with other settings; {}", file.string(), *differs));
    }
    summarise(i, stored.info(), stored.outcome(), stored.trust(), stored);
    tally_.add(1);
    return true;
  }

  void prepare_member(std::size_t i) {
    RecordPlan record{member(i).file, keeps_finished_ && left_unfinished(member(i).file), options_.checkpoint_seconds,
                      static_cast<std::size_t>(most_bytes / options_.threads)};
    runs_[i] = std::make_unique<RecordedRun>(prepared(i), record);
    try {
      runs_[i]->open();
    } catch (const UsageError& e) {
      if (record.resume && !left_unfinished(record.file)) throw Occupied(e.what());  // published in the meantime
      throw;
    }
    if (!runs_[i]->remarks().empty()) member(i).error = runs_[i]->remarks().front();
  }

  // Reports the progress of a run that stands for this many members.
  void count_progress(PreparedRun& run, std::size_t members) {
    run.options.progress = [this, weight = static_cast<double>(members), given = 0.0](double fraction) mutable {
      if (fraction < given) return;
      tally_.add(weight * (fraction - given));
      given = fraction;
    };
  }

  bool solve_joined(const std::vector<std::size_t>& group) {
    std::vector<PreparedRun*> runs;
    for (const std::size_t i : group) runs.push_back(&runs_[i]->prepared());
    count_progress(*runs.front(), group.size());
    std::vector<Solution> solutions;
    try {
      solutions = run_joined(runs);
    } catch (const std::bad_alloc&) {
    }
    if (solutions.empty()) return false;
    for (std::size_t k = 0; k < group.size(); ++k)
      if (solutions[k].outcome.status != RunStatus::stopped)
        guarded(group[k], [&] { runs_[group[k]]->take(solutions[k]); });
    return true;
  }

  void solve_alone(std::size_t i) {
    guarded(i, [&] {
      if (stopping()) return;
      count_progress(runs_[i]->prepared(), 1);
      runs_[i]->solve();
      if (!runs_[i]->solved()) member(i).progress = Progress::unfinished;
    });
  }

  void judge() {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      guarded(i, [&] {
        if (!solved(i)) return;
        if (options_.check.is_off() || is_sampled(begin_ + i, sweep_, options_))
          return runs_[i]->judge(options_.check, options_.stop);
        Trust trust;
        trust.headline = "Not checked itself: " + sample_text(sweep_);
        runs_[i]->set_trust(std::move(trust));
      });
  }

  void finish(std::size_t i) {
    if (!solved(i)) return;
    RecordedRun& run = *runs_[i];
    run.publish();
    run.with_rows(
        [&](const RunInfo& info, const RowSource& rows) { summarise(i, info, run.outcome(), run.trust(), rows); });
    runs_[i].reset();
  }

  void summarise(std::size_t i, const RunInfo& info, const RunOutcome& outcome, const Trust& trust,
                 const RowSource& rows) {
    SweepMember& m = member(i);
    m.outcome = outcome;
    m.trust = trust;
    m.trust.rows.clear();
    for (const Quantity& q : info.quantities) m.measured.emplace_back(q.name, 0.0);
    rows.visit([&](double, const double*, const double* measured) {
      for (std::size_t k = 0; k < m.measured.size(); ++k) m.measured[k].second = measured[k];
    });
    if (options_.look) options_.look(begin_ + i, info, rows);
    m.progress = Progress::finished;
  }

  Sweep& sweep_;
  const SweepOptions& options_;
  Tally& tally_;
  Busy& busy_;
  bool keeps_finished_;
  std::size_t begin_;
  std::vector<std::unique_ptr<RecordedRun>> runs_;
};

// Number of members that a thread takes at once: many if they can be joined, but no thread should be left idle.
std::size_t block_size(const Sweep& sweep, int threads) {
  try {
    const PreparedRun first = prepare(sweep.plan_of(sweep.members.front())),
                      last = prepare(sweep.plan_of(sweep.members.back()));
    if (!can_join(first, last)) return 1;
    const double steps = std::abs(*first.plan.to - *first.plan.from) / *first.plan.h;
    if (steps * static_cast<double>(first.start.y.size()) > most_joined_work) return 1;
    const auto fits = static_cast<std::size_t>(most_bytes / threads / bytes_of_rows(first));
    const std::size_t fair =
        (sweep.members.size() + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
    return std::max<std::size_t>(1, std::min({fits, fair, most_copies}));
  } catch (const UsageError&) {
    return 1;  // each member then reports what is wrong with it
  }
}

void check_files(const Sweep& sweep, const SweepOptions& options) {
  if (options.resume) return;
  for (const SweepMember& member : sweep.members)
    if (!member.file.empty() && is_abandoned(member.file))
      throw UsageError(
          fmt::format("{} contains an unfinished run; continue the sweep with --resume instead of --out, or remove it",
                      member.file.string() + ".part"));
}

// Takes the results of other processes that write the same sweep, or goes on where they were killed.
void wait_for_others(Sweep& sweep, const SweepOptions& options, Tally& tally, Busy& busy) {
  for (auto left = busy.take(); !left.empty(); left = busy.take()) {
    if (options.stop && options.stop->load()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const std::size_t i : left)
      if (is_in_use(sweep.members[i].file))
        busy.add(i);
      else
        Block(sweep, options, tally, busy, Block::Finished::is_kept, i, i + 1).run();
  }
}

// Other processes with the same sweep may have been killed while they computed what this one had finished.
void remove_what_killed_ones_left(const Sweep& sweep) {
  if (!sweep.directory.empty()) remove_stale_temporaries(sweep.directory);
  for (const SweepMember& member : sweep.members)
    if (!member.file.empty() && member.progress == Progress::finished) remove_abandoned(member.file);
}
}  // namespace

std::string SweepMember::status() const {
  switch (progress) {
    case Progress::waiting:
      return "not run";
    case Progress::unfinished:
      return to_text(RunStatus::stopped);
    case Progress::finished:
      return to_text(outcome.status);
    case Progress::error:
      return "error";
  }
  return "";
}

std::string SweepMember::why() const { return error.empty() ? outcome.message : error; }

void run_sweep(Sweep& sweep, const SweepOptions& options) {
  check_files(sweep, options);
  const std::size_t count = sweep.members.size(), size = block_size(sweep, options.threads);
  Tally tally(count, options.progress);
  Busy busy;
  const auto finished = options.resume ? Block::Finished::is_kept : Block::Finished::is_replaced;
  if (!sweep.directory.empty()) remove_stale_temporaries(sweep.directory);
  for_each_parallel((count + size - 1) / size, options.threads, [&](std::size_t k) {
    if (options.stop && options.stop->load()) return;
    Block(sweep, options, tally, busy, finished, k * size, std::min(count, (k + 1) * size)).run();
  });
  wait_for_others(sweep, options, tally, busy);
  remove_what_killed_ones_left(sweep);
  if (options.progress) options.progress(1);
}
}  // namespace trill
