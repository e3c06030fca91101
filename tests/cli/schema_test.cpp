// What --json prints has the form that its schema describes, and no other field.
#include "tests/schemas/schema_check.h"

#include "app/common/schemas.h"
#include "tests/cli/command_line.h"

#include <set>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class Schemas : public CommandLine {
 protected:
  // A schema of draft 7 describes every field, and allows no other.
  static void describes_itself(const Json& part, const std::string& at) {
    if (part.contains("properties")) {
      EXPECT_EQ(part.value("additionalProperties", Json()), false) << at;
      for (const auto& [name, property] : part["properties"].items()) {
        EXPECT_TRUE(property.contains("description") || property.contains("$ref") ||
                    property.contains("const"))
            << at << "/" << name;
        describes_itself(property, at + "/" + name);
      }
      for (const Json& name : part["required"])
        EXPECT_TRUE(part["properties"].contains(name.get<std::string>())) << at << " " << name;
    }
    if (part.contains("items")) describes_itself(part["items"], at + "[]");
    if (part.contains("definitions"))
      for (const auto& [name, definition] : part["definitions"].items())
        describes_itself(definition, at + "#" + name);
  }
};

// One way at least to every form; those of farms are in farm_test.cpp.
struct Form {
  Schema schema;
  const char* words;
};
const Form forms[] = {
    {Schema::Bench, "bench lenet --rounds 2"},
    {Schema::BenchPerLine, "bench vector_add --rounds 2 --per-line"},
    {Schema::Bisect, "bisect mlp"},
    {Schema::Bisect, "bisect mlp --by time --rounds 1"},
    {Schema::BisectLlvm, "bisect mlp --llvm --kernel 0 --rounds 2"},
    {Schema::Calibrate, "calibrate --dry-run --rounds 1"},
    {Schema::CalibrateCheck, "calibrate --check mlp --rounds 1"},
    {Schema::Compare, "compare mlp --against none"},
    {Schema::Compare, "compare mlp --toggle simplify --bench --rounds 2"},
    {Schema::Diff, "diff lenet input last --text"},
    {Schema::Emit, "emit te lenet"},
    {Schema::Emit, "emit schedule lenet"},
    {Schema::Emit, "emit lowered lenet"},
    {Schema::Emit, "emit remarks lenet --kernel 0"},
    {Schema::Emit, "emit asm lenet --kernel 0"},
    {Schema::EmitDomtree, "emit domtree lenet"},
    {Schema::EmitGraph, "emit graph encoder"},
    {Schema::Error, "run nowhere.onnx"},
    {Schema::Error, "run lenet --threads x"},
    {Schema::Error, "nothing"},
    {Schema::Explain, "explain split LG2001"},
    {Schema::Fold, "fold resnet50"},
    {Schema::Fold, "fold lenet --bench --kernels"},
    {Schema::Fuse, "fuse lenet"},
    {Schema::FuseCompare, "fuse lenet --compare dp,none --measure --rounds 2"},
    {Schema::FuseCompare, "fuse lenet --forbid conv1:relu1"},
    {Schema::FuseExplain, "fuse lenet --explain"},
    {Schema::FuseExplain, "fuse lenet --edge conv1:relu1"},
    {Schema::FuseNearMisses, "fuse lenet --near-misses"},
    {Schema::FuseNearMisses, "fuse encoder --near-misses"},
    {Schema::FuseReasons, "fuse --reasons"},
    {Schema::FuseSteps, "fuse lenet --steps"},
    {Schema::FuseSteps, "fuse lenet --steps --strategy dp"},
    {Schema::FuseSummary, "fuse lenet --summary"},
    {Schema::History, "history lenet conv1"},
    {Schema::Legal, "legal matmul --kernel 0 'unroll(k)'"},
    {Schema::LegalAll, "legal matmul --kernel 0 --all"},
    {Schema::LegalDrops, "legal matmul --kernel 0 --drops k"},
    {Schema::Lens, "lens mlp"},
    {Schema::LensAgainst, "lens mobilenet_v1 --against input"},
    {Schema::Locality, "locality mlp --kernel 0 --accesses 1000"},
    {Schema::LocalityIterations, "locality mlp --kernel 0 --iterations 3"},
    {Schema::Mca, "mca matmul"},
    {Schema::Memory, "memory encoder"},
    {Schema::Memory, "memory resnet50 --memory-limit 4MiB --max-arena 1"},
    {Schema::FuseSummary, "fuse lenet --summary --max-arena 1KiB"},
    {Schema::Ops, "ops"},
    {Schema::Ops, "ops Conv"},
    {Schema::Passes, "passes"},
    {Schema::PassesBreak, "passes lenet --break 'remove op=Flatten'"},
    {Schema::PassesBreak, "passes lenet --break 'fuse op=Relu'"},
    {Schema::PassesModel, "passes lenet"},
    {Schema::PassesRules, "passes --rules"},
    {Schema::PassesSummary, "passes lenet --summary"},
    {Schema::PassesTrace, "passes mobilenet_v1 --trace"},
    {Schema::Primitives, "primitives"},
    {Schema::Primitives, "primitives split"},
    {Schema::Records, "records /dev/null"},
    {Schema::Roofline, "roofline matmul"},
    {Schema::RooflineExperiment, "roofline mlp --kernel 0 --experiment near-data"},
    {Schema::Run, "run mlp"},
    {Schema::Samples, "samples"},
    {Schema::Samples, "samples lenet"},
    {Schema::Samples, "samples matmul"},
    {Schema::Schema, "schema"},
    {Schema::SessionList, "session"},
    {Schema::Tune, "tune mlp --kernel 0 --trials 3"},
    {Schema::TunePrintSpace, "tune mlp --print-space"},
};

TEST_F(Schemas, HoldForWhatIsPrinted) {
  std::set<Schema> seen;
  for (const Form& form : forms) {
    const Said said = run(std::string(form.words) + " --json");
    SCOPED_TRACE(form.words);
    ASSERT_TRUE(Json::accept(said.out)) << said.error;
    EXPECT_EQ(said.json()["schema"], identifier(form.schema));
    EXPECT_EQ(schema_problems(said.json()), "");
    seen.insert(form.schema);
  }
  // against_test.cpp, conformance_test.cpp, farm_test.cpp, session_test.cpp and the window's
  // program have these.
  seen.insert({Schema::BenchAgainst, Schema::BenchLibrary, Schema::Conformance, Schema::Export,
               Schema::Farm, Schema::Session, Schema::Worker});
  for (const Schema schema : all_schemas()) EXPECT_TRUE(seen.contains(schema)) << name(schema);
}

// Whoever adds a field says what it is.
TEST_F(Schemas, KnowNoOtherField) {
  Json document = json("fuse lenet --summary");
  EXPECT_EQ(schema_problems(document), "");
  document["surprise"] = 1;
  EXPECT_THAT(schema_problems(document), HasSubstr("surprise"));
  document = json("fuse lenet --summary");
  document["largest"].erase("name");
  EXPECT_THAT(schema_problems(document), HasSubstr("name"));
  document = json("fuse lenet --summary");
  document["kernel_count"] = "seven";
  EXPECT_NE(schema_problems(document), "");
  EXPECT_NE(schema_problems(Json::array()), "");
  EXPECT_NE(schema_problems({{"schema", "loopglass.nothing/1"}}), "");
}

TEST_F(Schemas, DescribeEveryField) {
  for (const Schema schema : all_schemas()) {
    const Said said = run("schema " + std::string(name(schema)));
    ASSERT_EQ(said.exit_code, 0) << said.error;
    const Json written = said.json();
    EXPECT_EQ(written["$schema"], "http://json-schema.org/draft-07/schema#");
    EXPECT_FALSE(written["title"].get<std::string>().empty());
    describes_itself(written, std::string(name(schema)));
    EXPECT_EQ(said.out.find("common.json"), std::string::npos) << "it needs another file";
  }
}

// A command's forms are called like it.
TEST_F(Schemas, EveryCommandHasOne) {
  std::set<std::string> commands;
  for (const Schema schema : all_schemas()) {
    const std::string_view form = name(schema);
    commands.emplace(form.substr(0, form.find('-')));
  }
  const std::string help = run("--help").out;
  std::istringstream list(help.substr(help.find("\nCommands\n") + 10));
  std::size_t count = 0;
  for (std::string line; std::getline(list, line);) {
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    const std::string command = line.substr(2, line.find(' ', 2) - 2);
    if (run(command + " --help").out.find("--json") == std::string::npos) continue;
    EXPECT_TRUE(commands.contains(command)) << command;
    ++count;
  }
  EXPECT_GT(count, 20u);
}

TEST_F(Schemas, AreFoundByEitherName) {
  EXPECT_EQ(run("schema loopglass.bench/1").out, run("schema bench").out);
  refused("schema bensh", 2, "bench");
  EXPECT_EQ(run("schema bench --json").exit_code, 2);
}

// What a program reads says why there is nothing else.
TEST_F(Schemas, ErrorsAreDocumentsToo) {
  const Json unsupported = json("run nowhere.onnx", 3);
  EXPECT_EQ(unsupported["error"]["code"], "LG1001");
  EXPECT_EQ(unsupported["error"]["name"], "ModelUnreadable");
  EXPECT_EQ(unsupported["error"]["exit"], 3);
  const Json usage = json("bench lenet --rounds none", 2);
  EXPECT_EQ(usage["error"]["code"], "LG8001");
  EXPECT_EQ(usage["error"]["exit"], 2);
  EXPECT_THAT(usage["error"]["hint"].get<std::string>(), HasSubstr("--help"));
  // A person reads the same beside it.
  EXPECT_THAT(run("run nowhere.onnx --json").error, HasSubstr("error LG1001"));
  EXPECT_EQ(run("run nowhere.onnx").out, "");
}

}  // namespace
}  // namespace loopglass::app
