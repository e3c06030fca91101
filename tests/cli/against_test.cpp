// Kernels beside those of a library. Where the library is not installed, what is said instead.
#include "core/machine/instruction_level.h"
#include "core/onnx/export.h"
#include "core/ops/registry.h"
#include "tests/cli/command_line.h"
#include "tests/schemas/schema_check.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class BenchAgainst : public CommandLine {};

TEST_F(BenchAgainst, GivesTheLibrarysResultsOrSaysWhatIsMissing) {
  const auto ran = run("bench lenet --against onednn --rounds 2 --threads 1");
  if (ran.exit_code != 0) {
    refused("bench lenet --against onednn --rounds 2 --threads 1", 3, "LG7010");
    return;
  }
  const Json report = json("bench lenet --against onednn --rounds 2 --threads 1");
  ASSERT_EQ(report["kernels"].size(), 5u);
  for (const Json& kernel : report["kernels"]) {
    EXPECT_TRUE(kernel["agrees"].get<bool>()) << kernel["name"];
    EXPECT_GT(kernel["ratio"]["median"].get<double>(), 0);
  }
}

TEST_F(BenchAgainst, HoldsTheLibraryToTheSameInstructions) {
  const std::string bench = "bench lenet --against onednn --rounds 1 --threads 1 --kernel 5";
  if (run(bench).exit_code != 0) {
    refused(bench, 3, "LG7010");
    return;
  }
  for (const auto& [level, instructions] :
       {std::pair{"x86-64-v2", "sse4.1"}, {"x86-64-v3", "avx2"}, {"x86-64-v4", "avx512_core"}}) {
    const std::string held = fmt::format("{} --target {}", bench, level);
    const auto levels = instruction_levels();
    if (std::ranges::find(levels, level, &InstructionLevel::name) == levels.end()) {
      refused(held, 2, "no level of this processor");
      continue;
    }
    EXPECT_EQ(json(held)["against"]["instruction_set"], instructions);
  }
}

TEST_F(BenchAgainst, SaysThatATextIsNoOperator) {
  refused("bench matmul --against onednn --rounds 1 --threads 1", 3, "LG70");
  if (run("bench lenet --against onednn --rounds 1 --threads 1").exit_code == 0)
    refused("bench matmul --against onednn --rounds 1 --threads 1", 3, "Conv, MatMul or Gemm");
}

TEST_F(BenchAgainst, RefusesWhatNobodyCanMeasureAgainst) {
  refused("bench lenet --against magic", 2, "no library 'magic'");
  refused("bench lenet --against onnx", 2, "did you mean 'onnxruntime'?");
}

// By what calls itself ONNX Runtime.
class AgainstOnnxRuntime : public CommandLine {
 protected:
  AgainstOnnxRuntime() { ::setenv("LOOPGLASS_ONNXRUNTIME", PLAIN_ONNX_RUNTIME, 1); }
  ~AgainstOnnxRuntime() override { ::unsetenv("LOOPGLASS_ONNXRUNTIME"); }

  static constexpr const char* how = " --against onnxruntime --rounds 2 --threads 1";

  // A model of one operator, or one whose result goes through the sine of so many times itself.
  std::string model_of(const std::string& op, float times = 0) const {
    graph::GraphBuilder builder("one");
    const auto add = [&](const std::string& name, std::vector<graph::ValueId> operands) {
      const auto node = builder.add_node(name, *ops::find_operator(name), std::move(operands), {});
      EXPECT_TRUE(node);
      return builder.output(*node);
    };
    graph::ValueId y = add(op, {builder.add_input("x", {DataType::Float32, {8}})});
    if (times != 0)
      y = add("Sin",
              {add("Mul", {y, builder.add_constant("times", Tensor::of<float>({}, {times}))})});
    builder.set_outputs({y});
    const std::string path = (folder_ / (op + ".onnx")).string();
    EXPECT_TRUE(onnx::write(*std::move(builder).finish(), path));
    return path;
  }
};

TEST_F(AgainstOnnxRuntime, TheNetworkAndItsKernelsAgree) {
  for (const std::string model : {"lenet", "mlp"}) {
    const Json report = json("bench " + model + how);
    EXPECT_EQ(report["against"]["library"], "ONNX Runtime");
    EXPECT_EQ(report["against"]["version"], "plain");
    const Json& network = report["network"];
    EXPECT_TRUE(network["refusal"].is_null()) << network.dump();
    EXPECT_TRUE(network["agrees"].get<bool>()) << network.dump();
    EXPECT_EQ(network["output"], "probabilities");
    EXPECT_GT(network["theirs"]["median_us"].get<double>(), 0);
    for (const Json& kernel : report["kernels"]) {
      EXPECT_TRUE(kernel["refusal"].is_null()) << kernel.dump();
      EXPECT_TRUE(kernel["agrees"].get<bool>()) << kernel.dump();
    }
  }
  EXPECT_THAT(run(std::string("bench mlp") + how).out, HasSubstr("the network: ours "));
}

TEST_F(AgainstOnnxRuntime, TheNetworkAlone) {
  const Json report = json(std::string("bench lenet --kernels 0") + how);
  EXPECT_TRUE(report["network"]["agrees"].get<bool>());
  EXPECT_TRUE(report["kernels"].empty());
}

TEST_F(AgainstOnnxRuntime, AKernelAlone) {
  const Json report = json(std::string("bench lenet --kernel 0") + how);
  EXPECT_TRUE(report["network"].is_null());
  EXPECT_EQ(report["kernels"].size(), 1u);
}

TEST_F(AgainstOnnxRuntime, WhatDiffersIsAnError) {
  const Said said = run("bench " + model_of("Abs") + how);
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.error, HasSubstr("differs from ONNX Runtime by"));
}

// What moves as far by itself when its inputs do by a millionth.
TEST_F(AgainstOnnxRuntime, WhatDiffersInASensitiveNetworkIsNone) {
  const std::string bench = "bench " + model_of("Abs", 1e7F) + how;
  const Json network = json(bench)["network"];
  EXPECT_GT(network["difference"].get<double>(), network["tolerance"].get<double>());
  EXPECT_GT(network["moved"].get<double>(), network["difference"].get<double>());
  EXPECT_TRUE(network["agrees"].get<bool>()) << network.dump();
  EXPECT_THAT(run(bench).out, HasSubstr("inputs moved by a millionth move our own"));
  EXPECT_FALSE(json("bench " + model_of("Abs", 1) + how, 1)["network"]["agrees"].get<bool>());
}

TEST_F(AgainstOnnxRuntime, ItsRefusalIsTold) {
  refused("bench " + model_of("Neg") + how, 3, "nothing is negative here");
}

TEST_F(AgainstOnnxRuntime, ItComputesKernelsOfANetwork) {
  const Json generated = json("run lenet"), mixed = json("run lenet --library 0=onnxruntime");
  EXPECT_EQ(mixed["library"]["kernels"][0]["by"], "library");
  const Json &ours = generated["outputs"][0]["first"], &theirs = mixed["outputs"][0]["first"];
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i].get<double>(), theirs[i].get<double>(), 1e-5) << i;
}

TEST_F(AgainstOnnxRuntime, IsNotHeldToFewerInstructions) {
  refused(std::string("bench lenet --target x86-64-v2") + how, 3, "cannot be held");
}

TEST_F(AgainstOnnxRuntime, SaysWhereItIsNot) {
  const std::string bench = std::string("bench lenet") + how;
  for (const std::string& file : {write("libonnxruntime.so", "rubbish"), std::string("/nowhere")}) {
    ::setenv("LOOPGLASS_ONNXRUNTIME", file.c_str(), 1);
    refused(bench, 3, "LG7010: LOOPGLASS_ONNXRUNTIME names no shared object");
  }
  std::filesystem::create_directory(folder_ / "empty");
  ::setenv("LOOPGLASS_ONNXRUNTIME", (folder_ / "empty").c_str(), 1);
  refused(bench, 3, "a folder with no libonnxruntime.so");
  // A pipe is not waited for.
  const std::string pipe = (folder_ / "empty" / "libonnxruntime.so.1").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  refused(bench, 3, "a folder with no libonnxruntime.so");
  ::setenv("LOOPGLASS_ONNXRUNTIME", pipe.c_str(), 1);
  refused(bench, 3, "names no shared object");
  ::setenv("LOOPGLASS_ONNXRUNTIME", LOOPGLASSC, 1);  // whole, but no such library
  refused(bench, 3, "LG7010");
  ::unsetenv("LOOPGLASS_ONNXRUNTIME");
  if (run(bench).exit_code != 0) refused(bench, 3, "npm install");
}

class ByLibrary : public CommandLine {
 protected:
  void SetUp() override {
    if (run("run mlp --library onednn").exit_code == 0) return;
    refused("run mlp --library onednn", 3, "LG7010");
    GTEST_SKIP() << "oneDNN is not installed";
  }
};

TEST_F(ByLibrary, ANetworkGivesWhatItGave) {
  const Json generated = json("run lenet"), mixed = json("run lenet --library 0=onednn");
  EXPECT_FALSE(generated.contains("library"));
  ASSERT_EQ(mixed["library"]["kernels"].size(), 1u);
  EXPECT_EQ(mixed["library"]["kernels"][0]["by"], "library");
  const Json &ours = generated["outputs"][0]["first"], &theirs = mixed["outputs"][0]["first"];
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i].get<double>(), theirs[i].get<double>(), 1e-5) << i;
}

TEST_F(ByLibrary, IsTimedBesideGeneratedCodeWithTheReasonForEachKernel) {
  const Json report = json("bench lenet --library onednn --rounds 3 --threads 1");
  EXPECT_EQ(schema_problems(report), "");
  EXPECT_EQ(report["library"]["library"], "oneDNN");
  EXPECT_GT(report["with_library"]["median_us"].get<double>(), 0);
  EXPECT_GT(report["generated"]["median_us"].get<double>(), 0);
  ASSERT_EQ(report["library"]["kernels"].size(), 5u);
  for (const Json& kernel : report["library"]["kernels"]) {
    EXPECT_FALSE(kernel["reason"].get<std::string>().empty());
    const bool is_faster = kernel.contains("ratio") && kernel["ratio"]["low"].get<double>() > 1;
    EXPECT_EQ(kernel["by"], is_faster ? "library" : "generated code") << kernel.dump();
  }
  const Said said = run("bench lenet --library onednn --rounds 3 --threads 1");
  EXPECT_THAT(said.out, HasSubstr("by generated code alone"));
}

TEST_F(ByLibrary, RefusesWhatItCannotCompute) {
  refused("run mlp --library 3=onednn", 3, "holds no convolution or product");
  refused("run mlp --library 7=onednn", 2, "there is no kernel '7'");
  refused("run mlp --library magic", 2, "no library 'magic'");
  refused("run mlp --library 0=onednn --library magic", 2, "'onednn' and 'magic'");
  refused("run mlp --library onednn --interpreted", 2, "nothing is compiled");
  for (const char* other : {"--per-line", "--record", "--against onednn", "--kernel 0"})
    refused(std::string("bench mlp --library onednn --threads 1 ") + other, 2, "--library");
}

}  // namespace
}  // namespace loopglass::app
