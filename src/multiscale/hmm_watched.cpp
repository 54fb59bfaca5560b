// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method with windows chosen from the frequencies of the model, and chosen again when
// these change.
#include "multiscale/frequency_variation.hpp"
#include "multiscale/hmm_form.hpp"
#include "multiscale/hmm_watch.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double bend_factor = 3;  // values between 0.6 and 4 were measured on two springs
constexpr int many_projections = 20;

Index count_actions(const HmmModel& model, const std::string& fast_energy) {
  if (!model.may_oscillate() || fast_energy == "drop") return 0;
  const State s = model.stiff().initial_state();
  FastSpectrum spectrum(model.stiff());
  if (!spectrum.has_modes()) return 0;
  if (gaps_are_fastest(model.stiff(), s)) return model.stiff().strong_potential()->map->count();
  spectrum.start(s.q());
  return spectrum.find(s.t, s.q(), s.v()) ? spectrum.count() : 0;
}

class WatchedHmm final : public HmmForm {
 public:
  WatchedHmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model, Index actions, std::string fast_energy,
             std::string stages)
      : HmmForm(given, std::move(model), actions),
        fast_energy_(std::move(fast_energy)),
        stages_(std::move(stages)),
        watch_(averaged()) {
    if (fast_energy_ == "keep" && actions == 0)
      refuse(fmt::format(
          "fast_energy=keep needs the fast modes, which can be computed for up to {} coordinates; use method slow",
          FastSpectrum::dense_up_to));
    record("slowest_fast_frequency", QuantityKind::frequency, frequency_unit());
    record("fastest_frequency", QuantityKind::frequency, frequency_unit());
    for (Index k = 1; k <= actions; ++k) record(fmt::format("action_{}", k), QuantityKind::action);
    record_amplitudes();
    record("drift", QuantityKind::other);
    record("model_error", QuantityKind::model_error);
  }

  AfterStep after_step(State& s, Notes& notes) override {
    switch (watch_.after_step(s, notes)) {
      case HmmWatch::Found::refusal:
        return AfterStep::refused;
      case HmmWatch::Found::nothing:
        return AfterStep::kept;
      case HmmWatch::Found::drift:
        break;
    }
    if (++projections_ == many_projections)
      notes.raise(s.t, "drifts",
                  "The motion moves off the slow manifold again and again. Its fast and slow parts may not be separate "
                  "enough for this method.",
                  Severity::doubt, projections_, many_projections);
    start().project(s, s);
    return AfterStep::changed;
  }
  std::string refusal() const override { return watch_.refusal(); }

  void reach(Out y) const override {
    y.setZero();
    y.head(reach_.size()) = reach_;
  }

  std::string summary() const override {
    return HmmForm::summary() + fmt::format(
                                    "; {} oscillates{}, largest drift {:.2g}, {} "
                                    "reprojection{}, estimated error {:.1g}",
                                    energy_.text(), averaged().lifted() ? " and its force is included" : "",
                                    watch_.largest_drift(), projections_, projections_ == 1 ? "" : "s", model_error());
  }

  void diagnose(Out values) const override {
    const Index actions = averaged().actions();
    values[0] = watch_.needs().slowest;
    values[1] = watch_.needs().fastest;
    values.segment(2, actions) = last().y.tail(actions);
    if (amplitudes() > 0) find_amplitudes(values.segment(2 + actions, amplitudes()));
    values.tail(2) << watch_.largest_drift(), model_error();
  }

  void memory(Archive& archive) override {
    HmmForm::memory(archive);
    archive(projections_, watch_);
  }

 private:
  double slow_rate() const override { return watch_.needs().rate; }
  double fastest_frequency() const override { return watch_.fastest_seen(); }
  std::string frequencies_text() const override {
    return fmt::format("{:.4g} to {:.4g}", watch_.slowest_seen(), watch_.fastest_seen());
  }
  double left_out() const override { return left_out_; }
  double doubt() const override { return watch_.doubt(); }

  void choose_windows(const State& given, State& in, Notes& notes) override {
    const double signed_span = std::copysign(span(), scope().t_end - scope().t_begin);
    start().find(given, {fast_energy_, stages_, tolerance(), signed_span}, in, notes);
    watch_.start(start().needs(), start().share(), tolerance(), span());
    left_out_ = start().left_out() + bend_factor * std::pow(start().bend(), 2);
    if (running()) return;
    energy_ = start().energy();
    reach_ = start().reach();
  }

  // Amplitudes of the oscillation that is not followed: from its actions where these are known along the run, otherwise
  // those at the start.
  void find_amplitudes(Out amplitude) const {
    const FastSpectrum& spectrum = averaged().spectrum();
    amplitude = reach_.head(amplitude.size());
    if (!averaged().lifted() || spectrum.count() != averaged().actions()) return;
    const auto J = last().y.tail(averaged().actions());
    amplitude.setZero();
    for (Index k = 0; k < J.size(); ++k)
      amplitude += std::sqrt(2 * std::max(0.0, J[k]) / spectrum.frequencies()[k]) * spectrum.mode(k).cwiseAbs();
  }

  std::string fast_energy_, stages_;
  HmmWatch watch_;
  EnergyShare energy_;
  double left_out_ = 0;
  Vec reach_;
  int projections_ = 0;
};
}  // namespace

std::unique_ptr<Reformulation> make_watched_hmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model,
                                                const std::string& fast_energy, const std::string& stages) {
  if (fast_energy == "keep" && !model->may_oscillate())
    throw UsageError("hmm: dae=relax is for motions that do not oscillate, so fast_energy=keep cannot be used with it");
  const Index actions = count_actions(*model, fast_energy);
  return std::make_unique<WatchedHmm>(given, std::move(model), actions, fast_energy, stages);
}
}  // namespace trill
