// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "commands.hpp"
#include "model/file/model_export.hpp"
#include "places.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/solution/solution_file.hpp"

#include <fmt/format.h>

namespace trill::cli {
namespace {
bool is_solution(const std::string& name) {
  const std::string ending = lower_snake(std::filesystem::path(name).extension().string());
  return ending == ".h5" || ending == ".hdf5" || ending == ".csv" || ending == ".json" || ending == ".part";
}

// The rows of a run in another format.
int export_solution(const ExportArguments& a) {
  const std::filesystem::path input = a.model;
  const std::string out = !a.out.empty() ? a.out
                          : a.to.empty() ? throw UsageError("name the file to write by -o, such as -o run.xyz")
                                         : std::filesystem::path(input).replace_extension(a.to).string();
  if (!a.to.empty() && lower_snake(std::filesystem::path(out).extension().string()) != "." + a.to)
    throw UsageError(fmt::format("--to {} and -o {} name different formats", a.to, a.out));
  if (!a.parameters.empty()) throw UsageError("--param is for models; a solution is exported as it is");
  const SolutionFile solution(input);
  check_apart({out}, {input});
  check_place(out);
  save_solution(solution, solution.info(), solution.outcome(), solution.trust(), out);
  return ExitCode::ok;
}
}  // namespace

int export_model(const ExportArguments& a) {
  if (is_solution(a.model)) return export_solution(a);
  const std::vector<std::string> known{"c", "latex"};
  if (a.to != "c" && a.to != "latex")
    throw UsageError(a.to.empty() ? "say by --to how the model is to be written: c or latex"
                                  : fmt::format("a model cannot be exported as '{}'{}", a.to, suggest(a.to, known)));
  const TextModel model = make_model(a.model, a.parameters);
  const auto* text = dynamic_cast<const ModelExport*>(model.problem.get());
  if (!text)
    throw UsageError(fmt::format(
        "'{}' is a netlist, written in C++ or given by matrices, and only models with formulas can be exported",
        a.model));
  check_apart({a.out}, files_of_model(a.model, model.inputs));
  check_place(a.out);
  const std::string content = a.to == "c" ? text->as_c() : text->as_latex();
  if (a.out.empty())
    print_content(content);
  else
    write_whole(a.out, content);
  return ExitCode::ok;
}
}  // namespace trill::cli
