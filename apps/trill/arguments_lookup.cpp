// SPDX-License-Identifier: BSD-3-Clause
// Verbs that list what is available and describe models.
#include "arguments.hpp"

namespace trill::cli {
void add_list(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, list, "list", "List methods, models, formulations or figures",
                       "  trill list methods\n  trill list models --json\n");
  sub.add_option("what", a.what, "methods | models | formulations | figures")->required();
  sub.add_flag("--json", a.json, "for machines");
}

void add_describe(CLI::App& app, Action& action) {
  auto [sub, a] =
      verb(app, action, describe, "describe", "Say what a method, model or figure is, with its options or parameters",
           "  trill describe verlet\n  trill describe stiff_spring\n");
  sub.add_option("name", a.name, "method, model or figure")->required();
}

void add_check(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, check, "check", "Say what a model is, or what is wrong with a model file",
                       "  trill check two_springs\n  trill check rigid --param theta0=0.4\n");
  sub.add_option("model", a.model, "a model file (.toml) or name of a model")->required();
  assignments(sub, "--param", a.parameters, "parameters of the model");
}

void add_inspect(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, inspect, "inspect",
                       "Fast and slow frequencies of a model at its start, and what each method would do",
                       "  trill inspect stiff_spring\n  trill inspect two_springs --param omega2=2000\n");
  sub.add_option("model", a.model, "name of a model or a model file")->required();
  assignments(sub, "--param", a.parameters, "parameters of the model");
  sub.add_flag("--json", a.json, "for machines");
}

void add_export(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, export_model, "export", "Write the equations of a model file as C or LaTeX",
                       "  trill export two_springs --to latex -o two_springs.tex\n"
                       "  trill export two_springs --to c\n");
  sub.add_option("model", a.model, "a model file (.toml)")->required();
  sub.add_option("--to", a.to, "c (the functions as they are compiled) or latex (formulas to read)")
      ->required()
      ->type_name("c|latex");
  assignments(sub, "--param", a.parameters, "parameters of the model");
  file_name(sub, "-o,--out", a.out, "file to write (default: print it)");
}

void add_cite(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, cite, "cite", "References for a run, a method, a model or a figure",
                       "  trill cite run.h5\n  trill cite verlet\n");
  sub.add_option("what", a.input, "solution file, method, model or figure")->required();
}
}  // namespace trill::cli
