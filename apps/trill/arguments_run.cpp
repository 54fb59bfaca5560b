// SPDX-License-Identifier: BSD-3-Clause
// Verbs that solve a model.
#include "arguments.hpp"
#include "base/text.hpp"
#include "words.hpp"

namespace trill::cli {
namespace {
void add_plan(CLI::App& app, RunPlan& plan) {
  app.add_option("model", plan.model, "name of a model (trill list models) or a model file (.toml)")->required();
  assignments(app, "--param", plan.parameters, "parameters of the model, e.g. epsilon=1e-3");
  assignments(app, "--set", plan.options,
              "options of the method, e.g. form=position; control=ode45 for the step control");
  app.add_option("--formulation", plan.formulation, "change the unknowns first (trill list formulations)");
  number(app, "--from", plan.from, "start time (default: the model's)");
  number(app, "--to", plan.to, "end time; smaller than the start: backwards");
  word(app, "--native", "auto|always|never",
       "compile a model file with the system's C compiler (default auto: when it pays; same numbers)",
       [&plan](const std::string& option, const std::string& text) {
         const When when = read_when(option, text);
         plan.native = when == When::always ? Native::always : when == When::never ? Native::never : Native::automatic;
       });
}

void add_step(CLI::App& app, RunPlan& plan) {
  number(app, "--h", plan.h, "fixed step size");
  number(app, "--rtol", plan.rtol, "relative tolerance: steps are chosen by the error");
  number(app, "--atol", plan.atol, "absolute tolerance (default: rtol/1000)");
  number(app, "--h-max", plan.h_max, "largest step");
}

void add_output(CLI::App& app, RunPlan& plan) {
  auto* every = count(app, "--every", 1, "record every N-th step (default: every step)", [&plan](std::int64_t stride) {
    plan.output = EveryStep{static_cast<int>(std::min<std::int64_t>(stride, std::numeric_limits<int>::max()))};
  });
  word(app, "--dt", "NUMBER", "record at equal intervals of time",
       [&plan](const std::string& option, const std::string& text) { plan.output = Grid{read_number(option, text)}; })
      ->excludes(every);
  count(app, "--seed", 0, "seed of random numbers (default 1)",
        [&plan](std::int64_t seed) { plan.seed = static_cast<std::uint64_t>(seed); });
  count(app, "--max-steps", 1, "stop after so many steps", [&plan](std::int64_t steps) { plan.max_steps = steps; });
  count(app, "--checkpoint-every", 1, "checkpoints at multiples of so many steps (default 1000)",
        [&plan](std::int64_t steps) { plan.checkpoint_every = steps; });
}

void add_sweep(CLI::App& app, RunArguments& a) {
  app.add_option("--sweep", a.sweeps,
                 "one run for every value of a parameter, see below; given again: all combinations")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  count(app, "-j,--jobs", 1, "runs of a sweep at the same time (default: one per core)",
        [&a](std::int64_t jobs) { a.jobs = static_cast<int>(std::min<std::int64_t>(jobs, 10'000)); });
  app.add_option("--show", a.show, "component or quantity in the picture of a sweep (default: the first coordinate)")
      ->type_name("NAME");
  file_name(app, "--svg", a.svg, "write the picture of a sweep as NAME-1.svg");
}
}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, run, "run", "Solve a model and say how far to trust the answer",
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
  add_plan(sub, a.plan);
  sub.add_option("--method", a.plan.method, "method (trill list methods; default: the model's)");
  add_step(sub, a.plan);
  add_output(sub, a.plan);
  auto* out = file_name(sub, "-o,--out", a.out, "solution file: .h5, .csv or .json; checkpoints beside it on the way");
  file_name(sub, "--resume", a.resume, "go on with an interrupted run from its last checkpoint")->excludes(out);
  word(sub, "--checkpoint-seconds", "NUMBER", "at least so long between checkpoints (default 1)",
       [&seconds = a.checkpoint_seconds](const std::string& option, const std::string& text) {
         seconds = read_number(option, text);
         if (seconds < 0) throw UsageError(option + " needs 0 or more");
       });
  file_name(sub, "--report", a.report, "write a page with plots (HTML, opens in any browser)");
  word(sub, "--trust", "auto|always|never", "repeat more accurately and compare (default auto: when under 10 s)",
       [&trust = a.trust](const std::string& option, const std::string& text) { trust = read_when(option, text); });
  word(sub, "--want", "slow", "instead of a method: slow, for the slow motion by the method that suits",
       [&plan = a.plan](const std::string&, const std::string& text) { plan.want = read_want(text); });
  add_sweep(sub, a);
  sub.add_flag("-q,--quiet", a.quiet, "no progress and no summary");
  sub.add_flag("--json", a.json, "summary as JSON");
  sub.add_flag("--dry-run", a.dry_run, "check and show what would be done");
}

void add_compare(CLI::App& app, Action& action) {
  auto [sub, a] = verb(app, action, compare, "compare", "Error against work of several methods on one model",
                       "  trill compare stiff_spring --methods verlet,dopri5,dop853 --to 5\n"
                       "  trill compare kepler --methods verlet,composition4,composition8 --report work.html\n"
                       "  trill compare rigid --methods generalized_alpha,radau --formulation index2,cs,cm,ggl\n");
  add_plan(sub, a.plan);
  sub.add_option_function<std::string>(
         "--methods", [&methods = a.methods](const std::string& names) { methods = split(names, ','); },
         "names, separated by commas")
      ->required();
  sub.add_option("--points", a.points, "step sizes or tolerances per method (default 4)")->check(CLI::Range(1, 12));
  file_name(sub, "--report", a.report, "write a page with the plots");
  file_name(sub, "--svg", a.svg, "write the plots as NAME-1.svg, ...");
  sub.add_flag("--json", a.json, "for machines");
}
}  // namespace trill::cli
