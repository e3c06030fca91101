#include "views/timeline/pipeline_draft.h"

#include <algorithm>
#include <iterator>

namespace loopglass::views {
namespace {

template <class List>
auto at(List& list, std::size_t place) {
  return list.begin() + static_cast<std::ptrdiff_t>(place);
}

}  // namespace

PipelineDraft PipelineDraft::of(const pass::Pipeline& pipeline) {
  PipelineDraft draft;
  for (const pass::PipelineEntry& entry : pipeline.entries) {
    draft.entries.push_back({{}, entry.fixed_point});
    for (const std::string& pass : entry.passes) draft.entries.back().items.push_back({pass, true});
  }
  return draft;
}

namespace {

// Whether the entry is that which is kept, when others of its passes are switched off, as they then
// are.
bool leave_only(PipelineDraft::Entry& entry, const pass::PipelineEntry& kept) {
  if (entry.fixed_point != kept.fixed_point) return false;
  PipelineDraft::Entry left = entry;
  std::size_t found = 0;
  for (PipelineDraft::Item& item : left.items) {
    item.enabled = found < kept.passes.size() && item.pass == kept.passes[found];
    found += item.enabled;
  }
  if (found < kept.passes.size()) return false;
  entry = std::move(left);
  return true;
}

}  // namespace

std::optional<PipelineDraft> PipelineDraft::within(const pass::Pipeline& pipeline,
                                                   const pass::Pipeline& whole) {
  PipelineDraft draft = of(whole);
  auto next = pipeline.entries.begin();
  for (Entry& entry : draft.entries)
    if (next != pipeline.entries.end() && leave_only(entry, *next)) ++next;
    else
      for (Item& item : entry.items) item.enabled = false;
  return next == pipeline.entries.end() ? std::optional(std::move(draft)) : std::nullopt;
}

std::size_t PipelineDraft::switched_off() const {
  std::size_t count = 0;
  for (const Entry& entry : entries)
    count += std::ranges::count(entry.items, false, &Item::enabled);
  return count;
}

pass::Pipeline PipelineDraft::pipeline() const {
  pass::Pipeline pipeline;
  for (const Entry& entry : entries) {
    pass::PipelineEntry made{{}, entry.fixed_point};
    for (const Item& item : entry.items)
      if (item.enabled) made.passes.push_back(item.pass);
    if (!made.passes.empty()) pipeline.entries.push_back(std::move(made));
  }
  return pipeline;
}

std::string PipelineDraft::text() const {
  const std::string text = pass::to_text(pipeline());
  return text.empty() ? "none" : text;
}

PipelineDraft::Place PipelineDraft::add(std::string pass, std::optional<Place> after) {
  if (!after) {
    entries.push_back({{{std::move(pass), true}}, false});
    return {entries.size() - 1, {}};
  }
  Entry& entry = entries[after->entry];
  if (entry.fixed_point) {
    const std::size_t item = after->item ? *after->item + 1 : entry.items.size();
    entry.items.insert(at(entry.items, item), {std::move(pass), true});
    return {after->entry, item};
  }
  entries.insert(at(entries, after->entry + 1), {{{std::move(pass), true}}, false});
  return {after->entry + 1, {}};
}

PipelineDraft::Place PipelineDraft::duplicate(Place place) {
  if (place.item) {
    auto& items = entries[place.entry].items;
    const Item copy = items[*place.item];
    items.insert(at(items, *place.item + 1), copy);
    return {place.entry, *place.item + 1};
  }
  const Entry copy = entries[place.entry];
  entries.insert(at(entries, place.entry + 1), copy);
  return {place.entry + 1, {}};
}

std::optional<PipelineDraft::Place> PipelineDraft::remove(Place place) {
  auto& items = entries[place.entry].items;
  if (place.item && items.size() > 1) {
    items.erase(at(items, *place.item));
    return Place{place.entry, std::min(*place.item, items.size() - 1)};
  }
  entries.erase(at(entries, place.entry));
  if (entries.empty()) return {};
  return Place{std::min(place.entry, entries.size() - 1), {}};
}

std::optional<PipelineDraft::Place> PipelineDraft::move(Place place, int by) {
  if (!place.item) {
    const auto to = static_cast<std::ptrdiff_t>(place.entry) + by;
    if (to < 0 || to >= std::ssize(entries)) return {};
    std::swap(entries[place.entry], entries[static_cast<std::size_t>(to)]);
    return Place{static_cast<std::size_t>(to), {}};
  }
  auto& items = entries[place.entry].items;
  const auto to = static_cast<std::ptrdiff_t>(*place.item) + by;
  if (to >= 0 && to < std::ssize(items)) {
    std::swap(items[*place.item], items[static_cast<std::size_t>(to)]);
    return Place{place.entry, static_cast<std::size_t>(to)};
  }
  // Out of the group, to just before or after it.
  const Item leaver = items[*place.item];
  items.erase(at(items, *place.item));
  const bool was_last = items.empty();
  if (was_last) entries.erase(at(entries, place.entry));
  const std::size_t entry = place.entry + (by > 0 && !was_last ? 1 : 0);
  entries.insert(at(entries, entry), {{leaver}, false});
  return Place{entry, {}};
}

PipelineDraft::Place PipelineDraft::group(Place place) {
  entries[place.entry].fixed_point = true;
  return {place.entry, {}};
}

PipelineDraft::Place PipelineDraft::ungroup(Place place) {
  const std::vector<Item> items = entries[place.entry].items;
  entries.erase(at(entries, place.entry));
  for (std::size_t i = 0; i < items.size(); ++i)
    entries.insert(at(entries, place.entry + i), {{items[i]}, false});
  return {place.entry + place.item.value_or(0), {}};
}

bool PipelineDraft::enabled(Place place) const {
  const auto& items = entries[place.entry].items;
  if (place.item) return items[*place.item].enabled;
  return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.enabled; });
}

void PipelineDraft::set_enabled(Place place, bool enabled) {
  auto& items = entries[place.entry].items;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!place.item || *place.item == i) items[i].enabled = enabled;
}

}  // namespace loopglass::views
