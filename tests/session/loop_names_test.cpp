// Loops are called by what they walk, from the tensor expression to the loop nest that is compiled.
#include "core/loop/text.h"
#include "core/te/axis_roles.h"
#include "samples/samples.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const KernelStages> kernel_of(Session& session, std::string_view part) {
  for (const fusion::Group& group : session.plan().value()->groups)
    if (group.name.find(part) != std::string::npos) return session.kernel(group.id).value();
  throw std::runtime_error("no such kernel");
}

std::vector<std::string> roles_of(const te::Program& program, std::string_view tensor) {
  const auto roles = te::axis_roles(program);
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (program.stages[i].output.name == tensor) return roles[i];
  throw std::runtime_error("no such stage");
}

TEST(LoopNames, AreThoseOfAConvolutionAndOfWhatIsAroundIt) {
  SessionOptions options;
  options.pipeline = "none";
  auto session = session_on(samples::find_sample("lenet")->build(0).value(), options);
  const auto stages = kernel_of(*session, "conv_relu_0");
  const te::Program& program = stages->program.program;
  EXPECT_THAT(roles_of(program, "conv1_conv"),
              ElementsAre("n", "oc", "oh", "ow", "ic", "kh", "kw"));
  EXPECT_THAT(roles_of(program, "conv1_pad"), ElementsAre("n", "c", "h", "w"));
  EXPECT_THAT(roles_of(program, "relu1"), ElementsAre("n", "oc", "oh", "ow"));
  EXPECT_THAT(te::to_string(program),
              HasSubstr("conv1_conv[n, oc, oh, ow] = sum over ic < 1, kh < 5, kw < 5 of "));
  EXPECT_THAT(loop::to_text(stages->initial), HasSubstr("for kh in 5 {"));
  EXPECT_THAT(loop::to_text(stages->lowered()), HasSubstr("for kh in 5 {"));
  EXPECT_THAT(loop::to_text(stages->scheduled()), HasSubstr("for ow_i"));
}

TEST(LoopNames, AreThoseOfPoolingAndOfProducts) {
  SessionOptions options;
  options.pipeline = "none";
  auto session = session_on(samples::find_sample("lenet")->build(0).value(), options);
  const auto pool = kernel_of(*session, "maxpool");
  const auto pooled = te::axis_roles(pool->program.program);
  EXPECT_THAT(pooled, ::testing::Contains(ElementsAre("n", "c", "oh", "ow", "kh", "kw")));
  const auto product = kernel_of(*session, "gemm");
  EXPECT_THAT(te::axis_roles(product->program.program),
              ::testing::Contains(ElementsAre("i", "j", "k")));
}

// What a person sees within one stage never means two things.
TEST(LoopNames, AreUniqueWithinAStage) {
  for (const samples::Sample& sample : samples::all_samples()) {
    if (sample.name != "lenet" && sample.name != "mlp" && sample.name != "encoder") continue;
    auto session = session_on(sample.build(0).value());
    for (const fusion::Group& group : session->plan().value()->groups) {
      const auto kernel = session->kernel(group.id);
      if (!kernel) continue;
      const te::Program& program = (*kernel)->program.program;
      const auto roles = te::axis_roles(program);
      ASSERT_EQ(roles.size(), program.stages.size());
      for (std::size_t i = 0; i < roles.size(); ++i) {
        EXPECT_EQ(roles[i].size(),
                  program.stages[i].axes.size() + program.stages[i].reduce_axes.size());
        EXPECT_EQ(std::set<std::string>(roles[i].begin(), roles[i].end()).size(), roles[i].size());
      }
    }
  }
}

}  // namespace
}  // namespace loopglass
