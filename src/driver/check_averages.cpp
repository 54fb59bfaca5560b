// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_averages.hpp"

#include "driver/averages.hpp"
#include "driver/build.hpp"
#include "driver/check_scales.hpp"
#include "driver/configurational_temperature.hpp"
#include "problem/quantity_kind.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// Standard errors; errors of means of blocks are sometimes too small, and more so in runs that are short.
constexpr double significant = 4, significant_if_short = 8;
// The run with the smaller step is longer, so that its averages are known better: to this share of an accuracy that was
// asked for, if it need not be too long for that.
constexpr double longer = 3, most_longer = 12, wanted_share = 0.25;
constexpr double errors_beside = 2;  // standard errors of the finer averages, beside which a bias is looked for
constexpr double surely_wrong = 3;   // times the accuracy: an average that may be farther off is not called green
// The bias of averages is of second order in the step: what h and h/1.618 differ by is this share of that of h.
constexpr double seen_of_bias = 1 - 1 / (golden_ratio * golden_ratio);
constexpr Index most_temperatures = 2000;  // rows at which the configurational temperature is looked at
constexpr Index few_temperatures = 10;     // by which its cost is measured
constexpr double share_for_temperature = 0.25;
constexpr std::size_t most_listed = 3;
// Kinetic temperature over that of the bath. Steps of use have up to 2 with some methods, where positions are right.
constexpr double most_heat = 4;

// Values of the measures at the steps of a run.
class MeasureRows final : public Recorder, public RowSource {
 public:
  explicit MeasureRows(Index measures) : measures_(measures) {}
  void begin(const RunInfo&) override {}
  void row(double t, In, In measured) override {
    times_.push_back(t);
    values_.insert(values_.end(), measured.data(), measured.data() + measures_);
  }
  void finish(const RunOutcome&) override {}
  Index rows() const override { return static_cast<Index>(times_.size()); }
  void visit(const Visitor& visitor) const override {
    for (std::size_t k = 0; k < times_.size(); ++k)
      visitor(times_[k], nullptr, values_.data() + k * static_cast<std::size_t>(measures_));
  }

 private:
  Index measures_;
  std::vector<double> times_, values_;
};

// Temperatures of velocities depend on the step even where positions are sampled exactly.
bool is_of_velocities(const std::string& name) {
  return name == "temperature" || name == "kinetic_temperature" || name == "rigid_temperature";
}

std::string text_of(double mean, double error) { return fmt::format("{:.5g} +- {:.2g}", mean, error); }
std::string text_of(const Average& a) { return text_of(a.mean, a.error); }

bool has_rigid_bonds(const PreparedRun& run) {
  const MechanicalProblem* mechanics = mechanics_of(*run.problem);
  const auto correction = run.way.formulation_options.find("correction");
  const bool made_rigid = run.way.formulation && run.way.formulation->name == "rigid_limit" &&
                          (correction == run.way.formulation_options.end() || correction->second == "none");
  return made_rigid || (mechanics && mechanics->constraints());
}

class AveragesCheck {
 public:
  AveragesCheck(const PreparedRun& run, const RowSource& rows, const CheckClock& clock)
      : run_(run),
        rows_(rows),
        clock_(clock),
        quantities_(measures_of(*run.problem)),
        values_(judged_values_of(run, false)),
        bath_(dynamic_cast<const LangevinProblem*>(run.problem.get())),
        given_(quantities_, rows) {}

  Trust answer() {
    if (std::string why = hindrance(); !why.empty()) {
      trust_.headline = "Not checked, because " + why;
      return trust_;
    }
    trust_.error = 0;
    if (bath_) judge_temperature();
    if (bath_) judge_heat();
    MeasureRows finer(static_cast<Index>(quantities_.size()));
    const RunOutcome outcome = run_finer(finer);
    if (finer.rows() < least_rows_for_averages || (!outcome.ok() && outcome.status != RunStatus::stopped)) {
      trust_.headline = "Not known, because the run with h/1.618 gave too few values for averages." + findings_;
      return trust_;
    }
    trust_.how = "averages were compared with those of a run with h/1.618, with errors from means of blocks";
    judge_averages(MeasuredColumns(quantities_, finer));
    if (!bath_) judge_energy();
    conclude();
    return trust_;
  }

 private:
  std::string hindrance() const {
    if (quantities_.empty())
      return "paths of random motion cannot be compared, and the model has no measures whose averages could be "
             "compared.";
    if (!run_.plan.h) return "averages are compared for fixed steps only; give a step size by --h.";
    if (given_.rows() < least_rows_for_averages)
      return "there are too few rows for averages; record more often or run longer.";
    return "";
  }

  RunOutcome run_finer(MeasureRows& finer) const {
    RunPlan plan = run_.plan;
    *plan.h /= golden_ratio;
    plan.to = *plan.from + length_of_finer() * (*plan.to - *plan.from);
    plan.output = EveryStep{};
    PreparedRun again = build_again(run_, plan);
    again.options.recorder = &finer;
    return run_in_time(again, clock_, clock_.left(), Patience::to_the_last).outcome;
  }

  // Random errors fall with the square root of the length.
  double length_of_finer() const {
    double length = longer;
    if (const std::optional<double> asked = run_.plan.accuracy)
      for (std::size_t k = 0; k < quantities_.size(); ++k) {
        const Average a = given_.average(k);
        if (decides(k) && a.error > 0)
          length = std::max(length, std::pow(a.error / (wanted_share * *asked * size_of(a)), 2));
      }
    return std::min(length, most_longer);
  }

  static double size_of(const Average& a) { return std::max(std::abs(a.mean), a.deviation); }

  const JudgedValue& judged(std::size_t k) const { return values_[static_cast<std::size_t>(run_.start.y.size()) + k]; }
  bool decides(std::size_t k) const {
    const std::string& name = quantities_[k].name;
    const bool named = std::find(run_.plan.of.begin(), run_.plan.of.end(), name) != run_.plan.of.end();
    return judged(k).counts && (named || !is_of_velocities(name)) &&
           (bath_ || named || quantities_[k].kind != QuantityKind::energy);
  }

  // Where random errors are hardly known only a large difference is certain; a smaller one is remembered.
  bool differs(const std::string& name, double apart, double error, bool settled) {
    if (apart > (settled ? significant : significant_if_short) * error) return true;
    if (apart > significant * error && doubtful_.empty()) doubtful_ = name;
    return false;
  }

  void take_worse(double error, const std::string& of, std::string sentence) {
    if (!(error > trust_.error)) return;
    trust_.error = error;
    trust_.of = of;
    worst_ = std::move(sentence);
  }

  void judge_averages(const MeasuredColumns& finer) {
    for (std::size_t k = 0; k < quantities_.size(); ++k) {
      const Average a = given_.average(k), b = finer.average(k);
      const std::string& name = quantities_[k].name;
      const double scale = size_of(a), apart = std::abs(a.mean - b.mean);
      trust_.rows.push_back({"average of " + name, quantities_[k].unit, apart, scale});
      if (!decides(k) || !(scale > 0)) continue;
      if (a.error > random_error_ * scale) {
        random_error_ = a.error / scale;
        least_known_ = name;
      }
      if (listed_.size() < most_listed) listed_.push_back(fmt::format("{} {}", name, text_of(a)));
      if (!a.is_settled && (unsettled_.empty() || a.independent < least_independent_)) {
        unsettled_ = name;
        least_independent_ = a.independent;
      }
      // The random error of the run itself is a part of the error that it has.
      if (const double most = (apart + errors_beside * b.error) / seen_of_bias / scale; most > possible_) {
        possible_ = most;
        possible_text_ = fmt::format("the average of {} is {}, but {} with h/1.618", name, text_of(a), text_of(b));
      }
      if (differs("the average of " + name, apart, std::hypot(a.error, b.error), a.is_settled && b.is_settled))
        take_worse(apart / seen_of_bias / scale, name,
                   fmt::format("the average of {} is {}, but {} with h/1.618", name, text_of(a), text_of(b)));
    }
  }

  // A sampler is judged by the temperature of positions, which a heat bath prescribes, too.
  void judge_temperature() {
    const LangevinProblem* sampled = bath_;
    if (run_.reformulation) {
      if (run_.way.formulation->name != "rigid_limit") return;
      sampled = &run_.reformulation->inner().as<LangevinProblem>("the check");
    }
    if (!(bath_->kT() > 0) || !ConfigurationalTemperature::applies(sampled->mechanics())) return;
    ConfigurationalTemperature temperature(sampled->mechanics());
    const double seconds = share_for_temperature * clock_.left(), began = clock_.spent();
    std::vector<double> off, curvatures;
    const auto sample_rows = [&](Index stride) {
      off.clear();
      curvatures.clear();
      const Index first = static_cast<Index>(start_left_out * static_cast<double>(rows_.rows()));
      Index row = 0;
      rows_.visit([&](double t, const double* y, const double*) {
        const Index k = row++ - first;
        if (k < 0 || k % stride != 0 || clock_.interrupted()) return;
        const auto sample =
            temperature.at(t, Eigen::Map<const Vec>(y, run_.start.layout.nq), static_cast<std::uint64_t>(k));
        if (!sample) return;
        off.push_back(sample->slope - bath_->kT() * sample->curvature);
        curvatures.push_back(sample->curvature);
      });
    };
    // Samples are spread over the whole run, as many as the time allows.
    sample_rows(std::max<Index>(1, rows_.rows() / few_temperatures));
    const double affordable = seconds * few_temperatures / std::max(clock_.spent() - began, 1e-9);
    const auto count = static_cast<Index>(std::min(static_cast<double>(most_temperatures), affordable));
    sample_rows(std::max<Index>(1, rows_.rows() / std::max<Index>(1, count)));
    if (static_cast<Index>(off.size()) < least_rows_for_averages) return;
    const Average difference = average_of(off, 1), curvature = average_of(curvatures, 1);
    if (!(curvature.mean > 0)) return;
    const double apart = difference.mean / curvature.mean, error = difference.error / curvature.mean;
    const std::string text = text_of(bath_->kT() + apart, error);
    trust_.rows.push_back({"configurational temperature (kT)", "", std::abs(apart), bath_->kT()});
    findings_ += fmt::format(" Positions have the temperature kT = {}; the bath has {:.5g}.", text, bath_->kT());
    if (differs("the temperature of positions", std::abs(apart), error, difference.is_settled))
      take_worse(
          std::abs(apart) / bath_->kT(), "configurational temperature",
          fmt::format("the temperature of positions is kT = {}, but the heat bath has {:.5g}", text, bath_->kT()));
  }

  // Velocities say little about a sampler, but where they are this hot the motion has blown up.
  void judge_heat() {
    const Layout& layout = run_.start.layout;
    const double free = static_cast<double>(layout.nv - layout.nl), kT = bath_->kT();
    if (!(free > 0) || !(kT > 0)) return;
    const double heat = 2 * mean_kinetic_energy() / (free * kT);
    if (heat > most_heat)
      take_worse(heat, "kinetic temperature",
                 fmt::format("velocities have {:.3g} times the temperature of the heat bath, so that the motion blows "
                             "up; take a smaller h",
                             heat));
  }

  // Without a bath a sampler must stay at its energy. What it gains or loses counts relative to the kinetic energy.
  void judge_energy() {
    const auto energy = std::find_if(quantities_.begin(), quantities_.end(),
                                     [](const Quantity& q) { return q.kind == QuantityKind::energy; });
    const double kinetic = mean_kinetic_energy();
    if (energy == quantities_.end() || !(kinetic > 0)) return;
    const std::span<const double> values = given_.values(static_cast<std::size_t>(energy - quantities_.begin()));
    const std::size_t fifth = values.size() / 5;
    const Average early = average_of(values.first(fifth), given_.spacing());
    const Average late = average_of(values.last(fifth), given_.spacing());
    const double drift = late.mean - early.mean, error = std::hypot(early.error, late.error);
    const double span = 0.8 * given_.spacing() * static_cast<double>(values.size());
    findings_ += fmt::format(" The energy moved by {:.2g} of the kinetic energy ({:.2g}{}{} in {:.3g}{}{}).",
                             std::abs(drift) / kinetic, drift, energy->unit.empty() ? "" : " ", energy->unit, span,
                             run_.problem->time_unit().empty() ? "" : " ", run_.problem->time_unit());
    trust_.rows.push_back({"drift of energy, by kinetic energy", energy->unit, std::abs(drift), kinetic});
    if (differs("the mean energy", std::abs(drift), error, early.is_settled && late.is_settled))
      take_worse(
          std::abs(drift) / kinetic, energy->name,
          fmt::format("the energy drifts by {:.2g} of the kinetic energy in {:.3g}", std::abs(drift) / kinetic, span));
  }

  double mean_kinetic_energy() const {
    const MechanicalProblem* p = mechanics_of(*run_.problem);
    if (!p) return 0;
    constexpr Index looks = 50;
    const Index nq = run_.start.layout.nq, nv = run_.start.layout.nv, stride = std::max<Index>(1, rows_.rows() / looks);
    MatrixSlot mass = p->mass_pattern();
    Vec product(nv);
    double sum = 0;
    Index row = 0, seen = 0;
    rows_.visit([&](double, const double* y, const double*) {
      if (row++ % stride != 0) return;
      const Eigen::Map<const Vec> q(y, nq), v(y + nq, nv);
      p->mass(q, mass);
      mass.multiply(v, product);
      sum += 0.5 * v.dot(product);
      ++seen;
    });
    return seen > 0 ? sum / static_cast<double>(seen) : 0;
  }

  void conclude() {
    trust_.verdict = verdict_of(trust_.error, accuracy_of(run_.plan));
    if (trust_.verdict == Verdict::green)
      trust_.headline = fmt::format(
          "The step is small enough: with h/1.618 averages are the same within their random errors ({}).", list());
    else
      trust_.headline =
          fmt::format("The step biases averages by about {:.2g} of their size: {}.", trust_.error, worst_);
    trust_.headline += findings_;
    if (!unsettled_.empty()) {
      if (trust_.verdict == Verdict::green) trust_.verdict = Verdict::amber;
      trust_.headline += fmt::format(
          " But the run is short: {} has about {:.2g} independent values, so that its random error is hardly known; "
          "run longer.",
          unsettled_, least_independent_);
    }
    if (!doubtful_.empty()) {
      if (trust_.verdict == Verdict::green) trust_.verdict = Verdict::amber;
      trust_.headline += fmt::format(
          " It may be biased all the same: {} differs by more than {:g} random errors, but these are hardly known in "
          "so short a run; run longer.",
          doubtful_, significant);
    }
    if (const std::optional<double> asked = run_.plan.accuracy; asked && random_error_ > *asked) {
      if (trust_.verdict == Verdict::green) trust_.verdict = Verdict::amber;
      trust_.headline += fmt::format(
          " The accuracy of {:.2g} is not reached: the random error of {} is {:.2g} of its size. It falls with the "
          "square root of the length; a run {:.2g} times as long would do.",
          *asked, least_known_, random_error_, std::pow(random_error_ / *asked, 2));
    }
    if (const std::optional<double> asked = run_.plan.accuracy;
        asked && possible_ > surely_wrong * *asked && trust_.verdict == Verdict::green) {
      trust_.verdict = Verdict::amber;
      trust_.headline += fmt::format(
          " Whether the accuracy of {:.2g} is reached cannot be told: {}, so that it may be off by {:.2g} of its size. "
          "A longer run or a smaller step would show it.",
          *asked, possible_text_, possible_);
    }
    if (has_rigid_bonds(run_) && bath_)
      trust_.headline +=
          " Bonds are rigid, and no Fixman force is added: averages of angles differ from those of stiff bonds.";
  }

  std::string list() const {
    std::string text;
    for (const std::string& item : listed_) text += (text.empty() ? "" : ", ") + item;
    return text;
  }

  const PreparedRun& run_;
  const RowSource& rows_;
  const CheckClock& clock_;
  std::vector<Quantity> quantities_;
  std::vector<JudgedValue> values_;
  const LangevinProblem* bath_;
  MeasuredColumns given_;
  Trust trust_;
  std::string worst_, findings_, unsettled_, doubtful_, least_known_, possible_text_;
  double least_independent_ = 0, random_error_ = 0, possible_ = 0;  // the latter two relative to the size
  std::vector<std::string> listed_;
};

// The measures at equal times: steps by a tolerance may be too long for averages, and they are not equally long.
MeasureRows at_equal_times(const PreparedRun& run) {
  constexpr Index samples = 2000;
  const Index n = run.start.y.size(), measures = judged_values(*run.problem) - n;
  const double from = *run.plan.from, to = *run.plan.to;
  std::vector<double> times;
  for (Index k = 1; k <= samples; ++k)
    times.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(samples));
  const JudgedCurve curve = curve_at(run, times, to);
  MeasureRows rows(measures);
  for (Index k = 0; k < curve.columns(); ++k) {
    const Vec values = curve.values.col(k);
    rows.row(curve.t[static_cast<std::size_t>(k)], values.head(n), values.tail(measures));
  }
  return rows;
}
}  // namespace

bool compares_averages(const PreparedRun& run) {
  return dynamic_cast<const LangevinProblem*>(run.problem.get()) || (run.plan.want == Want::statistics && run.plan.h);
}

std::string averages_text(const PreparedRun& run) {
  constexpr std::size_t most_characters = 200;
  const std::vector<Quantity> quantities = measures_of(*run.problem);
  if (quantities.empty()) return "The model has no measures that could be averaged.";
  const MeasureRows rows = at_equal_times(run);
  const MeasuredColumns columns(quantities, rows);
  if (columns.rows() < least_rows_for_averages) return "The run is too short for averages.";
  const std::vector<JudgedValue> values = judged_values_of(run, false);
  std::string list;
  for (std::size_t k = 0; k < columns.size() && list.size() < most_characters; ++k) {
    if (!values[static_cast<std::size_t>(run.start.y.size()) + k].counts) continue;
    const Average a = columns.average(k);
    list += fmt::format("{}{} {} (correlation time {:.2g})", list.empty() ? "" : ", ", quantities[k].name, text_of(a),
                        a.correlation);
  }
  return "Averages: " + list + ".";
}

Trust check_averages(const PreparedRun& run, const RowSource& rows, const CheckClock& clock) {
  return AveragesCheck(run, rows, clock).answer();
}
}  // namespace trill
