#include "passes/graph/equal_constants.h"

#include "core/support/hash.h"

#include <algorithm>
#include <map>

namespace loopglass::passes {

namespace {

using graph::ValueId;

// Of the type and some 64 bytes spread evenly over the data.
std::uint64_t sample_hash(const Tensor& tensor) {
  constexpr std::size_t samples = 64;
  Hasher hasher;
  hasher.value(tensor.data_type());
  for (const std::int64_t extent : tensor.shape()) hasher.value(extent);
  const std::size_t bytes = tensor.bytes(), count = std::min(samples, bytes);
  for (std::size_t i = 0; i < count; ++i)
    hasher.value(static_cast<std::uint8_t>(tensor.data()[i * bytes / count]));
  return hasher.digest();
}

}  // namespace

std::vector<std::vector<ValueId>> equal_constants(const graph::Graph& graph) {
  std::map<std::uint64_t, std::vector<ValueId>> by_sample;
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant()) by_sample[sample_hash(value->constant)].push_back(value->id);
  std::vector<std::vector<ValueId>> equal;
  for (const auto& [sample, candidates] : by_sample) {
    if (candidates.size() < 2) continue;
    std::map<std::uint64_t, std::vector<std::vector<ValueId>>> by_content;
    for (const ValueId id : candidates) {
      const Tensor& constant = graph.value(id).constant;
      auto& groups = by_content[constant.content_hash()];
      const auto same = std::ranges::find_if(groups, [&](const auto& group) {
        return graph.value(group.front()).constant.same_content(constant);
      });
      if (same == groups.end()) groups.push_back({id});
      else same->push_back(id);
    }
    for (auto& [content, groups] : by_content)
      for (auto& group : groups)
        if (group.size() > 1) equal.push_back(std::move(group));
  }
  std::ranges::sort(equal, {}, [](const auto& group) { return group.front().value; });
  return equal;
}

}  // namespace loopglass::passes
