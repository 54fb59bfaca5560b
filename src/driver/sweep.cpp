// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/sweep.hpp"

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "driver/ensemble.hpp"
#include "driver/sweep_block.hpp"
#include "driver/sweep_choice.hpp"
#include "driver/sweep_order.hpp"
#include "solution/segment_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
using Progress = SweepMember::Progress;
// Joined runs keep no checkpoints. With at most this many steps times unknowns they are short enough to be repeated.
constexpr double most_joined_work = 2e7;

// Number of members that a thread takes at once: many if they can be joined, but no thread should be left idle.
std::size_t block_size(const Sweep& sweep, int threads) {
  try {
    const PreparedRun first = prepare(sweep.plan_of(sweep.members.front())),
                      last = prepare(sweep.plan_of(sweep.members.back()));
    if (!can_join(first, last)) return 1;
    const double steps = std::abs(*first.plan.to - *first.plan.from) / *first.plan.h;
    if (steps * static_cast<double>(first.start.y.size()) > most_joined_work) return 1;
    const auto fits = static_cast<std::size_t>(most_bytes_of_rows / threads / bytes_of_rows(first));
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
void wait_for_others(const SweepWork& work) {
  constexpr std::chrono::milliseconds shortest(50), longest(1000);
  auto pause = shortest;
  for (auto left = work.busy.take(); !left.empty(); left = work.busy.take()) {
    if (work.options.stop && work.options.stop->load()) return;
    std::this_thread::sleep_for(pause);
    const std::size_t before = left.size();
    for (const std::size_t i : left)
      if (is_in_use(work.sweep.members[i].file))
        work.busy.add(i);
      else
        run_block(work, true, i, i + 1);
    pause = work.busy.size() < before ? shortest : std::min(2 * pause, longest);
  }
}

void complete(PackedRuns& packs, const Sweep& sweep) {
  std::vector<std::string> parameters;
  for (const SweepAxis& axis : sweep.axes) parameters.push_back(axis.parameter);
  std::vector<SweptRun> runs;
  for (const SweepMember& member : sweep.members) {
    runs.push_back({member.file.filename().string(), {}});
    for (const std::string& value : member.values) runs.back().values.push_back(*parse_number(value));
  }
  packs.complete(parameters, runs);
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
  std::optional<Claims> claims;
  if (!sweep.directory.empty()) claims.emplace(sweep.directory);
  std::optional<PackedRuns> packs;
  if (claims && count > options.most_files && format_of(sweep.members.front().file) == FileFormat::hdf5)
    packs.emplace(*claims, sweep.directory, options.most_files, options.stop);
  const SweepWork work{sweep, options, tally, busy, claims ? &*claims : nullptr, packs ? &*packs : nullptr};
  if (!sweep.directory.empty()) remove_stale_temporaries(sweep.directory);
  SweepOrder order(sweep, (count + size - 1) / size);
  for_each_parallel(order.blocks(), options.threads, [&](std::size_t) {
    if (options.stop && options.stop->load()) return;
    const bool is_alone = options.threads == 1 && !(claims && claims->sees_others());
    const std::size_t k = size > 1 || is_alone ? order.next() : order.next_longest();
    run_block(work, false, k * size, std::min(count, (k + 1) * size));
    if (size == 1 && sweep.members[k].ok()) order.learn(k, sweep.members[k].outcome.counters.steps);
  });
  if (packs) packs->pack_own();
  wait_for_others(work);
  const auto is_open = [](const SweepMember& member) {
    return member.progress == Progress::waiting || member.progress == Progress::unfinished;
  };
  if (claims && std::none_of(sweep.members.begin(), sweep.members.end(), is_open)) {
    if (packs) complete(*packs, sweep);
    claims->forget(shared_choice_name);
  }
  remove_what_killed_ones_left(sweep);
  if (options.progress) options.progress(1);
}
}  // namespace trill
