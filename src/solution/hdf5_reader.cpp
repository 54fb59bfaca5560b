// SPDX-License-Identifier: BSD-3-Clause
// Reads HDF5 files of strangers. The library runs in a process of its own; what it may meet is checked before it reads.
#ifdef TRILL_HAVE_HDF5
#include "solution/hdf5_driver.hpp"
#include "solution/hdf5_library.hpp"
#include "solution/packed_runs.hpp"
#include "solution/reading_child.hpp"
#include "solution/safe_file.hpp"
#include "solution/seal.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
// The pieces that the child sends.
enum Piece : std::uint64_t { piece_text = 1, piece_sizes, piece_rows, piece_end, piece_refusal, piece_absent };

constexpr double seconds_for_any_file = 3, bytes_a_second = 1e6;  // far fewer than any machine reads
constexpr std::uint64_t most_deflated = 1100;                     // deflate makes a text at most 1032 times as short

struct TableSizes {
  std::uint64_t rows = 0, n_y = 0, n_measured = 0;
};

// In the child, from here on. A file that links elsewhere, or that has anything which trill does not write, is refused
// before HDF5 looks at its data.
void check_link(hid_t owner, const char* name) {
  H5L_info_t info{};
  need(H5Lget_info(owner, name, &info, H5P_DEFAULT));
  if (info.type != H5L_TYPE_HARD) throw Hdf5Trouble{fmt::format("'{}' is a link to another place", name)};
}

Hdf5Handle open_group(hid_t owner, const char* name) {
  check_link(owner, name);
  return {H5Gopen2(owner, name, H5P_DEFAULT), H5Gclose};
}

bool has_link(hid_t owner, const char* name) { return need(H5Lexists(owner, name, H5P_DEFAULT)) > 0; }

Hdf5Handle open_run_group(hid_t file) {
  if (!has_link(file, "run") && (has_link(file, "runs") || has_link(file, "first_row")))
    throw Hdf5Trouble{"it holds many runs of a sweep; name one of them as if it had a file of its own"};
  return open_group(file, "run");
}

Hdf5Handle open_dataset(hid_t group, const char* name) {
  check_link(group, name);
  return {H5Dopen2(group, name, H5P_DEFAULT), H5Dclose};
}

bool check_filters(hid_t layout, const char* name) {
  bool deflated = false;
  const int count = need(H5Pget_nfilters(layout));
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        need(H5Pget_filter2(layout, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr));
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      throw Hdf5Trouble{fmt::format("'{}' goes through a filter that trill does not use", name)};
    deflated = deflated || filter == H5Z_FILTER_DEFLATE;
  }
  return deflated;
}

// The size in bytes that the numbers of a table can have at most.
std::uint64_t check_storage(hid_t dataset, const char* name, std::uint64_t file_size) {
  const Hdf5Handle layout(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose);
  const H5D_layout_t kind = need(H5Pget_layout(layout));
  if (kind != H5D_CHUNKED && kind != H5D_CONTIGUOUS)
    throw Hdf5Trouble{fmt::format("'{}' is stored in a way that trill does not use", name)};
  if (need(H5Pget_external_count(layout)) != 0)
    throw Hdf5Trouble{fmt::format("the numbers of '{}' are in another file", name)};
  if (need(H5Tequal(type, H5T_IEEE_F64LE)) == 0)
    throw Hdf5Trouble{fmt::format("'{}' does not hold numbers of 64 bits", name)};
  return check_filters(layout, name) ? file_size * most_deflated : file_size;
}

std::array<hsize_t, 2> checked_size(hid_t dataset, const char* name, int rank, std::uint64_t file_size) {
  const std::uint64_t most = check_storage(dataset, name, file_size) / sizeof(double);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::array<hsize_t, 2> size = {0, 1};
  if (H5Sget_simple_extent_ndims(space) != rank) throw Hdf5Trouble{fmt::format("the size of '{}' is wrong", name)};
  need(H5Sget_simple_extent_dims(space, size.data(), nullptr));
  if (size[1] > 0 && size[0] > most / size[1])
    throw Hdf5Trouble{fmt::format("'{}' announces more numbers than a file of {} bytes can hold", name, file_size)};
  return size;
}

TableSizes checked_sizes(const std::vector<Hdf5Handle>& datasets, std::uint64_t file_size) {
  const auto t = checked_size(datasets[0], "t", 1, file_size);
  const auto y = checked_size(datasets[1], "y", 2, file_size);
  const auto measured = checked_size(datasets[2], "measured", 2, file_size);
  if (y[0] != t[0] || measured[0] != t[0]) throw Hdf5Trouble{"the tables do not have the same number of rows"};
  return {t[0], y[1], measured[1]};
}

std::vector<Hdf5Handle> open_datasets(hid_t group) {
  std::vector<Hdf5Handle> datasets;
  for (const char* name : {"t", "y", "measured"}) datasets.push_back(open_dataset(group, name));
  return datasets;
}

// Files of earlier versions have texts of variable length.
std::string read_variable_text(hid_t attribute) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  need(H5Tset_size(type, H5T_VARIABLE));
  need(H5Tset_cset(type, H5T_CSET_UTF8));
  char* data = nullptr;
  need(H5Aread(attribute, type, &data));
  std::string text = data ? data : "";
  H5free_memory(data);
  return text;
}

// The texts of an attribute, with a zero byte after each if it is a list.
std::string read_text(hid_t owner, const char* name, bool is_list, std::uint64_t file_size) {
  const Hdf5Handle attribute(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
  const hssize_t count = need(H5Sget_simple_extent_npoints(space));
  if (H5Tget_class(type) != H5T_STRING || (!is_list && count != 1))
    throw Hdf5Trouble{fmt::format("'{}' is not a text", name)};
  if (need(H5Tis_variable_str(type)) > 0) {
    if (is_list) throw Hdf5Trouble{fmt::format("'{}' is not a list of texts of one length", name)};
    return read_variable_text(attribute);
  }
  const std::size_t length = H5Tget_size(type), number = static_cast<std::size_t>(count);
  if (length == 0 || number > file_size / length) throw Hdf5Trouble{fmt::format("'{}' is longer than the file", name)};
  std::string cells(length * number, '\0'), text;
  if (number > 0) need(H5Aread(attribute, type, cells.data()));
  for (std::size_t i = 0; i < number; ++i) {
    const char* cell = cells.data() + i * length;
    text.append(cell, strnlen(cell, length));
    if (is_list) text += '\0';
  }
  return text;
}

bool has_attribute(hid_t owner, const char* name) { return need(H5Aexists(owner, name)) > 0; }

void send_text(const ReadingChild::Answer& answer, const std::string& text) {
  answer.send(piece_text, text.data(), text.size());
}

// A file of an earlier version has neither checksums nor anything that only they protect.
void send_record(const ReadingChild::Answer& answer, hid_t group, std::uint64_t file_size) {
  const auto datasets = open_datasets(group);
  const TableSizes sizes = checked_sizes(datasets, file_size);
  answer.send(piece_sizes, &sizes, sizeof(sizes));
  const bool protects = has_attribute(group, "checksum") || has_attribute(group, "rows_checksum");
  for (const char* name : hdf5_group_texts)
    if (protects || std::strcmp(name, "rows_checksum") != 0)
      send_text(answer, read_text(group, name, false, file_size));
  if (!protects) return;
  send_text(answer, read_text(datasets[0], "unit", false, file_size));
  for (const std::size_t k : {1, 2})
    for (const char* name : {"names", "units"}) send_text(answer, read_text(datasets[k], name, true, file_size));
  send_text(answer, read_text(group, "checksum", false, file_size));
}

void send_rows(const ReadingChild::Answer& answer, hid_t group, std::uint64_t file_size) {
  const auto datasets = open_datasets(group);
  const TableSizes sizes = checked_sizes(datasets, file_size);
  Hdf5Block block(hdf5_tables(sizes.n_y, sizes.n_measured));
  std::vector<double> rows;
  const auto all = static_cast<Index>(sizes.rows);
  for (Index first = 0; first < all; first += block.most_rows()) {
    const Index count = std::min(block.most_rows(), all - first);
    block.transfer_all(Hdf5Direction::read, datasets, first, count);
    rows.clear();
    for (Index i = 0; i < count; ++i) {
      rows.push_back(*block.at(0, i));
      rows.insert(rows.end(), block.at(1, i), block.at(1, i + 1));
      rows.insert(rows.end(), block.at(2, i), block.at(2, i + 1));
    }
    answer.send(piece_rows, rows.data(), rows.size() * sizeof(double));
  }
}

std::string stored_checksum(hid_t group, std::uint64_t file_size) {
  return has_attribute(group, "checksum") ? read_text(group, "checksum", false, file_size) : "";
}

// All at once: to ask for one name after the other takes a time that grows with the square of their number.
std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  need(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names));
  return names;
}

// The name, the sizes and the checksum of every run in a file that holds many.
void send_list(const ReadingChild::Answer& answer, hid_t file, std::uint64_t file_size) {
  const Hdf5Handle runs = open_group(file, "runs");
  for (const std::string& name : names_in(runs)) {
    const Hdf5Handle group = open_group(runs, name.c_str());
    const TableSizes sizes = checked_sizes(open_datasets(group), file_size);
    send_text(answer, name);
    answer.send(piece_sizes, &sizes, sizeof(sizes));
    send_text(answer, stored_checksum(group, file_size));
  }
}

using SendPart = void (*)(const ReadingChild::Answer&, hid_t group, std::uint64_t file_size);
struct Question {
  int file;
  std::uint64_t file_size;
  SendPart part;
  std::string member;  // of many runs; empty: the file holds one run
};

void send_or_refuse(const ReadingChild::Answer& answer, const Question& question) {
  const auto refuse = [&](const std::string& why) { answer.send(piece_refusal, why.data(), why.size()); };
  try {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // no filters from elsewhere
    Hdf5Sink source{question.file};
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Handle opened(open_on_sink(source, "solution", access), H5Fclose);
    if (question.part == send_list) {
      send_list(answer, opened, question.file_size);
    } else if (question.member.empty()) {
      question.part(answer, open_run_group(opened), question.file_size);
    } else {
      const Hdf5Handle runs = open_group(opened, "runs");
      if (!has_link(runs, question.member.c_str())) return answer.send(piece_absent, nullptr, 0);
      question.part(answer, open_group(runs, question.member.c_str()), question.file_size);
    }
    answer.send(piece_end, nullptr, 0);
  } catch (const Hdf5Trouble& trouble) {
    refuse(trouble.text);
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

// In this process, from here on.
class Hdf5Source {
 public:
  // `name` is for messages.
  Hdf5Source(const fs::path& path, std::string name, std::string member)
      : name_(std::move(name)), member_(std::move(member)) {
    file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file_) throw_io("cannot read", name_, errno);
    check_signature();
  }

  const std::string& name() const { return name_; }

  // Hands over each piece; false: there is no such run in the file.
  template <class Take>
  bool for_each_piece(SendPart part, const Take& take) const {
    std::optional<ReadingChild> child;
    {
      const Hdf5Library library;  // no other thread is inside it while the process is copied
      if (!prepare_sinks()) throw IoError("the HDF5 library cannot be used");
      const Question question{file_.get(), size_, part, member_};
      child.emplace(limits(), [&](const ReadingChild::Answer& a) { send_or_refuse(a, question); });
    }
    std::string piece;
    for (auto kind = child->receive(piece); kind != piece_end; kind = child->receive(piece)) {
      if (kind == piece_absent) return false;
      if (kind == piece_refusal)
        throw IoError(fmt::format("{} is damaged, or it is not a solution written by trill ({})", name_, piece));
      if (kind == 0)
        throw IoError(
            fmt::format("{} is damaged: the HDF5 library {} when it read this file", name_, child->how_it_ended()));
      take(kind, piece);
    }
    return true;
  }

 private:
  void check_signature() {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    char start[8] = {};
    const struct stat status = status_of(file_);
    const bool fits = S_ISREG(status.st_mode) && ::pread(file_.get(), start, sizeof(start), 0) == sizeof(start) &&
                      std::string_view(start, sizeof(start)) == signature;
    if (!fits) throw IoError(name_ + " is not an HDF5 file, or it is incomplete");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  ReadingChild::Limits limits() const {
    ReadingChild::Limits limits;
    limits.seconds = seconds_for_any_file + static_cast<double>(size_) / bytes_a_second;
    limits.bytes += size_;
    limits.most_bytes_a_piece = std::max<std::uint64_t>(size_, block_doubles * sizeof(double)) + 4096;
    return limits;
  }

  std::string name_, member_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

class Hdf5Run final : public StoredRun {
 public:
  explicit Hdf5Run(Hdf5Source source) : source_(std::move(source)) {}

  // false: there is no such run in the file.
  bool read_record() {
    Hdf5Texts texts;
    TableSizes sizes;
    const bool is_there = source_.for_each_piece(send_record, [&](std::uint64_t kind, const std::string& piece) {
      if (kind == piece_text)
        texts.push_back(piece);
      else if (kind == piece_sizes && piece.size() == sizeof(sizes))
        std::memcpy(&sizes, piece.data(), sizeof(sizes));
    });
    if (!is_there) return false;
    const std::string& file = source_.name();
    if (texts.size() < 5) throw IoError(file + " is damaged: it lacks a text");
    const Seal seal = check_checksum(texts);
    record.info = info_from_json(texts[2], file);
    record.outcome = outcome_from_json(texts[3], file);
    record.trust = trust_from_json(texts[4], file);
    record.rows = static_cast<Index>(sizes.rows);
    if (seal == Seal::whole) record.data_checksum = std::strtoull(texts[5].c_str(), nullptr, 16);
    note_seal(record, seal);
    if (sizes.n_y != width_y(record.info) || sizes.n_measured != width_measured(record.info))
      throw IoError(file + " is damaged: its tables do not have the columns that it names");
    return true;
  }

  void visit(const Visitor& visitor) const override {
    const std::size_t n_y = width_y(record.info), width = 1 + n_y + width_measured(record.info);
    std::vector<double> row(width);
    std::uint64_t sum = checksum(nullptr, 0);
    Index seen = 0;
    source_.for_each_piece(send_rows, [&](std::uint64_t kind, const std::string& piece) {
      if (kind != piece_rows || piece.size() % (width * sizeof(double)) != 0)
        throw IoError(source_.name() + " is damaged: a row is incomplete");
      sum = checksum(piece.data(), piece.size(), sum);
      for (std::size_t at = 0; at < piece.size(); at += width * sizeof(double), ++seen) {
        std::memcpy(row.data(), piece.data() + at, width * sizeof(double));
        visitor(row[0], row.data() + 1, row.data() + 1 + n_y);
      }
    });
    if (seen != record.rows || (record.data_checksum != 0 && sum != record.data_checksum))
      throw IoError(source_.name() + " is damaged: the checksum of its rows is wrong");
  }

 private:
  Seal check_checksum(Hdf5Texts& texts) const {
    const std::string stored = texts.size() > hdf5_group_texts.size() ? texts.back() : "";
    if (!stored.empty()) texts.pop_back();
    return judge_seal(texts[0], stored, !stored.empty() && stored == checksum_text(texts), source_.name());
  }

  Hdf5Source source_;
};
}  // namespace

std::unique_ptr<StoredRun> open_hdf5(const fs::path& path) {
  auto run = std::make_unique<Hdf5Run>(Hdf5Source(path, path.string(), ""));
  run->read_record();
  return run;
}

std::unique_ptr<StoredRun> open_hdf5_member(const fs::path& path, const std::string& member) {
  auto run = std::make_unique<Hdf5Run>(Hdf5Source(path, fmt::format("{} in {}", member, path.string()), member));
  if (!run->read_record()) return nullptr;
  return run;
}

std::map<std::string, ListedRun> list_hdf5_members(const fs::path& path) {
  std::map<std::string, ListedRun> list;
  std::vector<std::string> texts;
  ListedRun run;
  Hdf5Source(path, path.string(), "").for_each_piece(send_list, [&](std::uint64_t kind, const std::string& piece) {
    TableSizes sizes;
    if (kind == piece_sizes && piece.size() == sizeof(sizes)) {
      std::memcpy(&sizes, piece.data(), sizeof(sizes));
      run = {sizes.rows, sizes.n_y, sizes.n_measured, ""};
    } else if (kind == piece_text) {
      texts.push_back(piece);
    }
    if (texts.size() < 2) return;
    run.checksum = texts[1];
    list[texts[0]] = run;
    texts.clear();
  });
  return list;
}
}  // namespace trill
#endif
