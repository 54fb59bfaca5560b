// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods and formulations: the notices of a run, each with a code, a value and its threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trill {
// doubt: a warning that the result may be wrong in a way that a more accurate repetition does not show.
enum class Severity { info, warning, doubt, error };

// A warning as a solution keeps it: when, what, and the number that triggered it together with its threshold. If the
// same code was raised several times, all values are those of the worst time, when the number was farthest beyond the
// threshold.
struct Notice {
  double t = 0;
  std::string code, text;
  Severity severity = Severity::info;
  double value = 0, threshold = 0;
  std::int64_t count = 1;  // how often the same code was raised
  template <class Archive>
  void memory(Archive& archive) {
    archive(t, code, text, severity, value, threshold, count);
  }
};

// Where a step leaves its warnings: a preallocated list, one entry per code, so that raise() does not allocate.
// code and text must be string literals.
class Notes {
 public:
  explicit Notes(std::size_t capacity = 64) { entries_.reserve(capacity); }
  void raise(double t, const char* code, const char* text, Severity severity, double value, double threshold);
  // The same with a text built by text(), which is called (and may allocate) only if this notice is the first of its
  // code or worse than the one kept so far.
  template <class MakeText>
  void raise_with(double t, const char* code, const MakeText& text, Severity severity, double value, double threshold) {
    if (Entry* entry = take({t, code, "", severity, value, threshold, 1})) entry->made = text();
  }
  std::vector<Notice> notices() const;
  // Sets the notices of a run that is resumed. They include those raised at its start, so everything raised here until
  // now is dropped.
  void restore(const std::vector<Notice>& earlier) {
    entries_.clear();
    earlier_ = earlier;
  }

 private:
  struct Entry {
    double t;
    const char *code, *text;
    Severity severity;
    double value, threshold;
    std::int64_t count;
    std::string made = {};  // the text, if it is not a literal
  };
  Entry* take(const Entry& raised);  // null: a worse one is already kept, or the list is full
  std::vector<Entry> entries_;
  std::vector<Notice> earlier_;
};

const char* to_text(Severity severity);
}  // namespace trill
