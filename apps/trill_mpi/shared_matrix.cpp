// SPDX-License-Identifier: BSD-3-Clause
#include "shared_matrix.hpp"

#include "model/file/matrix_market.hpp"
#include "model/file/matrix_share.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <mpi.h>

namespace trill {
namespace {
constexpr std::size_t head_bytes = 1 << 20;  // in which banner, comments and sizes must lie
constexpr std::size_t usual_head_bytes = 1 << 12, line_bytes = 1 << 8;

std::string piece_of(std::ifstream& in, std::uint64_t begin, std::uint64_t end) {
  std::string text(end - begin, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(begin));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// Where the first line begins that starts at `at` or later.
std::uint64_t next_line(std::ifstream& in, std::uint64_t at, std::uint64_t body, std::uint64_t size) {
  if (at <= body) return body;
  for (std::uint64_t from = at - 1; from < size; from += line_bytes) {
    const std::string text = piece_of(in, from, std::min<std::uint64_t>(size, from + line_bytes));
    if (const std::size_t found = text.find('\n'); found != std::string::npos) return from + found + 1;
  }
  return size;
}

// Long comments may come before the sizes.
MatrixHead head_of(std::ifstream& in, const std::string& name, std::uint64_t size) {
  try {
    return read_matrix_head(name, piece_of(in, 0, std::min<std::uint64_t>(size, usual_head_bytes)));
  } catch (const ModelError&) {
    return read_matrix_head(name, piece_of(in, 0, std::min<std::uint64_t>(size, head_bytes)));
  }
}

struct Part {
  MatrixHead head;
  std::vector<MatrixEntry> entries;
};

Part read_part(const std::filesystem::path& file, const std::string& name, const MatrixShare& share) {
  std::ifstream in(file, std::ios::binary);
  const std::uint64_t size = std::filesystem::file_size(file);
  Part part{head_of(in, name, size), {}};
  const std::uint64_t body = part.head.end, length = size - body;
  const auto border = [&](Index process) {
    const auto share_of = static_cast<std::uint64_t>(static_cast<double>(length) * static_cast<double>(process) /
                                                     static_cast<double>(share.processes));
    return process == share.processes ? size : next_line(in, body + share_of, body, size);
  };
  const std::uint64_t begin = border(share.process), end = std::max(begin, border(share.process + 1));
  part.entries = read_matrix_entries(name, piece_of(in, begin, end), part.head);
  return part;
}

bool all_agree(bool mine) {
  int good = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return good == 1;
}

long long sum_of(long long mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

// Only a file that is wrong is read as a whole, for the message with the line.
[[noreturn]] void complain(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const SpMat read = read_matrix_market(name, text);
  throw ModelError(
      fmt::format("{}: the matrix of {} x {} could not be shared among processes; only the coordinate "
                  "format can",
                  name, read.rows(), read.cols()));
}

std::vector<MatrixEntry> exchanged(const std::vector<std::vector<MatrixEntry>>& for_process) {
  std::vector<int> sent, received(for_process.size()), from, to;
  std::vector<MatrixEntry> out;
  int place = 0;
  for (const auto& entries : for_process) {
    sent.push_back(static_cast<int>(entries.size()));
    from.push_back(place);
    place += sent.back();
    out.insert(out.end(), entries.begin(), entries.end());
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  place = 0;
  for (const int count : received) {
    to.push_back(place);
    place += count;
  }
  std::vector<MatrixEntry> in(static_cast<std::size_t>(place));
  MPI_Datatype entry{};
  MPI_Type_contiguous(sizeof(MatrixEntry), MPI_BYTE, &entry);
  MPI_Type_commit(&entry);
  MPI_Alltoallv(out.data(), sent.data(), from.data(), entry, in.data(), received.data(), to.data(), entry,
                MPI_COMM_WORLD);
  MPI_Type_free(&entry);
  return in;
}
}  // namespace

SpMat read_shared_matrix(const std::filesystem::path& file, const std::string& name) {
  const MatrixShare& share = matrix_share();
  std::optional<Part> part;
  try {
    part = read_part(file, name, share);
  } catch (const std::exception&) {
    part.reset();
  }
  if (!all_agree(part && part->head.is_coordinate && part->head.rows >= share.processes)) complain(file, name);
  const MatrixHead& head = part->head;
  if (sum_of(static_cast<long long>(part->entries.size())) != head.entries) complain(file, name);

  std::vector<Index> ends;
  for (Index p = 0; p < share.processes; ++p) ends.push_back(head.rows * (p + 1) / share.processes);
  const auto owner = [&](int row) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
  };
  std::vector<std::vector<MatrixEntry>> for_process(static_cast<std::size_t>(share.processes));
  for (const MatrixEntry& e : part->entries) {
    for_process[owner(e.row)].push_back(e);
    if (head.across != 0 && e.row != e.column)
      for_process[owner(e.column)].push_back({e.column, e.row, head.across * e.value});
  }
  part->entries.clear();
  const std::vector<MatrixEntry> own = exchanged(for_process);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const MatrixEntry& e : own) triplets.emplace_back(e.row, e.column, e.value);
  SpMat matrix(head.rows, head.columns);
  bool twice = false;
  matrix.setFromTriplets(triplets.begin(), triplets.end(), [&](double, double b) {
    twice = true;
    return b;
  });
  if (!all_agree(!twice)) complain(file, name);
  return matrix;
}
}  // namespace trill
