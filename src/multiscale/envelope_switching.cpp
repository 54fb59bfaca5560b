// SPDX-License-Identifier: BSD-3-Clause
// Ordinary steps until an oscillation sets in, then steps over many cycles along its envelope, and back again.
#include "method/prospects.hpp"
#include "multiscale/envelope_steps.hpp"
#include "multiscale/onset.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double inner_share = 1e-3, loosest_inner = 1e-7, tightest_inner = 1e-13;
constexpr double least_room = 12;                       // cycles that must be left for a switch to pay
constexpr double first_rest = 16, longest_rest = 1024;  // cycles without another switch after one that failed
constexpr double worthwhile = 4;                        // times the rest: a stretch as long as this was no failure
constexpr double no_limit = 1e300;
constexpr double other_share = 0.7361;  // makes any other state of a given one
constexpr std::size_t most_listed = 12;

const char* why_ended(EnvelopeSteps::Outcome outcome) {
  switch (outcome) {
    case EnvelopeSteps::Outcome::too_short:
      return "steps of five cycles were not accurate enough";
    case EnvelopeSteps::Outcome::lost:
      return "a cycle did not come back to where it began";
    case EnvelopeSteps::Outcome::rejected:
      return "too many steps in a row were rejected";
    default:
      return "hardly any cycle was left";
  }
}

struct Stretch {
  double from = 0, to = 0, cycles = 0;
};

class EnvelopeSwitching final : public Stepper {
 public:
  struct Options {
    double inner_rtol = 0;
    void fields(OptionVisitor& v) {
      v.number("inner_rtol", inner_rtol, Range::between(0, 1e-2),
               "relative tolerance of ordinary steps, also inside cycles; 0: a thousandth of rtol, at most 1e-7");
    }
  };
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("--want envelope takes it where an oscillation sets in or dies out");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "envelope_switching",
            .title = "Ordinary steps, and steps along the envelope of oscillations that set in",
            .reference = "PJY97 section 5; Petzold 1981; Gallivan, Gear 1980",
            .accepts = {.first_order = true, .mechanical = true},
            .dense_degree = 7,
            .owns_step = true};
  }

  EnvelopeSwitching(const Problem& problem, const Options& options)
      : info_(describe(options)), options_(options), problem_(problem), form_(problem, info_.name) {
    if (problem.layout().nl > 0)
      throw UsageError(fmt::format("{} cannot run '{}', because it has constraints", info_.name, problem.name()));
    direct_ = Catalogue::all().method("dop853").make(problem, {});
  }
  const MethodInfo& info() const override { return info_; }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<EnvelopeSwitching>(problem, options_);
  }

  void start(State& s, const ErrorScale& scale) override {
    const double rtol = options_.inner_rtol > 0 ? options_.inner_rtol
                                                : std::clamp(inner_share * scale.rtol, tightest_inner, loosest_inner);
    accuracy_ = {.rtol = rtol, .atol = scale.atol * (rtol / scale.rtol)};
    form_.start(s);
    start_ = s;
    before_ = rate_ = inside_ = made_at_ = s.y;
    watch_.start(s.y.size());
    watches_ = switches_by_time_alone(s);
    stretches_.reserve(most_listed + 1);
    stretches_.clear();
    envelope_.reset();
    begun_ = in_step_ = false;
    seen_ = {};
    target_ = no_limit;
    rest_ = first_rest;
    hidden_ = 0;
    direct_->start(s, scale);
  }

  StepResult step(State& s, const StepRequest& request) override {
    if (!begun_) begin(s, s.t + request.h);
    if (envelope_) envelope_->take_work(request.work);
    if (request.jumped || request.restart) {
      if (envelope_) leave(s, EnvelopeSteps::Outcome::ok, request);
      direct_steps_->note_jump();
      watch_.forget();
      target_ = no_limit;
    }
    if (envelope_) {
      const EnvelopeSteps::Outcome outcome = envelope_->goes_on()
                                                 ? envelope_->step(s.t + request.h, request.scale, request.work)
                                                 : EnvelopeSteps::Outcome::too_short;
      if (outcome == EnvelopeSteps::Outcome::ok) return took_envelope_step(s);
      leave(s, outcome, request);
    }
    return direct_step(s, request);
  }

  void interpolate(double theta, Out y) override {
    if (in_step_)
      envelope_->inside(begin_ + theta * length_, y);
    else
      direct_->interpolate(theta, y);
  }

  std::vector<Quantity> diagnostics() const override { return {{"cycles", ""}}; }
  void diagnose(Out values) const override { values[0] = in_step_ ? envelope_->cycles() : 0; }

  std::string summary() const override {
    std::vector<Stretch> all = stretches_;
    if (envelope_) all.push_back({from_, envelope_->t(), cycles_});
    if (all.empty()) return "no oscillation was found whose envelope could be followed";
    std::string text = "followed the envelope of an oscillation";
    for (std::size_t k = 0; k < all.size(); ++k)
      text += fmt::format("{} from t = {:.6g} to {:.6g} ({:.0f} cycles)", k > 0 ? "," : "", all[k].from, all[k].to,
                          all[k].cycles);
    if (hidden_ > 0) text += fmt::format(", and {} times more", hidden_);
    return text;
  }

  void memory(Archive& archive) override {
    archive(begun_, first_end_, in_step_, begin_, length_, target_, rest_, hidden_, watch_, from_, made_at_, cycles_,
            section_of_, period_);
    std::vector<double> listed;
    for (const Stretch& stretch : stretches_) listed.insert(listed.end(), {stretch.from, stretch.to, stretch.cycles});
    archive(listed);
    bool follows = envelope_ != nullptr;
    archive(follows);
    if (archive.reading()) {
      stretches_.clear();
      for (std::size_t k = 0; k + 2 < listed.size(); k += 3)
        stretches_.push_back({listed[k], listed[k + 1], listed[k + 2]});
      if (begun_) {
        State s = start_;
        begin(s, first_end_);
      }
      envelope_.reset();
      if (follows) make_envelope();
    }
    if (begun_) archive(*direct_steps_, *direct_);
    if (archive.reading() && begun_) seen_ = direct_steps_->counters();
    if (follows) archive(*envelope_);
  }

 private:
  // Events are looked for inside steps, and a step over many cycles would pass many of them. Formulas that switch at
  // given times are no such events: steps end there anyway.
  bool switches_by_time_alone(const State& s) const {
    State other = s;
    other.y = other_share * s.y;
    other.y.array() += other_share;
    int index = 0;
    for (const EventInfo& event : problem_.events()) {
      const int i = index++;
      if (!event.restarts || problem_.event_value(i, s) != problem_.event_value(i, other)) return false;
    }
    return true;
  }

  void begin(State& s, double t_end) {
    direct_steps_.emplace(*direct_, AdaptiveStep{.rtol = accuracy_.rtol, .atol = accuracy_.atol, .h_max = no_limit});
    direct_steps_->start(s, t_end);
    first_end_ = t_end;
    begun_ = true;
  }

  StepResult direct_step(State& s, const StepRequest& request) {
    const double stop = s.t + request.h, t_begin = s.t;
    before_ = s.y;
    AdvanceResult result = direct_steps_->one(s, std::min(stop, target_));
    in_step_ = false;
    if (result.status == AdvanceStatus::ok && request.h > 0 && watches_) look(s, t_begin, stop, request, result);
    add_new_work_to(request.work);
    if (result.status != AdvanceStatus::ok) return failure(result);
    return {.error = result.step.error, .h_taken = s.t - t_begin};
  }

  static StepResult failure(const AdvanceResult& result) {
    StepResult failed = result.step;
    if (failed.status == StepStatus::ok) failed.status = StepStatus::step_too_small;
    failed.h_taken = result.h_tried;
    return failed;
  }

  // The steps of the inner advancer are no steps of the run.
  void add_new_work_to(Counters& work) {
    const std::int64_t steps = work.steps;
    add_new_work(direct_steps_->counters(), seen_, work);
    work.steps = steps;
  }

  // Looks for an onset in the step just made. The step then ends where a cycle does, and the envelope begins there.
  void look(State& s, double t_begin, double stop, const StepRequest& request, AdvanceResult& result) {
    if (target_ == no_limit) {
      if (!rate_at(s.t, s.y, rate_, request.work)) return;
      const double h = s.t - t_begin;
      const auto rate_inside = [&](double t, Out rate) {
        direct_->interpolate((t - t_begin) / h, inside_);
        return rate_at(t, inside_, rate, request.work);
      };
      const bool crossed = watch_.look(t_begin, s.t, s.y, rate_, request.scale, rate_inside);
      if (!crossed || !watch_.has_onset() || stop - s.t < least_room * watch_.period()) return;
      target_ = watch_.crossing();
      s.t = t_begin;
      s.y = before_;
      direct_steps_->note_correction();
      result = direct_steps_->one(s, target_);
      if (result.status != AdvanceStatus::ok) return;
    }
    if (s.t >= target_) enter(s, request);
  }

  bool rate_at(double t, In y, Out rate, Counters& work) {
    work.count_forces(form_.counted_groups());
    return form_.rhs(t, y, rate) && rate.allFinite();
  }

  void enter(const State& s, const StepRequest& request) {
    target_ = no_limit;
    section_of_ = watch_.component();
    period_ = watch_.period();
    from_ = s.t;
    made_at_ = s.y;
    make_envelope();
    cycles_ = 0;
    request.notes.raise_with(
        s.t, "envelope_begins",
        [&] {
          return fmt::format("From t = {:.6g} on the envelope of an oscillation was followed. The value is its period.",
                             s.t);
        },
        Severity::info, period_, 0);
  }

  void make_envelope() {
    envelope_ = std::make_unique<EnvelopeSteps>(problem_, from_, made_at_,
                                                Section{.direction = Vec::Unit(start_.y.size(), section_of_)}, period_,
                                                accuracy_, watch_.sizes());
  }

  StepResult took_envelope_step(State& s) {
    begin_ = s.t;
    s.y = envelope_->y();
    s.t = envelope_->t();
    length_ = s.t - begin_;
    cycles_ += envelope_->cycles();
    in_step_ = true;
    return {.error = envelope_->error(), .h_taken = length_};
  }

  void leave(const State& s, EnvelopeSteps::Outcome outcome, const StepRequest& request) {
    const double period = envelope_->period();
    envelope_->take_work(request.work);
    envelope_.reset();
    list({from_, s.t, cycles_});
    direct_steps_->note_correction();
    watch_.forget();
    const bool ends_well = outcome == EnvelopeSteps::Outcome::ok || outcome == EnvelopeSteps::Outcome::no_room;
    if (ends_well || cycles_ > worthwhile * rest_) rest_ = first_rest;
    if (!ends_well) {
      watch_.rest(s.t + rest_ * period);
      rest_ = std::min(2 * rest_, longest_rest);
    }
    request.notes.raise_with(
        s.t, "envelope_ends",
        [&] {
          return fmt::format(
              "From t = {:.6g} on ordinary steps were made again, because {}. The value is the number "
              "of cycles passed.",
              s.t, outcome == EnvelopeSteps::Outcome::ok ? "the motion was changed" : why_ended(outcome));
        },
        Severity::info, cycles_, 0);
  }

  void list(const Stretch& stretch) {
    if (stretches_.size() < most_listed)
      stretches_.push_back(stretch);
    else
      ++hidden_;
  }

  MethodInfo info_;
  Options options_;
  const Problem& problem_;
  FirstOrderForm form_;
  std::unique_ptr<Stepper> direct_;
  std::optional<Advancer> direct_steps_;
  InnerMotion::Accuracy accuracy_;
  State start_;
  Vec before_, rate_, inside_;
  Vec made_at_;  // where the envelope began
  OnsetWatch watch_;
  bool watches_ = true, begun_ = false;
  double first_end_ = 0;
  double target_ = no_limit;  // where a cycle ends from which on the envelope is to be followed
  std::unique_ptr<EnvelopeSteps> envelope_;
  Index section_of_ = 0;
  double period_ = 0;
  bool in_step_ = false;  // the last step was one along the envelope
  double begin_ = 0, length_ = 0;
  double from_ = 0, cycles_ = 0, rest_ = first_rest;
  std::vector<Stretch> stretches_;
  std::int64_t hidden_ = 0;
  Counters seen_;
};
}  // namespace
}  // namespace trill

TRILL_METHOD(envelope_switching, EnvelopeSwitching)
