// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods and formulations: remarks of a run, with a code, a value and its threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trill {
// doubt: a warning that the result may be wrong in a way that a more accurate repetition does not show.
enum class Severity { info, warning, doubt, error };

// A warning as a solution keeps it: when, what, and the number that triggered it beside its threshold. Where the same
// code was raised again and again, all of it is of the time when the number was farthest beyond the threshold.
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

// Where a step leaves its warnings: a preallocated list, one entry per code, so that raising allocates nothing.
// code and text must be literals.
class Notes {
 public:
  explicit Notes(std::size_t capacity = 64) { entries_.reserve(capacity); }
  void raise(double t, const char* code, const char* text, Severity severity, double value, double threshold);
  // The same with a text that is made, and allocates, where it replaces an earlier one or is the first.
  template <class MakeText>
  void raise_with(double t, const char* code, const MakeText& text, Severity severity, double value, double threshold) {
    if (Entry* entry = take({t, code, "", severity, value, threshold, 1})) entry->made = text();
  }
  std::vector<Notice> notices() const;
  // Of a run that is resumed; they include what its start raised, so that what was raised here till now is dropped.
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
    std::string made = {};  // the text, where it is no literal
  };
  Entry* take(const Entry& raised);  // null: nothing but its count was of interest
  std::vector<Entry> entries_;
  std::vector<Notice> earlier_;
};

const char* to_text(Severity severity);
}  // namespace trill
