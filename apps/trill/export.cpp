// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "commands.hpp"
#include "model/file/model_export.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

namespace trill::cli {
int export_model(const ExportArguments& a) {
  const std::vector<std::string> known{"c", "latex"};
  if (a.to != "c" && a.to != "latex")
    throw UsageError(fmt::format("a model cannot be exported as '{}'{}", a.to, suggest(a.to, known)));
  const TextModel model = make_model(a.model, a.parameters);
  const auto* text = dynamic_cast<const ModelExport*>(model.problem.get());
  if (!text)
    throw UsageError(fmt::format(
        "'{}' is a netlist, written in C++ or given by matrices, and only models with formulas can be exported",
        a.model));
  const std::string content = a.to == "c" ? text->as_c() : text->as_latex();
  if (a.out.empty())
    print(content);
  else
    write_whole(a.out, content);
  return ExitCode::ok;
}
}  // namespace trill::cli
