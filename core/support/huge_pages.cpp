#include "core/support/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <vector>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // Linux 6.1; older ones refuse it
#endif

namespace loopglass {
namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;

struct Stretch {
  std::uintptr_t begin, end;
};

// In order, and as one where less than a page lies between: the allocator's words in front of each.
std::vector<Stretch> joined(std::span<const std::span<const std::byte>> memory) {
  std::vector<Stretch> ranges;
  for (const std::span<const std::byte> each : memory) {
    const auto begin = reinterpret_cast<std::uintptr_t>(each.data());
    ranges.push_back({begin, begin + each.size()});
  }
  std::ranges::sort(ranges, {}, &Stretch::begin);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::vector<Stretch> result;
  for (const Stretch& range : ranges) {
    if (result.empty() || range.begin >= result.back().end + page) result.push_back(range);
    else result.back().end = std::max(result.back().end, range.end);
  }
  return result;
}

}  // namespace

void move_into_huge_pages(std::span<const std::span<const std::byte>> memory,
                          const std::function<bool()>& is_enough) {
  for (const Stretch& range : joined(memory)) {
    std::uintptr_t at = (range.begin + huge_page - 1) / huge_page * huge_page;
    for (; at + huge_page <= range.end && !is_enough(); at += huge_page)
      ::madvise(reinterpret_cast<void*>(at), huge_page, MADV_COLLAPSE);
  }
}

}  // namespace loopglass
