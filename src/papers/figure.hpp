// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/report/chart.hpp"

#include <functional>
#include <limits>

namespace trill {
// One number of a published figure or table next to ours. `published` may come from the paper itself or, if the paper
// only has a curve, from an independent computation; `origin` says which.
struct FigureCell {
  std::string label;
  double ours = 0, published = 0, tolerance = 0;
  bool relative = false;  // tolerance relative to the published value
  std::string origin;
  bool gated = true;  // false: shown, but not part of the verdict
  // The tolerance is the largest factor between the two values, for errors that range over many powers of ten.
  bool factor = false;
  // Our value may exceed the published one by any amount; the tolerance is how far it may fall behind.
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

Table table_of(const FigureResult& result);
}  // namespace trill
