// The conformance runner tells right from wrong from unsupported, and survives cases that do not.
#include "app/common/conformance.h"
#include "core/onnx/export.h"
#include "core/ops/registry.h"
#include "tests/cli/command_line.h"

#include <fmt/format.h>

namespace loopglass::app {
namespace {

namespace fs = std::filesystem;

class Conformance : public CommandLine {
 protected:
  // y = op(x) for x = [-1, 2], with these expected outputs.
  fs::path make_case(const std::string& name, std::string_view op, const Tensor& expected) {
    const fs::path folder = folder_ / "cases" / name;
    fs::create_directories(folder / "test_data_set_0");
    graph::GraphBuilder builder(name);
    const auto x = builder.add_input("x", {DataType::Float32, {2}});
    builder.set_outputs(
        {builder.output(*builder.add_node("node", *ops::find_operator(op), {x}, {}))});
    EXPECT_TRUE(onnx::write(*std::move(builder).finish(), folder / "model.onnx", 18));
    EXPECT_TRUE(onnx::write_tensor(Tensor::of<float>({2}, {-1, 2}), "x",
                                   folder / "test_data_set_0" / "input_0.pb"));
    EXPECT_TRUE(onnx::write_tensor(expected, "y", folder / "test_data_set_0" / "output_0.pb"));
    return folder;
  }
};

TEST_F(Conformance, ComparesValuesTypesAndCounts) {
  const auto outcome = [&](const Tensor& expected) {
    return run_case(make_case("relu", "Relu", expected), interpret_model).outcome;
  };
  EXPECT_EQ(outcome(Tensor::of<float>({2}, {0, 2})), Outcome::Passed);
  // ONNX's tolerance: a thousandth.
  EXPECT_EQ(outcome(Tensor::of<float>({2}, {0, 2.0019f})), Outcome::Passed);
  EXPECT_EQ(outcome(Tensor::of<float>({2}, {0, 2.0021f})), Outcome::Failed);
  EXPECT_EQ(outcome(Tensor::of<float>({2}, {1e-6f, 2})), Outcome::Failed);
  EXPECT_EQ(outcome(Tensor::of<double>({2}, {0, 2})), Outcome::Failed);
  EXPECT_EQ(outcome(Tensor::of<float>({1, 2}, {0, 2})), Outcome::Failed);
  EXPECT_EQ(outcome(Tensor::of<float>({2}, {0, std::numeric_limits<float>::quiet_NaN()})),
            Outcome::Failed);
  const fs::path two = make_case("two", "Relu", Tensor::of<float>({2}, {0, 2}));
  ASSERT_TRUE(onnx::write_tensor(Tensor::of<float>({1}, {1}), "z",
                                 two / "test_data_set_0" / "output_1.pb"));
  EXPECT_EQ(run_case(two, interpret_model).outcome, Outcome::Failed);
}

TEST_F(Conformance, ADefectIsAFailureOfThatCase) {
  const fs::path folder = make_case("relu", "Relu", Tensor::of<float>({2}, {0, 2}));
  const CaseResult result =
      run_case(folder, [](onnx::Model, std::span<const Tensor>) -> Result<std::vector<Tensor>> {
        throw std::logic_error("broken");
      });
  EXPECT_EQ(result.outcome, Outcome::Failed);
  EXPECT_EQ(result.message, "LG8004: broken");
}

// No case is to blame for what no case could do.
TEST_F(Conformance, TooFewOpenFilesAreNoCasesFault) {
  make_case("good", "Relu", Tensor::of<float>({2}, {0, 2}));
  const fs::path out = folder_ / "out", error = folder_ / "error";
  const std::string command =
      fmt::format("bash -c 'exec 2>{}; ulimit -n 5; exec {} conformance {} --jobs 1' >{}",
                  error.string(), LOOPGLASSC, (folder_ / "cases").string(), out.string());
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);
  EXPECT_THAT(read(error), ::testing::HasSubstr("LG7006"));
  EXPECT_THAT(read(error),
              ::testing::HasSubstr("hint: it may have 5 open at once; ulimit -n allows more"));
  EXPECT_THAT(read(out), ::testing::Not(::testing::HasSubstr("failed")));
}

TEST_F(Conformance, CountsOnTheLastLine) {
  make_case("good", "Relu", Tensor::of<float>({2}, {0, 2}));
  const std::string cases = (folder_ / "cases").string();
  const Said all_good = run("conformance " + cases);
  EXPECT_EQ(all_good.exit_code, 0);
  EXPECT_EQ(all_good.out,
            "inputs were bound as constants in 0 of 1 cases\n1 passed, 0 failed, 0 unsupported\n");

  make_case("bad", "Neg", Tensor::of<float>({2}, {1, 2}));
  fs::create_directories(folder_ / "cases" / "damaged" / "test_data_set_0");
  std::ofstream(folder_ / "cases" / "damaged" / "model.onnx") << "no model";
  for (const char* mode : {"", " --interpreted"}) {
    const Said said = run("conformance " + cases + mode);
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_TRUE(said.out.ends_with("\n1 passed, 2 failed, 0 unsupported\n")) << said.out;
    EXPECT_NE(said.out.find("failed      bad: LG7003: output 'node': 1 of 2 elements differ; at 1: "
                            "-2 instead of 2"),
              std::string::npos)
        << said.out;
  }
  EXPECT_EQ(run("conformance " + cases + " --filter good").exit_code, 0);
  const Said none = run("conformance " + cases + " --filter nowhere");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.error, ::testing::HasSubstr("no case is called like 'nowhere'"));
  const Json report = json("conformance " + cases, 1);
  EXPECT_EQ(report["failed"], 2);
  EXPECT_EQ(report["cases"].size(), 3u);
}

// Two cases take very long, and their workers crash meanwhile, when the others are long done. What
// is told is told in the cases' order all the same.
TEST_F(Conformance, KeepsItsOrderAfterACrash) {
  constexpr std::int64_t extent = 3000;  // a minute and more, as it is interpreted
  for (const char* name : {"a", "c", "e", "f"})
    make_case(name, "Relu", Tensor::of<float>({2}, {0, 2}));
  for (const char* name : {"b", "d"}) {
    const fs::path folder = make_case(name, "Relu", Tensor::of<float>({2}, {0, 2}));
    graph::GraphBuilder builder(name);
    const auto x = builder.add_input("x", {DataType::Float32, {extent, extent}});
    builder.set_outputs(
        {builder.output(*builder.add_node("node", *ops::find_operator("MatMul"), {x, x}, {}))});
    ASSERT_TRUE(onnx::write(*std::move(builder).finish(), folder / "model.onnx", 18));
    ASSERT_TRUE(onnx::write_tensor(Tensor({DataType::Float32, {extent, extent}}), "x",
                                   folder / "test_data_set_0" / "input_0.pb"));
  }
  const fs::path out = folder_ / "out";
  const std::string command = fmt::format(
      "bash -c '{} conformance {} --jobs 3 --interpreted --verbose >{} & sleep 4; "
      "kill -SEGV $(cat /proc/$!/task/*/children); wait $!'",
      LOOPGLASSC, (folder_ / "cases").string(), out.string());
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(read(out),
            "passed      a\n"
            "failed      b: killed by signal 11 (Segmentation fault)\n"
            "passed      c\n"
            "failed      d: killed by signal 11 (Segmentation fault)\n"
            "passed      e\n"
            "passed      f\n"
            "inputs were bound as constants in 0 of 6 cases\n"
            "4 passed, 2 failed, 0 unsupported\n");
}

TEST_F(Conformance, AnOperatorOfTheSuiteIsRight) {
  const fs::path suite = "/usr/share/libonnx-testdata/data/node";
  ASSERT_TRUE(fs::exists(suite)) << "the package libonnx-testdata is not installed";
  const Said said = run("conformance " + suite.string() + " --filter test_reshape");
  EXPECT_EQ(said.exit_code, 0) << said.out;
  // The target shapes are inputs there.
  EXPECT_EQ(
      said.out,
      "inputs were bound as constants in 10 of 10 cases\n10 passed, 0 failed, 0 unsupported\n");
}

// None may be wrong; what is not supported must say so.
TEST_F(Conformance, TheOperatorSuiteIsRight) {
  const fs::path suite = "/usr/share/libonnx-testdata/data";
  ASSERT_TRUE(fs::exists(suite)) << "the package libonnx-testdata is not installed";
  const std::map<std::string, int> at_least{
      {"node", 855}, {"simple", 15}, {"pytorch-operator", 35}, {"pytorch-converted", 79}};
  for (const auto& [part, passed] : at_least) {
    const Json report = json("conformance " + (suite / part).string());
    EXPECT_GE(report["passed"].get<int>(), passed) << part;
    for (const Json& tested : report["cases"]) {
      EXPECT_NE(tested["outcome"], "failed") << tested;
      if (tested["outcome"] == "unsupported") {
        EXPECT_TRUE(tested["message"].get<std::string>().starts_with("LG")) << tested;
      }
    }
  }
}

}  // namespace
}  // namespace loopglass::app
