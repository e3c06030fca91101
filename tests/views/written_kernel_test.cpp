// A kernel that was written as text, in the window.
#include "samples/kernel_samples.h"
#include "tests/views/opened.h"
#include "views/inspector/describe.h"

namespace loopglass::views {
namespace {

TEST(WrittenKernel, IsOpenedAndItsTextShown) {
  const samples::KernelSample& sample = *samples::find_kernel_sample("softmax");
  Document document(passes::toolchain(), {});
  document.open(
      {"softmax", [&] { return Result<onnx::Source>(kernel_sample_source(sample)); }, {}});
  ASSERT_TRUE(settled(document));
  ASSERT_TRUE(document.fusion().plan());
  ASSERT_EQ(document.fusion().plan()->groups.size(), 1u);
  EXPECT_EQ(document.fusion().plan()->groups[0].name, "softmax");

  EXPECT_FALSE(describe_selection(document).contains("Operator set"));
  document.selection().select_node(document.history().graph()->nodes()[0]->id);
  EXPECT_TRUE(describe_selection(document).contains("greatest[i] = max over k of X[i, k]"));
}

}  // namespace
}  // namespace loopglass::views
