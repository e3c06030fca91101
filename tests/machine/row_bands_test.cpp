// When products go row by row, and what is said where they do not.
#include "core/machine/row_bands.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

RowBands bands(const HandedOnRows& handed_on) {
  Machine machine = reference_machine();
  machine.cores = 1;
  return row_bands(handed_on, machine);
}

constexpr std::int64_t head = 64 * 4;  // bytes of a key

TEST(RowBands, AttentionOfLongSequencesIsWorthThem) {
  for (const std::int64_t tokens : {577, 1024, 4096}) {
    const RowBands found = bands({8, tokens, tokens * 4, tokens * head, tokens * head});
    EXPECT_EQ(found.verdict, BandsVerdict::Worth) << tokens;
    EXPECT_LE(2 * found.most_rows * tokens * 4, reference_machine().l2.bytes / 2) << tokens;
    EXPECT_GE(found.most_rows, 12) << tokens;
  }
}

TEST(RowBands, EachReasonAgainstThemSaysWhatItFound) {
  const auto expect = [](const HandedOnRows& handed_on, BandsVerdict verdict) {
    const RowBands found = bands(handed_on);
    EXPECT_EQ(found.verdict, verdict);
    EXPECT_EQ(found.most_rows, 0);
    if (verdict == BandsVerdict::LittleIsHandedOn || verdict == BandsVerdict::FewRows)
      EXPECT_LE(found.found, found.limit);
    else EXPECT_GT(found.found, found.limit);
  };
  expect({12, 128, 128 * 4, 128 * head, 128 * head}, BandsVerdict::LittleIsHandedOn);
  expect({1, 12, 1 << 20, 1 << 26, 1 << 26}, BandsVerdict::FewRows);
  expect({2, 64, 20000 * 4, 20000 * head, 20000 * head}, BandsVerdict::RowsTooLong);
  // Two layers of a network: 1,024 rows, 4,096 channels between, 16 MiB of weights each.
  expect({1, 1024, 4096 * 4, 16 << 20, 16 << 20}, BandsVerdict::MuchIsReadAgain);
}

TEST(RowBands, ManyCoresGetBandsEach) {
  Machine machine = reference_machine();
  const HandedOnRows handed_on{2, 1024, 4096, 1024 * head, 1024 * head};
  machine.cores = 1;
  const std::int64_t alone = row_bands(handed_on, machine).most_rows;
  machine.cores = 16;
  const std::int64_t shared = row_bands(handed_on, machine).most_rows;
  EXPECT_EQ(shared, 32);  // four bands a core
  EXPECT_GT(alone, shared);
}

}  // namespace
}  // namespace loopglass
