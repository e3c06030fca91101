// What the card of an edge says of one loop nest or several is what the schedule makes of the
// kernel.
#include "core/debug/kernel_nests.h"
#include "samples/samples.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>

namespace loopglass::debug {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Opened {
 public:
  Opened(const char* sample, const char* strategy) {
    SessionOptions options;
    options.strategy = strategy;
    const samples::Sample& network = *samples::find_sample(sample);
    session = session_on(network.build(network.image_size > 64 ? 64 : 0).value(), options);
    graph = session->graph().value();
    plan = session->plan().value();
    cards = std::make_unique<fusion::EdgeCards>(graph, plan, plan);
  }
  fusion::EdgeCard card(const fusion::Decision& decision) const {
    return (*cards)(decision,
                    [this](fusion::GroupId group) { return kernel_nests(*session, group); });
  }
  fusion::EdgeCard card(const std::string& producer, const std::string& consumer) const {
    for (const fusion::Decision& decision : plan->decisions)
      if (graph->node(decision.producer).name == producer &&
          graph->node(decision.consumer).name == consumer)
        return card(decision);
    throw std::invalid_argument(producer + ":" + consumer);
  }

  std::unique_ptr<Session> session;
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const fusion::Plan> plan;
  std::unique_ptr<fusion::EdgeCards> cards;
};

TEST(EdgeNests, AnEpilogueIsInTheNestOfItsConvolution) {
  const fusion::EdgeCard card = Opened("lenet", "dominator").card("conv1", "relu1");
  EXPECT_EQ(card.nests.handing, fusion::Handing::Nest);
  ASSERT_EQ(card.nests.shared.size(), 1u);
  EXPECT_EQ(fusion::loops_text(card.nests.shared.front()),
            "n 1, oc 6, oh 28, ow 28; reduces ic 1, kh 5, kw 5");
}

// The operators of a kernel need not share all loops of its nest.
TEST(EdgeNests, SaysWhichLoopsAreShared) {
  const Opened encoder("encoder", "dominator");
  const auto said = [&](const std::string& producer, const std::string& consumer) {
    return encoder.card(producer, consumer).nests.sentence;
  };
  EXPECT_THAT(said("attention.norm.pow", "attention.norm.variance"),
              HasSubstr("They share a loop nest, in which one statement computes both."));
  EXPECT_THAT(said("attention.query.matmul", "attention.query.add"),
              ContainsRegex("They share the loop [a-z_]+ of a loop nest; in it each has loops of "
                            "its own\\."));
}

// What is computed where it is read has the loops of its reader, which reduces; that a part of the
// convolution before is computed there as well does not matter.
TEST(EdgeNests, APrologueIsInTheNestOfItsReader) {
  const fusion::EdgeCard card = Opened("lenet", "dp").card("relu1", "pool1");
  ASSERT_EQ(card.nests.handing, fusion::Handing::Nest);
  ASSERT_EQ(card.nests.shared.size(), 1u);
  EXPECT_EQ(fusion::loops_text(card.nests.shared.front()),
            "n 1, c 6, oh 14, ow 14; reduces kh 2, kw 2");
}

// Of what the kernel takes as it is lowered, padding is no matter of fusion.
TEST(EdgeNests, TheWorkspaceIsThatOfTheLoweredKernel) {
  const Opened opened("lenet", "dp");
  int larger = 0;
  for (const fusion::Decision& decision : opened.plan->decisions) {
    if (!decision.fused) continue;
    const fusion::EdgeCard card = opened.card(decision);
    const auto kernel = opened.session->kernel(opened.plan->group_of(decision.producer)).value();
    ASSERT_TRUE(card.nests.workspace_bytes);
    EXPECT_EQ(*card.nests.workspace_bytes, kernel->use.workspace_bytes);
    EXPECT_GT(*card.nests.workspace_bytes, 0);
    EXPECT_THAT(card.nests.sentence, HasSubstr("As it is lowered, the kernel has a workspace of"));
    larger += *card.nests.workspace_bytes > card.traffic->together.kept ? 1 : 0;
  }
  EXPECT_GT(larger, 0);
}

// Where a nest that is shared has no loops to be shown, the card says why.
TEST(EdgeNests, WhatIsNotShownIsSaid) {
  const Opened opened("mobilenet_v1", "dp");
  int without = 0;
  for (const fusion::Decision& decision : opened.plan->decisions) {
    if (!decision.fused) continue;
    const fusion::CardNests nests = opened.card(decision).nests;
    if (nests.handing != fusion::Handing::Nest || !nests.shared.empty()) continue;
    EXPECT_THAT(nests.sentence, HasSubstr("loops are not shown: "));
    ++without;
  }
  EXPECT_GT(without, 0);
}

// An operator's loops have the names that they have in the kernel it is in, whatever the edge.
TEST(EdgeNests, LoopsHaveTheNamesOfTheirKernel) {
  const fusion::EdgeCard card = Opened("lenet", "dominator").card("relu1", "pool1");
  ASSERT_FALSE(card.fused);
  EXPECT_EQ(fusion::loops_text(card.nests.producer.front()), "n 1, oc 6, oh 28, ow 28");
}

// Every fused edge of the samples has a card whose nests are known, and one that shares a nest has
// its loops.
TEST(EdgeNests, AreKnownOfEveryFusedEdge) {
  for (const auto& [sample, strategy] : {std::pair{"lenet", "dp"},
                                         {"encoder", "dominator"},
                                         {"encoder", "dp"},
                                         {"mobilenet_v1", "dominator"},
                                         {"efficientnet_b0", "dp"}}) {
    const Opened opened(sample, strategy);
    std::map<fusion::Handing, int> counts;
    int without_loops = 0;
    for (const fusion::Decision& decision : opened.plan->decisions) {
      if (!decision.fused) continue;
      const fusion::CardNests nests = opened.card(decision).nests;
      ++counts[nests.handing];
      if (nests.handing == fusion::Handing::Nest && nests.shared.empty()) ++without_loops;
      EXPECT_TRUE(nests.missing.empty()) << nests.missing;
    }
    EXPECT_EQ(counts[fusion::Handing::Unknown], 0) << sample;
    EXPECT_GT(counts[fusion::Handing::Nest], 0) << sample;
    EXPECT_LE(without_loops, counts[fusion::Handing::Nest] / 3) << sample << ", " << strategy;
  }
}

// A kernel that cannot be scheduled is said to be none.
TEST(EdgeNests, WhatCannotBeScheduledIsSaid) {
  const Opened opened("lenet", "dominator");
  for (const fusion::Decision& decision : opened.plan->decisions) {
    if (!decision.fused) continue;
    const fusion::EdgeCard card =
        (*opened.cards)(decision, [](fusion::GroupId) -> Result<fusion::KernelNests> {
          return fail(Code::PlanInvalid, "it is too large");
        });
    EXPECT_EQ(card.nests.handing, fusion::Handing::Unknown);
    EXPECT_THAT(card.nests.sentence, HasSubstr("cannot be scheduled: it is too large"));
    EXPECT_TRUE(card.nests.shared.empty());
  }
}

}  // namespace
}  // namespace loopglass::debug
