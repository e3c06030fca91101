// What is remembered, for how long, and what several who ask at once get.
#include "core/support/memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace loopglass {
namespace {

using Numbers = Memo<int>;

Numbers::Value number(int value) { return std::make_shared<const int>(value); }

// Whether it had to be derived.
bool derives(Numbers& memo, std::uint64_t key) {
  bool derived = false;
  const auto value = memo.get(key, [&] {
    derived = true;
    return number(static_cast<int>(key));
  });
  EXPECT_EQ(**value, static_cast<int>(key));
  return derived;
}

TEST(Memo, KeepsWhatWasAskedForLastAndNoMore) {
  Numbers memo(3);
  for (const int key : {1, 2, 3}) EXPECT_TRUE(derives(memo, key));
  EXPECT_FALSE(derives(memo, 1));  // 2 is now the one that was asked for longest ago
  EXPECT_TRUE(derives(memo, 4));
  EXPECT_EQ(memo.size(), 3u);
  EXPECT_FALSE(derives(memo, 1));
  EXPECT_FALSE(derives(memo, 3));
  EXPECT_FALSE(derives(memo, 4));
  EXPECT_TRUE(derives(memo, 2));
  for (int key = 10; key < 1000; ++key) EXPECT_TRUE(derives(memo, key));
  EXPECT_EQ(memo.size(), 3u);
}

TEST(Memo, HoldsMoreWhereItIsToldTo) {
  Numbers memo(2);
  memo.hold(5);
  memo.hold(1);  // never less
  for (const int key : {1, 2, 3, 4, 5}) EXPECT_TRUE(derives(memo, key));
  for (const int key : {1, 2, 3, 4, 5}) EXPECT_FALSE(derives(memo, key));
}

TEST(Memo, WhoHoldsAResultKeepsIt) {
  Numbers memo(1);
  const auto one = memo.get(1, [] { return number(1); });
  EXPECT_TRUE(derives(memo, 2));
  memo.clear();
  EXPECT_EQ(**one, 1);
  EXPECT_EQ(memo.size(), 0u);
  EXPECT_TRUE(derives(memo, 2));
}

TEST(Memo, ARefusalIsRememberedButNoCancellation) {
  Numbers memo(4);
  int asked = 0;
  const auto ask = [&](Code code) {
    return memo.get(static_cast<std::uint64_t>(code), [&]() -> Numbers::Value {
      ++asked;
      return fail(code, "no");
    });
  };
  for (const Code code : {Code::UsageInvalid, Code::Cancelled, Code::OutOfMemory}) {
    asked = 0;
    EXPECT_FALSE(ask(code));
    EXPECT_FALSE(ask(code));
    EXPECT_EQ(asked, code == Code::UsageInvalid ? 1 : 2);
  }
  EXPECT_THROW(memo.get(1, []() -> Numbers::Value { throw std::logic_error("no"); }),
               std::logic_error);
  EXPECT_TRUE(derives(memo, 1));
  EXPECT_EQ(memo.size(), 2u) << "the refusal, and what was derived";
}

// Few places and many who ask at once, some for what another derives, while all is forgotten now
// and then.
TEST(Memo, IsBoundedWhoeverAsks) {
  Numbers memo(4);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (unsigned i = 0; i < 5000; ++i) {
          const std::uint64_t key = (i * 7 + t) % 13;
          const auto value = memo.get(key, [&] { return number(static_cast<int>(key)); });
          wrong += **value != static_cast<int>(key);
          if (i % 1000 == 999) memo.clear();
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memo.size(), 4u);
}

}  // namespace
}  // namespace loopglass
