// Running a compiled network: order, arena, constants, outputs.
#include "core/runtime/benchmark.h"

#include "core/loop/text.h"
#include "core/ops/registry.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>

namespace loopglass::runtime {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

const TensorType vector8{DataType::Float32, {8}};

const ops::OpDef& op(std::string_view name) { return *ops::find_operator(name); }

ValueId add_node(GraphBuilder& builder, std::string name, std::string_view op_name,
                 std::vector<ValueId> inputs) {
  return builder.output(builder.add_node(name, op(op_name), std::move(inputs), {}).value());
}

// One kernel per node: output = an expression of the inputs A and B, in a loop of eight.
KernelInstance kernel(std::string name, const std::string& expression,
                      std::vector<ValueId> arguments) {
  std::string parameters;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    parameters += std::string(1, static_cast<char>('A' + i)) + ": float32[8] input, ";
  loop::Func func =
      loop::parse("func " + name + "(" + parameters +
                  "Y: float32[8] output) { for i in 8 parallel { Y[i] = " + expression + " } }")
          .value();
  codegen::CompileOptions options;
  options.in_place = schedule::in_place_pairs(func);
  KernelInstance instance{{},
                          name,
                          codegen::compile(func, options).value(),
                          {std::move(arguments), func.parameters, options.in_place, 0},
                          8};
  return instance;
}

// x -> a = relu(x) -> b = -a -> y = a + b + c, where c is a constant; the outputs are y, a, x, c
// and y.
struct Network {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<KernelInstance> kernels;
  Tensor constant = random_tensor(vector8, 9);

  Network() {
    GraphBuilder builder("network");
    ValueId x = builder.add_input("x", vector8), c = builder.add_constant("c", constant);
    ValueId a = add_node(builder, "a", "Relu", {x});
    ValueId b = add_node(builder, "b", "Neg", {a});
    ValueId ab = add_node(builder, "ab", "Add", {a, b});
    ValueId y = add_node(builder, "y", "Add", {ab, c});
    builder.set_outputs({y, a, x, c, y});
    graph = std::make_shared<const graph::Graph>(std::move(builder).finish().value());
    kernels = {kernel("relu", "max(A[i], 0.0f)", {x, a}), kernel("negate", "-A[i]", {a, b}),
               kernel("add", "A[i] + B[i]", {a, b, ab}), kernel("add2", "A[i] + B[i]", {ab, c, y})};
  }
};

std::unique_ptr<Executor> executor_of(const Network& network) {
  std::vector<KernelUse> uses;
  for (const KernelInstance& kernel : network.kernels) uses.push_back(kernel.use);
  auto plan = std::make_shared<const MemoryPlan>(plan_memory(*network.graph, uses).value());
  return Executor::create(network.graph, network.kernels, std::move(plan)).value();
}

TEST(Executor, RunsKernelsInOrderAndReturnsFreshOutputs) {
  Network network;
  auto executor = executor_of(network);
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    std::vector<Tensor> inputs = {random_tensor(vector8, 4)};
    std::vector<Tensor> outputs = executor->run(inputs, pool).value();
    ASSERT_EQ(outputs.size(), 5u);
    auto x = inputs[0].as<float>();
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(outputs[1].as<float>()[i], std::max(x[i], 0.0f));
    EXPECT_TRUE(outputs[0].same_content(network.constant));
    EXPECT_TRUE(outputs[2].same_content(inputs[0]));
    EXPECT_TRUE(outputs[3].same_content(network.constant));
    EXPECT_TRUE(outputs[4].same_content(outputs[0]));
    // Fresh: neither the caller's input nor the graph's constant nor the last run's.
    EXPECT_NE(outputs[2].data(), inputs[0].data());
    EXPECT_NE(outputs[3].data(), network.constant.data());
    std::vector<Tensor> again = executor->run(inputs, pool).value();
    EXPECT_NE(again[0].data(), outputs[0].data());
  }
}

// Whoever keeps the tensors gets the same results in them, and pays for their memory once.
TEST(Executor, RunsIntoTensorsThatTheCallerKeeps) {
  Network network;
  auto executor = executor_of(network);
  ThreadPool pool(1);
  std::vector<Tensor> outputs = executor->allocate_outputs().value();
  ASSERT_EQ(outputs.size(), 5u);
  const std::byte* place = outputs[0].data();
  for (const std::uint64_t seed : {4, 5}) {
    const std::vector<Tensor> inputs = {random_tensor(vector8, seed)};
    std::vector<std::int64_t> nanoseconds;
    ASSERT_TRUE(executor->run_into(outputs, inputs, pool, &nanoseconds));
    EXPECT_EQ(nanoseconds.size(), 4u);
    EXPECT_EQ(outputs[0].data(), place);
    const std::vector<Tensor> fresh = executor->run(inputs, pool).value();
    for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_TRUE(outputs[i].same_content(fresh[i]));
  }
  EXPECT_EQ(executor->run_into(outputs, {}, pool).error().code, Code::InputMismatch);
  EXPECT_THROW((void)executor->run_into({}, std::vector{random_tensor(vector8, 4)}, pool),
               InternalError);
}

TEST(Executor, OnlyIntermediatesTakeArena) {
  Network network;
  auto executor = executor_of(network);
  // a is an output and x an input. b dies where ab is made, which is written over it.
  EXPECT_EQ(executor->memory_plan().live_peak, 128);
  EXPECT_EQ(executor->memory_plan().arena_bytes, 64);
  EXPECT_EQ(executor->memory_plan().lower_bound, 64);
}

TEST(Executor, InputsMustFitTheSignature) {
  Network network;
  auto executor = executor_of(network);
  ThreadPool pool(1);
  auto none = executor->run({}, pool);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::InputMismatch);
  std::vector<Tensor> wrong = {random_tensor(TensorType{DataType::Float32, {9}}, 1)};
  auto other = executor->run(wrong, pool);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::InputMismatch);
  EXPECT_THAT(other.error().what, testing::HasSubstr("float32[8]"));
}

TEST(Executor, OneMachineCodeMayServeSeveralKernels) {
  Network network;
  network.kernels[3].code = network.kernels[2].code;
  auto executor = executor_of(network);
  ThreadPool pool(1);
  std::vector<Tensor> inputs = {random_tensor(vector8, 4)};
  EXPECT_TRUE(executor->run(inputs, pool).value()[0].same_content(network.constant));
}

TEST(Executor, BenchmarkTimesTheNetworkAndEveryKernel) {
  Network network;
  auto executor = executor_of(network);
  BenchmarkOptions options;
  options.rounds = 7;
  int seen = 0;
  options.on_round = [&](int round, double milliseconds) {
    EXPECT_EQ(round, seen++);
    EXPECT_GT(milliseconds, 0);
  };
  BenchmarkReport report = benchmark(*executor, options).value();
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(report.network.rounds, 7);
  EXPECT_LE(report.network.lower_quartile_ms, report.network.median_ms);
  EXPECT_LE(report.network.median_ms, report.network.upper_quartile_ms);
  ASSERT_EQ(report.kernels.size(), 4u);
  EXPECT_EQ(report.kernels[2].bytes, 3 * 32);
  EXPECT_EQ(report.flops, 32);
  options.cancellation.request();
  EXPECT_EQ(benchmark(*executor, options).error().code, Code::Cancelled);
}

// A large output is memory of the caller's, whose pages are not the network's to pay for: no round
// touches new ones. What taking them anew costs is measured apart.
TEST(Executor, ABenchmarkKeepsOutputsFromRoundToRound) {
  constexpr std::int64_t elements = 8 << 20, pages = elements * 4 / 4096;
  const TensorType type{DataType::Float32, {elements}};
  GraphBuilder builder("large");
  const ValueId x = builder.add_input("x", type), y = add_node(builder, "y", "Neg", {x});
  builder.set_outputs({y});
  Network network;
  network.graph = std::make_shared<const graph::Graph>(std::move(builder).finish().value());
  const loop::Func func =
      loop::parse(fmt::format("func negate(A: float32[{0}] input, Y: float32[{0}] output) "
                              "{{ for i in {0} {{ Y[i] = -A[i] }} }}",
                              elements))
          .value();
  const KernelInstance negate{
      {}, "negate", codegen::compile(func).value(), {{x, y}, func.parameters, {}, 0}, elements};
  network.kernels = {negate};
  auto executor = executor_of(network);
  const auto faults = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  BenchmarkOptions options;
  options.rounds = 4;
  std::vector<long> after_round;
  options.on_round = [&](int, double) { after_round.push_back(faults()); };
  const BenchmarkReport report = benchmark(*executor, options).value();
  ASSERT_EQ(after_round.size(), 4u);
  EXPECT_LT(after_round.back() - after_round.front(), pages / 4);
  EXPECT_EQ(report.output_bytes, elements * 4);
  EXPECT_EQ(report.fresh_outputs.rounds, 4);
  EXPECT_GT(report.fresh_outputs.median_ms, 0);
}

TEST(Statistics, AreOrderStatistics) {
  Statistics statistics = summarise({5, 1, 2, 4, 3});
  EXPECT_EQ(statistics.minimum_ms, 1);
  EXPECT_EQ(statistics.lower_quartile_ms, 2);
  EXPECT_EQ(statistics.median_ms, 3);
  EXPECT_EQ(statistics.upper_quartile_ms, 4);
  EXPECT_EQ(summarise({1, 2}).median_ms, 1.5);
}

TEST(RandomTensor, IsTheSameForTheSameSeed) {
  for (DataType type :
       {DataType::Float16, DataType::Float32, DataType::Int64, DataType::UInt8, DataType::Bool}) {
    Tensor a = random_tensor({type, {100}}, 1), b = random_tensor({type, {100}}, 1),
           c = random_tensor({type, {100}}, 2);
    EXPECT_TRUE(a.same_content(b));
    EXPECT_FALSE(a.same_content(c));
  }
}

TEST(Compare, TakesNanAsEqualAndNamesTheFirstDifference) {
  Tensor a = Tensor::of<float>({2, 2}, {1, NAN, INFINITY, 4});
  Tensor b = Tensor::of<float>({2, 2}, {1, NAN, INFINITY, 4.001f});
  EXPECT_TRUE(compare(a, b, 0.01, 0));
  auto different = compare(a, b, 1e-5, 1e-5);
  ASSERT_FALSE(different);
  EXPECT_EQ(different.error().code, Code::ResultMismatch);
  EXPECT_THAT(different.error().what, testing::HasSubstr("[1, 1]"));
  EXPECT_FALSE(compare(a, Tensor::of<float>({2, 2}, {1, NAN, 3, 4}), 1e9, 1e9));
  EXPECT_FALSE(compare(a, Tensor::of<float>({2, 2}, {1, 2, INFINITY, 4}), 1e9, 1e9));
  EXPECT_FALSE(compare(a, Tensor::of<float>({4}, {1, 2, 3, 4}), 1e9, 1e9));
  EXPECT_FALSE(compare(Tensor::of<std::int64_t>({1}, {1LL << 60}),
                       Tensor::of<std::int64_t>({1}, {(1LL << 60) + 1}), 0, 0));
}

}  // namespace
}  // namespace loopglass::runtime
