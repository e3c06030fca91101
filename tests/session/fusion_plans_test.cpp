// Whatever a strategy makes of a network, and whatever a person asks of it: every operator in one
// kernel, no kernels that wait for one another, and results as the interpreter has them.
#include "tests/session/compiled_network.h"

#include "tests/random/network_count.h"
#include "tests/random/random_network.h"

#include <random>

namespace loopglass {
namespace {

int network_count() { return test::network_count(24); }

graph::Graph network_of(std::uint32_t seed) {
  return test::random_network(seed, {.operators = 4 + static_cast<int>(seed % 12), .jumps = false});
}

std::unique_ptr<Session> session_of(std::uint32_t seed, const std::string& strategy,
                                    const std::string& pipeline) {
  SessionOptions options;
  options.strategy = strategy;
  options.pipeline = pipeline;
  return session_on(network_of(seed), std::move(options));
}

// A few edges that must, and a few that must not, share a kernel.
fusion::Constraints random_constraints(const graph::Graph& graph, std::uint32_t seed) {
  std::mt19937 random(seed);
  fusion::Constraints constraints;
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId value : node->outputs)
      for (const graph::Graph::Use& use : graph.uses(value)) {
        const fusion::Edge edge{node->id, use.node};
        const std::uint32_t drawn = random() % 6;
        if (drawn == 0 && !constraints.forbidden.contains(edge)) constraints.forced.insert(edge);
        if (drawn == 1 && !constraints.forced.contains(edge)) constraints.forbidden.insert(edge);
      }
  return constraints;
}

void expect_respected(const fusion::Plan& plan, const fusion::Constraints& constraints) {
  for (const fusion::Edge& edge : constraints.forced)
    EXPECT_EQ(plan.group_of(edge.producer), plan.group_of(edge.consumer)) << "forced";
  for (const fusion::Edge& edge : constraints.forbidden)
    EXPECT_NE(plan.group_of(edge.producer), plan.group_of(edge.consumer)) << "forbidden";
}

class FusionPlans : public ::testing::TestWithParam<std::string> {};

TEST_P(FusionPlans, OfRandomNetworksComputeWhatTheInterpreterComputes) {
  const std::string strategy = GetParam();
  for (std::uint32_t seed = 0; static_cast<int>(seed) < network_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto session = session_of(seed, strategy, seed % 2 == 0 ? "none" : "default");
    const auto plan = session->plan();
    ASSERT_TRUE(plan) << to_string(plan.error());
    const auto covered = fusion::verify(**plan, **session->graph());
    ASSERT_TRUE(covered) << to_string(covered.error());
    expect_compiled_equals_interpreted(*session, 1e-6, 1e-6);
    if (HasFatalFailure() || HasNonfatalFailure())
      FAIL() << fusion::to_text(**plan, **session->graph());
  }
}

TEST_P(FusionPlans, RespectConstraintsOrSayWhyNot) {
  const std::string strategy = GetParam();
  int respected = 0;
  for (std::uint32_t seed = 0; static_cast<int>(seed) < network_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto session = session_of(seed, strategy, "none");
    const fusion::Constraints constraints = random_constraints(**session->graph(), seed);
    session->set_constraints(constraints);
    const auto plan = session->plan();
    if (!plan) {
      EXPECT_EQ(plan.error().code, Code::PlanInvalid) << to_string(plan.error());
      continue;
    }
    ++respected;
    expect_respected(**plan, constraints);
    const auto covered = fusion::verify(**plan, **session->graph());
    ASSERT_TRUE(covered) << to_string(covered.error());
    expect_compiled_equals_interpreted(*session, 1e-6, 1e-6);
    if (HasFatalFailure() || HasNonfatalFailure())
      FAIL() << fusion::to_text(**plan, **session->graph());
  }
  EXPECT_GE(respected, network_count() / 8);
}

INSTANTIATE_TEST_SUITE_P(Every, FusionPlans,
                         ::testing::Values("none", "dominator", "mapping", "dp"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace loopglass
