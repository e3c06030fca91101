// Memory in pages of two megabytes instead of four kilobytes, for what is walked from end to end in
// every run: a processor remembers some thousand pages, which is less than the weights of most
// networks have.
//
// Memory is asked for in small pages and filled, and moved afterwards: where large ones
// were asked for first, first results took 1.3 to 1.6 times as long.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace loopglass {

// What of this memory fills whole huge pages is moved into such, now; what lies in them already
// stays. Memory next to other memory of the list counts as one. May take milliseconds a page, and
// asks after each whether that is enough. Nothing happens where the system has no such pages or no
// room for them. Contents stay, and may be read meanwhile.
void move_into_huge_pages(std::span<const std::span<const std::byte>> memory,
                          const std::function<bool()>& is_enough);

}  // namespace loopglass
