// Networks with operators that are not known: what lies around is planned, compiled and timed by
// every strategy, what is missing is named, and the whole does not run.
#include "core/graph/opaque_reach.h"
#include "tests/graph/parsed.h"
#include "tests/random/network_count.h"
#include "tests/random/opaque_nodes.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_network.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

runtime::BenchmarkOptions rounds(int count) {
  runtime::BenchmarkOptions options;
  options.warm_up = 0;
  options.rounds = count;
  return options;
}

constexpr const char* around = R"(
  input %x: float32[8x64]
  %a: float32[8x64] = Relu(%x) "a"
  %b: float32[8x64] = Neg(%a) "b"
  %o: float32[8x64] = Opaque(%b) {code = 2001, domain = "com.acme", operator = "Mystery", reason = "operator 'com.acme.Mystery' is not supported"} "o"
  %c: float32[8x64] = Abs(%o) "c"
  %d: float32[8x64] = Add(%c, %x) "d"
  output %d)";

TEST(MissingKernels, AreNamedBeforeAnythingIsCompiled) {
  auto session = session_on(test::graph_of(around));
  const auto executor = session->executor();
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().code, Code::OperatorUnsupported);
  EXPECT_THAT(executor.error().what,
              HasSubstr("o (com.acme.Mystery): operator 'com.acme.Mystery' is not supported"));
  EXPECT_THAT(executor.error().what, HasSubstr("1 is missing"));
  EXPECT_EQ(session->derivations().at("emit"), 0);
}

TEST(MissingKernels, HaveNoStagesButTheOthersHave) {
  auto session = session_on(test::graph_of(around));
  const auto plan = session->plan();
  ASSERT_TRUE(plan);
  const auto graph = session->graph().value();
  const auto missing = session->missing_kernels();
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->size(), 1u);
  for (const fusion::Group& group : (*plan)->groups) {
    const bool is_missing = group.id == missing->front().group;
    EXPECT_EQ(is_missing, is_opaque(graph->node(group.nodes.front())));
    EXPECT_EQ(session->kernel(group.id).has_value(), !is_missing);
    EXPECT_EQ(session->compiled(group.id).has_value(), !is_missing);
  }
}

TEST(MissingKernels, AreNotTimedButTheOthersAre) {
  auto session = session_on(test::graph_of(around));
  const auto report = session->benchmark(rounds(3));
  ASSERT_TRUE(report) << to_string(report.error());
  int timed = 0, missing = 0;
  for (const runtime::KernelTiming& kernel : report->kernels) {
    missing += kernel.missing.has_value();
    if (kernel.missing) {
      EXPECT_EQ(kernel.time.median_ms, 0);
    } else {
      timed += kernel.time.rounds == 3;
    }
  }
  EXPECT_EQ(missing, 1);
  EXPECT_EQ(timed, static_cast<int>(report->kernels.size()) - 1);
  EXPECT_GT(report->network.median_ms, 0);
}

// What an opaque operator reads and makes lies in memory by itself.
TEST(MissingKernels, KeepTheirTensorsApart) {
  auto session = session_on(test::graph_of(R"(
  input %x: float32[8x64]
  %a: float32[8x64] = Relu(%x) "a"
  %o: float32[8x64] = Opaque(%x) {code = 2001, operator = "Mystery", reason = "no"} "o"
  %c: float32[16x64] = Concat(%a, %o) {axis = 0} "c"
  %d: float32[16x64] = Neg(%c) "d"
  output %d)"));
  session->set_strategy("none");
  const auto placement = session->placement();
  ASSERT_TRUE(placement) << to_string(placement.error());
  const auto graph = session->graph().value();
  EXPECT_NE((*placement)->find(graph->find_value("a")->id), nullptr);
  EXPECT_EQ((*placement)->find(graph->find_value("o")->id), nullptr);
  const auto memory = session->memory_plan();
  ASSERT_TRUE(memory) << to_string(memory.error());
  EXPECT_NE((*memory)->find(graph->find_value("o")->id), nullptr);
}

class OpaqueNetworks : public ::testing::TestWithParam<std::string> {};

// With the same stand-ins for what is missing, everything around computes what the interpreter
// does.
TEST_P(OpaqueNetworks, ComputeWhatLiesAround) {
  for (std::uint32_t seed = 0; static_cast<int>(seed) < test::network_count(10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const graph::Graph network = test::with_opaque_operators(
        test::random_network(seed, {.operators = 4 + static_cast<int>(seed % 12), .jumps = false}),
        seed, 4);
    SessionOptions options;
    options.strategy = GetParam();
    options.pipeline = "none";
    auto session = session_on(network, std::move(options));
    const auto graph = session->graph().value();
    const auto plan = session->plan();
    ASSERT_TRUE(plan) << to_string(plan.error());
    for (const fusion::Group& group : (*plan)->groups)
      for (const graph::NodeId node : group.nodes)
        EXPECT_TRUE(group.nodes.size() == 1 || !is_opaque(graph->node(node)));
    for (const fusion::Decision& decision : (*plan)->decisions)
      if (is_opaque(graph->node(decision.producer)) || is_opaque(graph->node(decision.consumer))) {
        EXPECT_EQ(name(decision.reason), "OPAQUE");
      }
    const auto executor = session->executor({}, {}, Missing::TimeOthers);
    ASSERT_TRUE(executor) << to_string(executor.error());
    const std::vector<Tensor> inputs = test::random_inputs(*graph);
    const auto expected = test::run_around_opaque(*graph, inputs);
    runtime::ThreadPool pool(1);
    const auto actual = (*executor)->run(inputs, pool);
    ASSERT_TRUE(actual) << to_string(actual.error());
    for (std::size_t i = 0; i < actual->size(); ++i) {
      const auto same = runtime::compare((*actual)[i], expected.results[i], 1e-6, 1e-6);
      EXPECT_TRUE(same) << same.error().what;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, OpaqueNetworks,
                         ::testing::Values("dominator", "mapping", "dp", "none"));

// A type that is not known has no bytes and no loop nests, and is in nobody's way.
TEST(UnknownTypes, AreCarriedThroughEveryStage) {
  auto session = session_on(test::graph_of(R"g(
  input %s: opaque "sequence(float32)"
  input %x: float32[4]
  %o: opaque "float32[?]" = Opaque(%s) {code = 2007, operator = "SequenceAt", reason = "no"} "o"
  %p: float32[4] = Opaque(%o, %x) {code = 2007, operator = "Add", reason = "no"} "p"
  %y: float32[4] = Relu(%p) "y"
  output %y)g"));
  const auto plan = session->plan();
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ((*plan)->groups.size(), 3u);
  EXPECT_TRUE(session->memory_plan());
  EXPECT_TRUE(session->benchmark(rounds(1)));
}

}  // namespace
}  // namespace loopglass
