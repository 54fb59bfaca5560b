// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of regret. They are kept in a file, so that a part of the cases can be counted again and the table
// is still that of all.
#pragma once

#include "regret_runs.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::regret {
struct Row {
  std::string model, want;
  double accuracy = 0;
  std::string chosen;
  double error = HUGE_VAL, seconds = HUGE_VAL;  // infinite: the accuracy was not reached
  std::string best;
  double best_seconds = HUGE_VAL;

  bool is_case_of(const Row& other) const {
    return model == other.model && want == other.want && accuracy == other.accuracy;
  }
  double regret() const { return std::max(seconds, unnoticed) / std::max(best_seconds, unnoticed); }
  bool solved() const { return std::isfinite(seconds); }
  bool solvable() const { return std::isfinite(best_seconds); }
};

inline nlohmann::json json_of(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

inline double number_of(const nlohmann::json& value) { return value.is_null() ? HUGE_VAL : value.get<double>(); }

inline std::vector<Row> read_rows(const std::string& file) {
  std::vector<Row> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    rows.push_back({row.at("model"), row.at("want"), row.at("accuracy"), row.at("chosen"), number_of(row.at("error")),
                    number_of(row.at("seconds")), row.at("best"), number_of(row.at("best_seconds"))});
  }
  return rows;
}

inline void write_rows(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  for (const Row& r : rows) {
    nlohmann::ordered_json row;
    row["model"] = r.model;
    row["want"] = r.want;
    row["accuracy"] = r.accuracy;
    row["chosen"] = r.chosen;
    row["error"] = json_of(r.error);
    row["seconds"] = json_of(r.seconds);
    row["best"] = r.best;
    row["best_seconds"] = json_of(r.best_seconds);
    out << row.dump() << "\n";
  }
  if (!out) throw std::runtime_error("cannot write " + file);
}

inline void put(const Row& row, std::vector<Row>& rows) {
  const auto old = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.is_case_of(row); });
  if (old == rows.end())
    rows.push_back(row);
  else
    *old = row;
}

// In the order of the models; without rows of models that are no longer there.
inline void arrange(std::vector<Row>& rows, const std::vector<std::string>& models) {
  const auto place = [&](const Row& r) { return std::find(models.begin(), models.end(), r.model) - models.begin(); };
  const auto gone = static_cast<std::ptrdiff_t>(models.size());
  std::erase_if(rows, [&](const Row& r) { return place(r) == gone; });
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    if (a.model != b.model) return place(a) < place(b);
    return a.want != b.want ? a.want < b.want : a.accuracy > b.accuracy;
  });
}

inline std::string text_of(const Row& r) {
  return fmt::format("| {} | {} | {:.0e} | {} | {} | {} | {} | {} | {} |\n", r.model, r.want, r.accuracy, r.chosen,
                     r.solved() ? fmt::format("{:.1e}", r.error) : "-",
                     r.solved() ? fmt::format("{:.2g}", 1e3 * r.seconds) : "failed", r.best,
                     r.solvable() ? fmt::format("{:.2g}", 1e3 * r.best_seconds) : "-",
                     r.solvable() ? fmt::format("{:.2g}", r.regret()) : "-");
}

inline std::string table_of(const std::vector<Row>& rows) {
  std::string text =
      "| model | want | accuracy | chosen | error | ms | best found | ms | ratio "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Row& r : rows) text += text_of(r);
  return text;
}

inline std::string summary_of(const std::vector<Row>& rows) {
  std::vector<double> ratios;
  int failed = 0, unsolved = 0;
  for (const Row& r : rows) {
    if (!r.solvable())
      ++unsolved;
    else if (!r.solved())
      ++failed;
    else
      ratios.push_back(r.regret());
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) {
    return ratios.empty() ? 0 : ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  return fmt::format(
      "{} cases: time over that of the best way {:.2f} in the median, {:.2f} at 95 %, {:.2f} at worst; {} failed where "
      "another way succeeds, {} solved by none.\n",
      rows.size(), at(0.5), at(0.95), at(1), failed, unsolved);
}

inline void write_into(const std::string& page, const std::string& text) {
  std::stringstream content;
  content << std::ifstream(page).rdbuf();
  std::string all = content.str();
  const std::string open = "<!-- regret -->\n", close = "<!-- /regret -->";
  const auto begin = all.find(open), end = all.find(close);
  if (begin == std::string::npos || end == std::string::npos) throw std::runtime_error("no place for it in " + page);
  all.replace(begin + open.size(), end - begin - open.size(), text);
  std::ofstream(page) << all;
}
}  // namespace trill::regret
