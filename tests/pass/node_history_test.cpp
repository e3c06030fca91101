// Where nodes come from and what becomes of them, over a history that has every case in it.
#include "passes/pipeline.h"
#include "tests/pass/histories.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using namespace test;
using pass::NodeEvent;
using pass::NodeHistory;
using pass::Presence;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Lives : public ::testing::Test {
 protected:
  std::shared_ptr<const GraphHistory> history_ = recorded();
  Middle middle_{history_};
  NodeHistory nodes_{history_, middle_};

  NodeId id(std::size_t step, const char* name) const { return named(*history_, step, name); }
  std::vector<std::string> names(const std::vector<NodeId>& ids) const {
    std::vector<std::string> found;
    for (const NodeId node : ids) found.push_back(nodes_.name_of(node));
    return found;
  }
  std::string presences(NodeId node) const {
    std::string text;
    for (const Presence presence : nodes_.presences(node)) text += name(presence).substr(0, 1);
    return text;
  }
};

TEST_F(Lives, APresenceForEveryStep) {
  EXPECT_EQ(presences(id(0, "neg1")), "craaaa");  // created, removed, absent ...
  EXPECT_EQ(presences(id(0, "abs1")), "ccuraa");  // changed by cancel: it reads another node now
  EXPECT_EQ(presences(id(0, "minus")), "cuuura");
  EXPECT_EQ(presences(id(5, "difference")), "aaaaac");
  EXPECT_EQ(presences(id(3, "relu1")), "aaacuc");            // the new one, renamed at the end
  EXPECT_EQ(presences(nodes_.named("s2").at(0)), "aaaaaa");  // made and consumed in one step
  EXPECT_EQ(nodes_.presence(NodeId{12345}, 0), Presence::Absent);
}

TEST_F(Lives, ARewriteLinksWhatItConsumedToWhatItMade) {
  const pass::Life& both = *nodes_.find(id(3, "relu1"));
  EXPECT_FALSE(both.imported);
  EXPECT_EQ(both.born.rule, "merge");
  EXPECT_EQ(both.born.position, (pass::Position{3, pass::Report::all}));
  EXPECT_THAT(both.parents, ElementsAre(id(0, "relu1"), nodes_.named("abs2").at(0)));
  const pass::Life& relu = *nodes_.find(id(0, "relu1"));
  EXPECT_TRUE(relu.imported);
  EXPECT_THAT(relu.into, ElementsAre(both.id));
  EXPECT_EQ(relu.gone->rule, "merge");
}

TEST_F(Lives, AncestorsReachTheImportedNodesThroughThoseThatNoGraphHas) {
  EXPECT_THAT(names(nodes_.ancestors(id(3, "relu1"))),
              ElementsAre("relu1", "abs2", "s3", "s2", "s1", "abs1"));
  EXPECT_THAT(names(nodes_.descendants(id(0, "abs1"))),
              ElementsAre("s1", "s2", "s3", "abs2", "rectify"));
  EXPECT_THAT(nodes_.ancestors(id(0, "abs1")), IsEmpty());
}

TEST_F(Lives, WithoutALookIntoTheMiddleSuchNodesAreKnownByNumber) {
  const NodeHistory blind(history_);
  const auto ancestors = blind.ancestors(id(3, "relu1"));
  ASSERT_EQ(ancestors.size(), 6u);
  EXPECT_EQ(blind.name_of(ancestors[1]), "#" + std::to_string(ancestors[1].value));
  EXPECT_EQ(blind.find(ancestors[1])->last, nullptr);
  EXPECT_TRUE(blind.named("s2").empty());
}

TEST_F(Lives, OneLookServesAllNodesThatAreThereThen) {
  // Each of s1, s2, s3 and abs2 is there alone.
  EXPECT_EQ(*middle_.looks, 4);
}

TEST_F(Lives, APassThatSaysNothingIsReadByTheOrigins) {
  const pass::Life& difference = *nodes_.find(id(5, "difference"));
  EXPECT_EQ(difference.born.rule, "");
  EXPECT_EQ(difference.born.position, (pass::Position{5, pass::Report::all}));
  EXPECT_THAT(difference.parents, ElementsAre(id(0, "sum")));
  EXPECT_THAT(nodes_.find(id(0, "sum"))->into, ElementsAre(difference.id));
}

TEST_F(Lives, ANodeMayBecomeAConstantOrNothing) {
  EXPECT_EQ(nodes_.find(id(0, "minus"))->constant, "f");
  const pass::Life& negation = *nodes_.find(id(0, "neg1"));
  EXPECT_EQ(negation.constant, "");
  EXPECT_THAT(negation.children, IsEmpty());
}

TEST_F(Lives, ANameMayBelongToSeveralNodesAndANodeMayHaveSeveralNames) {
  EXPECT_THAT(nodes_.named("relu1"), ElementsAre(id(0, "relu1"), id(3, "relu1")));
  EXPECT_THAT(nodes_.find(id(3, "relu1"))->names, ElementsAre("relu1", "rectify"));
  EXPECT_EQ(*nodes_.resolve("relu1", 0), id(0, "relu1"));
  EXPECT_EQ(*nodes_.resolve("relu1", 4), id(3, "relu1"));
  EXPECT_EQ(*nodes_.resolve("relu1"), id(3, "relu1"));
  EXPECT_EQ(*nodes_.resolve("relu1", 5),
            id(3, "relu1"));  // not there under that name: the last that had it
  EXPECT_EQ(*nodes_.resolve("#0"), NodeId{0});
  EXPECT_EQ(nodes_.resolve("#999").error().code, Code::GraphEntityUnknown);
  EXPECT_THAT(nodes_.resolve("rectyfi").error().hint, HasSubstr("'rectify'"));
}

TEST_F(Lives, ANodeIsFollowedToAnyStep) {
  EXPECT_THAT(nodes_.at_step(id(0, "abs1"), 5), ElementsAre(id(5, "rectify")));
  EXPECT_THAT(nodes_.at_step(id(5, "rectify"), 0), ElementsAre(id(0, "relu1"), id(0, "abs1")));
  EXPECT_THAT(nodes_.at_step(id(0, "abs1"), 1), ElementsAre(id(0, "abs1")));
  EXPECT_THAT(nodes_.at_step(id(0, "neg1"), 1), IsEmpty());
}

TEST_F(Lives, AStoryIsTold) {
  EXPECT_THAT(nodes_.story(id(0, "abs1")),
              ElementsAre("imported with the network",
                          "changed in step 1 (cancel: negate-twice): input 0: %m -> %r",
                          "made into s1 (Sigmoid) in step 3 (spin: spin): now by Sigmoid"));
  EXPECT_THAT(
      nodes_.story(id(0, "minus")),
      ElementsAre("imported with the network",
                  "became the constant %f in step 4 (fold: constant-inputs): minus is known"));
  EXPECT_THAT(nodes_.story(id(0, "neg2")),
              ElementsAre("imported with the network",
                          "removed in step 1 (cancel: negate-twice): two negations cancel"));
  EXPECT_THAT(nodes_.story(id(5, "difference")),
              ElementsAre("made in step 5 (silent) from sum (Add)", "still there at the end"));
}

TEST_F(Lives, EventsComeInTheOrderOfRewrites) {
  std::string text;
  for (const NodeEvent& event : nodes_.events(3)) {
    text += event.kind == NodeEvent::Kind::Removed   ? '-'
            : event.kind == NodeEvent::Kind::Created ? '+'
                                                     : '~';
    text += (event.after ? event.after : event.before)->name +
            (event.rewrite ? std::to_string(*event.rewrite) : "?") + " ";
  }
  // sum reads what abs1 made: its input changed when abs1 went and when what it reads now came.
  EXPECT_EQ(text, "-abs10 +s10 ~sum0 -s11 +s21 -s22 +s32 -s33 +abs23 -relu14 -abs24 +relu14 ");
  EXPECT_TRUE(nodes_.events(0).empty());
  EXPECT_TRUE(nodes_.events(2).empty());
}

TEST(NodeHistory, ANumberThatNoGraphHasIsOfItsStepOnly) {
  const auto claim = [](const Graph& graph, Report& report) -> Result<Graph> {
    if (report.may_rewrite()) report.rewrite({"claim", {777}, {888}, "neither was ever there", {}});
    return graph;
  };
  const std::vector<GraphPass> claims{{{"nothing", "", ""}, nothing}, {{"claim", "", ""}, claim}};
  const NodeHistory nodes(std::make_shared<const GraphHistory>(*pass::run(network(), claims)));
  for (const std::uint32_t id : {777u, 888u})
    for (std::size_t step = 0; step < 3; ++step)
      EXPECT_EQ(nodes.presence({id}, step), Presence::Absent);
  EXPECT_THAT(nodes.descendants({777}), ElementsAre(NodeId{888}));
  EXPECT_THAT(nodes.story({777}).back(), HasSubstr("made into #888"));
}

// Whatever the passes of the default pipeline do and say.
TEST(NodeHistory, OfRandomNetworksAgreesWithTheDiffAndReachesTheImport) {
  const auto table = passes::graph_passes(reference_machine());
  std::vector<pass::PassInfo> infos;
  for (const GraphPass& pass : table) infos.push_back(pass.info);
  const auto pipeline = *pass::parse_pipeline("default", infos, passes::presets());
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    const auto history = std::make_shared<const GraphHistory>(
        *pass::run(std::make_shared<const Graph>(random_graph(seed, 40)), table, pipeline));
    const NodeHistory nodes(
        history,
        [&](std::size_t step, std::size_t rewrites) -> Result<std::shared_ptr<const Graph>> {
          const auto pass =
              std::find_if(table.begin(), table.end(), [&](const GraphPass& candidate) {
                return candidate.info.name == history->steps[step].pass.name;
              });
          return TRY(pass::apply(*pass, history->steps[step - 1].result, rewrites)).result;
        });
    for (std::size_t step = 1; step < history->steps.size(); ++step) {
      const graph::Diff diff = graph::diff(history->at(step - 1), history->at(step));
      for (const pass::Life& life : nodes.lives()) {
        const Presence presence = nodes.presence(life.id, step);
        switch (diff.of(life.id)) {
          case graph::Change::Added: EXPECT_EQ(presence, Presence::Created); break;
          case graph::Change::Removed: EXPECT_EQ(presence, Presence::Removed); break;
          case graph::Change::Changed: EXPECT_EQ(presence, Presence::Changed); break;
          case graph::Change::Same:
            EXPECT_THAT(presence, ::testing::AnyOf(Presence::Unchanged, Presence::Absent));
            break;
        }
      }
    }
    for (const auto& node : history->last().nodes()) {
      const auto ancestors = nodes.ancestors(node->id);
      EXPECT_TRUE(nodes.find(node->id)->imported ||
                  std::any_of(ancestors.begin(), ancestors.end(),
                              [&](NodeId id) { return nodes.find(id)->imported; }))
          << "seed " << seed << ": " << node->name;
    }
    // Every node that is there for a while is known by name.
    for (const pass::Life& life : nodes.lives())
      EXPECT_NE(life.last, nullptr) << "seed " << seed << ": #" << life.id.value;
  }
}

}  // namespace
}  // namespace loopglass
