// Sample networks of images in every layout: what their machine code computes is what the
// interpreter computes of the network as it came.
#include "tests/session/compiled_network.h"

#include "samples/samples.h"

#include <algorithm>

namespace loopglass {
namespace {

class LayoutSamples : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(LayoutSamples, CompiledEqualsInterpreted) {
  const auto& [name, pass] = GetParam();
  const samples::Sample* sample = samples::find_sample(name);
  ASSERT_NE(sample, nullptr);
  auto graph = sample->build(sample->image_size > 64 ? 64 : 0);
  ASSERT_TRUE(graph) << to_string(graph.error());
  SessionOptions options;
  // Without the choice that the default makes.
  options.pipeline = "@canonical, fold-batch-norm, " + pass;
  auto session = session_on(std::move(*graph), options);
  expect_compiled_equals_interpreted(*session);
  bool moved = false;
  for (const auto& step : (*session->graph_history())->steps)
    moved = moved || (step.pass.name == pass && step.changed);
  EXPECT_TRUE(moved || pass == "assign-layouts") << pass << " found nothing to do";
}

INSTANTIATE_TEST_SUITE_P(
    All, LayoutSamples,
    testing::Combine(testing::Values("lenet", "mobilenet_v1", "efficientnet_b0"),
                     testing::Values("assign-layouts", "layout-nhwc", "layout-blocked")),
    [](const auto& info) {
      std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace loopglass
