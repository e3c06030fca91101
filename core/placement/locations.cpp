#include "core/placement/locations.h"

#include "core/support/check.h"

#include <algorithm>

namespace loopglass::placement {

using graph::ValueId;

// A view of less than this share of its buffer is not worth keeping the buffer for.
static constexpr std::int64_t smallest_share = 4;

Locations::Locations(const graph::Graph& graph, std::span<const fusion::KernelProgram> kernels)
    : graph_(graph) {
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (const auto* values : {&kernels[k].inputs, &kernels[k].outputs})
      for (const ValueId id : *values) {
        last_use_[id] = static_cast<int>(k);
        if (fusion::is_missing(kernels[k])) apart_.insert(id);
      }
}

const Location& Locations::of(ValueId id) {
  const auto [found, fresh] = locations_.try_emplace(id);
  if (fresh) {
    found->second = {id, dense_rows(shape(id))};
    members_[id] = {id};
  }
  return found->second;
}

bool Locations::is_for_caller(ValueId id) const {
  return graph_.is_output(id) || !graph_.value(id).producer.valid();
}

std::optional<CopyReason> Locations::lay(ValueId id, const Location& location) {
  CHECK(has_own_memory(id) && location.buffer != id && has_own_memory(location.buffer),
        "a buffer is laid into another");
  const std::vector<ValueId> moving = members_.at(id);
  std::vector<Rows> moved;
  for (const ValueId member : moving) {
    if (apart_.contains(member)) return CopyReason::BesideOpaque;
    const auto rows = compose(locations_.at(member).rows, shape(member), shape(id), location.rows);
    if (!rows) return CopyReason::NotRows;
    if (const auto refused = refuse(member, location.buffer, *rows)) return refused;
    moved.push_back(*rows);
  }
  if (keeps_too_much(id, location.buffer)) return CopyReason::KeepsLargeBuffer;
  for (std::size_t m = 0; m < moving.size(); ++m) {
    locations_[moving[m]] = {location.buffer, std::move(moved[m])};
    members_[location.buffer].push_back(moving[m]);
  }
  members_.erase(id);
  last_use_[location.buffer] = std::max(last_use_[location.buffer], last_use_[id]);
  return std::nullopt;
}

// Why a value cannot lie like this. Kernels take all tensors for aligned, and rows for rows of a
// larger tensor that begins where the value does; that one may end beyond the buffer, which is
// harmless in the arena alone.
std::optional<CopyReason> Locations::refuse(ValueId id, ValueId buffer, const Rows& rows) const {
  const auto size = static_cast<std::int64_t>(byte_size(graph_.value(id).type.type));
  if (rows.offset * size % buffer_alignment != 0) return CopyReason::Misaligned;
  if (is_dense(rows, shape(id))) return std::nullopt;
  if (!pitched_shape(rows, shape(id))) return CopyReason::NotRows;
  if (run_length(rows, shape(id)) * size < buffer_alignment) return CopyReason::ShortRows;
  if (is_for_caller(buffer)) return CopyReason::RowsForCaller;
  return std::nullopt;
}

// Whether a small value would keep a large buffer alive that nobody else needs any more.
bool Locations::keeps_too_much(ValueId id, ValueId buffer) {
  if (is_for_caller(buffer)) return false;
  if (graph_.value(id).type.bytes() * smallest_share >= graph_.value(buffer).type.bytes())
    return false;
  return last_use_[id] > last_use_[buffer];
}

}  // namespace loopglass::placement
