// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/report/chart.hpp"

#include <functional>
#include <limits>
#include <string>

namespace trill {
// What a number of ours is compared with. Only a number that the paper prints is called published.
enum class OriginKind {
  published,
  closed_form,
  independent,  // computed by a program that has nothing in common with trill
  own,          // computed by trill in another way
  expected      // it follows from something that does not need a computation
};
struct CellOrigin {
  OriginKind kind = OriginKind::independent;
  std::string detail{};      // where it is printed, how it was computed, or why it is expected
  std::string text() const;  // "published: SAT09", "independent computation"
};
const char* to_text(OriginKind kind);

// One number of a figure or table of a paper, as trill computes it, next to the one it is compared with.
struct FigureCell {
  std::string label;
  double ours = 0, expected = 0, tolerance = 0;
  bool relative = false;  // tolerance relative to the expected value
  CellOrigin origin{};
  bool gated = true;  // false: shown, but not part of the verdict
  // The tolerance is the largest factor between the two values, for errors that range over many powers of ten.
  bool factor = false;
  // Our value may exceed the expected one by any amount; the tolerance is how far it may fall behind.
  bool more_is_better = false;

  double deviation() const;
  bool ok() const { return !gated || deviation() <= tolerance; }  // NaN is not ok
};

struct FigureResult {
  std::vector<FigureCell> cells;
  std::vector<Chart> charts;
  std::vector<Table> tables{};  // shown before the cells
  std::string remark;
  bool ok() const;
};

struct FigureEntry {
  std::string name, title, reference;
  std::function<FigureResult(bool full)> compute;
};

class FigureRegistry {
 public:
  static const FigureRegistry& all();                    // built on first use, from the generated list
  const FigureEntry& find(std::string_view name) const;  // UsageError with the nearest names if it is unknown
  const std::vector<FigureEntry>& entries() const { return entries_; }
  void add(FigureEntry entry) { entries_.push_back(std::move(entry)); }

 private:
  std::vector<FigureEntry> entries_;
};

// Whether any cell is compared with a number that is printed.
bool has_published_numbers(const FigureResult& result);
Table table_of(const FigureResult& result);
}  // namespace trill
