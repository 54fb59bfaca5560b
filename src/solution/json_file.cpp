// SPDX-License-Identifier: BSD-3-Clause
#include "solution/file_formats.hpp"
#include "solution/run_json_parts.hpp"
#include "solution/safe_file.hpp"
#include "solution/seal.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t most_bytes_in_memory = 64 << 20;

// A file that ends with a checksum over all that was written before.
class SealedFile {
 public:
  SealedFile(const fs::path& path, const std::string& when_full) : file_(path, when_full) {}
  void write(std::string_view bytes) {
    sum_ = checksum(bytes.data(), bytes.size(), sum_);
    file_.write(bytes);
  }
  void commit() {
    file_.write(seal_text(sum_));
    file_.commit();
  }

 private:
  WholeFile file_;
  std::uint64_t sum_ = checksum(nullptr, 0);
};

void write_column(SealedFile& file, const std::vector<double>& column) {
  std::string text = "[";
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i > 0) text += ',';
    const bool negative_zero = column[i] == 0 && std::signbit(column[i]);
    if (negative_zero)
      text += "-0.0";  // "-0" reads back as the integer 0
    else
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), column[i]);
    if (text.size() > 60'000) {
      file.write(text);
      text.clear();
    }
  }
  text += ']';
  file.write(text);
}

// The file is written column by column, but the source gives rows: every pass over the source collects as many columns
// as memory allows.
class ColumnWriter {
 public:
  ColumnWriter(SealedFile& file, const RowSource& rows, const RunRecord& record)
      : file_(file), rows_(rows), record_(record) {
    const auto column_bytes = std::max<std::size_t>(1, static_cast<std::size_t>(record.rows) * sizeof(double));
    per_pass_ = std::max<std::size_t>(1, most_bytes_in_memory / column_bytes);
  }

  // Column 0 is t, then y, then measured.
  void write(const char* before_each, std::size_t first, const std::vector<Quantity>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) file_.write(",");
      file_.write(before_each);
      file_.write(json_quoted(names[i].name) + ":");
      write_column(file_, column(first + i));
    }
  }

 private:
  const std::vector<double>& column(std::size_t wanted) {
    if (wanted < first_ || wanted >= first_ + columns_.size()) load(wanted);
    return columns_[wanted - first_];
  }

  void load(std::size_t wanted) {
    const std::size_t n_y = width_y(record_.info), all = 1 + n_y + width_measured(record_.info);
    first_ = wanted;
    columns_.assign(std::min(per_pass_, all - first_), {});
    for (auto& column : columns_) column.reserve(static_cast<std::size_t>(record_.rows));
    visit_checked(rows_, record_, [&](double t, const double* y, const double* measured) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const std::size_t i = first_ + k;
        columns_[k].push_back(i == 0 ? t : i <= n_y ? y[i - 1] : measured[i - 1 - n_y]);
      }
    });
  }

  SealedFile& file_;
  const RowSource& rows_;
  const RunRecord& record_;
  std::size_t per_pass_ = 1, first_ = 0;
  std::vector<std::vector<double>> columns_;
};

class JsonRun final : public StoredRun {
 public:
  std::vector<std::vector<double>> columns;
  void visit(const Visitor& visitor) const override {
    std::vector<double> row(columns.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(record.rows); ++i) {
      for (std::size_t k = 0; k < columns.size(); ++k) row[k] = columns[k][i];
      visitor(row[0], row.data() + 1, row.data() + 1 + width_y(record.info));
    }
  }
};
}  // namespace

void write_json(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  SealedFile file(path, when_full);
  std::string head = to_json(record);
  head.pop_back();  // the closing brace
  file.write(head);
  ColumnWriter columns(file, rows, record);
  file.write(",");
  columns.write("\n", 0, {{"t", ""}});
  file.write(",\n\"y\":{");
  columns.write("\n", 1, record.info.components);
  file.write("},\n\"measured\":{");
  columns.write("\n", 1 + width_y(record.info), record.info.quantities);
  file.write("},\n");
  file.commit();
}

std::unique_ptr<StoredRun> open_json(const fs::path& path) {
  using nlohmann::json;
  const std::string file = path.string();
  json document;
  auto run = std::make_unique<JsonRun>();
  read_sealed(read_whole(path), file, run->record, document);
  const auto take = [&](const json& column, const std::string& name) {
    run->columns.push_back(column.get<std::vector<double>>());
    if (static_cast<Index>(run->columns.back().size()) != run->record.rows)
      throw IoError(fmt::format("{} is damaged: '{}' has {} values instead of {}", file, name,
                                run->columns.back().size(), run->record.rows));
  };
  try {
    take(document.at("t"), "t");
    for (const Quantity& q : run->record.info.components) take(document.at("y").at(q.name), q.name);
    for (const Quantity& q : run->record.info.quantities) take(document.at("measured").at(q.name), q.name);
  } catch (const json::exception& error) {
    throw IoError(fmt::format("{} is not a solution of trill: {}", file, error.what()));
  }
  return run;
}
}  // namespace trill
