// The command line among strangers: whatever it is given and wherever it is run, it ends in one of
// the ways that it documents, says by number what is wrong, and prints nothing that moves a
// terminal.
#include "tests/cli/circumstances.h"

#include "core/onnx/export.h"
#include "core/ops/registry.h"
#include "core/support/printable.h"

#include <sys/stat.h>
#include <unistd.h>
#include <regex>

namespace loopglass::app {
namespace {

namespace fs = std::filesystem;
using Output = Circumstances::Output;

// How a command is called when all is well. "MODEL" stands for a model.
struct Command {
  std::string name;
  Words words;
  bool has_json = true;
  bool takes_model() const {
    return std::ranges::any_of(
        words, [](const std::string& word) { return word == "MODEL" || word == "CASES"; });
  }
  friend void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }
};
const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", {"MODEL"}},
      {"emit", {"te", "MODEL", "--kernel", "0"}},
      {"passes", {"MODEL"}},
      {"ops", {"Relu"}},
      {"fuse", {"MODEL"}},
      {"bench", {"MODEL", "--rounds", "1", "--warm-up", "0", "--threads", "2"}},
      {"calibrate", {"--check", "MODEL", "--rounds", "1"}},
      {"conformance", {"CASES"}},
      {"samples", {"mlp"}},
      {"memory", {"MODEL"}},
      {"lens", {"MODEL"}},
      {"bisect", {"MODEL"}},
      {"compare", {"MODEL", "--toggle", "simplify"}},
      {"diff", {"MODEL", "input", "last"}},
      {"history", {"MODEL", "#0"}},
      {"fold", {"MODEL", "--kernels"}},
      {"session", {}},
      {"explain", {"licm"}},
      {"export", {"graph", "MODEL", "-o", "DRAWING"}},
      {"primitives", {"split"}},
      {"legal", {"MODEL", "--kernel", "0", "--all"}},
      {"locality", {"MODEL", "--kernel", "0", "--accesses", "1000"}},
      {"roofline", {"MODEL", "--kernel", "0", "--experiment", "no-arithmetic"}},
      {"mca", {"matmul", "--kernel", "0"}},
      {"tune", {"MODEL", "--kernel", "0", "--print-space"}},
      {"records", {"/dev/null"}},
      {"worker", {"--connect", "nats://127.0.0.1:1"}},
      {"farm", {"--connect", "nats://127.0.0.1:1"}},
      {"help", {"emit"}, false},
      {"completion", {"bash"}, false},
      {"schema", {}},
  };
  return all;
}

class Strangers : public CommandLine {
 protected:
  Strangers() {
    // Nobody shall get in.
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                                 fs::perms::group_read | fs::perms::others_read);
    ::umask(022);
    program_ = command_line_here;
  }
  ~Strangers() override {
    std::error_code ignored;
    for (const fs::path& path : locked_) fs::permissions(path, fs::perms::owner_all, ignored);
  }

  // Everything about it is named by these bytes: y = relu(x) + x.
  fs::path model_named(const std::string& bytes, const std::string& file = "model.onnx") {
    graph::GraphBuilder builder(bytes);
    const auto x = builder.add_input(bytes + "x", {DataType::Float32, {2, 3}});
    const auto relu =
        builder.output(*builder.add_node(bytes + "relu", *ops::find_operator("Relu"), {x}, {}));
    builder.set_outputs({builder.output(
        *builder.add_node(bytes + "add", *ops::find_operator("Add"), {relu, x}, {}))});
    const fs::path path = folder_ / file;
    EXPECT_TRUE(onnx::write(*std::move(builder).finish(), path, 18));
    return path;
  }

  fs::path cases_named(const std::string& name) {
    const fs::path folder = folder_ / "cases" / name;
    fs::create_directories(folder / "test_data_set_0");
    fs::copy_file(model_named("", "plain.onnx"), folder / "model.onnx",
                  fs::copy_options::overwrite_existing);
    for (const char* file : {"input_0.pb", "output_0.pb"})
      EXPECT_TRUE(onnx::write_tensor(Tensor::of<float>({2, 3}, {0, 0, 0, 0, 0, 0}), "x",
                                     folder / "test_data_set_0" / file));
    return folder_ / "cases";
  }

  Words filled(const Command& command, const std::string& model, const std::string& cases) const {
    Words words{command.name};
    const std::string drawing = (folder_ / "drawing.svg").string();
    for (const std::string& word : command.words)
      words.push_back(word == "MODEL"     ? model
                      : word == "CASES"   ? cases
                      : word == "DRAWING" ? drawing
                                          : word);
    return words;
  }

  Said ended(const Words& words, const Circumstances& circumstances = {}) const {
    return run_in(circumstances, program_, words, folder_);
  }

  // Runs it and holds it to its word.
  Said holds(const Words& words, const Circumstances& circumstances = {}) const {
    const Said said = ended(words, circumstances);
    SCOPED_TRACE(in_words(words) + "\n" + printable(said.error.substr(0, 2000)));
    EXPECT_EQ(said.signal, 0);
    EXPECT_TRUE(said.exit_code >= 0 && said.exit_code <= 3) << said.exit_code;
    static const std::regex numbered("error LG[0-9]{4}: ");
    if (said.exit_code >= 2 && !circumstances.error_closed) {
      EXPECT_TRUE(std::regex_search(said.error.substr(0, 10000), numbered));
    }
    EXPECT_EQ(said.error.find("LG8004"), std::string::npos);
    // Where there is no room for all of it, the last character may be cut.
    const bool is_cut = said.error.find("LG8002") != std::string::npos;
    const std::string out = is_cut ? said.out.substr(0, said.out.rfind('\n') + 1) : said.out;
    EXPECT_EQ(printable(out), out);
    EXPECT_EQ(printable(said.error), said.error);
    const bool is_json = std::find(words.begin(), words.end(), "--json") != words.end();
    if (is_json && !said.out.empty()) {
      EXPECT_TRUE(Json::accept(said.out)) << said.out.substr(0, 2000);
    }
    return said;
  }

  // In text and as JSON.
  void both_hold(Words words, const Circumstances& circumstances = {}) const {
    holds(words, circumstances);
    words.push_back("--json");
    holds(words, circumstances);
  }

  // Neither to be read nor entered.
  fs::path locked(const fs::path& path) {
    fs::permissions(path, fs::perms::none);
    locked_.push_back(path);
    return path;
  }

  fs::path program_;
  std::vector<fs::path> locked_;
};

// Of each command.
class Hostile : public Strangers, public ::testing::WithParamInterface<Command> {};

std::string name_of(const ::testing::TestParamInfo<Command>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, Hostile, ::testing::ValuesIn(commands()), name_of);

// The table above has them all.
TEST_F(CommandLine, EveryCommandMeetsStrangers) {
  const std::string help = run("--help").out;
  static const std::regex line("\n  ([a-z]+)  +");
  std::set<std::string> offered, tested;
  const std::string list = help.substr(help.find("\nCommands\n"));
  for (std::sregex_iterator found(list.begin(), list.end(), line), end; found != end; ++found)
    offered.insert((*found)[1]);
  for (const Command& command : commands()) tested.insert(command.name);
  EXPECT_EQ(offered, tested);
}

// What the help of a command lists.
std::vector<std::string> options_of(const std::string& help) {
  static const std::regex option("\n  (?:-[a-z],)?(--[a-z-]+)");
  std::vector<std::string> options;
  for (std::sregex_iterator found(help.begin(), help.end(), option), end; found != end; ++found)
    options.push_back((*found)[1]);
  return options;
}

// clang-format off: a list
const std::vector<std::string>& hostile_values() {
  static const std::vector<std::string> values{"",
                                               " ",
                                               "-1",
                                               "0",
                                               "nan",
                                               "inf",
                                               "-inf",
                                               "1e999",
                                               "99999999999999999999",
                                               "9223372036854775807",
                                               "0x7fffffff",
                                               "1.5",
                                               "\xff\xfe\x9b",
                                               "\x1b[31mred\x1b]0;title\a",
                                               std::string(100'000, 'a'),
                                               std::string(3000, '('),
                                               std::string(3000, '!') + "a",
                                               "%s%n%d",
                                               "a\nb",
                                               "../../../../etc/passwd",
                                               "=",
                                               "x=1x99999999999999999",
                                               "x=-1",
                                               "x=\xff",
                                               "image=/dev/zero",
                                               "/dev/zero",
                                               "/dev/full",
                                               "@",
                                               "#",
                                               "a:b",
                                               ":",
                                               "a,,b",
                                               "op=Relu",
                                               "=~(",
                                               "[",
                                               "*",
                                               "0:0",
                                               "last:99999999999999999999"};
  return values;
}
// clang-format on

// Options of one command alone meet every value; of those that many have, each command a part.
TEST_P(Hostile, OptionsTakeAnything) {
  std::map<std::string, int> commands_with;
  for (const Command& command : commands())
    for (const std::string& option : options_of(run(command.name + " --help").out))
      ++commands_with[option];
  const Words base = filled(GetParam(), model_named("").string(), cases_named("one").string());
  std::size_t turn = std::hash<std::string>()(GetParam().name);
  const auto options = options_of(run(GetParam().name + " --help").out);
  ASSERT_FALSE(options.empty());
  for (const std::string& option : options)
    for (const std::string& value : hostile_values()) {
      if (commands_with[option] > 1 && turn++ % 12 != 0) continue;
      Words words = base;
      words.push_back(option + "=" + value);
      if (turn++ % 2 == 0 && option != "--json") words.push_back("--json");
      holds(words);
    }
}

TEST_P(Hostile, NamesMayHaveAnyBytes) {
  const std::string cases = cases_named("c\x9b\x1b[2J").string();
  for (const std::string bytes :
       {"\x1b]0;title\a\x9b\xff", "a\nb\t\"c\"\\", "\xc3", "--", "\xc2\x9b\x7f%s{}"}) {
    const fs::path model = model_named(bytes, "m\xff\x1b.onnx");
    both_hold(filled(GetParam(), model.string(), cases));
  }
}

TEST_P(Hostile, ModelsMayBeAnything) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "directory/";
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("loop", folder_ / "loop");
  fs::create_symlink("nowhere", folder_ / "dangling");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0644), 0);
  std::ofstream(folder_ / "empty.onnx").flush();
  std::ofstream(folder_ / "noise.onnx") << "\x08\x07\x12\xff\xff\xff\xff\x0f noise";
  fs::create_directory(folder_ / "secret");
  fs::copy_file(model_named(""), folder_ / "secret" / "model.onnx");
  fs::copy_file(model_named(""), folder_ / "secret.onnx");
  const std::string locked_folder = locked(folder_ / "secret").string(),
                    locked_file = locked(folder_ / "secret.onnx").string();
  const std::vector<std::string> models{"",
                                        " ",
                                        "-",
                                        ".",
                                        "/",
                                        "/dev/null",
                                        "/dev/zero",
                                        "/dev/full",
                                        "/proc/self/mem",
                                        std::string(5000, 'a'),
                                        deep,
                                        "\xff\xfe",
                                        "\x1b[31m",
                                        "a\nb",
                                        (folder_ / "folder").string(),
                                        (folder_ / "loop").string(),
                                        (folder_ / "dangling").string(),
                                        (folder_ / "pipe").string(),
                                        (folder_ / "empty.onnx").string(),
                                        (folder_ / "noise.onnx").string(),
                                        (folder_ / "empty.onnx" / "below").string(),
                                        locked_folder,
                                        locked_folder + "/model.onnx",
                                        locked_file};
  Circumstances nobody;
  nobody.as_nobody = true;
  for (const std::string& model : models) {
    if (GetParam().takes_model()) holds(filled(GetParam(), model, model), nobody);
    // The same as a word more than expected.
    Words words = filled(GetParam(), "mlp", cases_named("one").string());
    words.push_back(model);
    holds(words);
  }
}

// A folder of test data that cannot be looked at is no folder without test data.
TEST_F(Strangers, BringTestDataOfAnyKind) {
  const std::string cases = cases_named("one").string(), model = cases + "/one/model.onnx",
                    data = cases + "/one/test_data_set_0";
  EXPECT_EQ(holds({"run", model, "--expect", data}).exit_code, 0);
  Circumstances nobody;
  nobody.as_nobody = true;
  for (const std::string& folder :
       {std::string("/nowhere"), std::string(5000, 'a'), std::string("\xff"),
        std::string("/dev/null"), model, cases, std::string()}) {
    if (!folder.empty()) {
      EXPECT_EQ(holds({"run", model, "--expect", folder}).exit_code, 3);
    }
    EXPECT_EQ(holds({"conformance", folder}).exit_code, folder == cases ? 0 : 3);
  }
  locked(data);
  EXPECT_EQ(holds({"run", model, "--expect", data}, nobody).exit_code, 3);
  EXPECT_EQ(holds({"conformance", cases}, nobody).exit_code, 1);
  locked(cases);
  EXPECT_EQ(holds({"conformance", cases}, nobody).exit_code, 3);
}

// What was computed and got lost is not good.
TEST_P(Hostile, OutputThatIsLostIsSaid) {
  Words words = filled(GetParam(), model_named("").string(), cases_named("one").string());
  // Without a farm there is nothing to print; farm_test.cpp has one.
  const bool prints = GetParam().name != "worker" && GetParam().name != "farm";
  for (const bool json : {false, true}) {
    if (!prints || (json && !GetParam().has_json)) break;
    if (json) words.push_back("--json");
    for (const Output output : {Output::Full, Output::Closed}) {
      const Said said = holds(words, {.output = output});
      EXPECT_EQ(said.exit_code, 3) << in_words(words);
      EXPECT_NE(said.error.find("LG8002"), std::string::npos) << said.error;
    }
    // Whoever read it has seen enough.
    const Said said = holds(words, {.output = Output::NobodyReads});
    EXPECT_LE(said.exit_code, 1);
    EXPECT_EQ(said.error.find("error"), std::string::npos) << said.error;
  }
  for (const Words& explained :
       {Words{GetParam().name, "--help"}, Words{"--help"}, Words{"--version"}})
    EXPECT_EQ(holds(explained, {.output = Output::Full}).exit_code, 3);
}

TEST_P(Hostile, StreamsMayBeClosed) {
  const Words words = filled(GetParam(), model_named("").string(), cases_named("one").string());
  const int usual = holds(words).exit_code;
  EXPECT_EQ(holds(words, {.input_closed = true}).exit_code, usual);
  EXPECT_EQ(holds(words, {.error_closed = true}).exit_code, usual);
  EXPECT_EQ(holds(words, {.output = Output::Closed, .input_closed = true, .error_closed = true})
                .exit_code,
            3);
}

TEST_P(Hostile, TheEnvironmentMayBeAnything) {
  const std::string model = model_named("").string(), cases = cases_named("one").string();
  const Words words = filled(GetParam(), model, cases),
              of_sample = filled(GetParam(), "mlp", cases);
  using Environment = std::map<std::string, std::optional<std::string>>;
  const auto unset = std::optional<std::string>();
  for (const Environment& environment :
       {Environment{{"LOOPGLASS_CACHE", unset}, {"XDG_CACHE_HOME", unset}, {"HOME", unset}},
        Environment{{"LOOPGLASS_CACHE", "/proc/nowhere"}},
        Environment{{"LOOPGLASS_CACHE", "/dev/null/x"}},
        Environment{{"LOOPGLASS_CACHE", std::string(5000, 'a')}},
        Environment{{"LOOPGLASS_CACHE", "\xff\x1b"}},
        Environment{{"LOOPGLASS_CACHE", unset}, {"XDG_CACHE_HOME", "relative"}},
        Environment{{"LANG", "tr_TR.UTF-8"}, {"LC_ALL", "xx_YY.ISO-8859-99"}},
        Environment{{"TMPDIR", "/nowhere"}, {"PATH", unset}},
        Environment{{"TERM", "\x1b[31m"}, {"COLUMNS", "-1"}}}) {
    const Circumstances circumstances{.environment = environment, .folder = folder_};
    holds(words, circumstances);
    if (of_sample != words) holds(of_sample, circumstances);
  }
  fs::create_directory(folder_ / "gone");
  holds(words, {.folder = folder_ / "gone", .folder_removed = true});
  fs::create_directory(folder_ / "gone");
  Words relative = filled(GetParam(), "model.onnx", "cases");
  holds(relative, {.folder = folder_ / "gone", .folder_removed = true});
}

// The program lies where nobody can read it, whatever holds for the build folder.
TEST_P(Hostile, TheSystemMayRefuse) {
  const std::string model = model_named("").string(), cases = cases_named("one").string();
  fs::copy_file(LOOPGLASSC, folder_ / "loopglassc");
  program_ = folder_ / "loopglassc";
  const Words words = filled(GetParam(), model, cases);
  // No second thread, no second process.
  const Circumstances alone{.limits = {{RLIMIT_NPROC, 1}}, .as_nobody = true};
  const Said said = holds(words, alone);
  if (GetParam().name == "conformance") {
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_NE(said.error.find("LG7005"), std::string::npos) << said.error;
  }
  // What is said of it has room, what is printed has not always.
  holds(words, {.limits = {{RLIMIT_FSIZE, 1024}}});
  for (const rlim_t files : {8, 12, 32}) {
    Words many = words;
    if (GetParam().name == "conformance") many.insert(many.end(), {"--jobs", "64"});
    holds(many, {.limits = {{RLIMIT_NOFILE, files}}});
  }
}

TEST_P(Hostile, MemoryMayBeLimited) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer reserves more addresses than any limit leaves";
  if (GetParam().name == "export")
    GTEST_SKIP() << "Qt, which draws, ends a program that gets no memory";
  program_ = LOOPGLASSC;
  const Words words = filled(GetParam(), model_named("").string(), cases_named("one").string());
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA})
    for (const rlim_t mebibytes : {64, 128, 192, 256, 384, 512, 1024}) {
      const Said said = ended(words, {.limits = {{resource, mebibytes << 20}}});
      // Below what the libraries take that it is linked with, the system does not start it.
      const bool started = said.exit_code != 127 && said.exit_code != 126;
      if (started) holds(words, {.limits = {{resource, mebibytes << 20}}});
    }
}

}  // namespace
}  // namespace loopglass::app
