// How soon lines are used again: by hand on small nests, and against a stack of lines on random
// ones.
#include "core/locality/reuse.h"

#include "core/loop/buffers.h"
#include "core/loop/text.h"
#include "core/loop/watched_run.h"
#include "tests/random/random_nest.h"

#include <gmock/gmock.h>

#include <bit>
#include <list>

namespace loopglass::locality {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// L1 of 4 lines, L2 of 8.
Machine small_machine() {
  Machine machine;
  machine.l1.bytes = 4 * line_bytes;
  machine.l2.bytes = 8 * line_bytes;
  return machine;
}

Reuse reuse(const std::string& nest, const std::map<std::string, std::int64_t>& symbols = {},
            std::int64_t most = default_accesses) {
  const auto func = loop::parse(nest);
  EXPECT_TRUE(func) << to_string(func.error());
  auto found = reuse_of(*func, symbols, small_machine(), most);
  EXPECT_TRUE(found) << to_string(found.error());
  return *std::move(found);
}

const std::string scanned_twice = R"(func f[n](X: float32[n] input, Y: float32[2] output) {
  for t in 2 {
    for i in n {
      block Y(i0 = t, reduce r0 = i) by sum from 0 {
        reads X[r0]
        writes Y[i0]
        Y[i0] = Y[i0] + X[r0]
      }
    }
  }
})";

TEST(Reuse, OfAScanIsAFirstUseAndThenTheSameLine) {
  const Reuse found = reuse(scanned_twice, {{"n", 16 * 6}});
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(found.accesses, 2 * 96 * 3);
  ASSERT_EQ(found.buffers.size(), 2u);
  const BufferReuse& x = found.buffers[0];
  EXPECT_EQ(x.buffer, "X");
  EXPECT_EQ(x.bytes, 96 * 4);
  EXPECT_EQ(x.accesses, 2 * 96);
  EXPECT_EQ(x.lines, 6);
  // Y's line lies between any two of X; a second scan comes back to a line after the other five.
  EXPECT_THAT(x.distances, ElementsAre(0, 2 * 6 * 15, 0, 6));
  EXPECT_THAT(x.misses, ElementsAre(12, 6, 6)) << "six lines and Y's are in eight, not in four";
  const BufferReuse& y = found.buffers[1];
  EXPECT_EQ(y.accesses, 2 * 2 * 96);
  EXPECT_EQ(y.lines, 1);
  EXPECT_EQ(y.misses[0], 1);
}

TEST(Reuse, OfWhatFitsMissesOnce) {
  EXPECT_THAT(reuse(scanned_twice, {{"n", 16 * 3}}).buffers[0].misses, ElementsAre(3, 3, 3));
}

TEST(Reuse, OfTheFirstAccessesSaysSo) {
  const Reuse found = reuse(scanned_twice, {{"n", 96}}, 100);
  EXPECT_FALSE(found.whole);
  EXPECT_EQ(found.accesses, 100);
}

TEST(Reuse, OfRegistersIsNoMemory) {
  const Reuse found = reuse(R"(func f(X: float32[8] input, Y: float32[8] output) {
  alloc R: float32[8] register
  for i in 8 {
    R[i] = X[i]
  }
  for j in 8 {
    Y[j] = R[j]
  }
})");
  ASSERT_EQ(found.buffers.size(), 2u);
  EXPECT_EQ(found.buffers[0].buffer, "X");
  EXPECT_EQ(found.buffers[1].buffer, "Y");
}

TEST(Reuse, CanBeStoppedAndRefusesWhatIsTooLarge) {
  const loop::Func func = loop::parse(scanned_twice).value();
  Cancellation cancellation;
  cancellation.request();
  EXPECT_EQ(reuse_of(func, {{"n", 96}}, small_machine(), 1000, {}, cancellation).error().code,
            Code::Cancelled);
  EXPECT_EQ(reuse_of(func, {{"n", 1 << 30}}, small_machine()).error().code, Code::OutOfMemory);
}

// A stack of lines, the last used on top: the depth at which one is found is its distance.
TEST(Reuse, IsThatOfAStackOfLines) {
  int followed = 0;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    const loop::Func func = test::random_nest(seed);
    const auto found = reuse_of(func, {}, small_machine());
    if (!found) continue;
    ++followed;
    const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
    std::list<std::pair<std::string, std::int64_t>> stack;
    std::map<std::string, std::vector<std::int64_t>> distances;
    std::map<std::string, std::int64_t> lines, misses;
    const loop::WatchedRun run(func, {}, default_accesses);
    run([&](const loop::AccessEvent& event, std::int64_t) {
      const auto known = std::ranges::find(found->buffers, event.buffer, &BufferReuse::buffer);
      if (known == found->buffers.end()) return;
      const loop::Buffer& buffer = *loop::find_buffer(buffers, event.buffer);
      const std::int64_t elements = line_bytes / static_cast<std::int64_t>(byte_size(buffer.type));
      const std::pair line{event.buffer, event.element / elements};
      const auto at = std::ranges::find(stack, line);
      if (at == stack.end()) {
        ++lines[event.buffer];
        ++misses[event.buffer];
      } else {
        const auto depth = static_cast<std::uint64_t>(std::distance(stack.begin(), at));
        auto& kinds = distances[event.buffer];
        const auto kind = static_cast<std::size_t>(std::bit_width(depth));
        if (kinds.size() <= kind) kinds.resize(kind + 1);
        ++kinds[kind];
        misses[event.buffer] += depth >= 4 ? 1 : 0;
        stack.erase(at);
      }
      stack.push_front(line);
    });
    for (const BufferReuse& buffer : found->buffers) {
      EXPECT_EQ(buffer.lines, lines[buffer.buffer]) << seed;
      EXPECT_EQ(buffer.misses[0], misses[buffer.buffer]) << seed;
      EXPECT_EQ(buffer.distances, distances[buffer.buffer]) << seed;
    }
  }
  EXPECT_GT(followed, 100);
}

}  // namespace
}  // namespace loopglass::locality
