// The contract of the command line: what is printed, what is JSON, and how it ends.
#include "samples/kernel_samples.h"
#include "samples/samples.h"
#include "tests/cli/command_line.h"

#include "core/onnx/export.h"
#include "core/onnx/import.h"

#include <algorithm>

namespace loopglass::app {
namespace {

TEST_F(CommandLine, EveryCommandExplainsItself) {
  EXPECT_EQ(run("--help").exit_code, 0);
  EXPECT_EQ(run("--version").exit_code, 0);
  for (const char* command :
       {"run", "emit", "passes", "ops", "fuse", "bench", "calibrate", "conformance", "samples",
        "memory", "lens", "bisect", "compare", "diff", "history", "explain"}) {
    const Said said = run(std::string(command) + " --help");
    EXPECT_EQ(said.exit_code, 0) << command;
    EXPECT_NE(said.out.find("--json"), std::string::npos) << command;
  }
}

TEST_F(CommandLine, UsageEndsWithTwo) {
  for (const char* words :
       {"", "nonsense", "run", "emit", "emit nonsense mlp", "bench mlp --threads 0",
        "run mlp --shape x", "run mlp --shape =1", "run mlp --shape image=1x",
        "emit loops mlp --step 1000", "run mlp --input x"})
    EXPECT_EQ(run(words).exit_code, 2) << words;
}

TEST_F(CommandLine, ACommandThatThereIsNotIsNamed) {
  refused("fues lenet", 2, "there is no command 'fues'");
  refused("fues lenet", 2, "did you mean 'fuse'?");
  refused("xyzzy", 2, "loopglassc --help lists the commands");
  refused("--xyzzy", 2, "--help");
}

TEST_F(CommandLine, DiagnosticsEndWithThreeAndANumber) {
  refused("run missing.onnx", 3, "error LG1001");
  refused("run " + folder_.string(), 3, "error LG1001");
  refused("run mlp --shape nothing=1", 3, "error LG1007");
  refused("emit te mlp --kernel nothing", 2, "error LG3002");
  refused("conformance " + folder_.string(), 3, "error LG1009");
}

// An option that is taken has an effect; where it can have none it is refused.
TEST_F(CommandLine, OptionsWithoutAnEffectAreRefused) {
  refused("passes lenet --strategy dp", 2, "--break");
  refused("passes --strategy bogus", 2, "--break");
  refused("passes lenet --break 'remove op=Relu' --strategy bogus", 2, "error LG4003");
  refused("emit fusion lenet --strategy bogus", 2, "error LG4003");
  refused("emit graph lenet --strategy dp", 2, "--strategy says nothing about 'graph'");
  refused("passes --without simplify", 2, "--without is about a model");
  refused("passes --rules --shape x=1", 2, "--shape is about a model");
  refused("passes lenet --trace --summary", 2, "--summary");
  refused("passes lenet --trace --break 'remove op=Relu'", 2, "--trace");
  for (const char* words : {"diff lenet", "history lenet conv1", "lens lenet"})
    refused(std::string(words) + " --strategy dp", 2, "--strategy");
  refused("emit asm lenet --step 1", 2, "--step says nothing about 'asm'");
  refused("emit fusion lenet --kernel 1", 2, "--kernel says nothing about 'fusion'");
  refused("emit graph lenet --post", 2, "--post says nothing about 'graph'");
  refused("run lenet --interpreted --threads 2", 2, "--threads");
  refused("compare lenet --against none --rounds 3", 2, "--bench");
  refused("bisect lenet input last --rounds 3", 2, "--rounds is about times");
  refused("bisect lenet input last --factor 2", 2, "--factor is about times");
  refused("bisect lenet 1 --llvm", 2, "good says nothing about LLVM's passes");
  refused("bisect lenet --kernel 1", 2, "--kernel is about LLVM's passes");
  refused("bench lenet --record --without-llvm licm", 2, "--without-llvm says nothing about");
  refused("emit asm lenet --without-llvm lop-unroll", 2, "did you mean 'loop-unroll'");
  refused("lens lenet --all", 2, "--against");
  refused("lens lenet --against input --bins 3", 2, "--bins");
  refused("fuse lenet --reasons", 2, "--reasons is the legend");
  refused("calibrate --check lenet --dry-run", 2, "--dry-run");
}

// A kernel is told by the layer that it is, beside its own name.
TEST_F(CommandLine, KernelsAreToldByTheirLayers) {
  EXPECT_THAT(run("fuse lenet --summary").out,
              ::testing::HasSubstr("the largest: fused_conv_relu_0 (conv1 + relu1), of 2"));
  EXPECT_THAT(run("fuse lenet --edge conv1:relu1").out,
              ::testing::HasSubstr("FUSED in fused_conv_relu_0 (conv1 + relu1)\n"));
  EXPECT_THAT(run("memory lenet").out,
              ::testing::HasSubstr("most alive at once, during maxpool_1 (pool1)"));
}

// A line of the nest, and below it, as far in, what LLVM's passes say of it.
TEST_F(CommandLine, RemarksOfLlvmStandBelowTheirLines) {
  const std::string text = run("emit remarks matmul").out;
  EXPECT_THAT(text, ::testing::HasSubstr("parallel {\n  // "));
  const auto rows = json("emit remarks matmul")["kernels"];
  const auto& lines = rows[0]["lines"];
  ASSERT_FALSE(rows[0]["remarks"].empty());
  for (const auto& remark : rows[0]["remarks"]) {
    const auto line = remark["loop_line"].get<std::size_t>();
    ASSERT_LE(line, lines.size());
    if (line > 0) {
      EXPECT_THAT(text, ::testing::HasSubstr(lines[line - 1]["text"].get<std::string>() + "\n"));
    }
  }
}

TEST_F(CommandLine, CodeGenerationIsShownStepByStep) {
  EXPECT_THAT(run("emit machine matmul --step 0").out, ::testing::HasSubstr("\ndefine "));
  const std::string last = run("emit machine matmul").out;
  EXPECT_THAT(last, ::testing::HasSubstr("\nbb.0.entry:"));
  EXPECT_THAT(last, ::testing::Not(::testing::HasSubstr("\ndefine ")));
  refused("emit machine matmul --step 1000", 2, "there is no step 1000");
}

TEST_F(CommandLine, ThePassOfLlvmThatAKernelOwesItsSpeedToIsTold) {
  const Said told = run("bisect matmul --llvm --threads 1 --rounds 3");
  EXPECT_THAT(told.out, ::testing::HasSubstr("   0  emitted "));
  EXPECT_THAT(told.out, ::testing::HasSubstr("\nthe speed changes most with step "));
  EXPECT_THAT(told.out, ::testing::HasSubstr("this may be chance: "))
      << "three turns prove nothing, however far apart they are";
  const Json found = json("bisect matmul --llvm --threads 1 --rounds 3");
  EXPECT_FALSE(found["certain"].get<bool>());
  EXPECT_EQ(found["turns"], 3);
  EXPECT_EQ(found["probes"][0]["pass"], "emitted");
}

// Nobody reads a name of 100 kB.
TEST_F(CommandLine, LongWordsAreCutInTheMiddle) {
  const std::string word = "begin" + std::string(100'000, 'x') + "end";
  for (const std::string& words :
       {"run " + word, "passes lenet --without " + word, "fuse lenet --edge " + word + ":relu1",
        "emit te lenet --kernel " + word, "history lenet " + word}) {
    const Said said = run(words);
    EXPECT_LT(said.error.size(), 1500u) << words.substr(0, 30);
    EXPECT_THAT(said.error, ::testing::HasSubstr("beginxx"));
    EXPECT_THAT(said.error, ::testing::HasSubstr("x…x"));
    EXPECT_THAT(said.error, ::testing::HasSubstr("xxend"));
  }
}

TEST_F(CommandLine, SamplesAreListedAndWrittenByName) {
  std::filesystem::remove_all(folder_ / "cache");
  const Json list = json("samples")["samples"];
  EXPECT_EQ(list.size(), samples::all_samples().size() + samples::all_kernel_samples().size());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
  const Json one = json("samples lenet")["samples"];
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(one[0]["path"].get<std::string>()));
  EXPECT_THAT(json("samples softmax")["samples"][0]["text"].get<std::string>(),
              ::testing::HasSubstr("max over k of X[i, k]"));
}

TEST_F(CommandLine, OperatorsHaveAReferencePage) {
  const Json all = json("ops")["operators"];
  EXPECT_GT(all.size(), 100u);
  const Json reshape = json("ops Reshape")["operators"][0];
  EXPECT_EQ(reshape["name"], "Reshape");
  EXPECT_FALSE(reshape["doc"].get<std::string>().empty());
  EXPECT_NE(reshape["onnx"].dump().find("shape is input 1"), std::string::npos);
  EXPECT_NE(run("ops Reshape").out.find("attributes"), std::string::npos);
}

TEST_F(CommandLine, PassesAreAListWithOrWithoutAModel) {
  const Json table = json("passes")["passes"];
  for (const Json& pass : table)
    EXPECT_FALSE(pass[pass["level"] == "preset" ? "doc" : "reason"].get<std::string>().empty())
        << pass;
  const Json history = json("passes lenet")["steps"];
  EXPECT_EQ(history[0]["pass"], "input");
  EXPECT_EQ(history.back()["operator_count"], 13);
  EXPECT_TRUE(history[1].contains("time_us"));
  // A pass that is left out makes no step.
  const auto is_fold = [](const Json& step) { return step["pass"] == "fold-constants"; };
  const Json without = json("passes lenet --without fold-constants")["steps"];
  EXPECT_TRUE(std::any_of(history.begin(), history.end(), is_fold));
  EXPECT_TRUE(std::none_of(without.begin(), without.end(), is_fold));
}

TEST_F(CommandLine, FuseCountsItsKernels) {
  const Json dominator = json("fuse lenet --strategy dominator");
  EXPECT_EQ(dominator["kernel_count"], dominator["kernels"].size());
  EXPECT_EQ(dominator["operator_count"], 13);
  std::size_t nodes = 0;
  for (const Json& group : dominator["kernels"]) nodes += group["operators"].size();
  EXPECT_EQ(nodes, 13u);
  const Json none = json("fuse lenet --strategy none");
  EXPECT_EQ(none["kernel_count"], 13);
  EXPECT_LT(dominator["kernel_count"].get<int>(), 13);
  for (const Json& decision : dominator["edges"])
    EXPECT_FALSE(decision["sentence"].get<std::string>().empty());
  const std::string text = run("fuse lenet").out;
  EXPECT_NE(text.find("13 operators in "), std::string::npos);
}

// What `./run` shows where there is no display.
TEST_F(CommandLine, SummariesCountWhatTheListsSay) {
  const Json history = json("passes mobilenet_v1")["steps"],
             passes = json("passes mobilenet_v1 --summary");
  EXPECT_EQ(passes["operator_count_before"], history[0]["operator_count"]);
  EXPECT_EQ(passes["operator_count_after"], history.back()["operator_count"]);
  ASSERT_EQ(passes["steps"].size() + 1, history.size());
  std::size_t rewrites = 0;
  for (std::size_t i = 1; i < history.size(); ++i) {
    const Json& row = passes["steps"][i - 1];
    EXPECT_EQ(row["pass"], history[i]["pass"]);
    EXPECT_EQ(row["rules"], history[i]["rules"]);
    std::size_t remarks = 0;
    for (const Json& count : row["remarks"]) remarks += count.get<std::size_t>();
    EXPECT_EQ(remarks, history[i]["remarks"].size());
    rewrites += row["rewrite_count"].get<std::size_t>();
  }
  EXPECT_EQ(passes["rewrite_count"], rewrites);
  const Json plan = json("fuse mobilenet_v1"), fusion = json("fuse mobilenet_v1 --summary");
  for (const char* key : {"strategy", "optimality", "operator_count", "kernel_count"})
    EXPECT_EQ(fusion[key], plan[key]);
  std::size_t fused = 0, apart = 0;
  for (const Json& decision : plan["edges"]) ++(decision["fused"].get<bool>() ? fused : apart);
  EXPECT_EQ(fusion["fused_edge_count"], fused);
  for (const Json& count : fusion["reasons"]) apart -= count.get<std::size_t>();
  EXPECT_EQ(apart, 0u);
  // Half a page each, however many remarks there are.
  for (const char* words : {"passes mobilenet_v1 --summary", "fuse mobilenet_v1 --summary"}) {
    const std::string text = run(words).out;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24) << text;
  }
}

TEST_F(CommandLine, BenchHasAMedianAndAListOfKernels) {
  const Json report = json("bench mlp --threads 1 --rounds 3");
  EXPECT_GT(report["median_us"].get<double>(), 0);
  EXPECT_EQ(report["threads"], 1);
  ASSERT_TRUE(report["kernels"].is_array());
  EXPECT_EQ(report["kernels"].size(), json("fuse mlp")["kernels"].size());
  EXPECT_TRUE(report["kernels"][0].contains("median_us"));
  const Json& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["number"], 0);
  EXPECT_EQ(kernel["layer"], "fc1 + relu1");
  EXPECT_EQ(kernel["operators"][0]["name"], "fc1");
  EXPECT_EQ(kernel["operators"][1]["operator"], "Relu");
  // Held against what the machine gives at most.
  EXPECT_GT(report["roofs"]["float32_gflops"].get<double>(), kernel["gflops"].get<double>());
  EXPECT_NEAR(kernel["share_of_peak"].get<double>(),
              kernel["gflops"].get<double>() / report["roofs"]["float32_gflops"].get<double>(),
              1e-6);
  EXPECT_GT(kernel["ceilings"][0]["time_us"], kernel["ceilings"][1]["time_us"]);
  EXPECT_TRUE(report["one_thread"].is_null()) << "it says nothing beside itself";
  // Roofs are measured once and kept.
  EXPECT_EQ(json("bench mlp --threads 1 --rounds 3")["roofs"], report["roofs"]);
}

TEST_F(CommandLine, BenchShowsOneKernelWithItsRoofs) {
  const std::string card = run("bench mlp --threads 1 --rounds 2 --kernel 1").out;
  EXPECT_THAT(card, ::testing::HasSubstr("kernel 1, fused_gemm_relu_1: fc2 + relu2"));
  EXPECT_THAT(card, ::testing::HasSubstr("relu2  Relu"));
  EXPECT_THAT(card, ::testing::HasSubstr("of the machine's peak"));
  EXPECT_THAT(card, ::testing::HasSubstr("roofline mlp --kernel 1"));
  const Json report = json("bench mlp --threads 1 --rounds 2 --kernel fused_gemm_relu_1");
  ASSERT_EQ(report["kernels"].size(), 1u);
  EXPECT_EQ(report["kernels"][0]["number"], 1);
  // What it says to ask next is a command that runs, of files, too.
  const std::string file = (folder_ / "a product.te").string();
  std::ofstream(file) << "input A: float32[8, 8]\nconstant B: float32[8, 8]\n"
                         "C[i, j] = sum over k of A[i, k] * B[k, j]\n";
  EXPECT_THAT(run("bench '" + file + "' --threads 1 --rounds 2 --kernel 0").out,
              ::testing::HasSubstr("roofline '" + file + "' --kernel 0"));
  refused("bench mlp --kernel 1 --kernels 3", 2, "--kernels");
  refused("bench mlp --kernel 77", 2, "there is no kernel '77'");
}

// As many threads as there are, where nobody says; then one stands beside them.
TEST_F(CommandLine, BenchSaysWhatMoreThreadsAreGoodFor) {
  const Json report = json("bench lenet --rounds 2");
  EXPECT_EQ(report["one_thread"].is_null(), report["threads"] == 1);
  if (report["threads"] > 1) {
    EXPECT_THAT(run("bench lenet --rounds 2").out, ::testing::HasSubstr("on 1 thread it takes"));
  }
}

TEST_F(CommandLine, EveryStageIsEmitted) {
  EXPECT_NE(run("emit graph mlp --step 0").out.find("Gemm"), std::string::npos);
  EXPECT_EQ(json("emit graph mlp")["nodes"].size(), 6u);
  EXPECT_NE(run("emit domtree mlp").out.find("fc1"), std::string::npos);
  EXPECT_NE(run("emit domtree mlp --post").out.find("fc1"), std::string::npos);
  EXPECT_NE(run("emit fusion mlp").out.find("fc1"), std::string::npos);
  EXPECT_EQ(run("emit fusion mlp --json").out, run("fuse mlp --json").out);
  EXPECT_NE(run("emit te mlp --kernel 0").out.find("sum"), std::string::npos);
  EXPECT_NE(run("emit schedule mlp --kernel 0").out.find("block("), std::string::npos);
  EXPECT_NE(run("emit loops mlp --kernel 0 --step 0").out.find("for "), std::string::npos);
  EXPECT_NE(run("emit lowered mlp --kernel 0").out.find("for "), std::string::npos);
  EXPECT_NE(run("emit llvm mlp --kernel 0 --step 0").out.find("define"), std::string::npos);
  const Json assembly = json("emit asm mlp --kernel 0")["kernels"];
  ASSERT_EQ(assembly.size(), 1u);
  bool mapped = false;
  for (const Json& line : assembly[0]["lines"]) mapped = mapped || line["loop_line"] != 0;
  EXPECT_TRUE(mapped);
}

// A loop that is not unrolled as the schedule says, and by which numbers.
TEST_F(CommandLine, EmitSaysWhichLoopsStayLoops) {
  const std::string script = (folder_ / "all.schedule").string();
  std::ofstream(script) << "C = block(\"C\")\ni, j, k = loops(C)\nj_o, j_i = split(j, [-1, 128])\n"
                           "k_o, k_i = split(k, [-1, 128])\nunroll(j_i)\nunroll(k_i)\n";
  const std::string emit = "emit lowered matmul --schedule 0=" + script;
  EXPECT_NE(run(emit).out.find("\n// missed UNROLL_OVER_BUDGET "), std::string::npos);
  EXPECT_EQ(run(emit + " --step 0").out.find("UNROLL_OVER_BUDGET"), std::string::npos);
  const Json remark = json(emit)["kernels"][0]["remarks"][0];
  EXPECT_EQ(remark["code"], "UNROLL_OVER_BUDGET");
  EXPECT_GT(remark["numbers"]["statements"], remark["numbers"]["budget"]);
}

// What lets machine code round otherwise than the loop nest is said, and can be left out.
TEST_F(CommandLine, ContractionIsSaidAndCanBeLeftOut) {
  const std::string with = "--kernel 0", without = with + " --without contract-products";
  EXPECT_THAT(run("emit lowered lenet " + with).out,
              ::testing::HasSubstr("\n// applied CONTRACTS "));
  EXPECT_THAT(run("emit lowered lenet " + with).out, ::testing::HasSubstr("\n@contract func "));
  EXPECT_THAT(run("emit llvm lenet --step 0 " + with).out, ::testing::HasSubstr("fmul contract"));
  EXPECT_THAT(run("emit lowered lenet " + without).out,
              ::testing::Not(::testing::HasSubstr("ontract")));
  EXPECT_THAT(run("emit llvm lenet --step 0 " + without).out, ::testing::HasSubstr("fmul <"));
  EXPECT_THAT(run("emit llvm lenet --step 0 " + without).out,
              ::testing::Not(::testing::HasSubstr("contract")));
  EXPECT_THAT(run("emit lowered lenet --without contract-product").error,
              ::testing::HasSubstr("there is no graph or loop pass 'contract-product'"));
}

TEST_F(CommandLine, RunAgreesWithTheInterpreter) {
  const Json compiled = json("run lenet --threads 2"),
             interpreted = json("run lenet --interpreted");
  ASSERT_EQ(compiled["outputs"].size(), 1u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(compiled["outputs"][0]["first"][i].get<double>(),
                interpreted["outputs"][0]["first"][i].get<double>(), 1e-5);
  // Another seed, another input.
  EXPECT_NE(json("run lenet --seed 5")["outputs"], compiled["outputs"]);
}

TEST_F(CommandLine, AModelRunTwiceIsCompiledOnce) {
  const Json first = json("run lenet"), second = json("run lenet");
  EXPECT_GT(first["compiled"], 0);
  EXPECT_EQ(first["from_cache"], 0);
  EXPECT_EQ(second["compiled"], 0);
  EXPECT_EQ(second["from_cache"], first["compiled"]);
  EXPECT_EQ(second["outputs"], first["outputs"]);
  EXPECT_EQ(json("bench lenet --rounds 1 --threads 1")["compiled"], 0);
}

// Two at once and one that is killed at any moment leave a cache that is right and of use.
TEST_F(CommandLine, TheCodeCacheSurvivesCompanyAndKills) {
  const Json expected = json("run lenet");
  for (int round = 0; round < 6; ++round) {
    std::filesystem::remove_all(folder_ / "cache" / "object-code");
    const std::string run = std::string(LOOPGLASSC) + " run lenet >/dev/null 2>&1";
    ASSERT_EQ(std::system(("timeout -s KILL 0.0" + std::to_string(1 + round) + " " + run + " & " +
                           run + " & wait")
                              .c_str()),
              0);
    const Json after = json("run lenet");
    EXPECT_EQ(after["outputs"], expected["outputs"]);
    EXPECT_EQ(after["compiled"], 0);
  }
}

TEST_F(CommandLine, RunTakesInputsFromFiles) {
  ASSERT_TRUE(onnx::write_tensor(Tensor(TensorType{DataType::Float32, {1, 784}}), "image",
                                 folder_ / "zero.pb"));
  const std::string given = "run mlp --input image=" + (folder_ / "zero.pb").string();
  EXPECT_EQ(json(given)["outputs"], json(given + " --seed 9")["outputs"]);
  ASSERT_TRUE(onnx::write_tensor(Tensor(TensorType{DataType::Float32, {784}}), "image",
                                 folder_ / "flat.pb"));
  refused("run mlp --input image=" + (folder_ / "flat.pb").string(), 3, "LG7002");
}

}  // namespace
}  // namespace loopglass::app
