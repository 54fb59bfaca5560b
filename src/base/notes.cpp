// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/notes.hpp"

#include <algorithm>
#include <cstring>

namespace trill {
void Notes::raise(double t, const char* code, const char* text, Severity severity, double value, double threshold) {
  for (Entry& entry : entries_)
    if (std::strcmp(entry.code, code) == 0) {
      ++entry.count;
      return;
    }
  if (entries_.size() < entries_.capacity()) entries_.push_back({t, code, text, severity, value, threshold, 1});
}

std::vector<Notice> Notes::notices() const {
  std::vector<Notice> all = earlier_;
  for (const Entry& e : entries_) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Notice& n) { return n.code == e.code; });
    if (same != all.end())
      same->count += e.count;
    else
      all.push_back({e.t, e.code, e.made.empty() ? e.text : e.made, e.severity, e.value, e.threshold, e.count});
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
