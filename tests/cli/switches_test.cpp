// Every switch of every command does something: it changes what is said, or is refused.
#include "tests/cli/command_line.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class Switches : public CommandLine {
 protected:
  // As --help lists them.
  std::set<std::string> listed(const std::string& command) const {
    const std::string help = run(command + " --help").out;
    static const std::regex name(R"(\n +(?:-\w,)?(--[a-z-]+))");
    std::set<std::string> found;
    for (std::sregex_iterator at(help.begin(), help.end(), name), end; at != end; ++at)
      found.insert((*at)[1]);
    found.erase("--help");
    return found;
  }
};

// One of the command's ways to say it, without the switch and with it.
struct Row {
  const char *command, *name, *without, *with;
};

// `+` in the place of `with`: the words without it, and these after them.
const Row rows[] = {
    {"run", "--shape", "lenet", "+ --shape image=2x1x28x28"},
    {"run", "--set", "vector_add", "+ --set n=7"},
    {"emit", "--set", "graph vector_add", "+ --set n=7"},
    {"fuse", "--set", "vector_add", "+ --set n=7"},
    {"memory", "--set", "vector_add", "+ --set n=7"},
    {"run", "--subgraph", "lenet", "+ --subgraph a.b"},
    {"run", "--without", "lenet --json", "+ --without fold-batch-normalisation"},
    {"run", "--passes", "lenet --json", "+ --passes nothing"},
    {"run", "--stop-after", "lenet --json", "+ --stop-after nothing"},
    {"run", "--memory-limit", "lenet", "+ --memory-limit 1"},
    {"run", "--seed", "mlp", "+ --seed 7"},
    {"run", "--interpreted", "mlp --json", "+ --interpreted"},
    {"run", "--save", "mlp", "+ --save /proc/nowhere"},
    {"run", "--npy", "mlp", "+ --npy"},
    {"run", "--threads", "mlp --json", "+ --threads 1"},
    {"run", "--json", "mlp", "+ --json"},
    {"run", "--strategy", "mlp --interpreted", "+ --strategy dp"},
    {"run", "--strategy", "mlp --json", "+ --strategy nothing"},
    {"run", "--force", "mlp --interpreted", "+ --force a:b"},
    {"run", "--forbid", "mlp --interpreted", "+ --forbid a:b"},
    {"run", "--edit", "mlp --interpreted", "+ --edit 'split relu1'"},
    {"run", "--edits", "mlp --interpreted", "+ --edits none"},
    {"run", "--passes", "mlp --interpreted", "+ --passes none"},
    {"run", "--without", "mlp --interpreted", "+ --without simplify"},
    {"run", "--stop-after", "mlp --interpreted", "+ --stop-after simplify"},
    {"run", "--memory-limit", "mlp --interpreted", "+ --memory-limit 1MiB"},
    {"run", "--expect", "mlp", "+ --expect none"},
    {"run", "--input", "mlp", "+ --input x=none"},

    {"emit", "--strategy", "graph lenet", "+ --strategy dp"},
    {"emit", "--force", "graph lenet", "+ --force conv1:relu1"},
    {"emit", "--forbid", "graph lenet", "+ --forbid conv1:relu1"},
    {"emit", "--edit", "domtree lenet", "+ --edit 'split relu1'"},
    {"emit", "--edits", "domtree lenet", "+ --edits none"},
    {"emit", "--strategy", "domtree lenet", "+ --strategy dp"},
    {"emit", "--strategy", "fusion lenet", "+ --strategy none"},
    {"emit", "--forbid", "te lenet", "+ --forbid conv1:relu1"},
    {"emit", "--every-step", "loops matmul", "+ --every-step"},
    {"emit", "--every-step", "lowered vector_add --json", "+ --every-step"},
    {"emit", "--every-step", "asm matmul", "+ --every-step"},
    {"emit", "--json", "graph lenet", "+ --json"},
    {"emit", "--json", "fusion lenet", "+ --json"},
    {"emit", "--shape", "graph lenet", "+ --shape image=2x1x28x28"},
    {"emit", "--subgraph", "graph lenet", "+ --subgraph a.b"},
    {"emit", "--without-llvm", "asm matmul", "+ --without-llvm licm"},
    {"emit", "--without-llvm", "loops matmul", "+ --without-llvm loop-unroll"},
    {"mca", "--without-llvm", "matmul", "+ --without-llvm licm"},
    {"emit", "--target", "asm matmul", "+ --target x86-64-v2"},
    {"run", "--target", "mlp", "+ --target nothing"},
    {"bench", "--without-llvm", "mlp --per-line --kernel 0", "+ --without-llvm licm"},
    {"run", "--without-llvm", "mlp --interpreted", "+ --without-llvm licm"},
    {"run", "--without-llvm", "mlp", "+ --without-llvm nothing"},
    {"emit", "--without", "graph yolov4", "+ --without fold-batch-norm"},
    {"emit", "--passes", "graph lenet", "+ --passes nothing"},
    {"emit", "--stop-after", "graph lenet", "+ --stop-after nothing"},
    {"emit", "--memory-limit", "graph resnet50", "+ --memory-limit 4MiB"},
    {"emit", "--step", "graph lenet", "+ --step 0"},
    {"emit", "--step", "asm lenet", "+ --step 0"},
    {"emit", "--step", "machine matmul", "+ --step 0"},
    {"emit", "--step", "remarks matmul", "+ --step 0"},
    {"emit", "--json", "remarks matmul", "+ --json"},
    {"emit", "--kernel", "te lenet", "+ --kernel 0"},
    {"emit", "--kernel", "graph lenet", "+ --kernel 0"},
    {"emit", "--annotate", "asm mlp --kernel 0", "+ --annotate"},
    {"emit", "--annotate", "te mlp", "+ --annotate"},
    {"emit", "--of", "lowered mlp", "+ --of relu1"},
    {"emit", "--hot", "asm mlp --kernel 0", "+ --hot"},
    {"emit", "--hot", "llvm mlp --kernel 0", "+ --hot"},
    {"emit", "--post", "domtree lenet", "+ --post"},
    {"emit", "--post", "te lenet", "+ --post"},
    {"emit", "--schedule", "loops mlp --kernel 0", "+ --schedule 0=/dev/null"},
    {"emit", "--schedule", "te mlp --kernel 0", "+ --schedule 0=/dev/null"},
    {"emit", "--save-schedule", "loops mlp --kernel 0", "+ --save-schedule 0=/proc/nowhere/script"},
    {"emit", "--save-schedule", "graph mlp", "+ --save-schedule 0=/proc/nowhere/script"},
    {"run", "--schedule", "mlp --interpreted", "+ --schedule 0=/dev/null"},
    {"run", "--schedule", "mlp", "+ --schedule 0=none"},
    {"run", "--save-schedule", "mlp", "+ --save-schedule 0=/proc/nowhere/script"},
    {"bench", "--per-line", "vector_add --rounds 1", "+ --per-line"},
    {"bench", "--kernel", "mlp --rounds 1", "+ --kernel 0"},
    {"bench", "--input", "mlp --rounds 1", "+ --input x=none"},
    {"bench", "--schedule", "mlp --rounds 1", "+ --schedule 0=none"},
    {"bench", "--save-schedule", "mlp --rounds 1", "+ --save-schedule 0=/proc/nowhere/script"},
    {"memory", "--schedule", "mlp", "+ --schedule 0=none"},
    {"emit", "--records", "loops mlp --kernel 0", "+ --records /dev/null"},
    {"emit", "--records", "graph mlp", "+ --records /dev/null"},
    {"run", "--records", "mlp", "+ --records /dev/null"},
    {"run", "--records", "mlp --interpreted", "+ --records /dev/null"},
    {"bench", "--records", "mlp --rounds 1", "+ --records none"},
    {"memory", "--records", "mlp", "+ --records none"},
    {"legal", "--records", "mlp --kernel 0 --all", "+ --records none"},
    {"locality", "--records", "mlp --kernel 0", "+ --records none"},

    {"tune", "--space", "mlp --print-space", "+ --space template"},
    {"tune", "--space", "mlp --print-space", "+ --space nowhere"},
    {"tune", "--kernel", "mlp --print-space", "+ --kernel 0"},
    {"tune", "--search", "mlp --print-space", "+ --search nobody"},
    {"tune", "--cost-model", "mlp --print-space", "+ --cost-model nobody"},
    {"tune", "--layout", "mlp --print-space", "+ --layout ll"},
    {"tune", "--trials", "mlp --kernel 0 --trials 2", "+ --trials 4"},
    {"tune", "--records", "mlp --kernel 0 --trials 1", "+ --records /proc/nowhere/records"},
    {"tune", "--warm-start", "mlp --kernel 0 --trials 1", "+ --warm-start"},
    {"tune", "--pin", "mlp --kernel 0 --trials 1", "+ --pin nothing=1"},
    {"tune", "--ban", "mlp --kernel 0 --trials 1", "+ --ban nothing=1"},
    {"tune", "--try", "mlp --kernel 0 --trials 1", "+ --try /nowhere.schedule"},
    {"tune", "--farm", "mlp --kernel 0 --trials 1", "+ --farm nats://127.0.0.1:1"},
    {"tune", "--json", "mlp --print-space", "+ --json"},
    {"tune", "--print-space", "mlp --kernel 0 --trials 1", "+ --print-space"},
    {"tune", "--kernels-alone", "mlp --trials 1", "+ --kernels-alone"},

    {"records", "--json", "/dev/null", "+ --json"},
    {"records", "--kernel", "/dev/null", "+ --kernel none"},
    {"records", "--set", "/dev/null", "+ --set n=1"},
    {"records", "--trials", "/dev/null", "+ --trials"},
    {"records", "--trials", "/dev/null --json", "+ --trials"},
    {"records", "--merge", "/dev/null", "+ --merge /proc/nowhere/records"},
    {"records", "--save-schedule", "/dev/null", "+ --save-schedule script"},

    {"memory", "--save-schedule", "mlp", "+ --save-schedule 0=/proc/nowhere/script"},
    {"legal", "--schedule", "mlp --kernel 0 --all", "+ --schedule 0=/dev/null"},
    {"legal", "--save-schedule", "mlp --kernel 0 --all",
     "+ --save-schedule 0=/proc/nowhere/script"},
    {"legal", "--kernel", "mlp --all", "+ --kernel 0"},
    {"legal", "--step", "mlp --kernel 0 --all", "+ --step 0"},
    {"legal", "--all", "mlp --kernel 0", "+ --all"},
    {"legal", "--drops", "mlp --kernel 0 --schedule 0=/dev/null k", "+ --drops"},
    {"legal", "--json", "mlp --kernel 0 --all", "+ --json"},
    {"primitives", "--json", "split", "+ --json"},
    {"locality", "--kernel", "mlp", "+ --kernel 0"},
    {"locality", "--step", "mlp --kernel 0", "+ --step 0"},
    {"locality", "--accesses", "mlp --kernel 0", "+ --accesses 100"},
    {"locality", "--schedule", "mlp --kernel 0", "+ --schedule 0=/dev/null"},
    {"locality", "--save-schedule", "mlp --kernel 0", "+ --save-schedule 0=/proc/nowhere/script"},
    {"locality", "--iterations", "mlp --kernel 0", "+ --iterations 3"},
    {"locality", "--block", "mlp --kernel 0 --iterations 3", "+ --block none"},
    {"locality", "--json", "mlp --kernel 0", "+ --json"},
    {"roofline", "--input", "mlp --kernel 0 --experiment near-data", "+ --input x=none"},
    {"roofline", "--kernel", "mlp --kernel 1 --experiment near-data", "+ --kernel 0"},
    {"roofline", "--kernel", "mlp --kernels 1", "+ --kernel 0"},
    {"roofline", "--kernels", "mlp --json", "+ --kernels 1"},
    {"roofline", "--experiment", "mlp --kernel 0 --kernels 1", "+ --experiment nothing"},
    {"roofline", "--experiment", "mlp --kernel 0 --experiment near-data",
     "+ --experiment few-loads"},
    {"roofline", "--schedule", "mlp --kernel 0 --experiment near-data", "+ --schedule 0=/dev/null"},
    {"roofline", "--save-schedule", "mlp --kernel 0 --experiment near-data",
     "+ --save-schedule 0=/proc/nowhere/script"},
    {"roofline", "--records", "mlp --kernel 0 --experiment near-data", "+ --records none"},
    {"mca", "--kernel", "mlp", "+ --kernel 0"},
    {"mca", "--processor", "mlp --kernel 0", "+ --processor nobody"},
    {"mca", "--timeline", "mlp --kernel 0", "+ --timeline"},
    {"mca", "--schedule", "mlp --kernel 0", "+ --schedule 0=/dev/null"},
    {"mca", "--save-schedule", "mlp --kernel 0", "+ --save-schedule 0=/proc/nowhere/script"},
    {"mca", "--records", "mlp --kernel 0", "+ --records none"},
    {"mca", "--json", "mlp --kernel 0", "+ --json"},
    {"roofline", "--json", "mlp --kernel 0 --experiment near-data", "+ --json"},

    {"passes", "--json", "", "--json"},
    {"passes", "--shape", "", "--shape x=1"},
    {"passes", "--subgraph", "", "--subgraph a.b"},
    {"passes", "--without", "", "--without simplify"},
    {"passes", "--passes", "", "--passes simplify"},
    {"passes", "--stop-after", "", "--stop-after simplify"},
    {"passes", "--memory-limit", "", "--memory-limit 1"},
    {"passes", "--rules", "", "--rules"},
    {"passes", "--rules", "lenet", "+ --rules"},
    {"passes", "--summary", "", "--summary"},
    {"passes", "--summary", "lenet --trace", "+ --summary"},
    {"passes", "--trace", "", "--trace"},
    {"passes", "--break", "", "--break 'remove op=Relu'"},
    {"passes", "--break", "lenet --summary", "+ --break 'remove op=Relu'"},
    {"passes", "--strategy", "lenet", "+ --strategy dp"},
    {"passes", "--strategy", "lenet --break 'fuse op=Relu'", "+ --strategy none"},

    {"ops", "--json", "Conv", "Conv --json"},
    {"samples", "--json", "", "--json"},
    {"schema", "--json", "", "--json"},
    {"schema", "--json", "bench", "+ --json"},
    {"explain", "--json", "licm", "+ --json"},
    {"explain", "--codes", "licm", "+ --codes"},
    {"explain", "--glossary", "licm", "+ --glossary"},

    {"fuse", "--json", "lenet", "+ --json"},
    {"fuse", "--shape", "lenet", "+ --shape image=2x1x28x28"},
    {"fuse", "--subgraph", "lenet", "+ --subgraph a.b"},
    {"fuse", "--without", "lenet", "+ --without nothing"},
    {"fuse", "--passes", "lenet", "+ --passes nothing"},
    {"fuse", "--stop-after", "lenet", "+ --stop-after nothing"},
    {"fuse", "--memory-limit", "lenet", "+ --memory-limit 1"},
    {"fuse", "--strategy", "lenet", "+ --strategy none"},
    {"fuse", "--strategy", "lenet --compare dp,none", "+ --strategy mapping"},
    {"fuse", "--strategy", "--reasons", "+ --strategy none"},
    {"fuse", "--passes", "--reasons", "+ --passes none"},
    {"fuse", "--force", "lenet", "+ --force pool2:flatten"},
    {"fuse", "--forbid", "lenet", "+ --forbid conv1:relu1"},
    {"fuse", "--edit", "lenet", "+ --edit 'split relu1'"},
    {"fuse", "--edits", "lenet", "+ --edits none"},
    {"fuse", "--edge", "lenet", "+ --edge conv1:relu1"},
    {"fuse", "--edge", "lenet --summary", "+ --edge conv1:relu1"},
    {"fuse", "--filter", "lenet --explain", "+ --filter fused"},
    {"fuse", "--filter", "lenet --strategy none --near-misses", "+ --filter op=Conv"},
    {"fuse", "--sort", "lenet --explain", "+ --sort bytes"},
    {"fuse", "--sort", "lenet --edge conv1:relu1", "+ --sort bytes"},
    {"fuse", "--measure", "lenet", "+ --measure"},
    {"fuse", "--threads", "lenet", "+ --threads 1"},
    {"fuse", "--rounds", "lenet", "+ --rounds 3"},
    {"fuse", "--seed", "lenet", "+ --seed 3"},
    {"fuse", "--summary", "lenet", "+ --summary"},
    {"fuse", "--explain", "lenet", "+ --explain"},
    {"fuse", "--near-misses", "lenet", "+ --near-misses"},
    {"fuse", "--steps", "lenet", "+ --steps"},
    {"fuse", "--compare", "lenet", "+ --compare dp,none"},
    {"fuse", "--reasons", "lenet", "+ --reasons"},

    {"bench", "--record", "mlp --rounds 1 --threads 2", "+ --record"},
    {"bench", "--kernels", "mlp --rounds 1 --json", "+ --kernels 1"},
    {"bench", "--against", "mlp --rounds 1", "+ --against nothing"},
    {"bench", "--library", "mlp --rounds 1", "+ --library nothing"},
    {"run", "--library", "mlp", "+ --library nothing"},
    {"run", "--library", "mlp --interpreted", "+ --library onednn"},
    {"bench", "--strategy", "mlp --rounds 1", "+ --strategy nothing"},
    {"calibrate", "--dry-run", "--check mlp --rounds 1", "+ --dry-run"},
    {"conformance", "--verbose", "none --json", "+ --verbose"},
    {"conformance", "--max-unsupported",
     "/usr/share/libonnx-testdata/data/node --filter loop13_seq", "+ --max-unsupported 0"},

    {"bench", "--max-kernels", "mlp --rounds 1", "+ --max-kernels 0"},
    {"bench", "--max-arena", "mlp --rounds 1", "+ --max-arena 1"},
    {"bench", "--max-ms", "mlp --rounds 1", "+ --max-ms 1e-6"},
    {"bench", "--max-ms", "mlp --per-line --kernel 0", "+ --max-ms 1"},
    {"bench", "--baseline", "mlp --rounds 1", "+ --baseline none"},
    {"bench", "--baseline", "mlp --rounds 1 --kernel 0", "+ --baseline none"},
    {"fuse", "--max-kernels", "lenet", "+ --max-kernels 1"},
    {"fuse", "--max-kernels", "lenet --explain", "+ --max-kernels 1"},
    {"fuse", "--max-arena", "lenet --summary", "+ --max-arena 1"},
    {"fuse", "--baseline", "lenet --forbid conv1:relu1", "+ --baseline none"},
    {"fuse", "--baseline", "lenet", "+ --baseline none"},
    {"memory", "--max-kernels", "lenet", "+ --max-kernels 1"},
    {"memory", "--max-arena", "lenet", "+ --max-arena 1"},
    {"memory", "--baseline", "lenet", "+ --baseline none"},
    {"tune", "--trials", "mlp --print-space", "+ --trials 4"},
    {"tune", "--seconds", "mlp --print-space", "+ --seconds 4"},
    {"tune", "--seed", "mlp --print-space", "+ --seed 4"},
    {"tune", "--kernels-alone", "mlp --print-space", "+ --kernels-alone"},
    {"tune", "--farm-worker", "mlp --kernel 0 --trials 1", "+ --farm-worker nobody"},
    {"tune", "--farm-ca", "mlp --kernel 0 --trials 1", "+ --farm-ca none"},
    {"locality", "--accesses", "mlp --kernel 0 --iterations 3", "+ --accesses 100"},
    {"mca", "--timeline", "mlp --kernel 0 --json", "+ --timeline"},
    {"roofline", "--kernels", "matmul --experiment near-data", "+ --kernels 1"},
    {"roofline", "--trail", "mlp", "+ --trail"},
    {"roofline", "--trail", "mlp --kernel 0 --experiment near-data", "+ --trail"},
    {"records", "--json", "/dev/null --merge merged", "+ --json"},
    {"records", "--json", "/dev/null --save-schedule script", "+ --json"},
    {"passes", "--set", "", "--set n=4"},
    {"passes", "--target", "", "--target x86-64-v2"},
    {"passes", "--strategy", "lenet --break 'remove op=Relu'", "+ --strategy none"},

    {"memory", "--json", "lenet", "+ --json"},
    {"memory", "--strategy", "lenet", "+ --strategy none"},
    {"memory", "--forbid", "lenet", "+ --forbid conv1:relu1"},
    {"memory", "--force", "lenet", "+ --force pool2:flatten"},
    {"memory", "--edit", "lenet", "+ --edit 'split relu1'"},
    {"memory", "--edits", "lenet", "+ --edits none"},
    {"memory", "--shape", "lenet", "+ --shape image=2x1x28x28"},
    {"memory", "--memory-limit", "lenet", "+ --memory-limit 1"},

    {"lens", "--json", "mlp", "+ --json"},
    {"lens", "--at", "mlp --json", "+ --at input"},
    {"lens", "--against", "mlp", "+ --against input"},
    {"lens", "--seed", "mlp", "+ --seed 3"},
    {"lens", "--tolerance", "mlp", "+ --tolerance 0.1"},
    {"lens", "--tolerance", "mobilenet_v1 --against input", "+ --tolerance 0"},
    {"lens", "--bins", "mlp", "+ --bins 5"},
    {"lens", "--bins", "mlp --json", "+ --bins 5"},
    {"lens", "--first", "mlp", "+ --first 3"},
    {"lens", "--first", "mlp --json", "+ --first 3"},
    {"lens", "--first", "mlp --against input", "+ --first 3"},
    {"lens", "--first", "mlp fc1 --against input", "+ --first 3"},
    {"lens", "--bins", "mlp fc1 --against input", "+ --bins 3"},
    {"lens", "--all", "mlp", "+ --all"},

    {"bisect", "--json", "mlp", "+ --json"},
    {"bisect", "--strategy", "mlp", "+ --strategy dp"},
    {"bisect", "--factor", "mlp", "+ --factor 2"},
    {"bisect", "--rounds", "mlp", "+ --rounds 2"},
    {"bisect", "--tolerance", "mlp --by time --rounds 1", "+ --tolerance 1"},
    {"bisect", "--llvm", "mlp", "+ --llvm --factor 2"},
    {"bisect", "--kernel", "mlp", "+ --kernel 0"},
    {"bisect", "--kernel", "mlp --llvm", "+ --kernel nothing"},

    {"compare", "--rounds", "mlp --against none", "+ --rounds 3"},
    {"compare", "--toggle", "mlp --against none", "+ --toggle simplify"},
    {"compare", "--strategy", "lenet --against none", "+ --strategy none"},
    {"compare", "--json", "mlp --against none", "+ --json"},

    {"diff", "--text", "lenet input last", "+ --text"},
    {"diff", "--text", "lenet input last --json", "+ --text"},
    {"diff", "--json", "lenet input last", "+ --json"},

    {"history", "--json", "lenet conv1", "+ --json"},

    {"fold", "--json", "lenet", "+ --json"},
    {"fold", "--by", "resnet50", "+ --by names"},
    {"fold", "--kernels", "resnet50", "+ --kernels"},
    {"fold", "--threads", "resnet50", "+ --threads 1"},
    {"fold", "--depth", "resnet50", "+ --depth 1"},
    {"fold", "--depth", "lenet --json", "+ --depth 1"},
    {"fold", "--strategy", "resnet50", "+ --strategy none"},

    {"export", "--strategy", "domtree lenet -o a.svg", "+ --strategy dp"},
    {"export", "--force", "domtree lenet -o a.svg", "+ --force conv1:relu1"},
    {"export", "--edit", "domtree lenet -o a.svg", "+ --edit 'split relu1'"},
    {"export", "--fold", "domtree lenet -o a.svg", "+ --fold blocks"},
    {"export", "--color", "memory lenet -o a.svg", "+ --color time"},
    {"export", "--no-columns", "memory lenet -o a.svg", "+ --no-columns"},
    {"export", "--steady", "memory lenet -o a.svg", "+ --steady"},
    {"export", "--steady", "graph lenet --fold blocks -o a.svg", "+ --steady"},
    {"export", "--step", "memory lenet -o a.svg", "+ --step 0"},
    {"export", "--post", "graph lenet -o a.svg", "+ --post"},
    {"export", "--kernel", "graph lenet -o a.svg", "+ --kernel 0"},
    {"export", "--time", "graph lenet -o a.svg", "+ --time"},
    {"export", "--threads", "graph lenet -o a.svg", "+ --threads 1"},
    {"export", "--rounds", "graph lenet -o a.svg", "+ --rounds 1"},
};

std::string words_with(const Row& row) {
  const std::string with = row.with;
  return with.starts_with('+') ? std::string(row.without) + with.substr(1) : with;
}

TEST_F(Switches, ChangeWhatIsSaidOrAreRefused) {
  std::map<std::string, Said> said;  // without the switch
  for (const Row& row : rows) {
    const std::string command = row.command;
    const Said with = run(command + " " + words_with(row));
    SCOPED_TRACE(command + " " + words_with(row));
    if (with.exit_code == 2 || with.exit_code == 3) {
      EXPECT_THAT(with.error, HasSubstr("error LG"));
      if (with.error.starts_with("error LG8001")) {
        EXPECT_THAT(with.error, HasSubstr("hint: "));
      }
      continue;
    }
    const std::string without = command + " " + row.without;
    if (!said.contains(without)) said[without] = run(without);
    EXPECT_NE(with.out + with.error, said[without].out + said[without].error)
        << "it is accepted and does nothing";
  }
}

// Whoever adds a switch says here what it changes. Those that are left out change what nothing
// tells apart: times, and results on another number of threads or rounds.
TEST_F(Switches, AreAllOfThemTried) {
  const std::map<std::string, std::set<std::string>> of_times_or_of_models{
      {"bench", {"--json", "--threads", "--rounds", "--warm-up"}},
      {"calibrate", {"--json", "--rounds", "--check"}},
      {"conformance", {"--json", "--filter", "--jobs", "--limit", "--interpreted"}},
      {"lens", {"--threads", "--input"}},
      {"bisect", {"--by", "--threads", "--input", "--seed", "--thorough"}},
      {"compare", {"--bench", "--threads", "--input", "--seed", "--tolerance", "--against"}},
      {"history", {"--at"}},
      {"fold", {"--bench"}},
      {"session", {"--json"}},
      {"roofline", {"--threads"}},
      {"tune", {"--seconds", "--seed", "--threads", "--patience", "--farm-worker", "--farm-ca"}},
      // Of a farm, which farm_test.cpp has.
      {"worker",
       {"--connect", "--farm-ca", "--name", "--jobs", "--held-for", "--share-machine", "--json"}},
      {"farm", {"--connect", "--farm-ca", "--json"}},
      {"export", {"--json", "--output"}},
  };
  // What every command reads alike that reads a model.
  const std::set<std::string> of_models{"--shape",  "--set",        "--subgraph",     "--without",
                                        "--passes", "--stop-after", "--memory-limit", "--force",
                                        "--forbid", "--edits",      "--edit",         "--strategy",
                                        "--target"};
  for (const std::string command :
       {"run",       "emit",        "passes",   "ops",      "fuse",    "bench",
        "calibrate", "conformance", "samples",  "memory",   "lens",    "bisect",
        "compare",   "diff",        "history",  "fold",     "session", "explain",
        "export",    "primitives",  "legal",    "locality", "tune",    "records",
        "worker",    "farm",        "roofline", "mca",      "schema"}) {
    const std::set<std::string> names = listed(command);
    EXPECT_FALSE(names.empty()) << command;
    for (const std::string& name : names) {
      const auto others = of_times_or_of_models.find(command);
      const bool tried = of_models.contains(name) ||
                         (others != of_times_or_of_models.end() && others->second.contains(name)) ||
                         std::any_of(std::begin(rows), std::end(rows), [&](const Row& row) {
                           return row.command == command && row.name == name;
                         });
      EXPECT_TRUE(tried) << command << " " << name;
    }
  }
}

}  // namespace
}  // namespace loopglass::app
