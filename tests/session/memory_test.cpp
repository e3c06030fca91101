// Memory over the whole chain: the plan before compiling, how near it comes to the bound, that
// writing in place changes no result, and that recomputation plans what the session plans.
#include "tests/session/compiled_network.h"

#include "core/graph/text.h"
#include "passes/graph/memory_estimate.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_network.h"
#include "tests/samples/sample_names.h"

namespace loopglass {
namespace {

using runtime::MemoryPlan;
using runtime::PlannedBuffer;

// Whether b was written over a, at once or over what was written over a.
bool descends(const MemoryPlan& plan, const PlannedBuffer& b, const PlannedBuffer& a) {
  const PlannedBuffer* at = &b;
  while (at && at->value != a.value)
    at = at->in_place_of.valid() ? plan.find(at->in_place_of) : nullptr;
  return at != nullptr;
}

// Independent of how the plan was made: what is alive during one kernel lies apart, unless the
// kernel writes the one over the other.
void expect_sound(const MemoryPlan& plan) {
  for (const PlannedBuffer& a : plan.buffers) {
    EXPECT_EQ(a.offset % 64, 0);
    EXPECT_LE(a.offset + a.bytes, plan.arena_bytes);
    for (const PlannedBuffer& b : plan.buffers) {
      if (&a == &b || b.first < a.first || b.first > a.last) continue;
      const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
      EXPECT_TRUE(apart || (b.first == a.last && descends(plan, b, a)))
          << a.name << " and " << b.name;
    }
  }
}

std::size_t written_in_place(const MemoryPlan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.buffers.begin(), plan.buffers.end(),
                    [](const PlannedBuffer& buffer) { return buffer.in_place_of.valid(); }));
}

// The same machine code in an arena where nothing is written over anything: results equal to the
// bit.
void expect_the_same_apart(runtime::Executor& executor) {
  std::vector<runtime::KernelUse> uses;
  for (const runtime::KernelInstance& kernel : executor.kernels()) {
    uses.push_back(kernel.use);
    uses.back().in_place.clear();
  }
  const graph::Graph& graph = executor.graph();
  auto plan = std::make_shared<const MemoryPlan>(runtime::plan_memory(graph, uses).value());
  EXPECT_EQ(written_in_place(*plan), 0u);
  auto apart = runtime::Executor::create(std::make_shared<const graph::Graph>(graph),
                                         executor.kernels(), plan)
                   .value();
  const std::vector<Tensor> inputs = test::random_inputs(graph);
  for (const int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    const auto expected = apart->run(inputs, pool).value(),
               actual = executor.run(inputs, pool).value();
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(actual[i].same_content(expected[i])) << "output " << i << "\n"
                                                       << graph::to_text(graph);
  }
}

class SampleMemory : public ::testing::TestWithParam<std::string> {};

TEST_P(SampleMemory, ComesWithinTenPercentOfTheBound) {
  auto session = session_on(samples::find_sample(GetParam())->build(0).value());
  const auto plan = session->memory_plan();
  ASSERT_TRUE(plan) << to_string(plan.error());
  expect_sound(**plan);
  EXPECT_LE((*plan)->lower_bound, (*plan)->live_peak);
  EXPECT_LE((*plan)->live_peak, (*plan)->separate_bytes);
  EXPECT_LE(static_cast<double>((*plan)->arena_bytes),
            1.1 * static_cast<double>((*plan)->lower_bound));
  // Nothing was compiled for it, and asking again derives nothing.
  EXPECT_EQ(session->derivations().at("emit"), 0);
  EXPECT_EQ(session->memory_plan().value(), *plan);
  EXPECT_EQ(session->derivations().at("place"), 1);
  // What recomputation goes by is what there is.
  const auto estimate =
      passes::MemoryEstimator(session->toolchain().machine).estimate(*session->graph().value());
  ASSERT_TRUE(estimate) << to_string(estimate.error());
  EXPECT_EQ(estimate->memory.arena_bytes, (*plan)->arena_bytes);
  EXPECT_EQ(written_in_place(estimate->memory), written_in_place(**plan));
}

INSTANTIATE_TEST_SUITE_P(All, SampleMemory, ::testing::ValuesIn(test::sample_names()),
                         [](const auto& info) { return info.param; });

// The residual sums of ResNet are written over the branch they end.
TEST(SessionMemory, ResidualSumsAreWrittenInPlace) {
  auto session = session_on(samples::find_sample("resnet50")->build(64).value());
  const auto plan = session->memory_plan().value();
  EXPECT_GE(written_in_place(*plan), 16u);
  EXPECT_LT(plan->lower_bound, plan->live_peak);
  const auto executor = session->executor().value();
  EXPECT_EQ(&executor->memory_plan(), plan.get());
  expect_the_same_apart(*executor);
}

// Every operator a kernel of its own, so that many results may be written over operands.
TEST(SessionMemory, RandomNetworksComputeTheSameInPlace) {
  std::size_t in_place = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    SessionOptions options;
    options.strategy = seed % 3 == 0 ? "dominator" : "none";
    test::RandomNetwork network{.operators = 8 + static_cast<int>(seed % 17), .jumps = false};
    if (seed % 2) network.type = DataType::Float32;
    auto session = session_on(test::random_network(seed, network), std::move(options));
    const auto executor = executor_in_time(*session);
    ASSERT_TRUE(executor) << to_string(executor.error());
    expect_sound((*executor)->memory_plan());
    in_place += written_in_place((*executor)->memory_plan());
    expect_the_same_apart(**executor);
  }
  EXPECT_GE(in_place, 30u);
}

// A schedule of one's own may take away what in-place working stands on: the plan follows it.
TEST(SessionMemory, ThePlanFollowsTheSchedules) {
  SessionOptions options;
  options.strategy = "none";
  options.pipeline = "none";
  auto session = session_on(test::graph_of(R"(
    input %x: float32[64x64]
    %a: float32[64x64] = Relu(%x) "a"
    %b: float32[64x64] = Relu(%a) "b"
    %c: float32[64x64] = Relu(%b) "c"
    output %c)"),
                            std::move(options));
  EXPECT_EQ(written_in_place(*session->memory_plan().value()), 1u);
  // b through a copy of its result: the operand is no longer read where the result is stored.
  const fusion::GroupId b = session->plan().value()->groups[1].id;
  const std::string result = session->kernel(b).value()->initial.parameters.back().name;
  auto trace =
      schedule::parse_script("B = block(\"" + result + "\")\ncache_write(B, \"workspace\")\n");
  ASSERT_TRUE(trace) << to_string(trace.error());
  session->set_schedule(b, *trace);
  const auto changed = session->memory_plan();
  ASSERT_TRUE(changed) << to_string(changed.error());
  EXPECT_EQ(written_in_place(**changed), 0u);
  EXPECT_EQ(session->derivations().at("place"), 2);
  expect_compiled_equals_interpreted(*session);
  session->set_schedule(b, std::nullopt);
  EXPECT_EQ(written_in_place(*session->memory_plan().value()), 1u);
  EXPECT_EQ(session->derivations().at("place"), 2);
}

// Another strategy, another plan; dead code, where nobody removes it, is planned and run.
TEST(SessionMemory, DeadCodeCanBePlannedAndRun) {
  SessionOptions options;
  options.pipeline = "none";
  auto session = session_on(test::graph_of(R"(
    input %x: float32[8]
    %n: float32[8] = Neg(%x) "nobody"
    %y: float32[8] = Relu(%x) "y"
    output %y)"),
                            std::move(options));
  EXPECT_EQ(session->memory_plan().value()->buffers.size(), 1u);
  expect_compiled_equals_interpreted(*session);
}

TEST(SessionMemory, ALimitIsHonouredAndTheNetworkMeansTheSame) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    auto session = session_on(
        test::random_network(seed, {.operators = 24, .type = DataType::Float32, .jumps = false}));
    const std::int64_t free = session->memory_plan().value()->arena_bytes;
    pass::Settings settings;
    settings.memory_limit = free * 3 / 4;
    session->set_settings(settings);
    const auto history = session->graph_history().value();
    const std::int64_t limited = session->memory_plan().value()->arena_bytes;
    EXPECT_LE(limited, free);
    for (const pass::Remark& remark : history->steps.back().remarks)
      EXPECT_EQ(remark.numbers.at(2), (std::pair<std::string, double>{"peak_after", limited}))
          << remark.text;
  }
}

}  // namespace
}  // namespace loopglass
