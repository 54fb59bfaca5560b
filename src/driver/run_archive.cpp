// SPDX-License-Identifier: BSD-3-Clause
#include "run_archive.hpp"

namespace trill {
namespace {
// Each list of fields stands once; `visit` writes or reads them.
template <class Hit, class Visit>
void hit_fields(Hit& hit, Visit visit) {
  visit(hit.name);
  visit(hit.t);
}

template <class NoticeLike, class Visit>
void notice_fields(NoticeLike& n, Visit visit) {
  visit(n.t);
  visit(n.code);
  visit(n.text);
  visit(n.severity);
  visit(n.value);
  visit(n.threshold);
  visit(n.count);
}

std::uint64_t read_size(Archive& archive) {
  std::uint64_t size = 0;
  archive.read(size);
  return size;
}
}  // namespace

void save(Archive& archive, const std::vector<EventHit>& hits) {
  archive.write(static_cast<std::uint64_t>(hits.size()));
  for (const EventHit& hit : hits) hit_fields(hit, [&](const auto& field) { archive.write(field); });
}

void load(Archive& archive, std::vector<EventHit>& hits) {
  hits.clear();
  for (std::uint64_t left = read_size(archive); left > 0; --left)
    hit_fields(hits.emplace_back(), [&](auto& field) { archive.read(field); });
}

void save(Archive& archive, const std::vector<Notice>& notices) {
  archive.write(static_cast<std::uint64_t>(notices.size()));
  for (const Notice& notice : notices) notice_fields(notice, [&](const auto& field) { archive.write(field); });
}

void load(Archive& archive, std::vector<Notice>& notices) {
  notices.clear();
  for (std::uint64_t left = read_size(archive); left > 0; --left)
    notice_fields(notices.emplace_back(), [&](auto& field) { archive.read(field); });
}
}  // namespace trill
