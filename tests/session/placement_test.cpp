// Concatenations, parts and reshapes without copies, over the whole chain: machine code computes
// what the interpreter does, and what it computes when every value has memory of its own.
#include "tests/session/compiled_network.h"

#include "core/fusion/pieces.h"
#include "core/ops/registry.h"
#include "samples/samples.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_movement.h"
#include "tests/random/random_sharing.h"
#include "tests/runtime/computed.h"

namespace loopglass {
namespace {

using runtime::KernelUse;
using runtime::MemoryPlan;
using test::computed;
using test::graph_of;
using test::random_inputs;
using test::reader;

std::shared_ptr<runtime::Executor> executor_of(Session& session) {
  auto executor = executor_in_time(session);
  if (!executor) throw std::logic_error(to_string(executor.error()));
  return *std::move(executor);
}

SessionOptions options_with(std::string strategy, bool share_memory = true) {
  SessionOptions options;
  options.pipeline = "none";
  options.strategy = std::move(strategy);
  options.share_memory = share_memory;
  return options;
}

std::size_t views(Session& session) {
  const auto placement = session.placement().value();
  return static_cast<std::size_t>(
      std::count_if(placement->kernels.begin(), placement->kernels.end(),
                    [](const placement::PlacedKernel& kernel) { return kernel.is_view(); }));
}

void expect_the_same_without(const graph::Graph& graph, const std::string& strategy) {
  auto shared = session_on(graph, options_with(strategy)),
       apart = session_on(graph, options_with(strategy, false));
  const auto first = executor_of(*shared), second = executor_of(*apart);
  const auto inputs = random_inputs(graph);
  runtime::ThreadPool pool(2);
  const auto actual = first->run(inputs, pool).value();
  const auto expected = second->run(inputs, pool).value();
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(actual[i].same_content(expected[i])) << "output " << i << "\n"
                                                     << graph::to_text(graph);
}

TEST(SharedMemory, RandomNetworksComputeTheSame) {
  std::size_t shared = 0, skipped = 0;
  for (std::uint32_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const graph::Graph graph = test::random_sharing(seed, 6 + static_cast<int>(seed % 20));
    const char* strategy = seed % 3 == 0 ? "none" : seed % 3 == 1 ? "dominator" : "dp";
    auto session = session_on(graph, options_with(strategy));
    expect_compiled_equals_interpreted(*session, 0, 0);
    if (::testing::Test::HasFailure()) FAIL() << graph::to_text(graph);
    shared += session->placement().value()->shared.size();
    skipped += views(*session);
    expect_the_same_without(graph, strategy);
  }
  EXPECT_GE(shared, 150u);
  EXPECT_GE(skipped, 60u);
}

// Other shapes, transpositions, gathers, pads and tiles among them; and after the passes.
TEST(SharedMemory, NetworksThatMoveElementsComputeTheSame) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const graph::Graph graph = test::random_movement(seed, 16);
    expect_the_same_without(graph, seed % 2 ? "none" : "dominator");
    auto session = session_on(test::random_sharing(seed, 24));
    expect_compiled_equals_interpreted(*session, 0, 0);
  }
}

// The tests above would see it: a value that is taken from a place beside its own is another value.
TEST(SharedMemory, AWrongPlaceGivesAWrongResult) {
  int changed = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const graph::Graph graph = test::random_sharing(seed, 16);
    auto session = session_on(graph, options_with("none"));
    const auto executor = executor_of(*session);
    const auto inputs = random_inputs(graph);
    runtime::ThreadPool pool(1);
    const auto expected = executor->run(inputs, pool).value();
    std::vector<runtime::KernelInstance> kernels = executor->kernels();
    bool moved = false;
    for (runtime::KernelInstance& kernel : kernels)
      for (placement::Place& place : kernel.use.places)
        if (!moved && place.offset >= 64 && graph.value(place.buffer).producer.valid()) {
          place.offset -= 64;
          moved = true;
        }
    if (!moved) continue;
    std::vector<KernelUse> uses;
    for (const runtime::KernelInstance& kernel : kernels) uses.push_back(kernel.use);
    const auto plan = std::make_shared<const MemoryPlan>(runtime::plan_memory(graph, uses).value());
    const auto wrong =
        runtime::Executor::create(std::make_shared<const graph::Graph>(graph), kernels, plan)
            .value()
            ->run(inputs, pool)
            .value();
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!wrong[i].same_content(expected[i])) {
        ++changed;
        break;
      }
  }
  EXPECT_GE(changed, 3);
}

// A row of channels in a larger tensor: what NHWC makes of a concatenation of channels.
TEST(SharedMemory, ChannelsOfNhwcAreWrittenInRows) {
  const graph::Graph graph = graph_of(computed({"a", "b"}, "1x5x7x32") + R"(
    %c: float32[1x5x7x64] = Concat(%a, %b) {axis = 3} "c")" +
                                      reader("c", "1x5x7x64"));
  auto session = session_on(graph, options_with("none"));
  expect_compiled_equals_interpreted(*session, 0, 0);
  EXPECT_EQ(views(*session), 1u);
  const auto placement = session->placement().value();
  ASSERT_EQ(placement->shared.size(), 2u);
  EXPECT_FALSE(placement->shared[0].dense);
  EXPECT_EQ(placement->shared[1].place.offset, 128);
  const auto plan = session->memory_plan().value();
  EXPECT_EQ(plan->arena_bytes, 5 * 7 * 64 * 4);
  EXPECT_EQ(plan->margin_bytes, 128);  // b's last row, as if it were of 64 channels
}

// A sum goes through registers and is copied to its place: to its rows, not to what lies between
// them.
TEST(SharedMemory, SumsAreWrittenInRows) {
  const graph::Graph graph = graph_of(R"(
    input %x: float32[24x40]
    input %v: float32[40x48]
    input %w: float32[40x32]
    input %z: float32[24x16x5]
    %a: float32[24x48] = MatMul(%x, %v) "a"
    %b: float32[24x32] = MatMul(%x, %w) "b"
    %m: float32[24x16] = ReduceMax(%z) {axes = [2], keepdims = 0} "m"
    %c: float32[24x96] = Concat(%a, %b, %m) {axis = 1} "c")" +
                                      reader("c", "24x96"));
  auto session = session_on(graph, options_with("none"));
  expect_compiled_equals_interpreted(*session, 1e-5, 1e-5);
  EXPECT_EQ(session->placement().value()->shared.size(), 3u);
}

// What a kernel reads from the memory that it writes to is another part of it.
TEST(SharedMemory, DenselyConnectedLayersGrowInOneBuffer) {
  const graph::Graph graph = graph_of(computed({"a"}, "1x16x4x4") + R"(
    %b: float32[1x16x4x4] = Neg(%a) "b"
    %ab: float32[1x32x4x4] = Concat(%a, %b) {axis = 1} "ab"
    %c: float32[1x32x4x4] = Sigmoid(%ab) "c"
    %abc: float32[1x64x4x4] = Concat(%ab, %c) {axis = 1} "abc"
    %d: float32[1x64x4x4] = Tanh(%abc) "d"
    %abcd: float32[1x128x4x4] = Concat(%a, %b, %c, %d) {axis = 1} "abcd")" +
                                      reader("abcd", "1x128x4x4"));
  auto session = session_on(graph, options_with("none"));
  expect_compiled_equals_interpreted(*session, 1e-6, 1e-6);
  EXPECT_EQ(views(*session), 3u);
  EXPECT_EQ(session->memory_plan().value()->arena_bytes, 128 * 16 * 4);
  EXPECT_EQ(session->memory_plan().value()->buffers.size(), 1u);
}

// The sum would be written over the rows that its other operand still reads.
TEST(SharedMemory, NothingIsWrittenOverWhatTheKernelReadsUnderAnotherName) {
  const graph::Graph graph = graph_of(computed({"a"}, "4x16") + R"(
    %s: float32[1x16] = Slice(%a) {starts = [0], ends = [1], axes = [0]} "s"
    %b: float32[4x16] = Add(%a, %s) "b")" +
                                      reader("b", "4x16"));
  auto session = session_on(graph, options_with("none"));
  expect_compiled_equals_interpreted(*session, 0, 0);
  const auto plan = session->memory_plan().value();
  EXPECT_EQ(plan->shared.size(), 1u);
  EXPECT_FALSE(plan->find(graph.find_value("b")->id)->in_place_of.valid());
}

// What cannot be made says so, and the others can be looked at all the same.
TEST(SharedMemory, AKernelThatCannotBeMadeSpoilsNoOther) {
  graph::GraphBuilder builder("g");
  const auto op = [](const char* name) -> const ops::OpDef& { return *ops::find_operator(name); };
  const graph::ValueId x = builder.add_input("x", {DataType::Float32, {16}});
  const Tensor large(TensorType{DataType::Float32, {1 << 20}});
  const auto node = builder.add_node("k", op("Constant"), {}, {{"value", large}}).value();
  const auto small = builder.add_node("y", op("Relu"), {x}, {}).value();
  builder.set_outputs({builder.output(node), builder.output(small)});
  auto session = session_on(std::move(builder).finish().value(), options_with("none"));
  const auto plan = session->plan().value();
  EXPECT_FALSE(session->kernel(plan->group_of(node)));
  EXPECT_TRUE(session->kernel(plan->group_of(small)));
}

// Machine code is not made for what is not run, but can be looked at.
TEST(SharedMemory, AViewIsNotCompiledUnlessSomebodyLooks) {
  const graph::Graph graph = graph_of(computed({"a"}, "4x16") + R"(
    %r: float32[64] = Reshape(%a) {shape = [64]} "r")" +
                                      reader("r", "64"));
  auto session = session_on(graph, options_with("none"));
  const auto executor = executor_of(*session);
  EXPECT_EQ(session->derivations().at("emit"), 2);
  EXPECT_EQ(executor->kernels()[1].code, nullptr);
  runtime::BenchmarkOptions options;
  options.rounds = 1;
  EXPECT_EQ(runtime::benchmark(*executor, options).value().kernels[1].time.median_ms, 0);
  const fusion::GroupId group = session->plan().value()->groups[1].id;
  EXPECT_TRUE(session->kernel(group).value()->is_view);
  EXPECT_TRUE(session->compiled(group));
  EXPECT_EQ(session->derivations().at("emit"), 3);
}

// What fusion takes for a view of another tensor needs no code when it is placed, and the other way
// round but for what the graph alone does not tell.
TEST(SharedMemory, ViewsAreWhatFusionTakesForThem) {
  std::size_t views = 0, missed = 0;
  for (const samples::Sample& sample : samples::all_samples())
    for (const char* strategy : {"none", "dominator"}) {
      SessionOptions options;
      options.strategy = strategy;
      const auto session =
          session_on(sample.build(sample.image_size > 64 ? 64 : 0).value(), options);
      const auto graph = session->graph().value();
      const auto plan = session->plan().value();
      const auto placement = session->placement().value();
      const fusion::BlockRules rules(*graph);
      for (const fusion::Group& group : plan->groups) {
        const bool taken = rules.needs_no_code(fusion::positions(*graph, group));
        const bool is_view = placement->kernels[group.id.value].is_view();
        EXPECT_TRUE(!taken || is_view) << sample.name << ", " << strategy << ": " << group.name;
        views += taken ? 1 : 0;
        missed += is_view && !taken ? 1 : 0;
      }
    }
  EXPECT_GT(views, 30u);
  EXPECT_LT(missed, views / 10);
}

}  // namespace
}  // namespace loopglass
