// SPDX-License-Identifier: BSD-3-Clause
#include "driver/run.hpp"

#include <type_traits>

namespace trill {
namespace {
// Each list of fields stands once; `visit` writes or reads them.
template <class Item, class Visit>
void fields(Item& item, Visit visit) {
  if constexpr (std::is_same_v<const Item, const EventHit>) {
    visit(item.name);
    visit(item.t);
  } else {
    static_assert(std::is_same_v<const Item, const Notice>);
    visit(item.t);
    visit(item.code);
    visit(item.text);
    visit(item.severity);
    visit(item.value);
    visit(item.threshold);
    visit(item.count);
  }
}

template <class Item>
void save(Archive& archive, const std::vector<Item>& items) {
  archive.write(static_cast<std::uint64_t>(items.size()));
  for (const Item& item : items) fields(item, [&](const auto& field) { archive.write(field); });
}

template <class Item>
std::vector<Item> load(Archive& archive) {
  std::uint64_t left = 0;
  archive.read(left);
  std::vector<Item> items;
  for (; left > 0; --left) fields(items.emplace_back(), [&](auto& field) { archive.read(field); });
  return items;
}
}  // namespace

// Everything of the run itself that a checkpoint holds.
template <class Visit>
void Run::own_fields(Visit visit) {
  visit(inner_.t);
  visit(inner_.y);
  visit(inner_.mode);
  clock_.fields(visit);
  visit(last_recorded_);
  visit(next_break_);
  visit(last_step_);
  crowding_.fields(visit);
}

void Run::checkpoint() {
  Archive archive;
  count_seconds();
  own_fields([&](const auto& field) { archive.write(field); });
  if (options_.reformulation) options_.reformulation->save(archive);
  detector_.save(archive);
  advancer_.save(archive);
  stepper_.save(archive);
  save(archive, outcome_.events);
  save(archive, advancer_.notes().notices());
  recorder_.checkpoint(archive);
}

void Run::load_checkpoint(Archive& archive) {
  own_fields([&](auto& field) { archive.read(field); });
  if (options_.reformulation) options_.reformulation->load(archive);
  leave(inner_, user_);
  session_.enter(user_);  // before the method, which may ask it again for what it keeps
  detector_.load(archive);
  advancer_.load(archive);
  stepper_.load(archive);
  outcome_.events = load<EventHit>(archive);
  advancer_.notes().restore(load<Notice>(archive));
}
}  // namespace trill
