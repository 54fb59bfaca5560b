// SPDX-License-Identifier: BSD-3-Clause
#include "open_run.hpp"

#include "driver/filled_rows.hpp"
#include "report/known_frequencies.hpp"
#include "window.hpp"

#include <cmath>

namespace trill::cli {
std::vector<std::filesystem::path> folders_for(const std::string& input) {
  return {".", std::filesystem::path(input).parent_path()};
}

OpenRun::OpenRun(const std::string& input) : file(input) {
  const auto want = file.info().settings.find("want");
  const bool is_period = want != file.info().settings.end() && want->second == to_text(Want::steady);
  if (is_period && !file.unfinished()) filled = filled_period(file.info(), file);
  try {
    prepare(input);
    if (is_period) return;
    if (!file.unfinished()) filled = filled_rows(*model, file.info(), file.outcome(), file);
    balance = energy_balance(*model->problem, file.info(), file.outcome(), drawn());
  } catch (const std::exception&) {
    model.reset();
  }
}

// Files that the model reads are looked for here and beside the solution, and used only if they are unchanged.
void OpenRun::prepare(const std::string& input) {
  const std::vector<std::filesystem::path> folders = folders_for(input);
  for (std::size_t k = 0; k < folders.size() && !model; ++k) try {
      model = prepare_stored(file.info(), {folders[k]});
      if (!file.info().inputs.empty()) model_folder = folders[k];
    } catch (const UsageError&) {
      if (k + 1 == folders.size()) throw;
    }
}

std::vector<ChartMark> OpenRun::frequencies() const {
  if (!model) return {};
  return known_frequencies(*model->problem, std::abs(*model->plan.to - *model->plan.from));
}

std::shared_ptr<const CycleShapes> OpenRun::cycles(const std::string& input) const {
  const auto starts = model ? cycle_starts(file.info(), file) : std::vector<CycleStart>();
  if (starts.empty()) return nullptr;
  auto shapes = std::make_shared<CycleShapes>(
      find_cycle_shapes(*model, stored_defaults(file.info(), folders_for(input)), starts, bytes_for_cycles));
  shapes->command = window_command(input);
  return shapes;
}

ReportRun shown_run(const OpenRun& open, const std::string& input,
                    const std::optional<std::vector<std::string>>& spectrum) {
  const SolutionFile& file = open.file;
  const RowSource* rows = &open.drawn();
  if (open.balance) rows = open.balance->rows.get();
  ReportRun run{"", open.balance ? open.balance->info : file.info(), file.outcome(), file.trust(), *rows};
  run.recorded_rows = file.rows();
  run.model_folder = open.model_folder;
  run.spectrum = spectrum;
  run.frequencies = [&open] { return open.frequencies(); };
  run.cycles = open.cycles(input);
  if (file.unfinished()) {
    run.outcome.status = RunStatus::stopped;
    if (run.outcome.message.empty())
      run.outcome.message = input + " is not finished; the page shows what has been recorded so far";
  }
  return run;
}
}  // namespace trill::cli
