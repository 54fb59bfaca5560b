// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/facts.hpp"

namespace trill {
// Which method is taken, and why. Every choice that trill makes for a user is made here, from facts alone.
struct Advice {
  Way way;
  std::string choice;  // empty: it was named, by the user or by the model
};
// UsageError when there is no method for what is wanted.
Advice advise(const Resolved& asked, const Facts& known);

// What is tried for a want, in this order. None: a method is named.
std::vector<Technique> candidates_for(Want want);

// For somebody who asks what to do with a problem: `fitting` are the names of the techniques that can run it.
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
