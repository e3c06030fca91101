// Models whose shapes hang on data: each command has the network of the inputs that it is given.
#include "core/tensor/npy.h"
#include "tests/cli/command_line.h"

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

// Which of 40 numbers are above a half, and these.
class DataShapes : public CommandLine {
 protected:
  DataShapes() {
    ::onnx::ModelProto model;
    ::onnx::OnnxParser parser(
        "<ir_version: 8, opset_import: [\"\": 17]>\n"
        "found (float[40] x) => (int64[1,N] at, float[N] y) {\n"
        "  half = Constant <value_float = 0.5> ()\n  above = Greater(x, half)\n"
        "  at = NonZero(above)\n  kept = Compress <axis = 0> (x, above)\n  y = Neg(kept)\n}");
    const auto status = parser.Parse(model);
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    std::ofstream(folder_ / "found.onnx", std::ios::binary) << model.SerializeAsString();
    path_ = (folder_ / "found.onnx").string();
  }

  // The first so many are above.
  std::string input_with(int count) const {
    std::vector<float> values(40, 0.25f);
    std::ranges::fill_n(values.begin(), count, 0.75f);
    const std::string file = (folder_ / std::to_string(count)).string() + ".npy";
    EXPECT_TRUE(write_npy(Tensor::of<float>({40}, std::span<const float>(values)), file));
    return " --input x=" + file;
  }

  std::string path_;
};

TEST_F(DataShapes, AreThoseOfTheInputs) {
  for (const int count : {0, 1, 7, 40}) {
    const Said said = run("run " + path_ + input_with(count));
    EXPECT_EQ(said.exit_code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr(fmt::format("at: int64[1x{}]", count)));
    EXPECT_THAT(said.out, HasSubstr(fmt::format("y: float32[{}]", count)));
    EXPECT_THAT(said.error, HasSubstr("this is the network for x as given"));
  }
  const Said ours = run("run " + path_ + input_with(7)),
             plain = run("run " + path_ + input_with(7) + " --interpreted");
  EXPECT_EQ(ours.out.substr(0, ours.out.find("at:")), plain.out.substr(0, plain.out.find("at:")));
}

// What is saved is a data set of any other program, too, and its numbers are its inputs'.
TEST_F(DataShapes, HoldForTheRandomNumbersOfASeed) {
  std::set<std::string> shapes;
  for (const std::string seed : {"1", "2", "3", "4"}) {
    const std::string set = (folder_ / seed).string();
    const Said said = run("run " + path_ + " --seed " + seed + " --save " + set);
    EXPECT_EQ(said.exit_code, 0) << said.error;
    EXPECT_THAT(said.error, HasSubstr("random numbers as x"));
    shapes.insert(said.out.substr(0, said.out.find(']')));
    EXPECT_THAT(run("run " + path_ + " --expect " + set).out,
                HasSubstr("all outputs are as expected"));
  }
  EXPECT_GT(shapes.size(), 1u);
}

TEST_F(DataShapes, AreTimedAndLookedAt) {
  const std::string input = input_with(9);
  EXPECT_EQ(run("bench " + path_ + input).exit_code, 0);
  EXPECT_THAT(run("lens " + path_ + " y" + input).out, HasSubstr("float32[9]"));
  EXPECT_EQ(run("fuse " + path_ + " --explain").exit_code, 0);
}

}  // namespace
}  // namespace loopglass::app
