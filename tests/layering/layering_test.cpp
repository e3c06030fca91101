// The order of the rooms, as the design lays it down: who may include whom, and which library's
// headers appear where. Walks every source file of the project.
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = LOOPGLASS_SOURCE_DIR;

// A folder of core may include itself and folders before it; the session and what debugs it come
// last.
const std::vector<std::string> core_order{
    "support",   "machine",     "tensor",     "expr",        "te",      "ops",
    "graph",     "contributed", "onnx",       "loop",        "pass",    "fusion",
    "placement", "locality",    "dependence", "schedule",    "script",  "default_schedule",
    "codegen",   "kernel",      "runtime",    "kernel_file", "library", "measure",
    "roofline",  "tune",        "farm",       "session",     "debug"};

struct Include {
  fs::path file;  // relative to the root
  std::string path;
  bool quoted;
};

std::vector<Include> includes_below(const std::string& folder) {
  static const std::regex line_form(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  if (!fs::exists(root / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, line_form))
        found.push_back({fs::relative(entry.path(), root), match[2], match[1] == "\""});
  }
  return found;
}

// "core/graph/text.cpp" -> "graph"; "core/session.h" -> "session".
std::string core_room(const fs::path& path) {
  auto part = path.begin();
  const std::string second = (++part)->string();
  return std::next(part) == path.end() ? "session" : second;
}

std::ptrdiff_t rank(const std::string& room) {
  return std::find(core_order.begin(), core_order.end(), room) - core_order.begin();
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return text.starts_with(p); });
}

TEST(Layering, TheWalkFindsTheSources) { EXPECT_GT(includes_below("core").size(), 200u); }

// The top level is fixed, and what a test or a person writes there by accident is not added to it.
TEST(Layering, TheTopLevelIsAsItWas) {
  const std::set<std::string> fixed{
      ".ci",     ".clang-format", ".gitignore", "CMakeLists.txt", "CMakePresets.json",
      "LICENSE", "README.md",     "app",        "check",          "core",
      "passes",  "run",           "samples",    "tests",          "views"};
  FILE* pipe = popen("cd '" LOOPGLASS_SOURCE_DIR "' && git ls-files -z 2>/dev/null", "r");
  ASSERT_TRUE(pipe);
  std::string listing;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) listing += static_cast<char>(c);
  if (pclose(pipe) != 0 || listing.empty()) GTEST_SKIP() << "this is no clone";
  std::set<std::string> names;
  for (std::size_t at = 0; at < listing.size(); at = listing.find('\0', at) + 1) {
    const std::string path = listing.substr(at, listing.find('\0', at) - at);
    names.insert(path.substr(0, path.find('/')));
  }
  for (const std::string& name : names) EXPECT_TRUE(fixed.contains(name)) << name;
  EXPECT_TRUE(names.contains("README.md"));
}

TEST(Layering, CoreIncludesOnlyCoreAndOnlyEarlierRooms) {
  for (const Include& include : includes_below("core")) {
    if (!include.quoted) continue;
    ASSERT_TRUE(include.path.starts_with("core/")) << include.file << " includes " << include.path;
    const std::string from = core_room(include.file), to = core_room(include.path);
    EXPECT_LT(rank(to), std::ssize(core_order)) << "unknown room: " << include.path;
    EXPECT_LE(rank(to), rank(from)) << include.file << " includes " << include.path;
  }
}

TEST(Layering, PassesAndSamplesSeeOnlyCore) {
  for (const std::string folder : {"passes", "samples"})
    for (const Include& include : includes_below(folder))
      if (include.quoted) {
        EXPECT_TRUE(starts_with_any(include.path, {"core/", folder + "/"}))
            << include.file << " includes " << include.path;
      }
}

// A nest is walked, rewritten and asked about with core/loop; schedules are one user of it.
TEST(Layering, LoopPassesKnowNestsAndNoSchedules) {
  for (const Include& include : includes_below("passes/loop")) {
    EXPECT_FALSE(
        starts_with_any(include.path, {"core/schedule/", "core/script/", "core/default_schedule/"}))
        << include.file << " includes " << include.path;
  }
}

TEST(Layering, ViewsSeeCoreAndNoOtherView) {
  for (const Include& include : includes_below("views")) {
    if (!include.quoted) continue;
    EXPECT_TRUE(starts_with_any(include.path, {"core/", "views/"}))
        << include.file << " includes " << include.path;
    const std::string own = "views/" + std::next(include.file.begin())->string() + "/";
    const bool is_at_the_top = std::ranges::count(include.path, '/') == 1;
    if (include.path.starts_with("views/") && !is_at_the_top) {
      EXPECT_TRUE(starts_with_any(include.path, {own, "views/document/", "views/widgets/",
                                                 "views/layout/", "views/code/", "views/canvas/"}))
          << include.file << " includes " << include.path;
    }
  }
}

// Widgets are told what they show.
TEST(Layering, WidgetsKnowNoDocument) {
  for (const Include& include : includes_below("views/widgets"))
    EXPECT_FALSE(include.path.starts_with("views/document/"))
        << include.file << " includes " << include.path;
}

// What runs on another machine must be told of it: only programs, and the table of passes on their
// behalf, ask which one they are on.
TEST(Layering, OnlyProgramsAskForTheMachineTheyRunOn) {
  for (const std::string folder : {"core", "passes", "views", "samples"})
    for (const Include& include : includes_below(folder)) {
      const std::string file = include.file.string();
      if (file.starts_with("core/machine/") || file == "passes/pipeline.cpp") continue;
      EXPECT_NE(include.path, "core/machine/host.h") << file;
    }
}

// A library's headers may appear only below one folder, or only in sources; those that declare
// names and nothing else cost nothing.
TEST(Layering, LibrariesStayInTheirRooms) {
  struct Rule {
    std::vector<std::string> headers;
    std::string folder;  // empty: anywhere
    bool sources_only;
  };
  const std::vector<Rule> rules{
      {{"llvm/", "llvm-c/"}, "core/codegen/", true},
      {{"isl/"}, "core/dependence/", true},
      {{"onnx/", "google/protobuf"}, "core/onnx/", true},
      {{"graphviz/", "gvc.h", "cgraph.h"}, "views/layout/", true},
      {{"xgboost/"}, "core/tune/models/", true},
      {{"nats/"}, "core/farm/", true},
      {{"oneapi/", "omp.h"}, "core/library/onednn/", true},
      {{"nlohmann/"}, "", true},
  };
  for (const std::string folder : {"core", "passes", "views", "app", "samples"})
    for (const Include& include : includes_below(folder))
      for (const Rule& rule : rules) {
        if (include.quoted || !starts_with_any(include.path, rule.headers) ||
            include.path == "nlohmann/json_fwd.hpp")
          continue;
        EXPECT_TRUE(include.file.string().starts_with(rule.folder))
            << include.file << " includes " << include.path;
        if (rule.sources_only) {
          EXPECT_TRUE(include.file.extension() == ".cpp")
              << include.file << " includes " << include.path;
        }
      }
}

TEST(Layering, NoQtBelowTheViews) {
  static const std::regex qt(R"(^(Q[A-Z][A-Za-z]+|Qt[A-Z][A-Za-z]*/.*|Qsci/.*)$)");
  for (const std::string folder : {"core", "passes", "samples", "app/loopglassc", "app/common"})
    for (const Include& include : includes_below(folder))
      EXPECT_FALSE(std::regex_match(include.path, qt))
          << include.file << " includes " << include.path;
}

}  // namespace
