// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "solution/file_formats.hpp"
#include "solution/run_json_parts.hpp"
#include "solution/safe_file.hpp"
#include "solution/seal.hpp"
#include "trill/base/archive.hpp"

#include <array>
#include <cstdio>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill {
namespace fs = std::filesystem;
namespace {
fs::path sidecar_of(fs::path path) { return path += ".meta.json"; }

// RFC 4180
void append_field(std::string& line, const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

constexpr const char* file_line_end = "\r\n";  // RFC 4180

std::string header_of(const RunInfo& info, const char* line_end = file_line_end) {
  const auto titled = [](const std::string& name, const std::string& unit) {
    return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
  };
  std::string line;
  append_field(line, titled("t", info.time_unit));
  for (const auto* list : {&info.components, &info.quantities})
    for (const Quantity& q : *list) {
      line += ',';
      append_field(line, titled(q.name, q.unit));
    }
  return line + line_end;
}

void append_row(std::string& line, const RunInfo& info, double t, const double* y, const double* measured) {
  const auto out = std::back_inserter(line);
  fmt::format_to(out, FMT_COMPILE("{}"), t);
  for (std::size_t i = 0; i < width_y(info); ++i) fmt::format_to(out, FMT_COMPILE(",{}"), y[i]);
  for (std::size_t i = 0; i < width_measured(info); ++i) fmt::format_to(out, FMT_COMPILE(",{}"), measured[i]);
}

std::string sealed_text(const RunRecord& record) {
  std::string text = to_json(record);
  text.back() = ',';  // in place of the closing brace
  return text + seal_text(checksum(text.data(), text.size()));
}

// Reads a file piece by piece.
class Input {
 public:
  explicit Input(const fs::path& path) : path_(path), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
    if (!file_) throw_io("cannot read", path, errno);
  }
  std::string_view next() {
    const std::size_t got = std::fread(piece_.data(), 1, piece_.size(), file_.get());
    if (got < piece_.size() && std::ferror(file_.get())) throw_io("cannot read", path_, errno);
    return {piece_.data(), got};
  }

 private:
  fs::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<char> piece_ = std::vector<char>(256 * 1024);
};

class CsvRun final : public StoredRun {
 public:
  fs::path path;

  void visit(const Visitor& visitor) const override {
    Input input(path);
    std::string pending;  // what follows the last line break
    std::vector<double> row(1 + width_y(record.info) + width_measured(record.info));
    std::size_t skip = header_of(record.info).size();
    Index seen = 0;
    for (auto piece = input.next(); !piece.empty(); piece = input.next()) {
      const std::size_t skipped = std::min(skip, piece.size());
      skip -= skipped;
      pending.append(piece.substr(skipped));
      std::size_t at = 0;
      for (auto end = pending.find('\n', at); end != std::string::npos; end = pending.find('\n', at)) {
        parse(std::string_view(pending).substr(at, end - at), row, seen++);
        visitor(row[0], row.data() + 1, row.data() + 1 + width_y(record.info));
        at = end + 1;
      }
      pending.erase(0, at);
    }
    if (seen != record.rows || !pending.empty())
      throw IoError(fmt::format("{} is incomplete: it has {} rows instead of {}", path.string(), seen, record.rows));
  }

  void check(Seal seal) const {
    Input input(path);
    std::uint64_t sum = checksum(nullptr, 0);
    std::string start;
    const std::string header = header_of(record.info);
    for (auto piece = input.next(); !piece.empty(); piece = input.next()) {
      if (start.size() < header.size()) start.append(piece.substr(0, header.size() - start.size()));
      sum = checksum(piece.data(), piece.size(), sum);
    }
    if (start != header || (seal != Seal::waived && sum != record.data_checksum))
      throw IoError(fmt::format("{} is incomplete, or it is not the table that was written together with {}",
                                path.string(), sidecar_of(path).filename().string()));
  }

 private:
  void parse(std::string_view line, std::vector<double>& row, Index number) const {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::size_t column = 0;
    while (column < row.size()) {
      const auto comma = line.find(',');
      const auto value = parse_number(line.substr(0, comma));
      if (!value) break;
      row[column++] = *value;
      if (comma == std::string_view::npos) {
        line = {};
        break;
      }
      line.remove_prefix(comma + 1);
    }
    if (column != row.size() || !line.empty())
      throw IoError(fmt::format("{}: row {} does not hold {} numbers", path.string(), number + 1, row.size()));
  }
};
}  // namespace

void write_csv(const RowSource& rows, RunRecord record, const fs::path& path, const std::string& when_full) {
  const RunInfo& info = record.info;
  WholeFile table(path, when_full), sidecar(sidecar_of(path), when_full);
  std::string line = header_of(info);
  std::uint64_t sum = checksum(line.data(), line.size());
  table.write(line);
  visit_checked(rows, record, [&](double t, const double* y, const double* measured) {
    line.clear();
    append_row(line, info, t, y, measured);
    line += file_line_end;
    sum = checksum(line.data(), line.size(), sum);
    table.write(line);
  });
  record.data_checksum = sum;
  sidecar.write(sealed_text(record));
  table.commit();
  sidecar.commit();
}

void write_table(const RowSource& rows, const RunInfo& info, const std::function<void(const std::string&)>& write) {
  constexpr std::size_t piece = 64 * 1024;
  std::string text = header_of(info, "\n");
  rows.visit([&](double t, const double* y, const double* measured) {
    check_finite(info, t, y, measured);
    append_row(text, info, t, y, measured);
    text += '\n';
    if (text.size() < piece) return;
    write(text);
    text.clear();
  });
  write(text);
}

std::unique_ptr<StoredRun> open_csv(const fs::path& path) {
  const fs::path sidecar = sidecar_of(path);
  if (!fs::exists(sidecar))
    throw IoError(fmt::format("{} cannot be read without {}, which trill writes beside it", path.string(),
                              sidecar.filename().string()));
  auto run = std::make_unique<CsvRun>();
  run->path = path;
  nlohmann::json document;
  run->check(read_sealed(read_whole(sidecar), sidecar.string(), run->record, document));
  return run;
}
}  // namespace trill
