// SPDX-License-Identifier: BSD-3-Clause
// The command line: words in, one call of a verb out. Everything CLI11 is in this file.
#include "commands.hpp"
#include "terminal.hpp"
#include "trill/base/text.hpp"
#include "words.hpp"

#include <cstdio>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace trill::cli {
namespace {
std::string version_text() {
  std::string features;
#ifdef TRILL_HAVE_HDF5
  features += " hdf5";
#endif
#ifdef TRILL_HAVE_KLU
  features += " klu";
#endif
#ifdef TRILL_HAVE_SUNDIALS
  features += " sundials";
#endif
  return fmt::format("trill {} (built with:{})", TRILL_VERSION, features.empty() ? " nothing optional" : features);
}

// An empty name is a mistake (an unset variable of a script), not the wish for no file.
CLI::Option* file_name(CLI::App& app, const std::string& name, std::string& target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            if (text.empty())
              throw UsageError(fmt::format("{} needs the name of a file", name.substr(name.find("--"))));
            target = text;
          },
          help)
      ->type_name("FILE");
}

template <class Target>
CLI::Option* number(CLI::App& app, const std::string& name, Target& target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [&target, name](const std::string& text) { target = read_number(name, text); }, help)
      ->type_name("NUMBER");
}

CLI::Option* assignments(CLI::App& app, const std::string& name, OptionSet& target, const std::string& help) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&target, name](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              if (text.find('=') == std::string::npos)
                throw UsageError(
                    fmt::format("{} takes name=value, not '{}'; models and methods go in front of it", name, text));
              const auto [key, value] = parse_assignment(text);
              target.insert_or_assign(key, value);
            }
          },
          help)
      ->type_name("NAME=VALUE ...");
}

void add_plan(CLI::App& app, RunPlan& plan) {
  app.add_option("model", plan.model, "name of a model (trill list models) or a model file (.toml)")->required();
  assignments(app, "--param", plan.parameters, "parameters of the model, e.g. epsilon=1e-3");
  assignments(app, "--set", plan.options,
              "options of the method, e.g. form=position; control=ode45 for the step control");
  app.add_option("--formulation", plan.formulation, "change the unknowns first (trill list formulations)");
  number(app, "--from", plan.from, "start time (default: the model's)");
  number(app, "--to", plan.to, "end time; smaller than the start: backwards");
  app.add_option_function<std::string>(
         "--native",
         [&plan](const std::string& text) {
           const When when = read_when("--native", text);
           plan.native = when == When::always  ? Native::always
                         : when == When::never ? Native::never
                                               : Native::automatic;
         },
         "compile a model file with the system's C compiler (default auto: when it pays; same numbers)")
      ->type_name("auto|always|never");
}

void add_step(CLI::App& app, RunPlan& plan) {
  number(app, "--h", plan.h, "fixed step size");
  number(app, "--rtol", plan.rtol, "relative tolerance: steps are chosen by the error");
  number(app, "--atol", plan.atol, "absolute tolerance (default: rtol/1000)");
  number(app, "--h-max", plan.h_max, "largest step");
}

void add_output(CLI::App& app, RunPlan& plan) {
  auto* every = app.add_option_function<std::string>(
      "--every",
      [&plan](const std::string& text) {
        const std::int64_t stride = read_count_from(1, "--every", text);
        plan.output = EveryStep{static_cast<int>(std::min<std::int64_t>(stride, std::numeric_limits<int>::max()))};
      },
      "record every N-th step (default: every step)");
  every->type_name("N");
  auto* dt = app.add_option_function<std::string>(
      "--dt", [&plan](const std::string& text) { plan.output = Grid{read_number("--dt", text)}; },
      "record at equal intervals of time");
  dt->type_name("NUMBER")->excludes(every);
  app.add_option_function<std::string>(
         "--seed",
         [&plan](const std::string& text) {
           plan.seed = static_cast<std::uint64_t>(read_count_from(0, "--seed", text));
         },
         "seed of random numbers (default 1)")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--max-steps", [&plan](const std::string& text) { plan.max_steps = read_count_from(1, "--max-steps", text); },
         "stop after so many steps")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--checkpoint-every",
         [&plan](const std::string& text) { plan.checkpoint_every = read_count_from(1, "--checkpoint-every", text); },
         "checkpoints at multiples of so many steps (default 1000)")
      ->type_name("N");
}

using Action = std::function<int()>;

CLI::App* verb(CLI::App& app, const std::string& name, const std::string& what, const std::string& examples) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->footer("\nExamples:\n" + examples);
  return sub;
}

void add_sweep(CLI::App& app, RunArguments& a) {
  app.add_option("--sweep", a.sweeps,
                 "one run for every value of a parameter, see below; given again: all combinations")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "-j,--jobs",
         [&a](const std::string& text) {
           a.jobs = static_cast<int>(std::min<std::int64_t>(read_count_from(1, "--jobs", text), 10'000));
         },
         "runs of a sweep at the same time (default: one per core)")
      ->type_name("N");
  app.add_option("--show", a.show, "component or quantity in the picture of a sweep (default: the first coordinate)")
      ->type_name("NAME");
  file_name(app, "--svg", a.svg, "write the picture of a sweep as NAME-1.svg");
}

void add_run(CLI::App& app, Action& action) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* sub = verb(app, "run", "Solve a model and say how far to trust the answer",
                       "  trill run stiff_spring\n"
                       "  trill run stiff_spring --method verlet --h 1e-3 --to 10 --report run.html\n"
                       "  trill run two_springs --param omega2=2000 --method dopri5 --rtol 1e-6 --out run.h5\n"
                       "  trill run kepler --method composition8 --h 0.05 --to 1000 --out orbit.h5 --dt 0.5\n"
                       "  trill run kepler --method composition8 --h 0.05 --to 1000 --resume orbit.h5 --dt 0.5\n"
                       "  trill run two_springs --sweep omega2=50:800:5log --out results/ --report sweep.html\n"
                       "\nSweeps:\n"
                       "  --sweep omega2=100:500:5         5 values at equal distances: 100, 200, 300, 400, 500\n"
                       "  --sweep omega2=1:1000:4log       4 values at equal ratios: 1, 10, 100, 1000\n"
                       "  --sweep omega2=200,500,1000      these values\n"
                       "  --out results/                   results/omega2=200.h5, ... and the table results/sweep.csv\n"
                       "  --out run-{omega2}.csv           run-200.csv, ...\n"
                       "  --resume results/                in place of --out: only what is not finished there\n");
  add_plan(*sub, a->plan);
  sub->add_option("--method", a->plan.method, "method (trill list methods; default: the model's)");
  add_step(*sub, a->plan);
  add_output(*sub, a->plan);
  auto* out =
      file_name(*sub, "-o,--out", a->out, "solution file: .h5, .csv or .json; checkpoints beside it on the way");
  file_name(*sub, "--resume", a->resume, "go on with an interrupted run from its last checkpoint")->excludes(out);
  sub->add_option_function<std::string>(
         "--checkpoint-seconds",
         [a](const std::string& text) {
           a->checkpoint_seconds = read_number("--checkpoint-seconds", text);
           if (a->checkpoint_seconds < 0) throw UsageError("--checkpoint-seconds needs 0 or more");
         },
         "at least so long between checkpoints (default 1)")
      ->type_name("NUMBER");
  file_name(*sub, "--report", a->report, "write a page with plots (HTML, opens in any browser)");
  sub->add_option_function<std::string>(
         "--trust", [a](const std::string& text) { a->trust = read_when("--trust", text); },
         "repeat more accurately and compare (default auto: when under 10 s)")
      ->type_name("auto|always|never");
  sub->add_option("--want", a->plan.want, "instead of a method: slow, for the slow motion by the method that suits")
      ->type_name("slow");
  add_sweep(*sub, *a);
  sub->add_flag("-q,--quiet", a->quiet, "no progress and no summary");
  sub->add_flag("--json", a->json, "summary as JSON");
  sub->add_flag("--dry-run", a->dry_run, "check and show what would be done");
  sub->callback([a, &action] { action = [a] { return run(*a); }; });
}

void add_list(CLI::App& app, Action& action) {
  auto a = std::make_shared<ListArguments>();
  CLI::App* sub = verb(app, "list", "List methods, models, formulations or figures",
                       "  trill list methods\n  trill list models --json\n");
  sub->add_option("what", a->what, "methods | models | formulations | figures")->required();
  sub->add_flag("--json", a->json, "for machines");
  sub->callback([a, &action] { action = [a] { return list(*a); }; });
}

void add_describe(CLI::App& app, Action& action) {
  auto a = std::make_shared<DescribeArguments>();
  CLI::App* sub = verb(app, "describe", "Say what a method, model or figure is, with its options or parameters",
                       "  trill describe verlet\n  trill describe stiff_spring\n");
  sub->add_option("name", a->name, "method, model or figure")->required();
  sub->callback([a, &action] { action = [a] { return describe(*a); }; });
}

void add_figure(CLI::App& app, Action& action) {
  auto a = std::make_shared<FigureArguments>();
  CLI::App* sub =
      verb(app, "figure", "Recompute a published figure or table, ours beside theirs; exit 1 when out of tolerance",
           "  trill figure pjy97_fig1\n  trill figure pjy97_fig3 --report fig3.html --svg fig3\n"
           "  trill list figures\n");
  sub->add_option("name", a->name, "figure (trill list figures)")->required();
  sub->add_flag("--json", a->json, "for machines");
  sub->add_flag("--full", a->full, "the full grid, where the short one is the default");
  file_name(*sub, "--report", a->report, "write a page with the plots");
  file_name(*sub, "--svg", a->svg, "write the plots as NAME-1.svg, NAME-2.svg, ...");
  sub->callback([a, &action] { action = [a] { return figure(*a); }; });
}

void add_report(CLI::App& app, Action& action) {
  auto a = std::make_shared<ReportArguments>();
  CLI::App* sub = verb(app, "report", "Make a page, or SVG pictures, from solution files",
                       "  trill report run.h5 -o run.html\n  trill report run.h5 orbit.h5 -o both.html\n"
                       "  trill report run.h5 --svg\n");
  sub->add_option("solution", a->inputs, "solution files; several are shown together")->required();
  file_name(*sub, "-o,--out", a->out, "page to write (default: the solution's name with .html)");
  sub->add_flag("--svg", a->wants_svg, "write SVG pictures NAME-coordinates.svg, ... instead of a page");
  sub->callback([a, &action] { action = [a] { return report(*a); }; });
}

void add_compare(CLI::App& app, Action& action) {
  auto a = std::make_shared<CompareArguments>();
  auto methods = std::make_shared<std::string>();
  CLI::App* sub = verb(app, "compare", "Error against work of several methods on one model",
                       "  trill compare stiff_spring --methods verlet,dopri5,dop853 --to 5\n"
                       "  trill compare kepler --methods verlet,composition4,composition8 --report work.html\n"
                       "  trill compare rigid --methods generalized_alpha,radau --formulation index2,cs,cm,ggl\n");
  add_plan(*sub, a->plan);
  sub->add_option("--methods", *methods, "names, separated by commas")->required();
  sub->add_option("--points", a->points, "step sizes or tolerances per method (default 4)")->check(CLI::Range(1, 12));
  file_name(*sub, "--report", a->report, "write a page with the plots");
  file_name(*sub, "--svg", a->svg, "write the plots as NAME-1.svg, ...");
  sub->add_flag("--json", a->json, "for machines");
  sub->callback([a, methods, &action] {
    a->methods = split(*methods, ',');
    action = [a] { return compare(*a); };
  });
}

void add_order(CLI::App& app, Action& action) {
  auto a = std::make_shared<OrderArguments>();
  CLI::App* sub = verb(app, "order", "Observed order of a method on a model",
                       "  trill order verlet\n  trill order dop853 --on kepler\n  trill order rattle --on rigid\n");
  sub->add_option("method", a->method, "method")->required();
  assignments(*sub, "--set", a->options, "options of the method");
  sub->add_option("--on", a->model, "model (default: one that fits the method)");
  assignments(*sub, "--param", a->parameters, "parameters of the model");
  sub->add_flag("--json", a->json, "for machines");
  sub->callback([a, &action] { action = [a] { return order(*a); }; });
}

void add_stability(CLI::App& app, Action& action) {
  auto a = std::make_shared<StabilityArguments>();
  CLI::App* sub =
      verb(app, "stability", "Stability, damping and frequency distortion on the oscillator q'' = -omega^2 q",
           "  trill stability verlet\n  trill stability composition4 --set scheme=triple_jump4\n"
           "  trill stability implicit_midpoint --report midpoint.html\n"
           "\n"
           "One step multiplies (q, q'/omega) by a matrix M(h*omega) with two eigenvalues. The\n"
           "method is periodic where both lie on the unit circle (no damping, no growth),\n"
           "absolutely stable where neither lies outside, and P-stable when it is periodic for\n"
           "every h*omega. Two definitions differ where both eigenvalues meet at +1 or -1:\n"
           "  closed (JP95)   such points belong to the interval: verlet has [0, 2]\n"
           "  open (PJY97)    only with two eigenvectors, that is M = I or -I there; otherwise\n"
           "                  powers of M grow, if slowly: verlet has [0, 2)\n"
           "Intervals are listed with all later windows of stability. Of the eigenvalue\n"
           "exp(h*omega (-a + i b)) the damping a and the frequency b are tabulated; b - 1 and a\n"
           "begin with the dispersion and the damping term. Methods that state their coefficients\n"
           "are analysed exactly, others by steps.\n");
  sub->add_option("method", a->method, "method")->required();
  assignments(*sub, "--set", a->options, "options of the method");
  file_name(*sub, "--report", a->report, "write a page with the plots");
  file_name(*sub, "--svg", a->svg, "write the plots as NAME-1.svg, ...");
  sub->add_flag("--json", a->json, "for machines");
  sub->callback([a, &action] { action = [a] { return stability(*a); }; });
}

void add_inspect(CLI::App& app, Action& action) {
  auto a = std::make_shared<InspectArguments>();
  CLI::App* sub =
      verb(app, "inspect", "Fast and slow frequencies of a model at its start, and what each method would do",
           "  trill inspect stiff_spring\n  trill inspect two_springs --param omega2=2000\n");
  sub->add_option("model", a->model, "name of a model or a model file")->required();
  assignments(*sub, "--param", a->parameters, "parameters of the model");
  sub->add_flag("--json", a->json, "for machines");
  sub->callback([a, &action] { action = [a] { return inspect(*a); }; });
}

void add_check(CLI::App& app, Action& action) {
  auto a = std::make_shared<CheckArguments>();
  CLI::App* sub = verb(app, "check", "Say what a model is, or what is wrong with a model file",
                       "  trill check two_springs\n  trill check rigid --param theta0=0.4\n");
  sub->add_option("model", a->model, "a model file (.toml) or name of a model")->required();
  assignments(*sub, "--param", a->parameters, "parameters of the model");
  sub->callback([a, &action] { action = [a] { return check(*a); }; });
}

void add_export(CLI::App& app, Action& action) {
  auto a = std::make_shared<ExportArguments>();
  CLI::App* sub = verb(app, "export", "Write the equations of a model file as C or LaTeX",
                       "  trill export two_springs --to latex -o two_springs.tex\n"
                       "  trill export two_springs --to c\n");
  sub->add_option("model", a->model, "a model file (.toml)")->required();
  sub->add_option("--to", a->to, "c (the functions as they are compiled) or latex (formulas to read)")
      ->required()
      ->type_name("c|latex");
  assignments(*sub, "--param", a->parameters, "parameters of the model");
  file_name(*sub, "-o,--out", a->out, "file to write (default: print it)");
  sub->callback([a, &action] { action = [a] { return export_model(*a); }; });
}

void add_cite(CLI::App& app, Action& action) {
  auto a = std::make_shared<CiteArguments>();
  CLI::App* sub = verb(app, "cite", "References for a run, a method, a model or a figure",
                       "  trill cite run.h5\n  trill cite verlet\n");
  sub->add_option("what", a->input, "solution file, method, model or figure")->required();
  sub->callback([a, &action] { action = [a] { return cite(*a); }; });
}

// What CLI11 found wrong, in our words.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  if (!app.get_subcommands().empty()) at = app.get_subcommands().front();
  const std::string verb = at->get_name(),
                    help = at == &app ? "(trill --help shows how)" : fmt::format("(trill {} --help shows how)", verb);
  std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (at == &app) return "nothing to do; try 'trill run stiff_spring' (trill --help shows what else)";
    const std::string name = text.substr(0, text.find(' '));
    if (const CLI::Option* option = at->get_option_no_throw(name))
      return fmt::format("{} needs '{}', {} {}", verb, name, option->get_description(), help);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> rest = app.remaining(true);
    const auto option =
        std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
    if (option == rest.end()) return fmt::format("{} does not expect '{}' {}", verb, rest.back(), help);
    std::vector<std::string> known;
    for (const CLI::Option* o : at->get_options())
      for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
    const std::string near = option->size() > 2 ? suggest(*option, known) : "";
    return fmt::format("{} has no option '{}'{} {}", verb, *option, near, help);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("{} {}", text, help);
}

int guarded(const std::function<int()>& action) {
  try {
    const int code = action();
    flush_output();
    return code;
  } catch (const UsageError& e) {
    dynamic_cast<const ModelError*>(&e) ? complain_with_source(e.what()) : complain(e.what());
    return ExitCode::usage;
  } catch (const IoError& e) {
    complain(e.what());
    return ExitCode::files;
  } catch (const std::filesystem::filesystem_error& e) {
    complain(fmt::format("cannot use {}: {}", e.path1().string(), e.code().message()));
    return ExitCode::files;
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
    return ExitCode::numerical_failure;
  } catch (const std::exception& e) {
    complain(e.what());
    return ExitCode::numerical_failure;
  }
}

int parse_and_act(int argc, char** argv) {
  CLI::App app{"trill: highly oscillatory differential equations, with steps set by the slow motion", "trill"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "\nExamples:\n"
      "  trill run stiff_spring --report run.html      solve a shipped model, open run.html in a browser\n"
      "  trill list models                             what can be run\n"
      "  trill list methods                            how\n"
      "  trill run --help                              all about running\n"
      "\nExit codes: 0 ok, 1 numerical failure or out of tolerance, 2 wrong usage or model, 3 files,\n"
      "130 interrupted (after writing a checkpoint).\n");
  Action action;
  add_run(app, action);
  add_list(app, action);
  add_describe(app, action);
  add_check(app, action);
  add_inspect(app, action);
  add_compare(app, action);
  add_order(app, action);
  add_stability(app, action);
  add_figure(app, action);
  add_report(app, action);
  add_export(app, action);
  add_cite(app, action);
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> verbs;
    for (const CLI::App* sub : app.get_subcommands({})) verbs.push_back(sub->get_name());
    if (std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end())
      throw UsageError(fmt::format("unknown command '{}'{}", argv[1], suggest(argv[1], verbs)));
  }
  if (argc > 1 && argv[1][0] == '-' && !app.get_option_no_throw(argv[1]))
    throw UsageError(fmt::format("unknown option '{}'{} (trill --help shows how)", argv[1],
                                 suggest(argv[1], std::vector<std::string>{"--help", "--version"})));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw UsageError(explain(app, e));
  }
  return action();
}
}  // namespace
}  // namespace trill::cli

int main(int argc, char** argv) {
  trill::cli::install_signal_handlers();
  return trill::cli::guarded([&] { return trill::cli::parse_and_act(argc, argv); });
}
