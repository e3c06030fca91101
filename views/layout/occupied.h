// Where boxes stand.
#pragma once

#include "views/layout/layout.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace loopglass::layout {

inline Box box_at(Point centre, double width, double height) {
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

inline bool overlap(const Box& a, const Box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

// Boxes by the squares they touch, to ask quickly whether a place is free.
class Occupied {
 public:
  void add(const Box& box) {
    boxes_.push_back(box);
    visit(box, [&](std::uint64_t square) {
      squares_.emplace(square, boxes_.size() - 1);
      return true;
    });
  }
  bool is_free(const Box& box) const {
    return visit(box, [&](std::uint64_t square) {
      const auto [begin, end] = squares_.equal_range(square);
      return std::none_of(begin, end,
                          [&](const auto& entry) { return overlap(boxes_[entry.second], box); });
    });
  }

 private:
  static constexpr double side = 256;
  template <class Visit>
  static bool visit(const Box& box, const Visit& visit) {
    const auto square = [](double at) { return static_cast<std::int32_t>(std::floor(at / side)); };
    for (std::int32_t x = square(box.left); x <= square(box.right()); ++x)
      for (std::int32_t y = square(box.top); y <= square(box.bottom()); ++y)
        if (!visit(static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 |
                   static_cast<std::uint32_t>(y)))
          return false;
    return true;
  }
  std::vector<Box> boxes_;
  std::unordered_multimap<std::uint64_t, std::size_t> squares_;
};

}  // namespace loopglass::layout
