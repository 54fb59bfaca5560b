// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/facts.hpp"

namespace trill {
// Which method is used, and why. Every choice that trill makes for a user is made here, from the facts alone.
struct Advice {
  Way way;
  std::string choice;  // empty: the method was named by the user or by the model
};
// UsageError if no method can do what is wanted.
Advice advise(const Resolved& asked, const Facts& known);

// The techniques that are tried for what is wanted, in this order. Empty: the plan or the model names the method.
std::vector<Technique> candidates_for(const Resolved& asked);

// For a user who asks what to do with a problem: `fitting` are the names of the techniques that can run it.
struct Outlook {
  std::vector<std::string> fitting;
  bool conservative = false;
  bool scales_apart = false;
};
struct Recommendation {
  std::string method, why;
};
Recommendation recommend(const Outlook& outlook);
}  // namespace trill
