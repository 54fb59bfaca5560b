// SPDX-License-Identifier: BSD-3-Clause
// The start-up of circuits, computed as envelopes and as transients, compared with ngspice on the same netlist by the
// processor time of one run. Of several tolerances of ngspice, the tightest counts whose error is still no smaller
// than ours.
#include "multiscale/circuit_cycle.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {
using namespace trill;
namespace fs = std::filesystem;

double processor_seconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

struct Case {
  std::string file;
  std::vector<std::string> signals;
  double most_cycles, least_gain;  // limits for the envelope, or 0 for no limit
};

std::string path_of(const Case& c) { return std::string(TRILL_SOURCE_DIR) + "/examples/circuits/" + c.file; }

// Values of the signals at the start of every cycle.
using Cycles = std::vector<std::vector<double>>;

struct Reference {
  double period = 0;
  Cycles cycles;
  std::vector<double> largest;
};

Reference reference_of(const Case& c, double to) {
  const TextModel model = make_model(path_of(c));
  const auto& circuit = dynamic_cast<const CircuitProblem&>(*model.problem);
  const State start = circuit.initial_state();
  Reference r;
  r.period = common_period(circuit).value();
  const CircuitCycle map(circuit, start, r.period, {.rtol = 1e-7});
  std::vector<Index> rows;
  for (const std::string& signal : c.signals)
    for (std::size_t i = 0; i < circuit.components().size(); ++i)
      if (circuit.components()[i].name == signal) rows.push_back(static_cast<Index>(i));
  r.largest.assign(rows.size(), 0);
  Vec z = map.reduce(start.y), x = start.y, change(z.size());
  for (int n = 0; n <= std::lround(to / r.period); ++n) {
    if (!map.expand(n, z, x)) throw std::runtime_error(c.file + ": " + map.failure());
    r.cycles.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      r.cycles.back().push_back(x[rows[i]]);
      r.largest[i] = std::max(r.largest[i], std::abs(x[rows[i]]));
    }
    if (!map.change(n, z, change)) throw std::runtime_error(c.file + ": " + map.failure());
    z += change;
  }
  return r;
}

struct Measured {
  double seconds = 0, error = 0, cycles = 0;
};

// Updates the largest deviation if t is the start of a cycle.
void compare(const Reference& r, double t, const std::vector<double>& values, double& error) {
  const double n = std::round(t / r.period);
  if (std::abs(t / r.period - n) > 1e-6 || n >= static_cast<double>(r.cycles.size())) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    error = std::max(error, std::abs(values[i] - r.cycles[static_cast<std::size_t>(n)][i]) / r.largest[i]);
}

Measured ours(const Case& c, const Reference& r, Want want) {
  RunPlan plan;
  plan.model = path_of(c);
  plan.want = want;
  if (want == Want::full) {
    plan.output = Grid{r.period};
    plan.rtol = 1e-3;
  }
  const double begin = processor_seconds(RUSAGE_SELF);
  PreparedRun run = prepare(plan);
  const Solution s = run.run();
  if (s.outcome.status != RunStatus::reached_end) throw std::runtime_error(s.outcome.message);
  Measured m{processor_seconds(RUSAGE_SELF) - begin, 0, static_cast<double>(s.outcome.counters.micro_steps)};
  double before = -1;
  for (Index k = 0; k < s.rows(); ++k) {
    const double t = s.t[static_cast<std::size_t>(k)];
    std::vector<double> values;
    for (const std::string& signal : c.signals) values.push_back(s.y()(s.component(signal), k));
    if (t > before) compare(r, t, values, m.error);  // at a switch there are two rows, of which the first counts
    before = t;
  }
  return m;
}

double run_ngspice(const Case& c, const std::string& reltol, const std::string& then, const fs::path& folder) {
  std::ifstream in(path_of(c));
  std::ofstream deck(folder / "deck.cir");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(".measure")) continue;
    if (line == ".end")
      deck << ".options reltol=" << reltol << "\n.control\nset wr_singlescale\nset numdgt=12\nrun\n"
           << then << "quit\n.endc\n";
    deck << line << "\n";
  }
  deck.close();
  const double begin = processor_seconds(RUSAGE_CHILDREN);
  const std::string command =
      fmt::format("ngspice -b {} >{} 2>&1", (folder / "deck.cir").string(), (folder / "log").string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error("ngspice failed on " + c.file);
  return processor_seconds(RUSAGE_CHILDREN) - begin;
}

// The time is that of a run that writes nothing. A second run writes the signals at its own steps. Every cycle begins
// at a corner of the sources, and there ngspice makes a step.
Measured ngspice(const Case& c, const Reference& r, const std::string& reltol, const fs::path& folder) {
  std::string write = "wrdata " + (folder / "out").string();
  for (const std::string& signal : c.signals) write += " " + signal;
  Measured m{run_ngspice(c, reltol, "", folder), 0, 0};
  run_ngspice(c, reltol, write + "\n", folder);
  std::ifstream rows(folder / "out");
  double t = 0, last = -1;
  std::vector<double> values(c.signals.size());
  while (rows >> t) {
    for (double& value : values) rows >> value;
    compare(r, t, values, m.error);
    last = t;
  }
  if (!(last > 0)) throw std::runtime_error("ngspice wrote nothing for " + c.file);
  return m;
}

void ratio(const std::string& name, double value, double limit) {
  fmt::print("RATIO {} {:.4g} {}\n", name, value, limit > 0 ? fmt::format("{:.4g}", limit) : "-");
}

void bench(const Case& c, const fs::path& folder) {
  const TextModel model = make_model(path_of(c));
  const Reference r = reference_of(c, model.info.run.to);
  const std::string name = c.file.substr(0, c.file.find('.'));
  const Measured envelope = ours(c, r, Want::envelope), transient = ours(c, r, Want::full);
  fmt::print("{}: envelope {:.4f} s, error {:.2g}, {:.0f} of {} cycles\n", name, envelope.seconds, envelope.error,
             envelope.cycles, r.cycles.size() - 1);
  fmt::print("{}: transient {:.4f} s, error {:.2g}\n", name, transient.seconds, transient.error);
  std::optional<double> for_envelope, for_transient;
  for (const char* reltol : {"1e-1", "1e-2", "1e-3", "1e-4", "1e-6"}) {
    const Measured spice = ngspice(c, r, reltol, folder);
    fmt::print("{}: ngspice reltol {} {:.4f} s, error {:.2g}\n", name, reltol, spice.seconds, spice.error);
    // ngspice counts with the slowest run whose error is no smaller than ours.
    if (spice.error >= envelope.error || !for_envelope) for_envelope = spice.seconds;
    if (spice.error >= transient.error || !for_transient) for_transient = spice.seconds;
  }
  ratio(name + "_envelope_over_ngspice", envelope.seconds / *for_envelope, c.least_gain > 0 ? 1 / c.least_gain : 0);
  ratio(name + "_transient_over_ngspice", transient.seconds / *for_transient, 1);
  if (c.most_cycles > 0) ratio(name + "_cycles", envelope.cycles, c.most_cycles);
  ratio(name + "_envelope_error", envelope.error, c.most_cycles > 0 ? 1e-3 : 0);
}
}  // namespace

int main() {
  if (std::system("ngspice --version >/dev/null 2>&1") != 0) {
    fmt::print("ngspice is not installed\n");
    return 0;
  }
  std::string name = (fs::temp_directory_path() / "trill-bench-XXXXXX").string();
  if (!::mkdtemp(name.data())) return 1;
  for (const Case& c : {Case{"buck.cir", {"v(o2)", "i(l1)"}, 300, 20}, Case{"boost.cir", {"v(o2)", "i(l1)"}, 300, 10},
                        Case{"rectifier.cir", {"v(b)", "v(c)"}, 100, 6}, Case{"ladder.cir", {"v(n20)"}, 0, 0}})
    try {
      bench(c, name);
    } catch (const std::exception& e) {
      fmt::print("{}: {}\n", c.file, e.what());
    }
  fs::remove_all(name);
}
