// What run reads and writes: tensors in files, data sets.
#include "tests/cli/command_line.h"

#include "core/onnx/export.h"
#include "core/ops/registry.h"
#include "core/tensor/npy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class Run : public CommandLine {
 protected:
  std::string folder(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(Run, SavesADataSetThatItExpects) {
  for (const std::string form : {"", " --npy"}) {
    const std::string set = folder(form.empty() ? "pb" : "npy");
    ASSERT_EQ(run("run lenet --seed 3 --save " + set + form).exit_code, 0);
    const std::string ending = form.empty() ? ".pb" : ".npy";
    EXPECT_TRUE(std::filesystem::exists(set + "/input_0" + ending));
    EXPECT_THAT(run("run lenet --expect " + set).out, HasSubstr("all outputs are as expected"));
    // It is one that can be missed.
    const Said other = run("run mlp --expect " + set);
    EXPECT_NE(other.exit_code, 0);
    refused("run lenet --save " + set, 3, "holds a data set already");
  }
  // The same numbers in both, and those that the JSON begins with.
  const std::string input = " --input image=" + folder("npy") + "/input_0.npy";
  const Json given = json("run lenet" + input), random = json("run lenet --seed 3");
  EXPECT_EQ(given["outputs"], random["outputs"]);
  EXPECT_NE(given["outputs"], json("run lenet --seed 4")["outputs"]);
}

// As the model declares them: whoever reads the set beside the model needs all.
TEST_F(Run, SavesInputsThatBecameConstants) {
  graph::GraphBuilder builder("scaled");
  const graph::ValueId rate = builder.add_input("rate", {DataType::Int64, {}});
  const graph::ValueId x = builder.add_input("x", {DataType::Int64, {4}});
  const auto product = builder.add_node("product", *ops::find_operator("Mul"), {x, rate}, {});
  ASSERT_TRUE(product);
  builder.set_outputs({builder.output(*product)});
  const std::string model = folder("scaled.onnx"), set = folder("scaled");
  ASSERT_TRUE(onnx::write(*std::move(builder).finish(), model));
  ASSERT_EQ(run("run " + model + " --set rate=-3 --save " + set + " --npy").exit_code, 0);
  const auto saved = read_npy(set + "/input_0.npy");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->to_integers(), (std::vector<std::int64_t>{-3}));
  EXPECT_THAT(run("run " + model + " --expect " + set).out, HasSubstr("as expected"));
  EXPECT_THAT(run("run " + model + " --set rate=-3 --expect " + set).out, HasSubstr("as expected"));
  refused("run " + model + " --set rate=2 --expect " + set, 3, "given as another value");
  refused("run " + model + " --set rate=fast", 2, "sets no dimension or input");
}

TEST_F(Run, FindsOutThatOutputsAreOthers) {
  const std::string set = folder("set");
  ASSERT_EQ(run("run lenet --save " + set + " --npy").exit_code, 0);
  auto expected = read_npy(set + "/output_0.npy");
  ASSERT_TRUE(expected);
  expected->as<float>()[3] += 0.5f;
  ASSERT_TRUE(write_npy(*expected, set + "/output_0.npy"));
  const Said said = run("run lenet --expect " + set);
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.error, HasSubstr("output"));
  // Of an infinity everything is as far away as a tolerance that follows from it.
  for (const float infinity : {INFINITY, -INFINITY}) {
    std::ranges::fill(expected->as<float>(), infinity);
    ASSERT_TRUE(write_npy(*expected, set + "/output_0.npy"));
    EXPECT_EQ(run("run lenet --expect " + set).exit_code, 1) << infinity;
  }
}

TEST_F(Run, RefusesFilesThatAreNoTensors) {
  std::ofstream(folder("bad.npy")) << "\x93NUMPY\x01";
  refused("run lenet --input image=" + folder("bad.npy"), 3, "LG1009");
  refused("run lenet --input image=" + folder("none.npy"), 3, "none.npy");
  refused("run lenet --input image=/dev/zero.npy", 3, "zero.npy");
  refused("run lenet --save /proc/nowhere/set", 3, "/proc");
}

}  // namespace
}  // namespace loopglass::app
