// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_random.hpp"

#include "driver/build.hpp"
#include "driver/check_scales.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index blocks = 20;
constexpr const char* kinetic_temperature = "kinetic_temperature";  // the measure that the bath prescribes
constexpr double start_left_out = 0.1;  // share of the run in which it comes to its equilibrium
constexpr double significant = 3;       // standard errors
constexpr double longer = 3;            // the run with the smaller step, so that its averages are known better
// The bias of averages is of second order in the step: what h and h/1.618 differ by is this share of that of h.
constexpr double seen_of_bias = 1 - 1 / (golden_ratio * golden_ratio);

// Values of the measures at the steps of a run.
class MeasureRecorder final : public Recorder {
 public:
  explicit MeasureRecorder(Index measures) : measures_(measures) {}
  void begin(const RunInfo&) override {}
  void row(double t, In, In measured) override { look(t, measured.data()); }
  void finish(const RunOutcome&) override {}
  void look(double t, const double* measured) {
    times_.push_back(t);
    values_.insert(values_.end(), measured, measured + measures_);
  }
  Index rows() const { return static_cast<Index>(times_.size()); }
  double time() const { return rows() > 1 ? std::abs(times_.back() - times_.front()) : 0; }
  double value(Index row, Index measure) const { return values_[static_cast<std::size_t>(row * measures_ + measure)]; }

 private:
  Index measures_;
  std::vector<double> times_, values_;
};

struct Average {
  double mean = 0, spread = 0, error = 0;  // standard deviation; standard error of the mean, from means of blocks
  double correlation = 0;                  // autocorrelation time
};

Average average_of(const MeasureRecorder& rows, Index measure) {
  const auto first = static_cast<Index>(start_left_out * static_cast<double>(rows.rows()));
  const Index each = (rows.rows() - first) / blocks;
  double sum = 0, squares = 0, block_squares = 0;
  for (Index b = 0; b < blocks; ++b) {
    double block = 0;
    for (Index k = 0; k < each; ++k) {
      const double x = rows.value(first + b * each + k, measure);
      block += x;
      squares += x * x;
    }
    sum += block;
    block_squares += (block / static_cast<double>(each)) * (block / static_cast<double>(each));
  }
  Average a;
  const auto count = static_cast<double>(blocks * each);
  a.mean = sum / count;
  a.spread = std::sqrt(std::max(0.0, squares / count - a.mean * a.mean));
  a.error = std::sqrt(std::max(0.0, block_squares / blocks - a.mean * a.mean) / (blocks - 1));
  if (a.spread > 0)
    a.correlation = 0.5 * (1 - start_left_out) * rows.time() * (a.error / a.spread) * (a.error / a.spread);
  return a;
}

std::string text_of(const Average& a) { return fmt::format("{:.4g} +- {:.2g}", a.mean, a.error); }

void take_worse(Trust& trust, double error, const std::string& of, std::string sentence, std::string& worst) {
  if (!(error > trust.error)) return;
  trust.error = error;
  trust.of = of;
  worst = std::move(sentence);
}

bool has_rigid_bonds(const PreparedRun& run) {
  const MechanicalProblem* mechanics = mechanics_of(*run.problem);
  const auto correction = run.way.formulation_options.find("correction");
  const bool made_rigid = run.way.formulation && run.way.formulation->name == "rigid_limit" &&
                          (correction == run.way.formulation_options.end() || correction->second != "fixman");
  return made_rigid || (mechanics && mechanics->constraints());
}
}  // namespace

Trust check_random(const PreparedRun& run, const RowSource& rows, const CheckClock& clock) {
  const Index n = run.start.y.size(), measures = judged_values(*run.problem) - n;
  const std::vector<JudgedValue> values = judged_values_of(run, false);
  Trust trust;
  MeasureRecorder given(measures), finer(measures);
  rows.visit([&](double t, const double*, const double* measured) { given.look(t, measured); });
  RunPlan plan = run.plan;
  if (!plan.h || measures == 0 || given.rows() < 5 * blocks) {
    trust.headline =
        measures == 0 ? "Not checked, because paths of random motion cannot be compared, and the model has no measures "
                        "whose averages could be."
                      : "Not checked, because there are too few rows for averages; record more often or run longer.";
    return trust;
  }
  *plan.h /= golden_ratio;
  plan.to = *plan.from + longer * (*plan.to - *plan.from);
  plan.output = EveryStep{};
  PreparedRun again = build_again(run, plan);
  again.options.recorder = &finer;
  const RunOutcome outcome = run_in_time(again, clock, clock.left(), Patience::to_the_last).outcome;
  if (finer.rows() < 5 * blocks || (!outcome.ok() && outcome.status != RunStatus::stopped)) {
    trust.headline = "Not known, because the run with h/1.618 gave too few values for averages.";
    return trust;
  }
  trust.how = "averages were compared with those of a run with h/1.618, with errors from the means of twenty blocks";
  const double accuracy = accuracy_of(run.plan), temperature = run.problem->as<LangevinProblem>("the check").kT();
  trust.error = 0;
  std::string worst, list;
  for (Index k = 0; k < measures; ++k) {
    const JudgedValue& value = values[static_cast<std::size_t>(n + k)];
    const Average a = average_of(given, k), b = average_of(finer, k);
    const double scale = std::max(std::abs(a.mean), a.spread), apart = std::abs(a.mean - b.mean);
    trust.rows.push_back({"average of " + value.name, value.unit, apart, scale});
    if (!value.counts || !(scale > 0)) continue;
    if (list.size() < 200)
      list += fmt::format("{}{} {} (correlation time {:.2g})", list.empty() ? "" : ", ", value.name, text_of(a),
                          a.correlation);
    const bool biased = apart > significant * std::hypot(a.error, b.error);
    take_worse(trust, biased ? apart / seen_of_bias / scale : 0, value.name,
               fmt::format("the average of {} is {}, but {} with h/1.618", value.name, text_of(a), text_of(b)), worst);
    // A formulation that closes gaps leaves fewer directions in which things move than this measure counts.
    if (value.name != kinetic_temperature || run.way.formulation) continue;
    const double off = std::abs(a.mean - temperature);
    take_worse(trust, off > significant * a.error ? off / temperature : 0, value.name,
               fmt::format("{} is {}, but the heat bath has {:.4g}", value.name, text_of(a), temperature), worst);
  }
  trust.verdict = verdict_of(trust.error, accuracy);
  trust.headline = trust.verdict == Verdict::green
                       ? fmt::format("Averages: {}. With h/1.618 they are the same within their random errors.", list)
                       : fmt::format("The step biases averages by about {:.2g} of their size: {}.", trust.error, worst);
  if (has_rigid_bonds(run))
    trust.headline +=
        " Bonds are rigid, and no Fixman force is added: averages of angles differ from those of stiff bonds.";
  return trust;
}
}  // namespace trill
