// Strong ids: a NodeId cannot be handed where a ValueId is meant. Ids are never reused along a
// history, so the same id in two steps names the same thing.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace loopglass {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = none;

  constexpr bool valid() const { return value != none; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace loopglass

template <class Tag>
struct std::hash<loopglass::Id<Tag>> {
  std::size_t operator()(loopglass::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.value);
  }
};
