// Every sample network: what the machine code computes is what the interpreter does.
#include "tests/session/compiled_network.h"

#include "samples/samples.h"

namespace loopglass {
namespace {

class Samples : public testing::TestWithParam<std::string> {};

// Images small enough for the interpreter; what pools down to one element stays legal.
TEST_P(Samples, CompiledEqualsInterpreted) {
  const samples::Sample* sample = samples::find_sample(GetParam());
  ASSERT_NE(sample, nullptr);
  auto graph = sample->build(sample->image_size > 64 ? 64 : 0);
  ASSERT_TRUE(graph) << to_string(graph.error());
  auto session = session_on(std::move(*graph));
  expect_compiled_equals_interpreted(*session);
}

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const samples::Sample& sample : samples::all_samples()) names.push_back(sample.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, Samples, testing::ValuesIn(sample_names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace loopglass
