// Models that hold what is not supported: each command does what can be done and says what cannot.
#include "tests/cli/command_line.h"

#include <onnx/onnx_pb.h>

namespace loopglass::app {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::testing::HasSubstr;

class OpaqueModel : public CommandLine {
 protected:
  OpaqueModel() {
    model_.set_ir_version(8);
    import("", 13);
    import("com.acme", 1);
    value(*graph().add_input(), "x", {1, 8, 16, 16});
    value(*graph().add_output(), "y", {1, 8, 16, 16});
    add(graph(), "Relu", {"x"}, "a");
    NodeProto& custom = add(graph(), "Mystery", {"a"}, "b");
    custom.set_domain("com.acme");
    value(*graph().add_value_info(), "b", {1, 8, 16, 16});
    add(graph(), "Sigmoid", {"b"}, "c");
    NodeProto& choose = add(graph(), "If", {"which"}, "d");
    auto& which = *graph().add_input();
    value(which, "which", {}, TensorProto::BOOL);
    value(*graph().add_value_info(), "d", {1, 8, 16, 16});
    for (const char* name : {"then_branch", "else_branch"}) {
      AttributeProto& attribute = *choose.add_attribute();
      attribute.set_name(name);
      attribute.set_type(AttributeProto::GRAPH);
      attribute.mutable_g()->set_name(name);
      // Of another shape: between two of one it would be no opaque operator.
      const bool is_flat = attribute.name() == "else_branch";
      add(*attribute.mutable_g(), is_flat ? "Flatten" : "Neg", {"c"}, "negated");
      attribute.mutable_g()->add_output()->set_name("negated");
    }
    add(graph(), "Tanh", {"d"}, "y");
    std::ofstream(folder_ / "model.onnx", std::ios::binary) << model_.SerializeAsString();
    path_ = (folder_ / "model.onnx").string();
  }

  GraphProto& graph() { return *model_.mutable_graph(); }
  void import(const std::string& domain, int version) {
    auto* imported = model_.add_opset_import();
    imported->set_domain(domain);
    imported->set_version(version);
  }
  static NodeProto& add(GraphProto& graph, const std::string& op, std::vector<std::string> inputs,
                        const std::string& output) {
    NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.set_name("n_" + output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }
  static void value(::onnx::ValueInfoProto& value, const std::string& name,
                    std::vector<std::int64_t> shape, int type = TensorProto::FLOAT) {
    value.set_name(name);
    auto* tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const std::int64_t extent : shape)
      tensor->mutable_shape()->add_dim()->set_dim_value(extent);
  }

  ::onnx::ModelProto model_;
  std::string path_;
};

TEST_F(OpaqueModel, DoesNotRunAndIsToldWhatIsMissing) {
  refused("run " + path_, 3, "2 are missing");
  refused("run " + path_, 3,
          "n_b (com.acme.Mystery): operator 'com.acme.Mystery' is not supported");
  refused("run " + path_, 3, "n_d (If)");
  refused("run --interpreted " + path_, 3, "com.acme.Mystery");
}

TEST_F(OpaqueModel, GoesThroughThePassesWithANote) {
  const Said said = run("passes " + path_);
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.error, HasSubstr("note: opaque: n_b (com.acme.Mystery): LG2001"));
}

TEST_F(OpaqueModel, IsShownAsAGraph) {
  const Json graph = json("emit graph " + path_);
  int opaque = 0;
  for (const Json& node : graph["nodes"]) {
    opaque += node["opaque"].get<bool>();
    if (node["name"] == "n_b") {
      EXPECT_EQ(node["operator"], "com.acme.Mystery");
    }
  }
  EXPECT_EQ(opaque, 2);
}

TEST_F(OpaqueModel, ShowsEveryKernelThereIs) {
  const Said all = run("emit asm " + path_);
  EXPECT_EQ(all.exit_code, 0) << all.error;
  EXPECT_THAT(all.out, HasSubstr("none: LG2001"));
  EXPECT_THAT(all.out, HasSubstr("ret"));
  const Said fused = run("fuse " + path_ + " --explain");
  EXPECT_EQ(fused.exit_code, 0) << fused.error;
  EXPECT_THAT(fused.out, HasSubstr("OPAQUE"));
  int missing = 0;
  const Json expressions = json("emit te " + path_);
  for (const Json& kernel : expressions["kernels"]) missing += kernel.contains("missing");
  EXPECT_EQ(missing, 2);
}

TEST_F(OpaqueModel, RefusesAKernelThatIsMissing) {
  const Json kernels = json("emit te " + path_)["kernels"];
  for (const Json& kernel : kernels)
    if (kernel.contains("missing"))
      refused("emit asm " + path_ + " --kernel " + kernel["name"].get<std::string>(), 3,
              "error LG2001");
}

TEST_F(OpaqueModel, IsTimedButForWhatIsMissing) {
  const Said said = run("bench " + path_ + " --rounds 2 --threads 1");
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("2 more are missing and not timed, with random numbers"));
  const Json report = json("bench " + path_ + " --rounds 2 --threads 1");
  int missing = 0;
  for (const Json& kernel : report["kernels"]) {
    missing += !kernel["missing"].is_null();
    EXPECT_EQ(kernel["median_us"].is_null(), !kernel["missing"].is_null());
  }
  EXPECT_EQ(missing, 2);
}

TEST_F(OpaqueModel, CanBeLookedAt) {
  for (const char* command : {"memory ", "history --json ", "lens ", "diff "}) {
    const std::string words = command == std::string("diff ")             ? path_ + " input last"
                              : command == std::string("history --json ") ? path_ + " n_b"
                                                                          : path_;
    const Said said = run(command + words);
    EXPECT_EQ(said.exit_code, 0) << command << said.error;
  }
  EXPECT_THAT(run("lens " + path_).out, HasSubstr("follows from n_b (com.acme.Mystery)"));
  EXPECT_EQ(run("lens " + path_ + " --against input").exit_code, 0);
  EXPECT_EQ(run("compare " + path_ + " --toggle simplify").exit_code, 0);
  EXPECT_EQ(run("bisect " + path_ + " input last").exit_code, 0);
}

TEST_F(OpaqueModel, OpensTheGraphsInside) {
  const Said said = run("emit graph " + path_ + " --subgraph n_d.then_branch");
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("Neg(%c)"));
  EXPECT_EQ(run("run " + path_ + " --subgraph n_d.else_branch").exit_code, 0);
  refused("emit graph " + path_ + " --subgraph n_d.body", 2, "n_d.then_branch, n_d.else_branch");
}

TEST_F(OpaqueModel, CountsAsUnsupportedInTheSuite) {
  std::filesystem::create_directories(folder_ / "case" / "test_data_set_0");
  std::filesystem::copy(path_, folder_ / "case" / "model.onnx");
  const Json report = json("conformance " + (folder_ / "case").string(), 1);
  EXPECT_THAT(report.dump(), HasSubstr("\"outcome\":\"unsupported\""));
}

}  // namespace
}  // namespace loopglass::app
