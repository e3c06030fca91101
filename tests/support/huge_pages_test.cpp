#include "core/support/huge_pages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace loopglass {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<std::byte> counted_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 2654435761U >> 24);
  return bytes;
}
bool never() { return false; }

// Lists of all kinds, one after another, over the same memory.
TEST(HugePages, ContentsStay) {
  const std::vector<std::byte> expected = counted_bytes(9 * mebibyte + 123);
  std::vector<std::vector<std::byte>> blocks(4, expected);
  const auto part = [&](std::size_t block, std::size_t from, std::size_t size) {
    return std::span<const std::byte>(blocks[block]).subspan(from, size);
  };
  const std::vector<std::vector<std::span<const std::byte>>> lists{
      {},
      {part(0, 0, 0)},
      {part(0, 77, 1)},
      {part(0, 0, mebibyte)},
      {part(0, 0, expected.size())},
      {part(1, 5 * mebibyte, 4 * mebibyte), part(1, 1, 5 * mebibyte)},  // side by side, in no order
      {part(2, 0, 6 * mebibyte), part(2, 3 * mebibyte, 6 * mebibyte)},  // one over another
      {part(3, 0, expected.size()), part(3, 0, expected.size()), part(0, 0, expected.size())}};
  for (const auto& list : lists) {
    move_into_huge_pages(list, never);
    for (const std::vector<std::byte>& block : blocks) ASSERT_EQ(block, expected);
  }
}

TEST(HugePages, MayBeReadMeanwhile) {
  const std::vector<std::byte> block = counted_bytes(24 * mebibyte);
  const auto sum = [&] {
    return std::accumulate(block.begin(), block.end(), std::uint64_t{},
                           [](std::uint64_t sum, std::byte each) {
                             return sum * 31 + std::to_integer<std::uint64_t>(each);
                           });
  };
  const std::uint64_t expected = sum();
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  {
    const std::jthread reader([&] {
      do wrong += sum() == expected ? 0 : 1;
      while (!is_over);
    });
    const std::span<const std::byte> all = block;
    move_into_huge_pages({&all, 1}, never);
    is_over = true;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(HugePages, StopWhereThatIsEnough) {
  const std::vector<std::byte> block = counted_bytes(16 * mebibyte);
  const std::span<const std::byte> all = block;
  int asked = 0;
  move_into_huge_pages({&all, 1}, [&] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace loopglass
