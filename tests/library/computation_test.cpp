// Elements of tensors in layouts, copied into rows and back.
#include "core/library/computation.h"

#include <gtest/gtest.h>

#include <numeric>

namespace loopglass::library {
namespace {

std::vector<float> counted_up(std::size_t count) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  return numbers;
}

void expect_copied(const Storage& storage) {
  const auto count = static_cast<std::size_t>(element_count(storage.extents));
  const std::vector<float> stored = counted_up(count);
  std::vector<float> rows(count), again(count);
  copy_into_rows(storage, stored.data(), rows.data());
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(rows[i],
              stored[static_cast<std::size_t>(offset_of(storage, static_cast<std::int64_t>(i)))]);
  copy_from_rows(storage, rows.data(), again.data());
  EXPECT_EQ(again, stored);
}

TEST(Storage, IsCopiedIntoRowsAndBack) {
  expect_copied(row_major({3, 4, 5}));
  expect_copied(row_major({7}));
  expect_copied(row_major({}));
  expect_copied(Storage{{4, 3}, {1, 4}});  // columns
  const std::pair<const char*, Shape> layouts[] = {
      {"NCHW", {2, 8, 3, 5}}, {"NHWC", {2, 3, 5, 8}}, {"NCHW4c", {2, 2, 3, 5, 4}}};
  for (const auto& [text, physical] : layouts) {
    SCOPED_TRACE(text);
    const auto layout = Layout::parse(text);
    ASSERT_TRUE(layout) << to_string(layout.error());
    const auto storage = storage_of(*layout, physical);
    ASSERT_TRUE(storage) << to_string(storage.error());
    EXPECT_EQ(lies_in_rows(*storage), std::string_view(text) == "NCHW");
    expect_copied(*storage);
  }
}

}  // namespace
}  // namespace loopglass::library
