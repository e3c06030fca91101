// Every sample network: what the machine code computes is what the interpreter does.
#include "tests/session/compiled_network.h"

#include "tests/samples/sample_names.h"

namespace loopglass {
namespace {

// A sample, and a preset of graph passes: what networks run with, and every pass there is.
class Samples : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Images small enough for the interpreter; what pools down to one element stays legal.
TEST_P(Samples, CompiledEqualsInterpreted) {
  const auto& [name, preset] = GetParam();
  const samples::Sample* sample = samples::find_sample(name);
  ASSERT_NE(sample, nullptr);
  auto graph = sample->build(sample->image_size > 64 ? 64 : 0);
  ASSERT_TRUE(graph) << to_string(graph.error());
  SessionOptions options;
  options.pipeline = preset;
  auto session = session_on(std::move(*graph), options);
  expect_compiled_equals_interpreted(*session);
}

INSTANTIATE_TEST_SUITE_P(All, Samples,
                         ::testing::Combine(::testing::ValuesIn(test::sample_names()),
                                            ::testing::Values("default", "teaching", "winograd")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace loopglass
