// SPDX-License-Identifier: BSD-3-Clause
// Verbs that list what is available and describe models.
#include "arguments.hpp"
#include "words.hpp"

#include <fmt/format.h>

namespace trill::cli {
void add_list(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, list, "list", "List all methods, models, formulations or figures",
                       "  trill list models             the models that come with trill\n"
                       "  trill list methods            the methods, and which kinds of models they can run\n"
                       "  trill list formulations       changes of the equations before a method solves them\n"
                       "  trill list figures            published figures and tables that trill can recompute\n");
  sub.add_option("what", a.what, "methods | models | formulations | figures")->required();
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_describe(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, describe, "describe",
                       "Explain a method, model, formulation or figure, with its options or parameters",
                       "  trill describe verlet         a method and its options (for --set)\n"
                       "  trill describe stiff_spring   a model, its equations and its parameters (for --param)\n");
  sub.add_option("name", a.name, "name of a method, model, formulation or figure, or a model file (.toml, .cir, .data)")
      ->required();
}

void add_check(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, check, "check",
                       "Check a model file: show what it contains at the start, or what is wrong with it",
                       "  trill check two_springs\n  trill check rigid --param theta0=0.4\n");
  sub.add_option("model", a.model, "a model file (.toml), a netlist (.cir), molecules (.data) or the name of a model")
      ->required();
  assignments(sub, "--param", a.parameters,
              "parameters of the model, such as omega=10 ('trill describe MODEL' lists them)");
}

void add_inspect(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, inspect, "inspect",
                       "Show the frequencies of a model at its start, and the ways to compute its motion",
                       "  trill inspect stiff_spring\n"
                       "  trill inspect two_springs --want slow --accuracy 1e-4\n"
                       "  trill inspect two_springs --param omega2=2000 --all\n");
  sub.add_option("model", a.plan.model, "name of a model, a model file (.toml), a netlist (.cir) or molecules (.data)")
      ->required();
  assignments(sub, "--param", a.plan.parameters,
              "parameters of the model, such as omega=10 ('trill describe MODEL' lists them)");
  number(sub, "--from", a.plan.from, "start time (default: that of the model)");
  number(sub, "--to", a.plan.to, "end time (default: that of the model)");
  number(sub, "--accuracy", a.plan.accuracy, "largest error that is accepted, relative to the range (default 1e-3)");
  word(sub, "--want", "full|slow|amplitude|statistics", "what is to be computed (default full)",
       [&plan = a.plan](const std::string&, const std::string& text) { plan.want = read_want(text); });
  sub.add_flag("--all", a.all, "show all methods, and why some cannot or should not be used");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_modes(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, modes, "modes",
                       "Show the lowest frequencies and the shapes of a structure's undamped oscillations",
                       "  trill modes beam --count 4\n"
                       "  trill modes beam --param elements=500 --count 20 --out shapes.csv\n"
                       "  trill modes solid --count 6 --report shapes.html\n"
                       "\n"
                       "The structure is M u'' + K u = 0, linearised at its start. The table also shows by how\n"
                       "much rounding in K can change a frequency (relative). Modes with equal frequencies are easily\n"
                       "missed, so trill checks that none is missing: by an iteration that cannot see the modes\n"
                       "found so far (deflation), or by a proof that needs one more factorisation (inertia).\n");
  sub.add_option("model", a.model, "a model file (.toml) or the name of a model")->required();
  assignments(sub, "--param", a.parameters,
              "parameters of the model, such as omega=10 ('trill describe MODEL' lists them)");
  count(sub, "--count", 1, "how many modes (default: 10, or all if there are fewer)",
        [&target = a.count](std::int64_t n) { target = n; });
  word(sub, "--check", "deflation|inertia", "how to check that no mode is missing (default: deflation)",
       [&target = a.check](const std::string& option, const std::string& text) {
         if (text != "deflation" && text != "inertia")
           throw UsageError(fmt::format("{}: '{}' was given; deflation or inertia was expected", option, text));
         target = text == "inertia" ? CountCheck::inertia : CountCheck::deflation;
       });
  file_name(sub, "-o,--out", a.out, "write the shapes as a table (CSV), scaled so that x^T M x = 1");
  file_name(sub, "--report", a.report, "write a page with pictures of the shapes (HTML, opens in any browser)");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_reduce(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, reduce, "reduce",
                       "Reduce a flexible body of finite elements to a few coordinates, for mechanisms",
                       "  trill reduce blade.toml --interface left,tip --modes 8 --out blade.body\n"
                       "\n"
                       "The file names matrices and nodes of a body in the plane, or describes a strip. The frame of\n"
                       "the reduced body is fixed to the first interface. In a mechanism the body is written as\n"
                       "  [bodies]\n"
                       "  blade = { kind = \"reduced\", file = \"blade.body\" }\n");
  sub.add_option("body", a.body, "the file of the body (.toml)")->required();
  sub.add_option("--interface", a.interfaces,
                 "points where the body is joined to others; its frame is fixed to the first")
      ->required()
      ->type_name("NAME,...");
  count(sub, "--modes", 0, "number of vibration modes in addition to the shapes of the interfaces (default 8)",
        [&target = a.options.modes](std::int64_t n) { target = n; });
  word(sub, "--method", "craig_bampton|rubin", "modes with held or with free interfaces (default craig_bampton)",
       [&target = a.options.method](const std::string& option, const std::string& text) {
         if (text != "craig_bampton" && text != "rubin")
           throw UsageError(fmt::format("{}: '{}' was given; craig_bampton or rubin was expected", option, text));
         target = text == "rubin" ? ReductionMethod::rubin : ReductionMethod::craig_bampton;
       });
  file_name(sub, "-o,--out", a.out, "the file to write (.body)")->required();
  sub.add_flag("-q,--quiet", a.quiet, "print nothing");
}

void add_export(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, export_model, "export",
                       "Write the equations of a model file as C or LaTeX, or a solution in another format",
                       "  trill export two_springs --to latex -o two_springs.tex\n"
                       "  trill export two_springs --to c\n"
                       "  trill export run.h5 -o run.csv\n");
  sub.add_option("model", a.model, "a model file (.toml), the name of a model, or a solution")->required();
  sub.add_option(
         "--to", a.to,
         "language: c (the functions that trill compiles) or latex (formulas to read); for a solution: xyz, dcd, "
         "h5md, csv, ... (default: by the ending of the name of the file)")
      ->type_name("c|latex|FORMAT");
  assignments(sub, "--param", a.parameters,
              "parameters of the model, such as omega=10 ('trill describe MODEL' lists them)");
  file_name(sub, "-o,--out", a.out, "file to write (default: print to the terminal)");
}

void add_cite(CLI::App& app, Action& action) {
  auto [sub, a] =
      verb(app, action, cite, "cite", "Print the references to cite for a run, a method, a model or a figure",
           "  trill cite run.h5\n  trill cite verlet\n");
  sub.add_option("what", a.input, "a solution file, or the name of a method, model or figure")->required();
}
}  // namespace trill::cli
