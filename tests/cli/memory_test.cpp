// loopglassc memory, and models that ask for more memory than there is.
#include "core/onnx/export.h"
#include "core/runtime/memory_budget.h"
#include "tests/cli/circumstances.h"

#include <onnx/onnx_pb.h>

namespace loopglass::app {
namespace {

void describe(::onnx::ValueInfoProto& value, const std::string& name) {
  value.set_name(name);
  auto* type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(::onnx::TensorProto::FLOAT);
  for (const char* symbol : {"N", "M"}) type->mutable_shape()->add_dim()->set_dim_param(symbol);
}

// A model of a few hundred bytes, of any shape: the softmax of a softmax of the first input, added
// to its operand; then the other inputs, one after the other.
std::filesystem::path save_small_model(const std::filesystem::path& folder,
                                       std::int64_t inputs = 1) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  const auto add = [&](const std::string& op, const std::vector<std::string>& operands,
                       const std::string& output) {
    auto* node = graph.add_node();
    node->set_op_type(op);
    node->set_name(output);
    for (const std::string& operand : operands) node->add_input(operand);
    node->add_output(output);
  };
  describe(*graph.add_input(), "x0");
  add("Softmax", {"x0"}, "a");
  add("Softmax", {"a"}, "b");
  add("Add", {"a", "b"}, "y0");
  std::string sum = "y0";
  for (std::int64_t i = 1; i < inputs; ++i) {
    const std::string input = "x" + std::to_string(i), result = "y" + std::to_string(i);
    describe(*graph.add_input(), input);
    add("Add", {sum, input}, result);
    sum = result;
  }
  describe(*graph.add_output(), sum);
  const auto path = folder / "small.onnx";
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  return path;
}

TEST_F(CommandLine, MemoryTellsBuffersPeaksAndTheBound) {
  const auto plan = json("memory lenet");
  EXPECT_GE(plan["arena_bytes"], plan["lower_bound_bytes"]);
  EXPECT_GE(plan["separate_bytes"], plan["live_peak_bytes"]);
  EXPECT_LE(plan["ratio"], 1.1);
  // But for the output, and the flattened image, which lies where the image does.
  EXPECT_EQ(plan["buffers"].size() + 2, plan["kernels"].size());
  ASSERT_EQ(plan["shared"].size(), 1u);
  EXPECT_EQ(plan["shared"][0]["offset_bytes"], 0);
  EXPECT_TRUE(plan["copies"].empty());
  std::size_t views = 0;
  for (const auto& kernel : plan["kernels"]) views += !kernel["view"].is_null();
  EXPECT_EQ(views, 1u);
  EXPECT_EQ(plan["kernels"][plan["peak_kernel"].get<std::size_t>()]["live_bytes"],
            plan["lower_bound_bytes"]);
  const Said text = run("memory lenet");
  for (const char* part :
       {"in place of", "lower bound", "bytes alive during each kernel", "each buffer by itself"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
}

TEST_F(CommandLine, MemorySaysWhatALimitCameTo) {
  const auto plan = json("memory lenet --memory-limit 1KiB", 1);
  ASSERT_EQ(plan["remarks"].size(), 1u);
  EXPECT_EQ(plan["remarks"][0]["code"], "MEMORY_LIMIT_NOT_KEPT");
  EXPECT_EQ(plan["remarks"][0]["numbers"]["peak_after"], plan["arena_bytes"]);
}

// Neither an exception nor the kernel's out-of-memory killer, whoever makes the inputs.
TEST_F(CommandLine, MoreMemoryThanThereIsIsRefusedWithNumbers) {
  // Each within what one tensor may take; so many of them that no machine like this has room.
  constexpr std::int64_t rows = 125829120, columns = 128, bytes = rows * columns * 4;
  const std::int64_t inputs = machine_memory().total / bytes + 1;
  ASSERT_LT((inputs + 3) * bytes, runtime::maximum_total_bytes);
  const std::string model = save_small_model(folder_, inputs).string();
  const auto shaped = [&](std::int64_t n, std::int64_t m) {
    std::string words = model;
    for (std::int64_t i = 0; i < inputs; ++i)
      words += " --shape x" + std::to_string(i) + "=" + std::to_string(n) + "x" + std::to_string(m);
    return words;
  };
  EXPECT_EQ(run("run " + shaped(4, 4)).exit_code, 0);
  const std::string large = shaped(rows, columns);
  for (const std::string command : {"run ", "run --interpreted ", "bench "})
    for (const char* part :
         {"error LG7001: running the network takes ", "for inputs", "of which", "hint: "})
      refused(command + large, 3, part);
  // Looking is free.
  EXPECT_EQ(run("memory " + large).exit_code, 0);
}

TEST_F(CommandLine, ShapesBeyondAnyMachineAreRefused) {
  const std::string model = save_small_model(folder_).string();
  for (const char* shape :
       {"x0=1000000000000x1000000", "x0=4611686018427387904x4611686018427387904"})
    refused("run " + model + " --shape " + shape, 3, "error LG1003");
}

TEST_F(CommandLine, AnEmptyResultSaysSo) {
  const std::string model = save_small_model(folder_).string();
  const Said said = run("run " + model + " --shape x0=0x4");
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_EQ(said.out, "y0: float32[0x4]  empty\n");
  const Json empty = json("run " + model + " --shape x0=0x4");
  EXPECT_TRUE(empty["outputs"][0]["minimum"].is_null());
  EXPECT_TRUE(empty["outputs"][0]["mean"].is_null());
}

// Not what the machine has, where that is not what stands in the way.
TEST_F(CommandLine, TheLimitThatIsReachedIsNamed) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer reserves more addresses than any limit leaves";
  const Words words{"run", save_small_model(folder_).string(), "--shape", "x0=20000x20000"};
  for (const auto& [resource, named] :
       std::map<int, std::string>{{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}}) {
    const Said said = run_in({.limits = {{resource, rlim_t{1} << 30}}}, LOOPGLASSC, words, folder_);
    EXPECT_EQ(said.exit_code, 3);
    for (const std::string& part : {std::string("error LG7001: running the network takes "),
                                    std::string("may have 1 GiB of "), named})
      EXPECT_THAT(said.error, ::testing::HasSubstr(part));
  }
}

// What is given has a shape: nobody has to say it again.
TEST_F(CommandLine, GivenInputsTellTheShapesThatTheModelLeavesOpen) {
  const std::string model = save_small_model(folder_).string();
  const auto data = folder_ / "test_data_set_0";
  std::filesystem::create_directory(data);
  const auto filled = [](float value) {
    const std::vector<float> values(35, value);
    return Tensor::of<float>({5, 7}, std::span(values));
  };
  ASSERT_TRUE(onnx::write_tensor(filled(0), "x0", data / "input_0.pb"));
  ASSERT_TRUE(onnx::write_tensor(filled(2.0f / 7), "y0", data / "output_0.pb"));
  const Said expected = run("run " + model + " --expect " + data.string());
  EXPECT_EQ(expected.exit_code, 0) << expected.error;
  EXPECT_THAT(expected.out, ::testing::HasSubstr("y0: float32[5x7]"));
  EXPECT_THAT(expected.out, ::testing::HasSubstr("all outputs are as expected"));
  const std::string given = " --input x0=" + (data / "input_0.pb").string();
  EXPECT_EQ(json("run " + model + given)["outputs"][0]["type"], "float32[5x7]");
  EXPECT_EQ(run("lens " + model + given + " --against input").exit_code, 0);
  // What is said goes before; then the value does not fit.
  refused("run " + model + given + " --shape x0=2x2", 3, "LG7002");
  refused("run " + model + " --input nothing=" + (data / "input_0.pb").string(), 3,
          "the model has no input 'nothing'");
}

}  // namespace
}  // namespace loopglass::app
