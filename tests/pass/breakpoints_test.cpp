// Breakpoints: their text, and where in a history they stop, forwards and back.
#include "core/pass/breakpoints.h"
#include "core/fusion/breakpoints.h"
#include "passes/fusion/dominator.h"
#include "tests/pass/histories.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using namespace test;
using pass::Breakpoint;
using pass::Direction;
using pass::NodeHistory;
using pass::parse_breakpoint;
using pass::Position;
using pass::Stop;
using ::testing::HasSubstr;

Breakpoint parsed(const std::string& text) {
  const auto breakpoint = parse_breakpoint(text);
  if (!breakpoint) throw std::invalid_argument(text + ": " + to_string(breakpoint.error()));
  return *breakpoint;
}

TEST(BreakpointText, ParsesPrintsAndReadsAloud) {
  struct Case {
    const char *text, *printed, *words;
  };
  for (const Case& c : std::vector<Case>{
           {"create op=Conv", "create op=Conv", "when a pass creates operators whose op is Conv"},
           {"remove name~bn", "remove name~bn",
            "when a pass removes operators whose name contains bn"},
           {" Change  @conv1 ", "change @conv1", "when a pass changes conv1 or what became of it"},
           {"any in simplify bn & rank>2", "any in simplify name~bn & rank>2",
            "when simplify touches operators whose name contains bn and whose rank is more than 2"},
           {"any in fold-constants @\"a b\"", "any in fold-constants @\"a b\"",
            "when fold-constants touches a b or what became of it"},
           {"create", "create", "when a pass creates any operator"},
           {"fuse op=Relu", "fuse op=Relu", "when fusion fuses operators whose op is Relu"},
           {"remove @/layer/conv", "remove @/layer/conv",
            "when a pass removes /layer/conv or what became of it"},
           {"remove //x", "remove name~//x",
            "when a pass removes operators whose name contains //x"},
           {"remove \"in\"", "remove name~in",
            "when a pass removes operators whose name contains in"},
           {"remove inputs=2", "remove inputs=2",
            "when a pass removes operators whose number of inputs is 2"}}) {
    const Breakpoint breakpoint = parsed(c.text);
    EXPECT_EQ(to_text(breakpoint), c.printed);
    EXPECT_EQ(parsed(c.printed), breakpoint) << c.printed;
    EXPECT_EQ(in_words(breakpoint), c.words);
  }
}

TEST(BreakpointText, RefusesWithACaretInTheWholeText) {
  const auto refused = [](const char* text, std::size_t column, const char* what) {
    const auto breakpoint = parse_breakpoint(text);
    ASSERT_FALSE(breakpoint) << text;
    EXPECT_EQ(breakpoint.error().code, Code::TextMalformed) << text;
    EXPECT_THAT(breakpoint.error().what, HasSubstr(what));
    EXPECT_THAT(breakpoint.error().what, HasSubstr(caret(text, column)));
  };
  refused("", 1, "begins with an event");
  refused("@conv1", 1, "expected an event");
  refused("creat op=Conv", 1, "no event 'creat'");
  refused("create op=Cnv", 11, "there is no op 'Cnv'");
  refused("create in", 10, "name of a pass");
  refused("fuse in simplify op=Conv", 6, "no graph pass fuses");
  refused("remove @", 9, "expected a name");
  refused("remove @a op=Conv", 11, "expected the end");
  EXPECT_THAT(parse_breakpoint("creat x").error().hint, HasSubstr("'create'"));
}

TEST(BreakpointText, OffersEventsThenPassesThenFields) {
  const std::vector<pass::PassInfo> passes{{"simplify", "", ""}, {"fold", "", ""}};
  const auto first = [&](std::string text) {
    const Completions found = complete_breakpoint(text, text.size(), passes);
    return found.items.empty() ? "" : found.items.front().text;
  };
  EXPECT_EQ(first(""), "create");
  EXPECT_EQ(first("re"), "remove");
  EXPECT_EQ(first("remove in "), "simplify");
  EXPECT_EQ(first("remove in f"), "fold");
  EXPECT_EQ(first("remove in fold dt"), "dtype=");
  EXPECT_EQ(first("remove op=Con"), "Concat");
  EXPECT_EQ(first("remove @c"), "");
}

class Stops : public ::testing::Test {
 protected:
  std::shared_ptr<const GraphHistory> history_ = recorded();
  NodeHistory nodes_{history_, Middle{history_}};

  // "3:1 create s1; ...": every stop with its hits.
  std::string stops(std::vector<std::string> texts) const {
    std::vector<Breakpoint> breakpoints;
    for (const std::string& text : texts) breakpoints.push_back(parsed(text));
    std::string all;
    for (const Stop& stop : all_stops(nodes_, breakpoints)) {
      all += (all.empty() ? "" : "; ") + to_text(stop.position);
      for (const pass::Hit& hit : stop.hits)
        all += " " + std::string(name(hit.event)) + " " + hit.name;
    }
    return all;
  }
};

TEST_F(Stops, CreateStopsAtTheRewriteThatMadeTheNode) {
  EXPECT_EQ(stops({"create op=Tanh"}), "3:2 create s2");
  EXPECT_EQ(stops({"create op=Sigmoid"}), "3:1 create s1; 3:3 create s3");
  EXPECT_EQ(stops({"create op=Conv"}), "");
  EXPECT_EQ(stops({"create in fold"}), "");
}

TEST_F(Stops, RemoveStopsWhereANodeLeaves) {
  EXPECT_EQ(stops({"remove op=Neg"}), "1 remove neg1 remove neg2; 4 remove minus");
  EXPECT_EQ(stops({"remove in fold op=Neg"}), "4 remove minus");
  EXPECT_EQ(stops({"remove op=Add"}), "5 remove sum");
}

TEST_F(Stops, ChangeStopsAtOtherInputsAndAtReplacements) {
  EXPECT_EQ(stops({"change name=sum"}), "3:1 change sum; 4 change sum; 5 change sum");
  EXPECT_EQ(stops({"change op=Abs"}), "1 change abs1; 3:1 change abs1; 3 change abs2");
  // A mere rename is no change.
  EXPECT_EQ(stops({"change name=rectify"}), "");
}

TEST_F(Stops, AWatchpointFollowsItsNodeThroughReplacementsAndNames) {
  EXPECT_EQ(
      stops({"any @abs1"}),
      "1 change abs1; 3:1 change abs1 create s1; 3:2 change s1 create s2; 3:3 change s2 create s3; "
      "3:4 change s3 create abs2; 3 change abs2 create relu1");
  EXPECT_EQ(stops({"remove @minus"}), "4 remove minus");
  EXPECT_EQ(stops({"any @#4"}), "4 remove minus");
}

TEST_F(Stops, SeveralBreakpointsShareAStop) {
  EXPECT_EQ(stops({"create op=Tanh", "change @s1"}),
            "3:2 change s1 create s2; 3:3 change s2; 3:4 change s3; 3 change abs2");
  Breakpoint off = parsed("create op=Tanh");
  off.enabled = false;
  EXPECT_TRUE(all_stops(nodes_, {off}).empty());
}

TEST_F(Stops, AreFoundForwardsAndBackFromAnywhere) {
  const std::vector<Breakpoint> breakpoints{parsed("create op=Sigmoid"),
                                            parsed("remove name=minus")};
  const auto next = [&](Position from, Direction direction) {
    const auto stop = next_stop(nodes_, breakpoints, from, direction);
    return stop ? to_text(stop->position) : "none";
  };
  EXPECT_EQ(next({0}, Direction::Forward), "3:1");
  EXPECT_EQ(next({3, 0}, Direction::Forward), "3:1");
  EXPECT_EQ(next({3, 1}, Direction::Forward), "3:3");
  EXPECT_EQ(next({3, 3}, Direction::Forward), "4");
  EXPECT_EQ(next({4, 1}, Direction::Forward), "none");  // of one rewrite: the step is complete
  EXPECT_EQ(next({5}, Direction::Backward), "4");
  EXPECT_EQ(next({4}, Direction::Backward), "3:3");
  EXPECT_EQ(next({3, 3}, Direction::Backward), "3:1");
  EXPECT_EQ(next({3, 1}, Direction::Backward), "none");
  EXPECT_EQ(next({99}, Direction::Backward), "4");
}

TEST_F(Stops, AHitSaysWhatHappenedAndWhy) {
  const auto sentence = [&](const std::string& text) {
    return all_stops(nodes_, {parsed(text)}).at(0).hits.at(0).sentence;
  };
  EXPECT_EQ(sentence("create op=Tanh"),
            "spin (spin) makes s2 (Tanh) from s1 (Sigmoid): now by Tanh");
  EXPECT_EQ(sentence("remove op=Neg"),
            "cancel (negate-twice) removes neg1 (Neg): two negations cancel");
  EXPECT_EQ(sentence("change name=abs1"),
            "cancel (negate-twice) changes abs1 (Abs), input 0: %m -> %r: two negations cancel");
  EXPECT_EQ(sentence("change op=Tanh"),
            "spin (spin) puts s3 (Sigmoid) in place of s2 (Tanh): now by Sigmoid");
  EXPECT_EQ(sentence("create op=Sub"), "silent makes difference (Sub) from sum (Add)");
}

TEST_F(Stops, FuseHitsNodesThatShareAKernel) {
  const Graph& graph = history_->last();
  const auto plan = passes::fuse_by_dominators(graph, {});
  ASSERT_TRUE(plan);
  const std::vector<Breakpoint> breakpoints{parsed("fuse op=Sub"), parsed("fuse @abs1"),
                                            parsed("create op=Sub")};
  std::string text;
  for (const fusion::FuseHit& hit : fusion::fuse_hits(*plan, graph, breakpoints, &nodes_))
    text += std::to_string(hit.breakpoint) + " " + graph.node(hit.node).name + "; ";
  // What became of abs1 is in rectify.
  EXPECT_EQ(text, "1 rectify; 0 difference; ");
  EXPECT_THAT(fusion::fuse_hits(*plan, graph, breakpoints).at(0).sentence,
              HasSubstr("goes into the kernel"));
}

}  // namespace
}  // namespace loopglass
