// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"
#include "trill/problem/problem.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A formulation that changes the unknowns. It owns the derived problem and the way in and out; driver, events, measures
// and files see the user's state only. It refers to the given problem, which must outlive it.
class Reformulation {
 public:
  virtual ~Reformulation() = default;
  virtual const Problem& inner() const = 0;
  // Matched start, projection, packing. UsageError when this start cannot be taken.
  virtual void enter(const State& given, State& in, Notes& notes) = 0;
  virtual void leave(const State& in, State& out) const = 0;  // what is recorded, measured, tested by events
  // Projection after an accepted step; true: the state was changed, values kept from the last stage are stale.
  virtual bool after_step(State&, Notes&) { return false; }
};

std::unique_ptr<Reformulation> make_reformulation(std::string_view name, const Problem& problem);

struct ReformulationEntry {
  std::string name, title, reference;
  std::unique_ptr<Reformulation> (*make)(const Problem&);
};
const std::vector<ReformulationEntry>& reformulations();
}  // namespace trill
