// Where a thing came from, one level up: a graph node names ONNX nodes (by their index in the
// model), a te stage, block or loop names graph nodes, an instruction names a line of the loop
// nest. Relations between far levels are composed from neighbours; an empty origin is an honest
// "no mapping".
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loopglass {

struct Origin {
  std::vector<std::uint32_t> sources;  // sorted, without duplicates

  void merge(const Origin& other) {
    sources.insert(sources.end(), other.sources.begin(), other.sources.end());
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  }
  bool contains(std::uint32_t source) const {
    return std::binary_search(sources.begin(), sources.end(), source);
  }
  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace loopglass
