// loopglassc memory, and models that ask for more memory than there is.
#include "tests/cli/command_line.h"

#include <onnx/onnx_pb.h>
#include <unistd.h>

namespace loopglass::app {
namespace {

void describe(::onnx::ValueInfoProto& value, const std::string& name) {
  value.set_name(name);
  auto* type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(::onnx::TensorProto::FLOAT);
  for (const char* symbol : {"N", "M"}) type->mutable_shape()->add_dim()->set_dim_param(symbol);
}

// Softmax of a softmax of x, added to its operand, for any shape: a model of a few
// hundred bytes.
std::filesystem::path save_small_model(const std::filesystem::path& folder) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  const auto add = [&](const char* op, std::initializer_list<const char*> inputs,
                       const char* output) {
    auto* node = graph.add_node();
    node->set_op_type(op);
    node->set_name(output);
    for (const char* input : inputs) node->add_input(input);
    node->add_output(output);
  };
  describe(*graph.add_input(), "x");
  add("Softmax", {"x"}, "a");
  add("Softmax", {"a"}, "b");
  add("Add", {"a", "b"}, "y");
  describe(*graph.add_output(), "y");
  const auto path = folder / "small.onnx";
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  return path;
}

TEST_F(CommandLine, MemoryTellsBuffersPeaksAndTheBound) {
  EXPECT_NE(run("memory --help").out.find("--json"), std::string::npos);
  const auto plan = run("memory lenet --json").json();
  EXPECT_GE(plan["arena_bytes"], plan["lower_bound"]);
  EXPECT_GE(plan["separate_bytes"], plan["live_peak"]);
  EXPECT_LE(plan["ratio"], 1.1);
  EXPECT_EQ(plan["buffers"].size() + 1, plan["kernels"].size());  // but for the output
  EXPECT_EQ(plan["kernels"][plan["peak_kernel"].get<std::size_t>()]["live_bytes"],
            plan["lower_bound"]);
  const Said text = run("memory lenet");
  for (const char* part :
       {"in place of", "lower bound", "bytes alive during each kernel", "each buffer by itself"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
}

TEST_F(CommandLine, MemorySaysWhatALimitCameTo) {
  const auto plan = run("memory lenet --memory-limit 1KiB --json").json();
  ASSERT_EQ(plan["remarks"].size(), 1u);
  EXPECT_EQ(plan["remarks"][0]["code"], "MEMORY_LIMIT_NOT_REACHED");
  EXPECT_EQ(plan["remarks"][0]["numbers"]["peak_after"], plan["arena_bytes"]);
}

// Neither an exception nor the kernel's out-of-memory killer, whoever makes the inputs.
TEST_F(CommandLine, MoreMemoryThanThereIsIsRefusedWithNumbers) {
  const std::string model = save_small_model(folder_).string();
  EXPECT_EQ(run("run " + model + " --shape x=4x4").exit_code, 0);
  if (::sysconf(_SC_PHYS_PAGES) > (std::int64_t{100} << 30) / ::sysconf(_SC_PAGESIZE))
    GTEST_SKIP() << "this machine has memory for it";
  // 60 GiB a tensor: within what one may take, not together.
  for (const char* command : {"run ", "run --interpreted ", "bench "}) {
    const Said said = run(command + model + " --shape x=125829120x128");
    EXPECT_EQ(said.exit_code, 3) << command << said.error;
    EXPECT_NE(said.error.find("error LG7001: running the network takes "), std::string::npos)
        << command << said.error;
    EXPECT_NE(said.error.find("for inputs"), std::string::npos) << said.error;
    EXPECT_NE(said.error.find("of which"), std::string::npos) << said.error;
    EXPECT_NE(said.error.find("hint: "), std::string::npos) << said.error;
  }
  for (const char* shape :
       {"x=1000000000000x1000000", "x=4611686018427387904x4611686018427387904"}) {
    const Said said = run("run " + model + " --shape " + shape);
    EXPECT_EQ(said.exit_code, 3) << said.error;
    EXPECT_NE(said.error.find("error LG1003"), std::string::npos) << said.error;
  }
  // Looking is free.
  EXPECT_EQ(run("memory " + model + " --shape x=125829120x128").exit_code, 0);
}

TEST_F(CommandLine, AnEmptyResultSaysSo) {
  const std::string model = save_small_model(folder_).string();
  const Said said = run("run " + model + " --shape x=0x4");
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_EQ(said.out, "y: float32[0x4]  empty\n");
  const auto json = run("run " + model + " --shape x=0x4 --json").json();
  EXPECT_TRUE(json["outputs"][0]["minimum"].is_null());
  EXPECT_TRUE(json["outputs"][0]["mean"].is_null());
}

}  // namespace
}  // namespace loopglass::app
