// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/notes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace trill {
namespace {
// How far a value is beyond its threshold. Some values are too large, others, such as a reciprocal condition number,
// too small. NaN counts as worse than everything else.
template <class Raised>
double excess(const Raised& raised) {
  const double distance = std::abs(raised.value - raised.threshold);
  return std::isnan(distance) ? HUGE_VAL : distance;
}

template <class Raised, class Known>
bool is_worse(const Raised& raised, const Known& known) {
  return raised.severity == known.severity ? excess(raised) > excess(known) : raised.severity > known.severity;
}
}  // namespace

void Notes::raise(double t, const char* code, const char* text, Severity severity, double value, double threshold) {
  take({t, code, text, severity, value, threshold, 1});
}

Notes::Entry* Notes::take(const Entry& raised) {
  for (Entry& entry : entries_)
    if (std::strcmp(entry.code, raised.code) == 0) {
      const std::int64_t count = entry.count + 1;
      const bool worse = is_worse(raised, entry);
      if (worse) entry = raised;
      entry.count = count;
      return worse ? &entry : nullptr;
    }
  if (entries_.size() == entries_.capacity()) return nullptr;
  entries_.push_back(raised);
  return &entries_.back();
}

std::vector<Notice> Notes::notices() const {
  std::vector<Notice> all = earlier_;
  for (const Entry& e : entries_) {
    Notice notice{e.t, e.code, e.made.empty() ? e.text : e.made, e.severity, e.value, e.threshold, e.count};
    const auto same = std::find_if(all.begin(), all.end(), [&](const Notice& n) { return n.code == e.code; });
    if (same == all.end()) {
      all.push_back(std::move(notice));
      continue;
    }
    const std::int64_t count = same->count + notice.count;
    if (is_worse(notice, *same)) *same = std::move(notice);
    same->count = count;
  }
  return all;
}

const char* to_text(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
    case Severity::doubt:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "info";
}
}  // namespace trill
