// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>

#include "terminal.hpp"
#include "trill/driver/trust.hpp"

namespace trill::cli {
int run(const RunArguments& arguments) {
  PreparedRun prepared = prepare(arguments.plan);
  prepared.options.stop = &stop_requested();
  prepared.options.progress = progress_bar(prepared.options.info.problem, arguments.quiet);
  Solution solution = prepared.run();
  if (!arguments.quiet) print(solution.brief() + "\n");
  return solution.ok() ? ExitCode::ok : ExitCode::numerical_failure;
}
}  // namespace trill::cli
