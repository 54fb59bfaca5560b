// SPDX-License-Identifier: BSD-3-Clause
// Compares the errors that the formulation `slow` states with the distance of its motion from the mean of the stiff
// motion.
#pragma once

#include "support/random_chain.hpp"
#include "trill/driver/plan.hpp"

#include <numbers>

namespace trill::slow_judgement {
struct Frequencies {
  double slowest, fastest;  // bounds of the fast frequencies along the path
};

struct Judgement {
  double error = 0;     // largest distance divided by the largest coordinate
  double estimate = 0;  // what is stated of it at the end
  std::string refusal;  // empty if it was not refused
  bool at_start = false, warned_of_resonance = false, doubted = false;
  bool alarm(double tolerance) const { return !refusal.empty() || estimate > tolerance; }
  bool missed(double tolerance) const { return error > 3 * tolerance && !alarm(tolerance); }
  bool false_alarm(double tolerance) const { return error < tolerance / 3 && alarm(tolerance); }
};

namespace detail {
// A Kaiser low-pass filter. It passes frequencies below 0.3 of the slowest fast frequency, and above 0.9 of it stops
// all but 1e-5.
class LowPass {
 public:
  explicit LowPass(double slowest) : cutoff_(0.6 * slowest), reach_((attenuation - 8) / (2 * 2.285 * 0.6 * slowest)) {}
  double reach() const { return reach_; }
  double weight(double t) const {
    const double x = t / reach_;
    if (std::abs(x) >= 1) return 0;
    const double sinc = t == 0 ? cutoff_ : std::sin(cutoff_ * t) / t;
    return sinc * std::cyl_bessel_i(0.0, beta * std::sqrt(1 - x * x));
  }

 private:
  static constexpr double attenuation = 100, beta = 0.1102 * (attenuation - 8.7);
  double cutoff_, reach_;
};

inline std::vector<double> sample_times(double t_end, double reach) {
  constexpr int samples = 8;
  const double first = std::max(t_end / samples, std::min(reach, t_end));
  std::vector<double> times;
  for (int k = 0; k < samples; ++k) times.push_back(first + (t_end - first) * k / (samples - 1));
  return times;
}

struct Walker {
  std::unique_ptr<Stepper> stepper;
  Advancer advancer;
  State s;
  Walker(const Problem& problem, const State& start, double t_end, double rtol)
      : stepper(Catalogue::all().method("dop853").make(problem, {})),
        advancer(*stepper, AdaptiveStep{.rtol = rtol, .atol = Vec::Constant(1, 1e-3 * rtol)}),
        s(start) {
    advancer.start(s, t_end);
  }
  template <class After>
  bool go(double to, After&& after) {
    while (s.t < to) {
      if (advancer.one(s, to).status != AdvanceStatus::ok) return false;
      after();
    }
    return true;
  }
};

// The means of the stiff motion, one in each column.
inline Mat stiff_means(const Problem& problem, const std::vector<double>& times, const LowPass& filter,
                       const Frequencies& fast) {
  const Index n = problem.layout().nq;
  const double end = times.back() + filter.reach();
  const double spacing = 2 * std::numbers::pi / (4 * fast.fastest);
  Mat means = Mat::Zero(n, static_cast<Index>(times.size()));
  Vec sums = Vec::Zero(means.cols());
  Walker walker(problem, problem.initial_state(), end, 1e-10);
  for (int k = 0; k * spacing < end; ++k) {
    bool needed = false;
    for (const double t : times) needed = needed || std::abs(k * spacing - t) < filter.reach();
    if (!needed) continue;
    if (!walker.go(k * spacing, [] {})) throw std::runtime_error("the stiff motion could not be followed");
    for (Index c = 0; c < means.cols(); ++c) {
      const double weight = filter.weight(k * spacing - times[static_cast<std::size_t>(c)]);
      means.col(c) += weight * walker.s.q();
      sums[c] += weight;
    }
  }
  for (Index c = 0; c < means.cols(); ++c) means.col(c) /= sums[c];
  return means;
}

// The slow motion computed although `slow` refuses it, to find how wrong it would have been.
inline Mat unguarded(const Problem& problem, const std::vector<double>& times, double rtol) {
  const auto form = Catalogue::all().formulation("slow").make(problem, {});
  form->expect({rtol, 0, times.back()});
  Notes notes;
  State in, out = problem.initial_state();
  try {
    form->enter(problem.initial_state(), in, notes);
  } catch (const UsageError&) {  // the state was set before it was refused
  }
  Mat q = Mat::Constant(problem.layout().nq, static_cast<Index>(times.size()), 1e3);
  Walker walker(form->inner(), in, times.back(), rtol);
  for (Index c = 0; c < q.cols(); ++c) {
    if (!walker.go(times[static_cast<std::size_t>(c)], [&] {
          form->after_step(walker.s, notes);
          walker.advancer.note_correction();
        }))
      break;
    form->leave(walker.s, out);
    q.col(c) = out.q();
  }
  return q;
}
}  // namespace detail

// `method` is a formulation that gives the slow motion. If `slow` refuses, the error is the one that it would have
// had.
inline Judgement judge_slow(std::unique_ptr<Problem> problem, double t_end, const Frequencies& fast,
                            const std::string& method = "slow") {
  using namespace detail;
  const LowPass filter(fast.slowest);
  const std::vector<double> times = sample_times(t_end, filter.reach());
  const auto stiff = problem->clone();
  const Index n = stiff->layout().nq;
  Judgement judgement;
  RunPlan plan;
  plan.method = method;
  plan.to = t_end;
  plan.rtol = 1e-6;
  plan.native = Native::never;
  plan.output = Times{times};
  Mat q;
  try {
    PreparedRun run = prepare(plan, std::move(problem), {});
    const Solution solution = run.run();
    judgement.estimate = run.reformulation->model_error();
    for (const Notice& notice : solution.outcome.notices) {
      judgement.warned_of_resonance |= notice.code == "resonance";
      judgement.doubted |= notice.severity == Severity::doubt;
    }
    if (solution.ok())
      q = solution.y().topRows(n).rightCols(static_cast<Index>(times.size()));
    else
      judgement.refusal = solution.outcome.message;
  } catch (const UsageError& e) {
    judgement.refusal = e.what();
    judgement.at_start = true;
  }
  if (!judgement.refusal.empty() && method != "slow") return judgement;
  if (!judgement.refusal.empty()) q = unguarded(*stiff, times, *plan.rtol);
  const Mat means = stiff_means(*stiff, times, filter, fast);
  judgement.error = (q - means).cwiseAbs().maxCoeff() / means.cwiseAbs().maxCoeff();
  return judgement;
}

inline Judgement judge_chain(std::uint64_t seed, const std::string& method = "slow") {
  const random_chain::Chain chain = random_chain::make_chain(seed);
  constexpr double t_end = 5;
  return judge_slow(read_model("chain.toml", random_chain::model_text(chain)).problem, t_end,
                    {chain.slowest, chain.fastest}, method);
}
}  // namespace trill::slow_judgement
