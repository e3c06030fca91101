// What a nest offers: every primitive somewhere, lines that replay as they are written, and only
// what names the loop or block that was asked about.
#include "core/script/offered_calls.h"

#include "core/script/replayer.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

#include <set>

namespace loopglass::schedule {

namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::vector<OfferedCall>& calls) {
  std::vector<std::string> lines;
  for (const OfferedCall& call : calls) lines.push_back(to_script(to_instruction(call)));
  return lines;
}

TEST(OfferedCalls, AreOfEveryPrimitive) {
  const loop::Func func = two_elementwise({6, 10});
  std::set<std::string> offered;
  // What is offered takes a block out of another's loops only where one is in them.
  const loop::Func inside =
      scheduled(func, "Y = block(\"Y\")\nZ = block(\"Z\")\ni, j = loops(Z)\ncompute_at(Y, j)");
  for (const loop::Func& nest : {func, inside, matrix_product(4, 4, 4)})
    for (const OfferedCall& call : offered_calls(nest)) offered.insert(call.primitive->name);
  for (const Primitive& primitive : all_primitives())
    EXPECT_THAT(offered, Contains(primitive.name));
}

TEST(OfferedCalls, AreLinesOfScript) {
  const loop::Func func = matrix_product(16, 12, 9);
  int legal = 0;
  for (const OfferedCall& call : offered_calls(func)) {
    const std::string line = to_script(to_instruction(call));
    const auto trace = parse_script(line);
    ASSERT_TRUE(trace) << line << ": " << to_string(trace.error());
    const auto step = Replayer(func).run(trace->instructions.at(0));
    const auto checked = call.primitive->check(func, call.arguments);
    EXPECT_EQ(step.has_value(), checked.has_value()) << line;
    if (!step) {
      EXPECT_EQ(step.error().code, Code::ScheduleIllegal) << line;
    }
    legal += step ? 1 : 0;
  }
  EXPECT_GT(legal, 30);
}

TEST(OfferedCalls, AreThoseThatNameTheLoop) {
  const std::vector<std::string> of_k = lines_of(offered_calls(matrix_product(16, 12, 9), "k"));
  EXPECT_THAT(of_k, Contains("split(k, [-1, 8])"));
  EXPECT_THAT(of_k, Not(Contains("split(k, [-1, 16])")));
  EXPECT_THAT(of_k, Contains("reorder([k, j])"));
  EXPECT_THAT(of_k, Contains("rfactor(C, k, 0)"));
  EXPECT_THAT(of_k, Contains("bind(k, threadIdx.x)"));
  EXPECT_THAT(of_k, Each(HasSubstr("k")));
  EXPECT_THAT(lines_of(offered_calls(matrix_product(16, 12, 9), "A")),
              Contains("cache_read(C, A, stack)"));
}

}  // namespace

}  // namespace loopglass::schedule
