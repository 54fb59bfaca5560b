// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/envelope_gain.hpp"
#include "multiscale/envelope_map.hpp"
#include "trill/formulation/reformulation.hpp"

namespace trill {
struct EnvelopeOptions {
  double period = 0;
  double revolutions = 0;
  void fields(OptionVisitor& v) {
    v.number("revolutions", revolutions, Range::at_least(0),
             "number of cycles after which the run ends; 0: the end time alone decides");
    v.number("period", period, Range::at_least(0),
             "length of a cycle; 0: that of the sources of the model, or found from its motion");
  }
};

// Follows the starts of cycles instead of the motion itself (PJY97 section 5). What it steps is the map of one cycle;
// what it hands out are the unknowns at the starts of cycles, and the band in which they oscillate.
class EnvelopeForm final : public Reformulation {
 public:
  EnvelopeForm(const Problem& given, const EnvelopeOptions& options);
  const Problem& inner() const override { return map_; }
  bool keeps_time() const override { return true; }
  void expect(const RunScope& scope) override { scope_ = scope; }
  void enter(const State& given, State& in, Notes& notes) override;
  std::string reluctance() const override;
  void leave(const State& in, State& out) const override;
  std::optional<double> end(const State& in) const override;
  AfterStep after_step(State& in, Notes& notes) override;
  std::string refusal() const override;
  std::string failure() const override { return map_.trouble(); }
  std::string summary() const override;
  void account(Counters& work) const override;
  std::vector<Quantity> diagnostics() const override { return quantities_; }
  void diagnose(Out values) const override;
  void memory(Archive& archive) override { archive(map_, begin_); }

 private:
  void show(const State& start);
  void predict(const State& in, Notes& notes);
  std::vector<double> corners(const State& in) const;
  double tolerance() const;
  void name_quantities();

  const Problem& given_;
  EnvelopeOptions options_;
  RunScope scope_;
  double begin_ = 0;  // of the first cycle
  EnvelopeMap map_;
  EnvelopeGain gain_;
  Index banded_ = 0;  // components whose band is recorded
  std::vector<Quantity> quantities_;
  mutable bool left_ = true;  // the last state handed out is one of the problem
};
}  // namespace trill
