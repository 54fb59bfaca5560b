// SPDX-License-Identifier: BSD-3-Clause
#include "driver/sweep_block.hpp"

#include "driver/answer.hpp"
#include "driver/ensemble.hpp"
#include "driver/run_results.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
using Progress = SweepMember::Progress;
constexpr std::size_t most_components = 100;  // whose end values are kept for a summary
constexpr std::size_t most_checked = 8;       // members of a sweep

// The members that are checked for all: evenly chosen, the first and the last among them.
std::vector<std::size_t> sample_of(const Sweep& sweep) {
  std::vector<std::size_t> sample;
  const std::size_t count = sweep.members.size(), most = std::min(count, most_checked);
  for (std::size_t k = 0; k < most; ++k) sample.push_back(most == 1 ? 0 : k * (count - 1) / (most - 1));
  return sample;
}

bool is_sampled(std::size_t member, const Sweep& sweep, const SweepOptions& options) {
  const std::vector<std::size_t> sample = sample_of(sweep);
  return options.check.when == When::always || sweep.plan.accuracy ||
         std::binary_search(sample.begin(), sample.end(), member);
}

std::string sample_text(const Sweep& sweep) {
  std::string text;
  for (const std::size_t i : sample_of(sweep)) text += (text.empty() ? "" : "; ") + sweep.label(sweep.members[i]);
  return fmt::format("of the {} runs those with {} were checked.", sweep.members.size(), text);
}

// Neighbouring members that one thread works on.
class Block {
 public:
  Block(const SweepWork& work, bool goes_on, std::size_t begin, std::size_t end)
      : sweep_(work.sweep),
        options_(work.options),
        tally_(work.tally),
        busy_(work.busy),
        claims_(work.claims),
        packs_(work.packs),
        begin_(begin),
        runs_(end - begin),
        continues_(end - begin, goes_on) {}

  void run() {
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      guarded(i, [&] {
        if (stopping() || is_left_to_others(i)) return;
        prepare_member(i);
        if (!run_of(i).solved()) alone.push_back(i);
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
  RecordedRun& run_of(std::size_t i) { return runs_[i]->present(); }
  bool solved(std::size_t i) { return runs_[i] && run_of(i).solved() && member(i).progress != Progress::error; }

  // Takes the first member off the list, with all that can be joined with it.
  std::vector<std::size_t> take_group(std::vector<std::size_t>& list) {
    const std::size_t first = list.front();
    std::vector<std::size_t> group{first}, rest;
    for (const std::size_t i : list)
      if (i != first) (can_join(run_of(first).prepared(), run_of(i).prepared()) ? group : rest).push_back(i);
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
      release(i);
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
    release(i);
  }

  std::string claim_of(std::size_t i) { return member(i).file.filename().string(); }
  void release(std::size_t i) {
    if (claims_) claims_->release(claim_of(i));
  }

  // Finished before, or claimed by another process; otherwise the claim is ours.
  bool is_left_to_others(std::size_t i) {
    if (!claims_) return false;
    if (!claims_->is_claimed(claim_of(i)) && is_finished(i)) return true;
    const Claims::Taken taken = claims_->take(claim_of(i));
    if (taken == Claims::Taken::not_at_all) {
      busy_.add(begin_ + i);
      return true;
    }
    if (taken == Claims::Taken::from_a_dead_process) {
      continues_[i] = true;
      if (is_between_attempts(i)) return false;
    }
    if (!is_finished(i)) return false;  // looked at again: the one before us may have finished it
    release(i);
    return true;
  }

  // A process was killed after it published one attempt and before it began the next.
  bool is_between_attempts(std::size_t i) {
    const fs::path& file = member(i).file;
    if (!fs::exists(file) || left_unfinished(file)) return false;
    const SolutionFile stored(file);
    const RunPlan plan = sweep_.plan_of(member(i));
    const PreparedRun run = as_stored(prepared(i), plan, stored.info());
    if (run.steady || difference(stored.info(), run.options.info)) return false;
    const Verdicts next = next_step({plan, run, stored.outcome(), stored.trust(), stored.info().attempts});
    return next.tighter || next.next_rung;
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
    if (left_unfinished(file) || !may_be_stored(file)) return false;
    try {
      const SolutionFile stored(file);
      const PreparedRun same = as_stored(prepared(i), sweep_.plan_of(member(i)), stored.info());
      if (const auto differs = difference(stored.info(), same.options.info)) {
        if (!options_.resume) return false;
        throw UsageError(fmt::format("{} was computed with other settings; {}", file.string(), *differs));
      }
      if (!options_.resume && is_to_be_checked(i) && stored.trust().headline == RecordedRun::not_checked) return false;
      summarise(i, same, stored.info(), stored.outcome(), stored.trust(), stored);
      member(i).was_there = true;
    } catch (const IoError&) {
      if (!options_.resume || !is_stored(file)) return false;  // a damaged file is replaced
      throw;
    }
    tally_.add(1);
    return true;
  }

  bool is_to_be_checked(std::size_t i) { return !options_.check.is_off() && is_sampled(begin_ + i, sweep_, options_); }

  void prepare_member(std::size_t i) {
    const fs::path& file = member(i).file;
    const bool is_begun = left_unfinished(file) || (continues_[i] && fs::exists(file) && is_between_attempts(i));
    RecordPlan record{file, (options_.resume || continues_[i]) && is_begun, options_.checkpoint_seconds,
                      static_cast<std::size_t>(most_bytes_of_rows / options_.threads)};
    InquiryOptions inquiry;
    inquiry.check = options_.check;
    inquiry.stop = options_.stop;
    runs_[i] = std::make_unique<Inquiry>(sweep_.plan_of(member(i)), prepared(i), record, inquiry);
    try {
      runs_[i]->open();
    } catch (const UsageError& e) {
      if (record.resume && !left_unfinished(record.file)) throw Occupied(e.what());  // published in the meantime
      throw;
    }
    if (!run_of(i).remarks().empty()) member(i).error = run_of(i).remarks().front();
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
    for (const std::size_t i : group) runs.push_back(&run_of(i).prepared());
    count_progress(*runs.front(), group.size());
    std::vector<Solution> solutions;
    try {
      solutions = run_joined(runs);
    } catch (const std::bad_alloc&) {
    }
    if (solutions.empty()) return false;
    for (std::size_t k = 0; k < group.size(); ++k)
      if (solutions[k].outcome.status != RunStatus::stopped)
        guarded(group[k], [&] { run_of(group[k]).take(solutions[k]); });
    return true;
  }

  void solve_alone(std::size_t i) {
    guarded(i, [&] {
      if (stopping()) return;
      count_progress(run_of(i).prepared(), 1);
      runs_[i]->solve();
      if (!run_of(i).solved()) member(i).progress = Progress::unfinished;
    });
  }

  void judge() {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      guarded(i, [&] {
        if (!solved(i) || run_of(i).judged()) return;
        if (options_.check.is_off() || is_sampled(begin_ + i, sweep_, options_))
          return run_of(i).judge(options_.check, options_.stop);
        Trust trust;
        trust.headline = "Not checked itself: " + sample_text(sweep_);
        run_of(i).set_trust(std::move(trust));
      });
  }

  void finish(std::size_t i) {
    if (!solved(i)) return;
    runs_[i]->settle();
    RecordedRun& run = run_of(i);
    if (!run.solved()) {
      member(i).progress = Progress::unfinished;
      return;
    }
    member(i).attempts = runs_[i]->attempts();
    member(i).shortfall = runs_[i]->shortfall();
    run.publish();
    run.with_wanted_rows([&](const RunInfo& info, const RowSource& rows) {
      summarise(i, run.prepared(), info, run.outcome(), run.trust(), rows);
    });
    release(i);
    runs_[i].reset();
    if (packs_) packs_->add(member(i).file.filename().string());
  }

  void summarise(std::size_t i, const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome,
                 const Trust& trust, const RowSource& rows) {
    SweepMember& m = member(i);
    m.outcome = outcome;
    m.trust = trust;
    m.trust.rows.clear();
    m.measured.clear();  // of a file that turned out to be damaged
    m.state.clear();
    for (const Quantity& q : info.quantities) m.measured.emplace_back(q.name, 0.0);
    for (const Quantity& q : info.components)
      if (m.state.size() < most_components) m.state.emplace_back(q.name, 0.0);
    rows.visit([&](double, const double* y, const double* measured) {
      for (std::size_t k = 0; k < m.measured.size(); ++k) m.measured[k].second = measured[k];
      for (std::size_t k = 0; k < m.state.size(); ++k) m.state[k].second = y[k];
    });
    std::vector<std::pair<std::string, double>> wished;
    for (const RunResult& result : find_results(wishes_of(run, outcome), info, rows))
      if (result.value) wished.emplace_back(result.name, *result.value);
    m.measured.insert(m.measured.begin(), wished.begin(), wished.end());
    if (options_.look) options_.look(begin_ + i, info, rows);
    m.progress = Progress::finished;
  }

  Sweep& sweep_;
  const SweepOptions& options_;
  Tally& tally_;
  Busy& busy_;
  Claims* claims_;
  PackedRuns* packs_;
  std::size_t begin_;
  std::vector<std::unique_ptr<Inquiry>> runs_;
  std::vector<bool> continues_;  // what another process began
};
}  // namespace

void run_block(const SweepWork& work, bool goes_on, std::size_t begin, std::size_t end) {
  Block(work, goes_on, begin, end).run();
}
}  // namespace trill
