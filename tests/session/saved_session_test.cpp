// Sessions in files: what is written is read again, and what is no session is refused with its
// place.
#include "core/saved_session.h"
#include "core/machine/machine.h"

#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool maybe() { return below(2) == 0; }
  double number() { return std::uniform_real_distribution<double>(-1000, 1000)(engine_); }
  // Names of models hold whatever bytes.
  std::string name() {
    static const std::vector<std::string> names{
        "conv1",    "layer1.0/relu:2", "a \"b\" \\ c", "größe", "#12",
        "\xff\xfe", "tab\tnew\nline",  "\xc2\x85",     "x y"};
    return names[below(names.size())];
  }
  std::vector<std::string> some_names() {
    std::vector<std::string> names;
    for (std::size_t i = below(4); i > 0; --i) names.push_back(name());
    return names;
  }

 private:
  std::mt19937 engine_;
};

SavedSelection random_selection(Random& random) {
  using Kind = SavedSelection::Kind;
  switch (random.below(6)) {
    case 0: return {};
    case 1: return {Kind::Operators, {random.name(), random.name()}};
    case 2: return {Kind::Tensor, {random.name()}};
    case 3: return {Kind::Kernel, {random.name()}};
    case 4: return {Kind::Fold, {random.name()}};
    default: return {Kind::LlvmLine, {random.name()}, 1 + static_cast<int>(random.below(1000))};
  }
}

Camera random_camera(Random& random) {
  return {random.name(), random.maybe(), random.number(), random.number(), 0.75};
}

Place random_place(Random& random) {
  Place place;
  if (random.maybe()) place.at = "simplify#2:4";
  place.selected = random_selection(random);
  if (random.maybe()) place.camera = random_camera(random);
  return place;
}

SavedAsked random_asked(Random& random) {
  SavedAsked asked;
  Request& request = asked.request;
  if (random.maybe()) request.pipeline = "fold-constants, (simplify, fold-batch-norm)*";
  if (random.maybe()) request.memory_limit = static_cast<std::int64_t>(random.below(1 << 30));
  if (random.maybe()) request.strategy = "manual";
  request.forced = random.some_names();
  request.forbidden = random.some_names();
  if (random.maybe())
    request.edits = {"dominator",
                     {{fusion::Edit::Kind::Merge, {"a", "b c"}}, {fusion::Edit::Kind::Pin, {"d"}}}};
  for (const char* text : {"remove op=Relu", "change @conv1", "any in simplify rank>2"})
    if (random.maybe()) {
      asked.breakpoints.push_back(pass::parse_breakpoint(text).value());
      asked.breakpoints.back().enabled = random.maybe();
    }
  for (std::size_t i = random.below(3); i > 0; --i)
    asked.bookmarks.push_back(
        {random.name(), random.maybe() ? "loop1.body" : "", random_place(random)});
  for (const char* workload : {"0123456789abcdef", "fedcba9876543210"})
    if (random.maybe()) asked.schedules.push_back({random.name(), workload, "// none\n"});
  return asked;
}

runtime::Statistics random_statistics(Random& random) {
  const double median = std::abs(random.number());
  return {median, median / 3, median * 1.1, median / 7, static_cast<int>(random.below(50))};
}

SavedTimes random_times(Random& random) {
  SavedTimes times{
      "2026-11-23 14:02", {"0123456789abcdef", "a processor", "deadbeef"}, {}, {1.25, 1e-7}};
  if (random.maybe()) times.of.schedules = "00000000000000ff";
  runtime::BenchmarkReport& report = times.report;
  report.threads = 2;
  if (random.maybe()) report.shortage = "a container allows two";
  report.network = random_statistics(random);
  report.fresh_outputs = random_statistics(random);
  for (std::uint32_t i = 0; i < 3; ++i) {
    runtime::KernelTiming kernel{fusion::GroupId{i}, "conv", random_statistics(random), 1 << 20, 7};
    kernel.gflops = std::abs(random.number());
    kernel.is_view = random.maybe();
    if (random.maybe())
      kernel.missing = Diagnostic{Code::OperatorUnsupported, "none", "n_b", "leave it out"};
    report.kernels.push_back(std::move(kernel));
  }
  report.flops = std::int64_t{1} << 40;
  if (random.maybe()) report.load = MachineLoad{0.5, 4};
  return times;
}

roofline::Verdict random_verdict(Random& random) {
  roofline::Verdict verdict;
  verdict.milliseconds = 1e-3 + std::abs(random.number());
  verdict.traffic = {1, 2, 3, 4, 1e13, 9e12, DataType::Float64};
  for (std::size_t i = random.below(3); i > 0; --i) {
    verdict.ceilings.push_back({roofline::all_bounds[random.below(10)], 0.5, 1.25});
    verdict.trials.push_back({roofline::all_experiments[random.below(3)], 0.25});
    verdict.notes.push_back("fused_conv");
  }
  verdict.bound = roofline::all_bounds[random.below(roofline::all_bounds.size())];
  verdict.sentence = "fused_conv";
  return verdict;
}

SavedRoofline random_roofline(Random& random) {
  SavedRoofline saved{
      "2026-11-23 14:02", {"0123456789abcdef", "a processor", "deadbeef"}, 2, {}, {}};
  saved.roofs = {2, 250.5, 120.25, 375.5, {}, 1.5, 3.25};
  for (const char* level : {"L1", "L2", "L3", "memory"})
    saved.roofs.levels.push_back({level, 1 << 20, std::abs(random.number())});
  for (std::uint32_t i = 0; i < 3; ++i) {
    JudgedKernel judged;
    judged.newest = {fusion::GroupId{i}, "fused_conv", 0.5, random_verdict(random), {}, "00ff"};
    if (random.maybe())
      judged.newest.pipeline = {"znver4", 12.5, 13, "FP0", 10, 0.25, 0.5, random.maybe()};
    while (random.maybe()) judged.earlier.push_back(random_verdict(random));
    if (random.maybe())
      judged.newest.trail = {{{0, "", "as it is written", random_verdict(random)},
                              {2, "vectorize", "vectorize(x)", random_verdict(random)}},
                             {"split(x, 8): it did not run"}};
    saved.kernels.push_back(std::move(judged));
  }
  return saved;
}

SavedGraph random_graph(Random& random) {
  SavedGraph graph;
  graph.asked = random_asked(random);
  if (random.maybe()) graph.asked.request.subgraph = "loop1.body/if2.then_branch";
  for (std::size_t i = random.below(3); i > 0; --i) graph.undo.push_back(random_asked(random));
  for (std::size_t i = random.below(3); i > 0; --i) graph.redo.push_back(random_asked(random));
  graph.place = random_place(random);
  if (random.maybe()) graph.compared_with = "input";
  if (random.maybe()) {
    graph.kernel = random.name();
    graph.loop_step = random.below(20);
  }
  if (random.maybe()) graph.times = random_times(random);
  if (random.maybe()) graph.roofline = random_roofline(random);
  if (random.maybe()) graph.drafts.push_back({random.name(), "fedcba9876543210", "spl"});
  if (random.maybe()) graph.workloads["0123456789abcdef"] = "func f() {\n}\n";
  return graph;
}

SavedSession random_session(unsigned seed) {
  Random random(seed);
  SavedSession session;
  static_cast<SavedGraph&>(session) = random_graph(random);
  session.asked.request.model = random.maybe() ? "resnet50" : "/models/a b.onnx";
  if (random.maybe())
    session.asked.request.inputs.shapes = {{random.name(), {1, 3, 0, 224}}, {"scalar", {}}};
  if (random.maybe()) session.asked.request.inputs.symbols = {{random.name(), -16000}, {"n", 7}};
  for (std::size_t i = random.below(3); i > 0; --i) session.others.push_back(random_graph(random));
  if (random.maybe()) session.stamp = ModelStamp{12345, "0123456789abcdef"};
  session.changed_only = random.maybe();
  session.follow = random.maybe();
  session.kernels = random.maybe();
  session.marks = {"op=Conv"};
  session.folds = {random.maybe() ? "blocks" : "",
                   random.maybe(),
                   random.maybe(),
                   random.maybe(),
                   random.maybe(),
                   random.maybe(),
                   {"00000000000000ff"},
                   {"0123456789abcdef"},
                   static_cast<int>(random.below(2000)),
                   static_cast<int>(random.below(2000))};
  if (random.maybe()) session.guesses = SavedGuesses{{"conv1:relu1"}, 1, 2};
  if (random.maybe()) session.colors = "time";
  if (random.maybe()) session.map_corner = "top left";
  if (random.maybe()) session.beside = {SavedBeside::Kind::Strategy, random.name(), random.maybe()};
  if (random.maybe()) session.beside.camera = random_camera(random);
  session.dominators.post = random.maybe();
  if (random.maybe()) session.dominators.camera = random_camera(random);
  if (random.maybe())
    session.iterations = {"C", random.name(), "i1", random.maybe(),
                          static_cast<int>(random.below(20'000))};
  session.workspace = "passes";
  if (random.maybe()) session.file = "/home/somebody/work.loopglass";
  session.closed = random.maybe();
  return session;
}

TEST(SavedSession, WhatIsWrittenIsReadAgain) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const SavedSession session = random_session(seed);
    const auto read = parse_saved_session(to_text(session));
    ASSERT_TRUE(read) << to_string(read.error()) << "\n" << to_text(session);
    EXPECT_EQ(*read, session) << to_text(session);
  }
}

// Whatever is cut off or changed is refused or means something; nothing of it crashes. Before its
// first member nothing says that it was to be a session.
TEST(SavedSession, NoPartOfAFileIsTakenForAWhole) {
  const std::string text = to_text(random_session(7));
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const auto read = parse_saved_session(std::string_view(text).substr(0, size));
    ASSERT_FALSE(read) << size;
    const bool says_so = size >= std::string("{\n  \"loopglass_session\"").size();
    EXPECT_EQ(read.error().code, says_so ? Code::SessionCorrupt : Code::NoSession) << size;
    EXPECT_THAT(read.error().where, HasSubstr("line "));
    EXPECT_FALSE(read.error().hint.empty());
  }
}

TEST(SavedSession, ChangedFilesAreRefusedOrMeanSomething) {
  std::mt19937 random(1);
  const std::string text = to_text(random_session(11));
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string changed = text;
    for (int i = 0; i < 1 + round % 3; ++i)
      changed[random() % changed.size()] = "\"{}[],:0-9eE.\\x\xff"[random() % 16];
    const auto read = parse_saved_session(changed);
    if (read) {
      const auto again = parse_saved_session(to_text(*read));
      ASSERT_TRUE(again) << to_string(again.error());
      EXPECT_EQ(*again, *read);
      continue;
    }
    ++refused;
    EXPECT_FALSE(read.error().what.empty());
  }
  EXPECT_GT(refused, 1000);
}

void expect_refused(const std::string& text, const std::string& what, const std::string& where,
                    Code code = Code::SessionCorrupt) {
  const auto read = parse_saved_session(text);
  ASSERT_FALSE(read) << text;
  EXPECT_EQ(read.error().code, code) << text;
  EXPECT_THAT(read.error().what, HasSubstr(what)) << text;
  EXPECT_EQ(read.error().where, where) << text;
}

std::string with(const std::string& member) {
  return R"({"loopglass_session": 1, "model": "lenet", )" + member + "}";
}

TEST(SavedSession, ARefusalSaysWhatIsWrongAndWhere) {
  Random random_source(3);
  expect_refused("[]", "expected an object, found array", "$");
  expect_refused("{}", "this is no session", "$", Code::NoSession);
  expect_refused("an,ONNX", "this is no session", "line 1, column 1", Code::NoSession);
  expect_refused(R"({"loopglass_session": 1})", "'model' is missing", "$");
  expect_refused(R"({"loopglass_session": 99, "model": 7, "new": 1})", "version 99",
                 "$.loopglass_session", Code::SessionNewer);
  expect_refused(R"({"loopglass_session": "1"})", "found string", "$.loopglass_session");
  expect_refused(with(R"("strateggy": "dp")"), "not known", "$.strateggy");
  EXPECT_THAT(parse_saved_session(with(R"("strateggy": "dp")")).error().hint,
              HasSubstr("'strategy'"));
  expect_refused(with(R"("force": ["a:b", 3])"), "found 3", "$.force[1]");
  expect_refused(with(R"("shapes": [{"input": "x", "shape": [1, -3]}])"), "found -3",
                 "$.shapes[0].shape[1]");
  expect_refused(with(R"("symbols": [{"symbol": "n", "value": 1.5}])"), "a whole number",
                 "$.symbols[0].value");
  expect_refused(with(R"("memory_limit": 18446744073709551615)"), "a whole number",
                 "$.memory_limit");
  expect_refused(with(R"("memory_limit": 1.5)"), "found 1.5", "$.memory_limit");
  expect_refused(with(R"("place": {"camera": {"operator": "a", "zoom": 0}})"), "found 0",
                 "$.place.camera.zoom");
  expect_refused(with(R"("place": {"camera": {"operator": "a", "zoom": "NaN"}})"), "found string",
                 "$.place.camera.zoom");
  expect_refused(with(R"("place": {"selected": {"what": "operators"}})"), "which operators",
                 "$.place.selected");
  expect_refused(with(R"("place": {"selected": {"what": "all"}})"), "'all'",
                 "$.place.selected.what");
  expect_refused(with(R"("bookmarks": [{"name": "a"}, {"name": ""}])"), "empty string",
                 "$.bookmarks[1].name");
  expect_refused(with(R"("force": [{"hex": "0g"}])"), "hexadecimal", "$.force[0]");
  expect_refused(with(R"("view": {"follow": null})"), "found null", "$.view.follow");
  expect_refused(with(R"("view": {"folds": {"page_width": -1}})"), "-1", "$.view.folds.page_width");
  expect_refused(with(R"("view": {"beside": {"show": "step"}})"), "'what' is missing",
                 "$.view.beside");
  expect_refused(with(R"("view": {"beside": {"show": "all"}})"), "'all' does not stand beside",
                 "$.view.beside.show");
  expect_refused(with(R"("view": {"beside": {"show": "compared", "what": "3"}})"), "not known",
                 "$.view.beside.what");
  expect_refused(with(R"("view": {"dominators": {"tree": "oak"}})"), "'oak' is no dominator tree",
                 "$.view.dominators.tree");
  expect_refused(with(R"("view": {"iterations": {"step": -1}})"), "a whole number",
                 "$.view.iterations.step");
  expect_refused(with(R"("closed": true, "closed": false)"), "two values for 'closed'", "");
  expect_refused(with(R"("graphs": [{"subgraph": "a.b", "model": "c"}])"), "not known",
                 "$.graphs[0].model");
  const std::string times = to_json(random_times(random_source));
  const auto with_times = [&](const std::string& from, const std::string& to) {
    std::string changed = times;
    changed.replace(changed.find(from), from.size(), to);
    return with("\"times\": " + changed);
  };
  expect_refused(with(R"("times": {"when": "today"})"), "'plan' is missing", "$.times");
  expect_refused(with_times("\"threads\": 2", "\"threads\": -2"), "a whole number",
                 "$.times.threads");
  expect_refused(with_times("\"threads\": 2", "\"threads\": 0"), "no thread", "$.times.threads");
  expect_refused(with_times("\"when\"", "\"then\": 1, \"when\""), "not known", "$.times");
  expect_refused(with_times("\"group\": 2", "\"group\": 3"), "higher", "$.times.kernels");
  expect_refused(with_times("\"group\": 2", "\"group\": {}"), "a whole number",
                 "$.times.kernels[2].group");
  const std::string roofline = to_json(random_roofline(random_source));
  const auto with_roofline = [&](const std::string& from, const std::string& to) {
    std::string changed = roofline;
    changed.replace(changed.find(from), from.size(), to);
    return with("\"roofline\": " + changed);
  };
  expect_refused(with(R"("roofline": [])"), "an object", "$.roofline");
  expect_refused(with_roofline("\"threads\": 2", "\"threads\": 0"), "no thread", "$.roofline");
  expect_refused(with_roofline("\"memory\"", "\"memory\", \"new\": 1"), "not known",
                 "$.roofline.roofs.levels[3]");
  expect_refused(with_roofline("\"type\": \"float64\"", "\"type\": \"oak\""), "no 'oak'",
                 "$.roofline.kernels[0].newest.verdict.traffic.type");
  expect_refused(with(R"("place": NaN)"), "no JSON", "line 1, column 53");
}

TEST(SavedSession, TextsInsideItSayWhereTheyDoNotParse) {
  const auto read = parse_saved_session(with(R"("breakpoints": [{"break": "remove opp=Conv"}])"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().where, HasSubstr("$.breakpoints[0].break"));
  const auto edits = parse_saved_session(with(R"("edits": {"edits": ["merge a, b", "mend c"]})"));
  ASSERT_FALSE(edits);
  EXPECT_THAT(edits.error().where, HasSubstr("$.edits.edits[1]"));
}

TEST(SavedSession, HostileFilesCostNothing) {
  std::string deep = with("\"force\": ");
  deep.pop_back();
  const auto nested = [&](char opening) {
    return parse_saved_session(deep + std::string(2'000'000, opening));
  };
  ASSERT_FALSE(nested('['));
  std::string closed = deep + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const auto read = parse_saved_session(closed);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("deep"));
  EXPECT_FALSE(parse_saved_session(with("\"memory_limit\": 1e999")));
  EXPECT_FALSE(parse_saved_session(with("\"memory_limit\": " + std::string(100'000, '9'))));
  const auto key = parse_saved_session(with("\"" + std::string(100'000, 'k') + "\": 1"));
  ASSERT_FALSE(key);
  EXPECT_LT(to_string(key.error()).size(), 1000u);
}

// Each costs the same, however many there are before it.
TEST(SavedSession, LongListsAreReadAtOnce) {
  std::string list;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i)
    list += fmt::format("{}{{\"break\": \"remove name=c{}\"}}", i > 0 ? ", " : "", i);
  const auto begin = std::chrono::steady_clock::now();
  const auto read = parse_saved_session(with("\"breakpoints\": [" + list + "]"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->asked.breakpoints.size(), std::size_t{count});
}

class SavedSessionFile : public ::testing::Test {
 protected:
  SavedSessionFile() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "loopglass-session-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SavedSessionFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// A folder with the session and its model can be moved as a whole.
TEST_F(SavedSessionFile, AModelBelowItIsNamedFromThere) {
  std::filesystem::create_directories(folder_ / "one" / "models");
  SavedSession session;
  session.asked.request.model = (folder_ / "one" / "models" / "a.onnx").string();
  ASSERT_TRUE(write_session(folder_ / "one" / "a.loopglass", session));
  std::filesystem::rename(folder_ / "one", folder_ / "two");
  const auto read = read_session(folder_ / "two" / "a.loopglass");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->asked.request.model, (folder_ / "two" / "models" / "a.onnx").string());

  session.asked.request.model = "/elsewhere/b.onnx";
  ASSERT_TRUE(write_session(folder_ / "two" / "b.loopglass", session));
  EXPECT_EQ(read_session(folder_ / "two" / "b.loopglass")->asked.request.model,
            "/elsewhere/b.onnx");
  session.asked.request.model = "lenet";
  ASSERT_TRUE(write_session(folder_ / "two" / "c.loopglass", session));
  EXPECT_EQ(read_session(folder_ / "two" / "c.loopglass")->asked.request.model, "lenet");
}

TEST_F(SavedSessionFile, WhatCannotBeReadIsNamed) {
  for (const auto& file : {folder_ / "none.loopglass", folder_}) {
    const auto read = read_session(file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::SessionUnreadable);
    EXPECT_EQ(read.error().where, file.string());
    EXPECT_FALSE(read.error().hint.empty());
  }
  std::ofstream(folder_ / "bad.loopglass") << "{\n  oops";
  const auto bad = read_session(folder_ / "bad.loopglass");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, (folder_ / "bad.loopglass").string() + ": line 2, column 3");
}

// What a disk that is full says is what /dev/full says.
TEST_F(SavedSessionFile, WhatCannotBeWrittenSaysWhyAndWhatToDo) {
  SavedSession session;
  session.asked.request.model = "lenet";
  std::ofstream(folder_ / "file") << "in the way";
  const auto below = write_session(folder_ / "file" / "a.loopglass", session);
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().code, Code::SessionUnwritable);
  EXPECT_THAT(below.error().what, HasSubstr("the session cannot be written"));
  EXPECT_EQ(below.error().where, (folder_ / "file" / "a.loopglass").string());
  EXPECT_FALSE(below.error().hint.empty());
  struct Case {
    int reason;
    Code code;
  };
  for (const auto& [reason, code] :
       {Case{ENOSPC, Code::DiskFull}, Case{EDQUOT, Code::DiskFull},
        Case{EACCES, Code::PermissionMissing}, Case{EROFS, Code::PermissionMissing},
        Case{EMFILE, Code::OpenFilesExhausted}, Case{EIO, Code::SessionUnwritable}}) {
    const auto refused = refuse_file(session_file, "written", reason, "a.loopglass");
    EXPECT_EQ(refused.error().code, code);
    EXPECT_THAT(refused.error().what, HasSubstr("the session cannot be written: "));
    EXPECT_EQ(refused.error().where, "a.loopglass");
    EXPECT_EQ(refused.error().hint.empty(), reason == EIO);
  }
}

TEST(SavedTimes, AreOfSchedules) {
  EXPECT_EQ(schedules_digest({}), std::nullopt);
  const auto digest = [](const char* script) {
    return schedules_digest({{"matmul", "0123456789abcdef", script}});
  };
  EXPECT_EQ(digest("parallel(i)"), digest("parallel(i)"));
  EXPECT_NE(digest("parallel(i)"), digest("parallel(j)"));
  EXPECT_TRUE(digest("").has_value()) << "a script of no line is another schedule than the default";
}

// Of another plan, machine or compiler they say nothing, and each is told by its name.
TEST(SavedTimes, AreOfAPlanOnAMachineByACompiler) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Tanh(%a) "b"
  output %b)");
  const MeasuredOf apart = measured_of(graph, test::edited(graph, "split a"), reference_machine());
  const MeasuredOf together =
      measured_of(graph, test::edited(graph, "merge a, b"), reference_machine());
  EXPECT_EQ(apart, measured_of(graph, test::edited(graph, "split b"), reference_machine()));
  EXPECT_EQ(difference_words(apart, apart), "");
  EXPECT_EQ(difference_words(apart, together), "another plan");
  MeasuredOf elsewhere = apart, older = apart;
  elsewhere.machine = "a slow one";
  older.compiler = "0";
  EXPECT_EQ(difference_words(elsewhere, apart), "another machine (a slow one)");
  EXPECT_EQ(difference_words(older, apart), "another version of Loopglass");
  const graph::Graph larger = test::graph_of(R"(
  input %x: float32[8]
  %a: float32[8] = Relu(%x) "a"
  %b: float32[8] = Tanh(%a) "b"
  output %b)");
  EXPECT_NE(measured_of(larger, test::edited(larger, "split a"), reference_machine()), apart);
}

TEST_F(SavedSessionFile, AStampTellsOneContentFromAnother) {
  const auto file = folder_ / "model.onnx";
  std::ofstream(file) << std::string(3'000'000, 'x');
  const ModelStamp first = stamp_of(file).value();
  EXPECT_EQ(first.bytes, 3'000'000u);
  EXPECT_EQ(stamp_of(file).value(), first);
  {
    std::fstream change(file, std::ios::in | std::ios::out);
    change.seekp(2'999'999);
    change << 'y';
  }
  EXPECT_NE(stamp_of(file).value(), first);
}

}  // namespace
}  // namespace loopglass
