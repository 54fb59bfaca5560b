// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method as published (SAT09): windows for a nominal frequency, given or computed, that
// stay the same for the whole run.
#include "multiscale/hmm_form.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
class PublishedHmm final : public HmmForm {
 public:
  PublishedHmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model, double omega)
      : HmmForm(given, std::move(model), 0), omega_(omega) {}

 private:
  double slow_rate() const override { return slow_rate_; }
  double fastest_frequency() const override { return nominal_; }
  std::string frequencies_text() const override { return fmt::format("about {:.4g} (nominal)", nominal_); }

  // SAT09 sec. 3.2: positions and velocities are both means of the given data.
  void choose_windows(const State& given, State& in, Notes& notes) override {
    nominal_ = omega_ > 0 ? omega_ : nominal_frequency(given);
    averaged().plan(published_windows(nominal_), false, false);
    start().project(given, in);
    judge(in, notes);
  }

  double nominal_frequency(const State& given) const {
    if (const StrongPotential* strong = averaged().stiff().strong_potential())
      return std::sqrt(strong->stiffness.maxCoeff());
    if (averaged().spectrum().find(given.t, given.q(), given.v())) return averaged().spectrum().fastest();
    refuse("mode=paper needs a nominal frequency; give one by --set omega=NUMBER");
  }

  // The published windows fit a nominal frequency, whatever the true frequencies are.
  void judge(const State& in, Notes& notes) {
    FastSpectrum& spectrum = averaged().spectrum();
    if (!spectrum.find(in.t, in.q(), in.v())) return;
    slow_rate_ = std::max(spectrum.rest(), 1 / span());
    if (const double share = averaged().windows().length() * slow_rate_; share > 1)
      notes.raise(in.t, "long_window",
                  "The window is longer than the time in which the slow motion changes. The value is the ratio of the "
                  "two. mode=hmm chooses shorter windows.",
                  Severity::doubt, share, 1);
    if (const double leak = std::max(leak_at(spectrum.slowest()), leak_at(spectrum.fastest())); leak > 1)
      notes.raise(in.t, "leak",
                  "Averaging over the window leaves too much of the fast force (the value, relative to the slow "
                  "force), so that the slow motion may be unstable. The nominal frequency omega may be wrong.",
                  Severity::doubt, leak, 1);
  }

  double leak_at(double omega) const {
    const WindowPlan& window = averaged().windows();
    const double half_angle = omega * window.h / 2;
    if (half_angle >= 1) return std::numeric_limits<double>::max();
    return std::abs(window.weights.response(2 * std::asin(half_angle))) * std::pow(omega / slow_rate_, 2);
  }

  double omega_, nominal_ = 0, slow_rate_ = 0;
};
}  // namespace

std::unique_ptr<Reformulation> make_published_hmm(const MechanicalProblem& given, std::unique_ptr<HmmModel> model,
                                                  double omega) {
  return std::make_unique<PublishedHmm>(given, std::move(model), omega);
}
}  // namespace trill
