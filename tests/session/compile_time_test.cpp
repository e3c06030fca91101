// What once took minutes to compile: everything here does in a second or two, and fails if it takes
// ten. tests/bench/compile_time_bench.cpp measures how the time grows.
#include "tests/session/compiled_network.h"

#include "core/ops/registry.h"
#include "tests/random/network_count.h"
#include "tests/random/random_kernel.h"

namespace loopglass {
namespace {

using Integers = std::vector<std::int64_t>;

graph::Graph single(const std::string& op, Shape shape, ops::Attributes attributes,
                    std::size_t results = 1) {
  graph::GraphBuilder builder("single");
  const auto x = builder.add_input("x", {DataType::Float32, std::move(shape)});
  const auto node =
      builder.add_node("n", *ops::find_operator(op), {x}, std::move(attributes), results).value();
  builder.set_outputs(builder.node(node).outputs);
  return std::move(builder).finish().value();
}

// Rows of nine elements in vectors of eight or sixteen: tens of copies of what is not stored for
// all lanes, each with a loop over all classes inside.
TEST(CompileTime, OddRowsAreNotUnrolledBeyondTheBudget) {
  for (const std::int64_t classes : {10, 33, 100})
    for (const std::int64_t width : {7, 9, 17}) {
      auto session =
          session_on(single("Hardmax", {1, classes, 10, width}, {{"axis", std::int64_t{1}}}));
      expect_compiled_equals_interpreted(*session, 0, 0);
    }
}

// A loop nest for every part.
TEST(CompileTime, ThousandsOfResultsOfOneOperator) {
  auto session = session_on(single("Split", {40 * 3000}, {}, 3000));
  expect_compiled_equals_interpreted(*session, 0, 0);
  const auto stages = session->kernel(fusion::GroupId(0)).value();
  EXPECT_GE(stages->schedule.size(), 6000u) << "each is split and vectorized";
}

TEST(CompileTime, ThousandsOfOperandsOfOneOperator) {
  graph::GraphBuilder builder("concat");
  std::vector<graph::ValueId> operands;
  for (int i = 0; i < 2000; ++i)
    operands.push_back(builder.add_input("x", {DataType::Float32, {1, 3}}));
  const auto node =
      builder.add_node("n", *ops::find_operator("Concat"), operands, {{"axis", std::int64_t{0}}});
  builder.set_outputs({builder.output(node.value())});
  auto session = session_on(std::move(builder).finish().value());
  expect_compiled_equals_interpreted(*session, 0, 0);
}

// One axis of each is as short as it comes, then five times as long.
TEST(CompileTime, RandomKernels) {
  for (std::uint32_t seed = 0; static_cast<int>(seed) < test::network_count(60); ++seed)
    for (const std::int64_t scale : {1, 5}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", scale " + std::to_string(scale));
      auto session = session_on(test::random_kernel(seed, scale));
      ASSERT_TRUE(executor_in_time(*session)) << to_string(executor_in_time(*session).error());
    }
}

}  // namespace
}  // namespace loopglass
