// Searches that are written as loops, compiled, find what the interpreter finds without the pass.
#include "core/loop/interpret_graph.h"
#include "core/ops/registry.h"
#include "core/runtime/executor.h"
#include "tests/random/random_searches.h"
#include "tests/session/compiled_network.h"

#include <algorithm>
#include <numeric>

namespace loopglass {
namespace {

TEST(WrittenLoops, CompiledFindTheSame) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 90; ++trial) {
    const test::DrawnSearch drawn = trial % 3 == 0   ? test::draw_top_k(random)
                                    : trial % 3 == 1 ? test::draw_scatter_elements(random)
                                                     : test::draw_scatter_nd(random);
    SCOPED_TRACE(trial);
    const auto expected = loop::interpret(drawn.graph, drawn.inputs);
    ASSERT_TRUE(expected) << to_string(expected.error());
    const auto session = session_on(drawn.graph);
    const auto executor = executor_in_time(*session);
    ASSERT_TRUE(executor) << to_string(executor.error());
    for (const int threads : {1, 2}) {
      runtime::ThreadPool pool(threads);
      const auto actual = (*executor)->run(drawn.inputs, pool);
      ASSERT_TRUE(actual) << to_string(actual.error());
      for (std::size_t i = 0; i < expected->size(); ++i) {
        const auto same = runtime::compare((*actual)[i], (*expected)[i], 1e-6, 1e-5);
        EXPECT_TRUE(same) << to_string(same.error());
      }
    }
  }
}

// Beyond what one thread computes, and what fits a stack.
TEST(WrittenLoops, CompiledFindTheSameOfMany) {
  for (const auto& [count, wanted, largest] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t>{20'000, 3, 1}, {20'000, 9'000, 0}}) {
    graph::GraphBuilder builder("network");
    const auto x = builder.add_input("x", {DataType::Float32, {4, count}});
    const auto node = builder.add_node("best", *ops::find_operator("TopK"), {x},
                                       {{"k", wanted}, {"largest", largest}}, 2);
    ASSERT_TRUE(node);
    builder.set_outputs(builder.node(*node).outputs);
    const auto session = session_on(*std::move(builder).finish());
    const auto executor = executor_in_time(*session);
    ASSERT_TRUE(executor) << to_string(executor.error());
    const Tensor numbers = runtime::random_tensor({DataType::Float32, {4, count}}, 3);
    runtime::ThreadPool pool(2);
    const auto found = (*executor)->run(std::vector{numbers}, pool);
    ASSERT_TRUE(found) << to_string(found.error());
    for (std::int64_t row = 0; row < 4; ++row) {
      const auto elements = numbers.as<float>().subspan(static_cast<std::size_t>(row * count),
                                                        static_cast<std::size_t>(count));
      std::vector<std::int64_t> order(static_cast<std::size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
        const float left = elements[static_cast<std::size_t>(a)],
                    right = elements[static_cast<std::size_t>(b)];
        return largest != 0 ? left > right : left < right;
      });
      for (std::int64_t i = 0; i < wanted; ++i)
        ASSERT_EQ((*found)[1].integer_at(row * wanted + i), order[static_cast<std::size_t>(i)])
            << row << " " << i;
    }
  }
}

}  // namespace
}  // namespace loopglass
