// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/body_reduction.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "places.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
int reduce(const ReduceArguments& a) {
  if (!a.out.ends_with(".body"))
    throw UsageError(fmt::format("--out {}: a reduced body is written to a file whose name ends with .body", a.out));
  ReductionOptions options = a.options;
  for (const std::string& name : split(a.interfaces, ','))
    if (!name.empty()) options.interfaces.push_back(name);
  check_apart({a.out}, {a.body});
  check_place(a.out);
  const PlanarBodyFile file = load_planar_body(a.body);
  const PlanarBody body = file.strip ? planar_strip(*file.strip) : file.body;
  ReducedBody reduced;
  try {
    reduced = reduce_body(body, options);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", a.body, e.what()));
  }
  write_whole(a.out, body_text(reduced));
  if (a.quiet) return ExitCode::ok;
  print(fmt::format("{}: {} unknowns reduced to {} coordinates by {}\n\n", a.body, body.stiffness.rows(),
                    reduced.modes(),
                    options.method == ReductionMethod::rubin ? "Rubin's method" : "Craig and Bampton's method"));
  const Vec omega = reduced.stiffness.cwiseSqrt();
  const Mat spun = reduced.stiffening - reduced.convective;
  std::vector<std::vector<std::string>> rows{{"coordinate", "omega", "omega^2 gained per spin^2"}};
  constexpr Index most_rows = 20;
  for (Index i = 0; i < std::min(reduced.modes(), most_rows); ++i)
    rows.push_back({fmt::format("{}", i), fmt::format("{:.6g}", omega[i]), fmt::format("{:.4g}", spun(i, i))});
  print(text_table(rows));
  if (reduced.modes() > most_rows) print(fmt::format("... and {} more\n", reduced.modes() - most_rows));
  print(fmt::format("\nmass {:.6g}, centre of mass at ({:.6g}, {:.6g}), moment of inertia about '{}' {:.6g}\n",
                    reduced.mass, reduced.moment_x / reduced.mass, reduced.moment_y / reduced.mass,
                    reduced.points.front().name, reduced.inertia));
  print(fmt::format("written to {}; in a mechanism: [bodies] NAME = {{ kind = \"reduced\", file = \"{}\" }}\n", a.out,
                    std::filesystem::path(a.out).filename().string()));
  return ExitCode::ok;
}
}  // namespace trill::cli
