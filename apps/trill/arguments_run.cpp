// SPDX-License-Identifier: BSD-3-Clause
// Verbs that solve a model.
#include "arguments.hpp"
#include "base/text.hpp"
#include "window.hpp"
#include "words.hpp"

namespace trill::cli {
namespace {
void add_plan(CLI::App& app, RunPlan& plan) {
  app.add_option("model", plan.model,
                 "name of a model ('trill list models' shows all), a model file (.toml), a netlist (.cir) or molecules "
                 "(.data of LAMMPS, .psf of CHARMM)")
      ->required();
  assignments(app, "--param", plan.parameters,
              "parameters of the model, such as epsilon=1e-3 ('trill describe MODEL' lists them)");
  assignments(app, "--set", plan.options,
              "options of the method, such as form=position ('trill describe METHOD' lists them); control=ode45 sets "
              "the step control, forces=openmm the program that computes the forces on molecules");
  // The program that computes the forces may be given like an option of the method, but it is a parameter of the model.
  app.parse_complete_callback([&plan] {
    if (auto forces = plan.options.extract("forces")) plan.parameters.insert(std::move(forces));
  });
  app.add_option("--formulation", plan.formulation,
                 "change the equations before the method solves them ('trill list formulations' shows all)");
  number(app, "--from", plan.from, "start time (default: that of the model)");
  number(app, "--to", plan.to, "end time (default: that of the model); an end before the start runs backwards");
  word(app, "--native", "auto|always|never",
       "compile a model file with the C compiler of the system (default auto: when that saves time)",
       [&plan](const std::string& option, const std::string& text) {
         const When when = read_when(option, text);
         plan.native = when == When::always ? Native::always : when == When::never ? Native::never : Native::automatic;
       });
}

void add_accuracy(CLI::App& app, RunPlan& plan) {
  number(
      app, "--accuracy", plan.accuracy,
      "largest error that you accept, relative to the range of what is computed (default 1e-3); the run is checked and "
      "repeated with smaller steps until it holds");
  word(app, "--of", "NAMES", "what --accuracy applies to: measures and components, such as energy,x (default: all)",
       [&plan](const std::string& option, const std::string& text) { plan.of = read_names(option, text); });
}

void add_step(CLI::App& app, RunPlan& plan) {
  number(app, "--h", plan.h, "fixed step size; use this or --rtol (default: what the model suggests)");
  number(app, "--rtol", plan.rtol,
         "relative tolerance; step sizes are chosen so that the error of each step stays below it");
  number(app, "--atol", plan.atol,
         "absolute tolerance (default: rtol/1000, times the size of the motion where that is far below 1)");
  number(app, "--h-max", plan.h_max, "max step size, for runs with --rtol");
}

void add_output(CLI::App& app, RunPlan& plan) {
  auto* every =
      count(app, "--every", 1, "record every N-th step only (default: every step)", [&plan](std::int64_t stride) {
        plan.output = EveryStep{static_cast<int>(std::min<std::int64_t>(stride, std::numeric_limits<int>::max()))};
      });
  auto* grid = word(app, "--dt", "NUMBER", "record at equal intervals of time instead of at steps",
                    [&plan](const std::string& option, const std::string& text) {
                      plan.output = Grid{read_number(option, text)};
                    })
                   ->excludes(every);
  word(app, "--at", "TIMES", "record at these times only, such as 1,2.5,10; without --to the run ends at the last one",
       [&plan](const std::string& option, const std::string& text) { plan.output = Times{read_times(option, text)}; })
      ->excludes(every)
      ->excludes(grid);
  count(app, "--seed", 0, "seed of the random numbers, for models with a heat bath (default 1)",
        [&plan](std::int64_t seed) { plan.seed = static_cast<std::uint64_t>(seed); });
  count(app, "--max-steps", 1, "max number of steps; the run fails when it needs more",
        [&plan](std::int64_t steps) { plan.max_steps = steps; });
  count(app, "--checkpoint-every", 1, "methods that cannot save their memory start afresh after N steps (default 1000)",
        [&plan](std::int64_t steps) { plan.checkpoint_every = steps; });
}

void add_check_time(CLI::App& app, CheckTime& check) {
  const auto take = [&check](const std::string& option, const std::string& text) { check = read_check(option, text); };
  word(app, "--check", "off|auto|full|SECONDS",
       "check the run by another method, and say how far it can be trusted (default auto: in 2 s or the time of the "
       "run; "
       "full: however long it takes)",
       take);
  word(app, "--trust", "auto|always|never", "the older name of --check; always is full, never is off", take);
}

void add_sweep(CLI::App& app, RunArguments& a) {
  app.add_option("--sweep", a.sweeps,
                 "one run for each value of a parameter, see below; give it several times for all combinations")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  count(app, "-j,--jobs", 1, "number of runs of a sweep at the same time (default: one per core)",
        [&a](std::int64_t jobs) { a.jobs = static_cast<int>(std::min<std::int64_t>(jobs, 10'000)); });
  app.add_option("--show", a.show, "component or quantity to plot for a sweep (default: the first coordinate)")
      ->type_name("NAME");
  file_name(app, "--svg", a.svg, "write the plot of a sweep as an SVG picture NAME-1.svg");
}
}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto [sub, a] = verb(
      app, action, run, "run", "Solve a model, and say how far the result can be trusted",
      "  trill run stiff_spring                             how does it move? with end values and a check\n"
      "  trill run stiff_spring --accuracy 1e-6 --of r      how long is the spring, to six digits?\n"
      "  trill run two_springs --want slow                  how does it move apart from the oscillation?\n"
      "  trill run satellite --want envelope --revolutions 1000   how does the orbit change?\n"
      "  trill run rectifier --want envelope --window 0.1:0.12   what happens in these cycles?\n"
      "  trill run rectifier --want steady                  to which periodic motion does it settle?\n"
      "  trill run kepler --at 1,2.5,10 --out - --quiet     where is it at these times? as CSV\n"
      "  trill run kepler --dry-run                         what would be done?\n"
      "  trill run stiff_spring --method verlet --h 1e-3 --to 10 --report run.html\n"
      "  trill run two_springs --param omega2=2000 --method dopri5 --rtol 1e-6 --out run.h5\n"
      "  trill run kepler --method composition8 --h 0.05 --to 1000 --out orbit.h5 --dt 0.5\n"
      "  trill run kepler --method composition8 --h 0.05 --to 1000 --resume orbit.h5 --dt 0.5\n"
      "  trill run two_springs --sweep omega2=50:800:5log --out results/ --report sweep.html\n"
      "\nWithout --method, --h and --rtol trill chooses them, checks the result, and repeats the run until the\n"
      "error is below --accuracy, relative to the range of each quantity. The last lines say how far to trust it.\n"
      "\nSweeps:\n"
      "  --sweep omega2=100:500:5         5 values at equal distances: 100, 200, 300, 400, 500\n"
      "  --sweep omega2=1:1000:4log       4 values at equal ratios: 1, 10, 100, 1000\n"
      "  --sweep omega2=200,500,1000      exactly these values\n"
      "  --out results/                   writes results/omega2=200.h5, ... and the table results/sweep.csv\n"
      "  --out run-{omega2}.csv           writes run-200.csv, run-500.csv, ...\n"
      "  --resume results/                instead of --out: runs only what is not finished there\n");
  add_plan(sub, a.plan);
  sub.add_option("--method", a.plan.method,
                 "method ('trill list methods' shows all; default: that of the model, or one that suits it)");
  add_accuracy(sub, a.plan);
  add_step(sub, a.plan);
  add_output(sub, a.plan);
  auto* out = file_name(sub, "-o,--out", a.out,
                        "write the solution to this file (.h5, .csv or .json; orbits also .oem, molecules .xyz, .dcd, "
                        ".h5md), with checkpoints during "
                        "the run; - writes CSV to standard output, and the summary to standard error");
  assignments(sub, "--oem", a.plan.oem,
              "header of a file .oem: epoch=2026-01-31T12:00:00, object, object_id, centre, frame, "
              "time_system, originator");
  file_name(sub, "--resume", a.resume, "continue an interrupted run of this file from its last checkpoint")
      ->excludes(out);
  word(sub, "--checkpoint-seconds", "NUMBER", "time in seconds between two checkpoints (default 1)",
       [&seconds = a.checkpoint_seconds](const std::string& option, const std::string& text) {
         seconds = read_number(option, text);
         if (seconds < 0) throw UsageError(option + " needs a number of seconds that is 0 or more");
       });
  file_name(sub, "--report", a.report, "write a page with plots (HTML, opens in any browser)");
  sub.add_flag("--spectrum", a.spectrum,
               "with --report: show amplitudes over frequency, for what --of names or for measures and coordinates "
               "(default: only if something oscillates fast)");
  add_check_time(sub, a.check);
  word(sub, "--want", "full|slow|amplitude|statistics|envelope|steady",
       "what is to be computed, instead of --method: the full motion, the slow motion, amplitudes of the fast motion, "
       "averages, the envelope of an oscillation, or one period of the motion that the model settles to",
       [&plan = a.plan](const std::string&, const std::string& text) { plan.want = read_want(text); });
  word(sub, "--revolutions", "N",
       "with --want envelope: end after this number of cycles or revolutions, instead of --to",
       [&plan = a.plan](const std::string& option, const std::string& text) {
         plan.options["revolutions"] = std::to_string(read_count_from(2, option, text));
       });
  word(
      sub, "--window", "FROM:TO",
      "with --want envelope: follow the envelope to the time FROM, then compute every cycle in full until TO",
      [&window = a.window](const std::string& option, const std::string& text) { window = read_window(option, text); });
  add_sweep(sub, a);
  sub.add_flag("-q,--quiet", a.quiet, "show no progress and no summary");
  sub.add_flag("--json", a.json, "print the summary as JSON, for programs");
  sub.add_flag("--strict", a.strict, "exit with code 4 if the verdict on the run is red");
  sub.add_flag("--dry-run", a.dry_run, "check everything and show what would be done, without running");
}

void add_verify(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, verify, "verify", "Check a stored solution, and say how far it can be trusted",
                       "  trill verify run.h5\n  trill verify run.h5 --check full --strict\n");
  sub.add_option("solution", a.input, "a solution file (.h5, .csv or .json)")->required();
  add_check_time(sub, a.check);
  sub.add_flag("--strict", a.strict, "exit code 4 if the verdict is red");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}

void add_compare(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, compare, "compare", "Compare methods on one model: error against work",
                       "  trill compare stiff_spring --methods verlet,dopri5,dop853 --to 5\n"
                       "  trill compare kepler --methods verlet,composition4,composition8 --report work.html\n"
                       "  trill compare rigid --methods generalized_alpha,radau --formulation index2,cs,cm,ggl\n");
  add_plan(sub, a.plan);
  sub.add_option_function<std::string>(
         "--methods", [&methods = a.methods](const std::string& names) { methods = split(names, ','); },
         "names of methods, separated by commas")
      ->required();
  sub.add_option("--points", a.points, "number of step sizes or tolerances to try for each method (default 4)")
      ->check(CLI::Range(1, 12));
  file_name(sub, "--report", a.report, "write a page with the plots (HTML, opens in any browser)");
  file_name(sub, "--svg", a.svg, "write the plots as SVG pictures NAME-1.svg, NAME-2.svg, ...");
  sub.add_flag("--json", a.json, "print the result as JSON, for programs");
}
}  // namespace trill::cli
